/*
 * Threads that compress blocks of records and pass on the frames in the order in which the blocks
 * were handed over, so that the file is the same whoever compressed what.
 *
 * The caller fills one block while others are compressed. A thread is started when a block is
 * handed over and no thread is idle, up to a limit, and has the priority that the caller has.
 * Where all blocks are in use, the caller compresses one itself, or waits for one. So the memory is
 * that of COMPRESSOR_BLOCKS() blocks and what they become.
 *
 * Errors persist: blocks that come after one are discarded. One caller.
 */
#ifndef PERF_WRITER_COMPRESSOR_H
#define PERF_WRITER_COMPRESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/writer/frame_maker.h"

#define COMPRESSOR_BLOCK_SIZE        FRAME_EXPANDED_MAX
#define COMPRESSOR_BLOCKS(n_threads) (4 * (size_t)(n_threads) + 2)

struct compressor;

/* The caller fills in the first three; the others are the compressor's, until it passes the block
 * on. */
struct compressor_block {
	uint8_t *records; /* whole ones; room for COMPRESSOR_BLOCK_SIZE, 64-byte aligned */
	size_t size;      /* of the records */
	bool is_plain;    /* they go into the file as they are */
	uint8_t *bytes;   /* for the file */
	size_t n_bytes, n_allocated;
	uint64_t n_expanded, n_compressed; /* of the frames among @bytes */
	int state;                         /* of the compressor's */
	struct compressor_block *next;
};

struct compressor_options {
	int level;          /* zstd's */
	unsigned n_threads; /* at most; at least 1 */
	/* Gets each block when those before it are passed on; by any thread, but by one at a time.
	 * 0 or -errno. Borrowed, as @to. */
	int (*pass_on)(void *to, const struct compressor_block *block);
	void *to;
};

/* 0, -ENOMEM, or -EINVAL: no such level. */
int compressor_create(const struct compressor_options *options, struct compressor **compressor_ret);
/* Discards what has not been passed on. */
void compressor_destroy(struct compressor *compressor);
/* An empty block, whose is_plain is false, to be handed over next. 0 or -errno, an earlier error's.
 */
int compressor_take(struct compressor *compressor, struct compressor_block **block_ret);
/* Hands over the block that was taken last. */
void compressor_put(struct compressor *compressor, struct compressor_block *block);
/* Returns when all blocks that were handed over are passed on. 0 or -errno. */
int compressor_drain(struct compressor *compressor);

#endif
