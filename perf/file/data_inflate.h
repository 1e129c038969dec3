/*
 * Expands compressed records. perf writes one zstd stream over all of them, dendro a frame for
 * each; one decoder kept over all records reads both.
 */
#ifndef PERF_FILE_DATA_INFLATE_H
#define PERF_FILE_DATA_INFLATE_H

#include <sys/types.h>
#include <zstd.h>

#include "perf/file/data_blocks.h"
#include "perf/records/record.h"

struct data_inflate {
	ZSTD_DStream *decoder;
	ZSTD_inBuffer input; /* the rest of the payload in @block */
	struct data_block *block;
	bool has_output;      /* the decoder filled all the room it was given */
	uint64_t file_offset; /* of the compressed record */
	char **error;
};

void data_inflate_deinit(struct data_inflate *inflate);

static inline bool data_is_compressed(const struct perf_event_header *header)
{
	return header->type == RECORD_COMPRESSED || header->type == RECORD_COMPRESSED2;
}

/* Takes over the record's block reference, also when it fails. */
int data_inflate_start(struct data_inflate *inflate, const struct raw_record *record);
/* A source for struct data_stream: the expanded payload of @inflate; 0: all of it has been
 * expanded. */
ssize_t data_inflate_read(void *inflate, uint8_t *bytes, size_t size);

#endif
