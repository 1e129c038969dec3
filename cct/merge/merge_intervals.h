/*
 * Phases and epochs of several profiles: each stays one of its run, which rows of samples tell. Of
 * those that two profiles of one run have, one stays.
 */
#ifndef CCT_MERGE_MERGE_INTERVALS_H
#define CCT_MERGE_MERGE_INTERVALS_H

#include "cct/merge/merge_state.h"

/* Adds those of a profile. @runs: in the sum, by number in the profile. 0 or -ENOMEM. */
int merge_intervals(struct merge_state *state, const struct merge_maps *maps, const uint32_t *runs);
/* Sorts those that were added, so that they can be looked up. */
void merge_sort_intervals(struct profile *profile);
/* Moves those of @sum to @sorted. @maps and @runs: from the one to the other. */
void merge_move_intervals(struct merge_state *sorted, struct merge_state *sum,
			  const struct merge_maps *maps, const uint32_t *runs);
/* Without runs, they are of nothing. */
void merge_drop_intervals(struct profile *profile);

#endif
