/*
 * Cuts a stream of bytes into records. What a file holds is mapped, and read only where it can't
 * be; what comes through a pipe is read. There are two in a compressed recording: the file's own
 * bytes, and what its compressed records expand to, where a record may begin in one and end in
 * another.
 */
#ifndef PERF_FILE_DATA_STREAM_H
#define PERF_FILE_DATA_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "perf/file/data_blocks.h"

struct data_stream_source {
	/* At most @size bytes; 0: no more for now. */
	ssize_t (*read)(void *source, uint8_t *bytes, size_t size);
	/* Skips bytes without reading them and returns their number. NULL for a pipe, whose bytes
	 * are read and dropped instead. */
	uint64_t (*skip)(void *source, uint64_t size);
	/* As data_input_map(); NULL: all is read. */
	struct data_block *(*map)(void *source, uint32_t back, uint32_t *pos_ret);
	void *source;
};

struct data_stream {
	struct data_stream_source from;
	struct block_pool *pool;
	struct block_window window;
	struct block_window aligned; /* copies of records that do not begin at 8 bytes */
	bool is_expanded;            /* from compressed records */
	/* File offset of the window's first byte, or of the compressed record being expanded. */
	uint64_t origin;
	uint64_t n_skip; /* bytes to leave out before the next record */
};

void data_stream_close(struct data_stream *stream);

/*
 * 1: a record. 0: the source has no more for now; data_stream_has_rest() tells whether a record has
 * begun. -errno and a sentence in *@error: no record can begin here.
 */
int data_stream_next(struct data_stream *stream, struct raw_record *record_ret, char **error);
/* Skips @size bytes after the last record. */
void data_stream_skip(struct data_stream *stream, uint64_t size);
/* The whole record @ahead bytes after the beginning of the next one, if it has been read and lies
 * aligned. Borrowed. */
bool data_stream_peek(const struct data_stream *stream, uint32_t ahead,
		      struct raw_record *record_ret);
/* Goes on with a block that was filled with @size bytes; where nothing is left of those before. */
void data_stream_adopt(struct data_stream *stream, struct data_block *block, uint32_t size);
/* The file offset of the next record. */
uint64_t data_stream_offset(const struct data_stream *stream);

static inline bool data_stream_has_rest(const struct data_stream *stream)
{
	return stream->window.fill != stream->window.pos || stream->n_skip;
}

#endif
