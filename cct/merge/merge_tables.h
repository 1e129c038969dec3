/*
 * Metrics, processes, threads and wakers of several profiles, by what they are: metrics by name and
 * unit, processes by pid and name (joined ones by
 * name), threads by tid, name and process, wakers by their text.
 */
#ifndef CCT_MERGE_MERGE_TABLES_H
#define CCT_MERGE_MERGE_TABLES_H

#include "cct/merge/merge_state.h"

/* The index of a process or thread in the sum, added if new. UINT32_MAX: out of memory. */
uint32_t merge_process(struct merge_state *state, const struct profile_process *process);
/* @process: of the thread, in the sum. */
uint32_t merge_thread(struct merge_state *state, const struct profile_thread *thread,
		      uint32_t process);
/* The metric with this name and unit of which @n_before others are in the profile before it. */
uint32_t merge_metric(struct merge_state *state, const struct metric *metric, uint32_t n_before);
/* For each metric of a profile, how many before it have its name and unit; to free(). NULL: no
 * memory. */
uint32_t *merge_count_metrics(const struct profile *profile);

/* These add all of a profile's, with their numbers, and fill the maps. 0 or -ENOMEM. */
int merge_metrics(struct merge_state *state, const struct merge_maps *maps);
int merge_processes(struct merge_state *state, const struct merge_maps *maps);
int merge_threads(struct merge_state *state, const struct merge_maps *maps);
int merge_wakers(struct merge_state *state, const struct merge_maps *maps);
int merge_cgroups(struct merge_state *state, const struct merge_maps *maps);
int merge_values(struct merge_state *state, const struct merge_maps *maps);

#endif
