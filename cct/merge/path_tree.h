/*
 * The paths of a profile without processes and threads: what is rare is found there, as a path that
 * each of many processes has once is not.
 */
#ifndef CCT_MERGE_PATH_TREE_H
#define CCT_MERGE_PATH_TREE_H

#include "cct/model/cct.h"

struct path_tree {
	struct cct *tree; /* without costs; owned, as are the arrays */
	uint32_t *paths;  /* [node of the profile]: the node here */
	/* By node here: the samples at it and below it, of all metrics; the number of its frame in
	 * the profile's tree. */
	uint64_t *counts;
	uint32_t *frames;
};

/* A tree that a profile's becomes. */
struct changed_tree {
	struct cct *cct;    /* owned */
	uint32_t *nodes;    /* [node before]: what it has become; owned */
	uint64_t n_samples; /* of all metrics, that were given another path */
};

/* 0 or -ENOMEM; deinit follows in each case. */
int path_tree_init(struct path_tree *paths, const struct cct *from);
void path_tree_deinit(struct path_tree *paths);
/* The samples of a node's own path, of all metrics. */
uint64_t path_tree_samples_at(const struct cct *cct, uint32_t node);

/* An empty tree like @from. 0 or -ENOMEM; deinit follows in each case. */
int changed_tree_init(struct changed_tree *changed, const struct cct *from);
void changed_tree_deinit(struct changed_tree *changed);
/* Gives a node its place, of which it notes the number in ->nodes. @arg: as given to
 * changed_tree_fill(). 0 or -ENOMEM. */
typedef int changed_tree_place(const void *arg, uint32_t node, const struct frame_numbers *numbers,
			       struct changed_tree *changed);
/* Takes over the root's costs, and has each other node placed, after the one above it. @frames: of
 * the numbers, as many as @from has. 0 or -ENOMEM. */
int changed_tree_fill(struct changed_tree *changed, const struct cct *from,
		      const struct frame *frames, changed_tree_place *place, const void *arg);
/* Places a node, with all it has, below the one above it, with the frame of that number. 0 or
 * -ENOMEM. */
int changed_tree_move(struct changed_tree *changed, const struct cct *from, uint32_t node,
		      const struct frame_numbers *numbers, uint32_t frame);

#endif
