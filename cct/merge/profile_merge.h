/*
 * Profiles added up: of several runs, machines or days, with all that is the same in them told from
 * all that is not (docs/decisions/0025-merged-profiles.md).
 *
 *	struct profile_merge *merge = profile_merge_create(false, MERGED_ROWS_MAX);
 *	int err = merge ? 0 : -ENOMEM;
 *
 *	for (size_t i = 0; !err && i < n; i++)
 *		err = profile_merge_add(merge, profiles[i]);
 *	if (!err)
 *		err = profile_merge_finish(merge, &merged);
 *	profile_merge_destroy(merge);
 *
 * The result does not depend on the order of the profiles, nor on which of them were merged before:
 * its tables are sorted, and so are the children of each node. For each metric, samples and weight
 * are the sums of those that were added. Memory is bounded by the result: a profile may be
 * destroyed as soon as it was added. Not thread-safe.
 */
#ifndef CCT_MERGE_PROFILE_MERGE_H
#define CCT_MERGE_PROFILE_MERGE_H

#include "cct/model/profile.h"

struct profile_merge;

#define MERGED_ROWS_MAX (1u << 24)

/*
 * If all profiles have rows of samples, the sum has them, too. If they are more than @max_rows,
 * they become sums of slices of time, or are left out (merge_rows.h).
 *
 * @by_name: functions of different builds of a program are the same if program and function have
 * the same name; what is known of their lines is lost, and code without a name stays as it is.
 * NULL: out of memory.
 */
struct profile_merge *profile_merge_create(bool by_name, uint32_t max_rows);
void profile_merge_destroy(struct profile_merge *merge);
/* Adds a profile, as stored ones are: with ->names. 0 or -ENOMEM; then nothing but destruction is
 * left. */
int profile_merge_add(struct profile_merge *merge, const struct profile *profile);
/*
 * What a sum of a long time need not keep; each is done when the sum is finished.
 *
 * Short processes of one name become one (cct/merge/join_processes.h). They are counted again in
 * each sum in which they were joined.
 */
void profile_merge_join_processes(struct profile_merge *merge);
/* Rows of samples become sums of slices of ROW_SLICE_MINUTE (cct/model/row_slices.h). */
void profile_merge_by_minute(struct profile_merge *merge);
/* Rare addresses of a function become one on each path (cct/merge/join_addresses.h). Samples are
 * counted again in each sum in which they are given another address. */
void profile_merge_join_addresses(struct profile_merge *merge);
/* Paths that were seen once in all that was added are folded when the sum is finished
 * (cct/merge/fold_once.h). What was folded and is merged with others has lost nothing but the
 * order of merging: paths of two sums that were folded apart are not told from each other. */
void profile_merge_fold_once(struct profile_merge *merge);
/* The sum of all that was added, which is the caller's. 0 or -ENOMEM. */
int profile_merge_finish(struct profile_merge *merge, struct profile **profile_ret);
/* Likewise, with packed rows: for profile_file_write() alone, in less memory. */
int profile_merge_finish_packed(struct profile_merge *merge, struct profile **profile_ret);

#endif
