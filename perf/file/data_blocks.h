/*
 * Blocks of record bytes, recycled. The reading thread takes blocks; any thread may give back the
 * last reference.
 */
#ifndef PERF_FILE_DATA_BLOCKS_H
#define PERF_FILE_DATA_BLOCKS_H

#include <stdatomic.h>

#include "perf/file/data_file.h"

#define DATA_BLOCK_SIZE (1u << 20)

struct block_pool {
	struct data_file *file; /* the blocks' owner */
	struct data_block *free;
	_Atomic(struct data_block *) returned; /* pushed by any thread, taken all at once */
};

void block_pool_deinit(struct block_pool *pool);
void block_pool_return(struct block_pool *pool, struct data_block *block);

/*
 * A block being filled and handed out. It holds so many references from the start that handing one
 * out is a plain increment of @n_given; what is left over goes back in one step.
 */
struct block_window {
	struct data_block *block; /* NULL: none yet */
	uint32_t pos;             /* handed out up to here */
	uint32_t fill;            /* valid up to here */
	uint32_t n_given;
};

/* Replaces the window's block by a fresh one; bytes not yet handed out move to its start. */
int block_window_renew(struct block_window *window, struct block_pool *pool);
void block_window_close(struct block_window *window);

#endif
