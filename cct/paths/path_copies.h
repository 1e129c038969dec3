/*
 * Copies call paths of a tree, one at a time, to where they are sorted into groups. What two paths
 * of a group have in common is copied once, and found by the number of its node.
 */
#ifndef CCT_PATHS_PATH_COPIES_H
#define CCT_PATHS_PATH_COPIES_H

#include <stdbool.h>

#include "cct/base/pair_map.h"
#include "cct/model/cct.h"

/* The first two are the caller's to set, the others are zero. */
struct path_copies {
	const struct cct *from; /* borrowed */
	bool has_tasks;         /* processes and threads are part of the paths */
	struct pair_map nodes;  /* (group, node) -> its copy */
	uint32_t *path;         /* nodes, innermost first */
	size_t n_path_allocated;
};

void path_copies_deinit(struct path_copies *copies);
/*
 * The copy in @into of @node, whose path lies below the root, or if @group_frame isn't NULL, below
 * the root's child with that frame. A group has the same @into and @group_frame each time.
 * CCT_NONE: out of memory.
 */
uint32_t path_copies_get(struct path_copies *copies, struct cct *into, uint64_t group,
			 const struct frame *group_frame, uint32_t node);

#endif
