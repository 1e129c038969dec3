/*
 * Makes compressed records (compressed_frame.h) of whole records, as many to a frame as fit, and
 * passes on each frame when it is full.
 */
#ifndef PERF_WRITER_FRAME_MAKER_H
#define PERF_WRITER_FRAME_MAKER_H

#include "perf/writer/compressed_frame.h"

/* Compressed at once: the most that zstd puts into one block, because each has tables. A frame that
 * turns out too long is closed before its last piece, which is then compressed again. */
#define FRAME_PIECE_SIZE 131072u
/* What one frame may expand to: perf's readers map this much per record. */
#define FRAME_EXPANDED_MAX (4u << 20)

struct frame_maker {
	struct compressed_frame frame; /* under construction */
	/* Takes what is complete. 0 or -errno, which ends the work at hand. */
	int (*pass_on)(void *to, const void *bytes, size_t size);
	void *to;
	uint64_t n_expanded, n_compressed; /* of the frames that were passed on */
};

/* @pass_on and @to are borrowed; @level: zstd's. 0, -ENOMEM, or -EINVAL: no such level.
 * frame_maker_deinit() is needed in each case. */
int frame_maker_init(struct frame_maker *maker, int level,
		     int (*pass_on)(void *to, const void *bytes, size_t size), void *to);
void frame_maker_deinit(struct frame_maker *maker);
/* Adds whole records, of any size together. 0, -ENOMEM, or what passing on returned. */
int frame_maker_add(struct frame_maker *maker, const void *records, size_t size);
/* Passes on the frame under construction, if there is one. */
int frame_maker_end(struct frame_maker *maker);

#endif
