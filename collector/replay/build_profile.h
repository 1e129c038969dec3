/*
 * A recording -> a profile. One thread reads, orders and applies sideband; workers unwind, merge
 * and build a tree each; the trees are merged at the end.
 */
#ifndef COLLECTOR_REPLAY_BUILD_PROFILE_H
#define COLLECTOR_REPLAY_BUILD_PROFILE_H

#include "cct/model/profile.h"

/* Samples to take; an empty list lets everything pass. */
struct build_filter {
	const int32_t *pids;
	size_t n_pids;
	const int32_t *tids;
	size_t n_tids;
	const uint32_t *cpus;
	size_t n_cpus;
	const char *const *comms; /* the thread's name or its process's */
	size_t n_comms;
	const char *const *events;
	size_t n_events;
};

struct build_options {
	struct build_filter filter;
	bool by_thread;            /* a node per thread below the process */
	unsigned n_threads;        /* the reader's included; 0: one per CPU; 1: no others */
	struct file_search *files; /* as in replay_open() */
};

/*
 * -errno: no profile, and *@error_ret says why. 0: a profile; *@error_ret, if not NULL, says where
 * the recording is corrupt: the profile holds what precedes. The sentence is on the heap.
 */
int build_profile(const char *path, const struct build_options *options,
		  struct profile **profile_ret, char **error_ret);

#endif
