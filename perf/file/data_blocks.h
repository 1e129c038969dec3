/*
 * Blocks of record bytes, recycled. The reading thread takes blocks; any thread may give back the
 * last reference.
 */
#ifndef PERF_FILE_DATA_BLOCKS_H
#define PERF_FILE_DATA_BLOCKS_H

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define DATA_BLOCK_SIZE  (1u << 20)
#define FRAME_BLOCK_SIZE (4u << 20) /* what a compressed record of dendro expands to at most */

struct block_pool;

/* A block of record bytes. One reference per raw_record handed out. */
struct data_block {
	atomic_uint n_refs;
	uint32_t size;
	struct data_block *next_free; /* the pool's */
	struct block_pool *pool;      /* NULL: the block is freed with its last reference */
	bool is_mapped;               /* @bytes are a mapped file */
	uint8_t *bytes;
};

struct raw_record {
	const struct perf_event_header *header; /* header->size bytes, 8-byte aligned */
	struct data_block *block;               /* drop with data_block_unref() */
	uint64_t file_offset; /* of the record, or of the compressed record it came from */
};

void data_block_unref(struct data_block *block); /* or NULL */
/* A block of @size bytes of a file, from @offset on, a multiple of the page size; without
 * references, for block_window_adopt(). What is not looked at is not read. NULL: the file can't be
 * mapped. */
struct data_block *data_block_map(int fd, uint64_t offset, uint32_t size);
/* Moves a record into a separate block, so that a record that is kept for long does not pin others.
 * 0, or -ENOMEM: unchanged. */
int raw_record_detach(struct raw_record *record);
static inline void data_block_ref(struct data_block *block)
{
	atomic_fetch_add_explicit(&block->n_refs, 1, memory_order_relaxed);
}

struct block_pool {
	uint32_t block_size;
	struct data_block *free;
	_Atomic(struct data_block *) returned; /* pushed by any thread, taken all at once */
};

/* Frees the blocks that are not in use: all of them, when every reference was given back. */
void block_pool_trim(struct block_pool *pool);
/* A block of the pool's size, without references, for block_window_adopt() or block_pool_return().
 * NULL: out of memory. */
struct data_block *block_pool_take(struct block_pool *pool);
void block_pool_return(struct block_pool *pool, struct data_block *block);

/*
 * A block that is being filled and handed out. It starts with so many references that handing one
 * out is a plain increment of @n_given. The remaining references are released in one step.
 */
struct block_window {
	struct data_block *block; /* NULL: none yet */
	uint32_t pos;             /* handed out up to here */
	uint32_t fill;            /* valid up to here */
	uint32_t n_given;
};

/* Replaces the window's block by a fresh one; bytes not yet handed out move to its start. */
int block_window_renew(struct block_window *window, struct block_pool *pool);
/* Replaces the window's block by one from block_pool_take() that was filled with @size bytes, or
 * by one from data_block_map(), of @size bytes. */
void block_window_adopt(struct block_window *window, struct data_block *block, uint32_t size);
void block_window_close(struct block_window *window);

#endif
