/*
 * Completes paths that end where the copy of the stack ends, by likeness: with the callers that the
 * same frames, at the same places of the stack, had in earlier complete paths of the thread.
 *
 * It is a guess, made only if nothing speaks for other callers (docs/decisions/0017). Paths come in
 * time order. Belongs to one thread at a time.
 */
#ifndef COLLECTOR_PATHS_PATH_JOINS_H
#define COLLECTOR_PATHS_PATH_JOINS_H

#include "collector/paths/frame_tree.h"

#define JOIN_FRAMES_MIN 16 /* in a row that the two paths have in common */
#define JOIN_LEARNED_MIN                                                                      \
	128              /* complete paths of the thread, so that rare callers are known, too \
			  */
#define JOIN_SEEN_MIN 16 /* paths that prove a caller, or that another caller leads elsewhere */

struct path_joins;

/* A user half as it was unwound. */
struct walked_path {
	const void *thread;                /* names it: its address, no more */
	const struct placed_frame *frames; /* leaf first; borrowed for the call */
	size_t n_frames;
};

/* NULL: out of memory. */
struct path_joins *path_joins_create(void);
void path_joins_destroy(struct path_joins *joins);

/* A path that is complete. Costs nothing until a path of its thread was cut. 0 or -ENOMEM. */
int path_joins_learn(struct path_joins *joins, const struct walked_path *path);
/*
 * A path that ends because the copy does. *@outer_ret: the callers of its last frame, out to the
 * root, and *@n_outer_ret their number; 0: they are not known. Valid until the next call. 0 or
 * -ENOMEM.
 */
int path_joins_find(struct path_joins *joins, const struct walked_path *path,
		    const struct placed_frame **outer_ret, size_t *n_outer_ret);

#endif
