/*
 * The path that was last entered into a tree, with its nodes: the next one begins with the frames
 * that both have in common, which are not looked up again. Consecutive samples of a thread share
 * two thirds of their frames.
 *
 *	last_path_begin(last);
 *	last_path_enter(last, cct, &process, 1);
 *	node = last_path_enter(last, cct, frames, n_frames);
 *
 * All zero is an empty one. Memory is bounded by LAST_PATH_FRAMES: what is further in is looked up.
 */
#ifndef CCT_PATHS_LAST_PATH_H
#define CCT_PATHS_LAST_PATH_H

#include "cct/model/cct.h"

#define LAST_PATH_FRAMES 4096

struct last_path {
	struct frame *frames; /* root first, with their origins */
	uint32_t *nodes;      /* of each, in the tree */
	size_t n_frames, n_frames_allocated, n_nodes_allocated;
	/* Of the path that is being entered: */
	size_t at;     /* frames that are kept */
	uint32_t node; /* of the last frame */
	bool is_same;  /* so far, all are the first of the last path */
};

void last_path_deinit(struct last_path *last);

/* A path begins at the root. */
static inline void last_path_begin(struct last_path *last)
{
	last->at = 0;
	last->node = CCT_ROOT;
	last->is_same = true;
}

/* Continues the path with @frames, as cct_insert_path() does from the node so far. The last node,
 * or CCT_NONE. @cct: the same one each time. */
uint32_t last_path_enter(struct last_path *last, struct cct *cct, const struct frame *frames,
			 size_t n_frames);

#endif
