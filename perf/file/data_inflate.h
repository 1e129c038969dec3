/*
 * Expands compressed records. perf writes one zstd stream over all of them, which one decoder that
 * is kept expands. dendro writes a frame for each, which is expanded as a whole, ahead of the
 * reader where it lies in the same block of the file, by any thread. A frame that can't be expanded
 * whole passes through the decoder, too, up to where it is damaged.
 */
#ifndef PERF_FILE_DATA_INFLATE_H
#define PERF_FILE_DATA_INFLATE_H

#include <sys/types.h>
#include <zstd.h>

#include "perf/file/data_blocks.h"
#include "perf/file/data_stream.h"
#include "perf/frames/expander.h"
#include "perf/records/record.h"

/* Frames that are expanded ahead, the one that is read next included: one for each processor, but
 * at most so many, and at least two. Each takes a block of FRAME_BLOCK_SIZE. */
#define INFLATE_AHEAD 4

/* A frame that is expanded, or will be. */
struct inflate_frame {
	uint64_t file_offset;    /* of the compressed record */
	struct data_block *from; /* a reference */
	struct data_block *block;
	struct expansion expansion;
};

struct data_inflate {
	struct expander expander;
	struct block_pool pool;                     /* of what frames expand to */
	struct inflate_frame frames[INFLATE_AHEAD]; /* in the order of the file; a ring */
	size_t first_frame, n_frames, n_frames_max;
	uint64_t last_offset; /* of the records that were seen */
	/* A frame that begins inside a record, until it is copied; or NULL. */
	struct data_block *whole;
	uint32_t whole_pos;
	ZSTD_DStream *decoder;
	bool is_in_frame;    /* the decoder's frame goes on in the next record */
	ZSTD_inBuffer input; /* the rest of the payload in @block */
	struct data_block *block;
	bool has_output;      /* the decoder filled all the room it was given */
	uint64_t file_offset; /* of the compressed record */
	char **error;
};

void data_inflate_init(struct data_inflate *inflate, char **error);
/* As data_file_drop_blocks(). */
void data_inflate_trim(struct data_inflate *inflate);
void data_inflate_deinit(struct data_inflate *inflate);

static inline bool data_is_compressed(const struct perf_event_header *header)
{
	return header->type == RECORD_COMPRESSED || header->type == RECORD_COMPRESSED2;
}

static inline bool data_inflate_has_more(const struct data_inflate *inflate)
{
	return inflate->block || inflate->whole;
}

/*
 * Begins a compressed record, the last one that @plain handed out; what follows it there may be
 * expanded ahead. Takes over the record's block reference, also when it fails. A record that was
 * expanded whole becomes the next block of @expanded, if no record is open there.
 */
int data_inflate_start(struct data_inflate *inflate, const struct raw_record *record,
		       const struct data_stream *plain, struct data_stream *expanded);
/* A source for struct data_stream: the expanded payload of @inflate; 0: all of it has been
 * expanded. */
ssize_t data_inflate_read(void *inflate, uint8_t *bytes, size_t size);
/* Expands a frame ahead, in any thread. false: there is none to expand now. */
bool data_inflate_help(struct data_inflate *inflate);

#endif
