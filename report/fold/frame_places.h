/*
 * What the frames of a tree are in its fold: the entity of the compiled function, followed by those
 * of the functions inlined at the frame. A tree has many nodes of each frame, so this is found once
 * per frame. All zero is empty.
 */
#ifndef REPORT_FOLD_FRAME_PLACES_H
#define REPORT_FOLD_FRAME_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame_place {
	uint32_t entity;
	/* Of an inlined function: its call in the function before. 0: not known. */
	uint32_t call_line;
	const char *call_file; /* borrowed; NULL: not known */
};

struct frame_places {
	struct frame_place *places;
	uint32_t n_places, n_places_allocated;
	struct {
		uint32_t first, n;
		bool is_known;
	} * by_frame;      /* by the frame's number in the tree */
	uint32_t n_frames; /* 0: without ->by_frame */
};

void frame_places_deinit(struct frame_places *places);
bool frame_places_know(const struct frame_places *places, uint32_t frame);
/* The places of a frame that is known; valid until the next addition. */
const struct frame_place *frame_places_of(const struct frame_places *places, uint32_t frame,
					  size_t *n_ret);
/* From now on the frame is known, without places, and frame_places_add() adds to it. @n_frames: how
 * many the tree has. 0 or -ENOMEM. */
int frame_places_begin(struct frame_places *places, uint32_t frame, uint32_t n_frames);
/* Adds a place to the frame begun last. 0 or -ENOMEM. */
int frame_places_add(struct frame_places *places, uint32_t frame, const struct frame_place *place);

#endif
