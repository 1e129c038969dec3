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

#endif
