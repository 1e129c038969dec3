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

#include "cct/merge/path_tree.h"

/* Folds a tree, which stays as it is. @folded->n_samples have the marker on their path. 0 or
 * -ENOMEM; in each case the caller releases @folded. */
int fold_once(const struct cct *cct, struct changed_tree *folded);

#endif
