/* Counts the bytes of the blocks that waiting records point into. Each block counts once, until its
 * last record is released. */
#ifndef PERF_FILE_BLOCK_HOLDS_H
#define PERF_FILE_BLOCK_HOLDS_H

#include <stddef.h>
#include <stdint.h>

#include "perf/file/data_blocks.h"

#define BLOCK_HOLDS_RECENT 4 /* a file's records come from very few blocks at a time */

struct block_hold {
	struct data_block *block; /* NULL: free, then @n_records is the next free one */
	uint32_t n_records;
};

struct block_holds {
	struct block_hold *holds;
	uint32_t n_holds;
	int64_t first_free;
	int64_t recent[BLOCK_HOLDS_RECENT];
	unsigned next_recent;
	size_t n_bytes; /* of all blocks */
};

void block_holds_init(struct block_holds *holds);
void block_holds_deinit(struct block_holds *holds);
/* Room for @n blocks in all: as many as there may be records. 0 or -ENOMEM. */
int block_holds_reserve(struct block_holds *holds, size_t n);
/* One more record of @block. The index is for block_holds_release(). */
uint32_t block_holds_take(struct block_holds *holds, struct data_block *block);
void block_holds_release(struct block_holds *holds, uint32_t index);

#endif
