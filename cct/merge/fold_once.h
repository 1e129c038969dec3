/*
 * Folding of paths that were seen once: what a long time of recording has most of, and what says
 * least (docs/decisions/0069-paths-seen-once.md).
 *
 * A sample whose path no other sample has goes to the deepest caller that its path shares with
 * others: below that there is MARKER_SEEN_ONCE instead of the functions that it was in. Paths are
 * counted over all processes and threads, and the sample stays in its own.
 */
#ifndef CCT_MERGE_FOLD_ONCE_H
#define CCT_MERGE_FOLD_ONCE_H

#include <stdbool.h>

#include "cct/model/profile.h"

struct folded_tree {
	struct cct *cct; /* owned */
	uint32_t *nodes; /* [node before]: what it has become; owned */
	/* [index in profile->names->codes]: only folded paths had it, and it may go; owned */
	bool *is_unused_code;
	uint64_t n_samples; /* that have the marker on their path, all metrics */
};

/* Folds the tree of a profile, which stays as it is. 0 or -ENOMEM; in each case the caller releases
 * @folded. */
int fold_once(const struct profile *profile, struct folded_tree *folded);
void folded_tree_deinit(struct folded_tree *folded);

#endif
