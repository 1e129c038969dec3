/*
 * Joining of short processes: a machine that compiles has thousands of them an hour, and a sum of
 * an hour has a tree, threads and epochs for each (docs/decisions/0071-short-processes-joined.md).
 *
 * Short processes of one name become one, whose ->n_joined says how many they were. A process is
 * short if it has fewer than one in JOINED_SHARE of the sum's samples, all of them in a slice of
 * ROW_SLICE_MINUTE (cct/model/row_slices.h) and one that begins JOINED_SPAN_NS later at most: so it
 * is the same whether rows are sums of such slices or not. One that is alone of its name stays.
 */
#ifndef CCT_MERGE_JOIN_PROCESSES_H
#define CCT_MERGE_JOIN_PROCESSES_H

#include "cct/merge/path_tree.h"
#include "cct/model/profile.h"
#include "cct/model/row_slices.h"

#define JOINED_SHARE   1000
#define JOINED_SPAN_NS ((1ull << ROW_SLICE_MINUTE) * 1000)

struct joined_tree {
	struct changed_tree tree;
	uint32_t *tasks; /* [number before]: what it has become; owned */
};

/*
 * Joins the processes of a profile, with their threads and tasks, whose numbers are others then;
 * makes the tree that has them. The profile's own tree and rows stay as they were, and have to be
 * replaced. @spans: as merge_find_spans() says. 0 or -ENOMEM, with the profile half done; in
 * each case the caller releases @joined.
 */
int join_processes(struct profile *profile, const struct time_span *spans,
		   struct joined_tree *joined);
void joined_tree_deinit(struct joined_tree *joined);

#endif
