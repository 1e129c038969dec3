/*
 * Queries, from dendro to dendro-send, and the answers, back: blocks of bytes, each after its size
 * in 4 bytes, lowest first. The size 0 is the end of a whole text, and BLOCKS_FAILED is before a
 * sentence that says why there is none, or no more. So an answer that was cut off is never taken
 * for a whole one.
 */
#ifndef COLLECTOR_DATABASE_BLOCK_STREAM_H
#define COLLECTOR_DATABASE_BLOCK_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define BLOCK_MAX        (1u << 20)
#define BLOCKS_FAILED    UINT32_MAX
#define BLOCKS_WORDS_MAX 4096

/* Writes the bytes as blocks. false: nobody reads them. */
bool blocks_write(FILE *out, const void *bytes, size_t size);
/* Writes the end. @words: why the text is not whole; NULL: it is. Likewise. */
bool blocks_end(FILE *out, const char *words);

/* All zero, but for the file that blocks come from. */
struct block_stream {
	FILE *from;
	uint32_t left; /* of the block at hand */
	bool is_whole; /* the end was read */
	char *words;   /* owned; why it is not; NULL: it was cut off */
};

void block_stream_deinit(struct block_stream *stream);
/* The bytes of all blocks of a text, as a file; it borrows the stream. It ends where the text does,
 * and stream->is_whole says then whether that is its end. NULL: no memory. */
FILE *block_stream_open(struct block_stream *stream);

#endif
