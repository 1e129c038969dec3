/*
 * A RECORD_COMPRESSED record under construction: one zstd frame that grows by pieces of records.
 *
 * perf's readers decompress each record separately, and a record's size is a 16-bit number that is
 * a multiple of 8. So the frame is closed before it gets too long, and filled up with empty blocks.
 */
#ifndef PERF_WRITER_COMPRESSED_FRAME_H
#define PERF_WRITER_COMPRESSED_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

#define COMPRESSED_RECORD_MAX          65528u /* the largest multiple of 8 in a u16 */
#define COMPRESSED_FRAME_DEFAULT_LEVEL 3      /* the one whose parameters suit stack copies */

struct compressed_frame {
	ZSTD_CCtx *zstd;
	uint8_t *bytes; /* the record's header, then the bytes flushed so far */
	size_t n_allocated, size;
	size_t n_expanded; /* bytes of the records in it */
};

/* @level: zstd's. @max_piece: the most bytes that are added at once. 0, -ENOMEM, or -EINVAL: no
 * such level. compressed_frame_deinit() is needed in each case. */
int compressed_frame_init(struct compressed_frame *frame, int level, size_t max_piece);
void compressed_frame_deinit(struct compressed_frame *frame);
/* Adds a piece. 0; -E2BIG: it does not fit, nothing was added, and compressed_frame_end() must be
 * called next; -ENOMEM. */
int compressed_frame_add(struct compressed_frame *frame, const void *records, size_t size);
/* Completes the record and begins a new one. *@size_ret: its size, 0 if it is empty. Valid until
 * the next piece. All zero @frame: an empty one. */
const void *compressed_frame_end(struct compressed_frame *frame, size_t *size_ret);

#endif
