/* Leaves parts of a finished profile out, as if they had not been recorded. */
#ifndef CCT_MODEL_PROFILE_FILTER_H
#define CCT_MODEL_PROFILE_FILTER_H

#include <stdbool.h>

#include "cct/model/profile.h"

/*
 * Keeps the metrics whose names match one of the patterns (cct/text/name_pattern.h), in the
 * profile's order; the costs of the others leave the tree, whose nodes stay. Where no pattern is
 * given, or none matches, all stay. Metrics change their indices. 0, or -ENOMEM: nothing changed.
 */
int profile_keep_metrics(struct profile *profile, const char *const *patterns, size_t n_patterns);

/*
 * Keeps the samples whose element of @is_kept, by row, is true, in a profile with ->rows. Costs,
 * totals and counters are those of these samples then, nodes without any are gone, and the others
 * count as filtered. What is known of frames of a node, not of samples, is kept where a sample with
 * the same mark is left below it. 0, or -ENOMEM: only destroying it is possible.
 */
int profile_keep_rows(struct profile *profile, const bool *is_kept);

/*
 * Lets costs, totals, counters and times be those of one run of a merged profile. Rows stay, so
 * this can be done for one run after the other. 0 or -ENOMEM.
 */
int profile_count_run(struct profile *profile, uint32_t run);

/*
 * Takes the threads out of a tree by thread: a process has the paths of all of its threads below
 * it. The profile has no rows then. 0, or -ENOMEM: nothing changed.
 */
int profile_join_threads(struct profile *profile);

#endif
