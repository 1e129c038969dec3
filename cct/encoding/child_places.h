/*
 * What the children of a frame usually are, learned from the nodes of a tree as they are written or
 * read: code that calls has few callees, whatever path leads there. Each frame has a list of the
 * frames that its nodes' children had so far, at most CHILD_PLACES_MAX: those that came most often
 * first, of two that came equally often the one that did so last; one more takes the last place.
 * A child is then told by its place in the list. All processes have one list in common, and so have
 * all threads.
 */
#ifndef CCT_ENCODING_CHILD_PLACES_H
#define CCT_ENCODING_CHILD_PLACES_H

#include <stdint.h>

#include "cct/base/arena.h"
#include "cct/model/frame.h"

#define CHILD_PLACES_MAX 16

struct child_list {
	struct child_place *places;
	uint32_t last; /* the frame of the last child, however often; 0: there was none */
	uint8_t n, n_allocated;
};

struct child_places {
	struct child_list *lists; /* by frame; then of processes, and of threads */
	struct arena arena;
	uint32_t n_frames;
};

/* Frames are numbered from 1 on, as a stored profile has them; 0 is the root's. 0 or -ENOMEM; it
 * may be deinitialized in any case. */
int child_places_init(struct child_places *places, uint32_t n_frames);
void child_places_deinit(struct child_places *places);
/* The list for children of nodes with this frame, below @n_frames. */
struct child_list *child_places_of(struct child_places *places, uint32_t number,
				   const struct frame *frame);
/* The place of a frame, from 0 on; list->n: it has none. */
unsigned child_list_find(const struct child_list *list, uint32_t number);
/* The frame at a place, below list->n. */
uint32_t child_list_at(const struct child_list *list, unsigned place);
/* A child had the frame whose place is this; list->n: a frame without a place. 0 or -ENOMEM. */
int child_places_count(struct child_places *places, struct child_list *list, unsigned place,
		       uint32_t number);

#endif
