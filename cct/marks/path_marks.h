/*
 * How many samples of a node's own path have each mark. Few nodes have any, so they are in a table
 * by node. All zero is an empty one.
 */
#ifndef CCT_MARKS_PATH_MARKS_H
#define CCT_MARKS_PATH_MARKS_H

#include <stdint.h>

#include "cct/base/hash_table.h"

/* Marks of paths that were not completed by CFI and the sample alone. */
enum path_mark {
	PATH_GUESSED,  /* has frames with FRAME_GUESSED */
	PATH_STITCHED, /* has frames with FRAME_STITCHED */
	PATH_JOINED,   /* has frames with FRAME_JOINED */
	N_PATH_MARKS
};

/* "guessed", "stitched", "joined" */
const char *path_mark_name(enum path_mark mark);

struct path_marks {
	struct hash_table by_node;
};

void path_marks_deinit(struct path_marks *marks);
/* The node's samples, by enum path_mark; valid until the next addition. */
const uint64_t *path_marks_of(const struct path_marks *marks, uint32_t node);
/* Adds @n_samples to a node. 0 or -ENOMEM. */
int path_marks_add(struct path_marks *marks, uint32_t node, enum path_mark mark,
		   uint64_t n_samples);
/* Likewise, of each mark. */
int path_marks_add_all(struct path_marks *marks, uint32_t node, const uint64_t *n_samples);

#endif
