/*
 * The distinct call paths of a profile, each with its own costs: what exporters of stacks write.
 * Costs of all paths add up to the metrics' totals; where samples are not selected, the root has
 * the rest. symbolizer_expand() (report/names/symbolize.h) gives the names of a frame and of the
 * functions inlined at it.
 *
 *	struct path_iterator iterator;
 *	struct profile_path path;
 *	int err = path_iterator_init(&iterator, profile);
 *
 *	while (!err && path_iterator_next(&iterator, &path))
 *		write_stack(path.frames, path.n_frames, path.costs[0].weight);
 *	path_iterator_deinit(&iterator);
 */
#ifndef CCT_PATHS_PATH_ITERATOR_H
#define CCT_PATHS_PATH_ITERATOR_H

#include <stdbool.h>

#include "cct/model/profile.h"

/* Borrowed from the profile and the iterator, until its next step. */
struct profile_path {
	const struct profile_process *process; /* NULL: none */
	const struct profile_thread *thread;   /* NULL: the profile is not by thread */
	const struct frame *frames;            /* root first; code and markers */
	size_t n_frames;
	bool is_complete;             /* otherwise frames[0] is the marker that says why */
	const uint64_t *marked;       /* how many of its samples, by enum path_mark */
	const struct cct_cost *costs; /* by metric, of samples whose path is this one */
};

struct path_iterator {
	const struct profile *profile;
	uint32_t node;        /* the next to look at */
	struct frame *frames; /* as many as the deepest path has */
	size_t max_frames;
};

/* @profile, with its tree, is borrowed and must not change. 0 or -ENOMEM; it may be deinitialized
 * in any case. */
int path_iterator_init(struct path_iterator *iterator, const struct profile *profile);
void path_iterator_deinit(struct path_iterator *iterator);
/* The next path that has samples, in the order in which paths were first met. false: no more. */
bool path_iterator_next(struct path_iterator *iterator, struct profile_path *path_ret);

#endif
