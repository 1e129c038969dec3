/* Leaves parts of a finished profile out, as if they had not been recorded. */
#ifndef CCT_MODEL_PROFILE_FILTER_H
#define CCT_MODEL_PROFILE_FILTER_H

#include "cct/model/profile.h"

/*
 * Keeps the metrics whose names match one of the patterns (cct/text/name_pattern.h), in the
 * profile's order; the costs of the others leave the tree, whose nodes stay. Where no pattern is
 * given, or none matches, all stay. Metrics change their indices. 0, or -ENOMEM: nothing changed.
 */
int profile_keep_metrics(struct profile *profile, const char *const *patterns, size_t n_patterns);

/*
 * Takes the threads out of a tree by thread: a process has the paths of all of its threads below
 * it. 0, or -ENOMEM: nothing changed.
 */
int profile_join_threads(struct profile *profile);

#endif
