/*
 * User halves of samples' paths, kept until it is their turn to be joined: workers unwind batches
 * in any order, but joins depend on the order of samples.
 *
 * Memory is bounded by WALK_LOG_FRAMES: what is beyond is neither learned from nor joined.
 */
#ifndef COLLECTOR_SESSION_WALK_LOG_H
#define COLLECTOR_SESSION_WALK_LOG_H

#include "collector/paths/path_joins.h"
#include "collector/paths/sample_path.h"

#define WALK_LOG_FRAMES (1u << 20)

struct noted_walk {
	size_t sample; /* its number, of the user's */
	const void *thread;
	bool is_cut; /* else it is complete */
	size_t start, n_frames;
	size_t start_outer, n_outer; /* n_outer: 0 until joined */
};

/* All zero is an empty log. */
struct walk_log {
	struct noted_walk *walks;
	size_t n_walks, n_walks_allocated;
	struct placed_frame *frames;
	size_t n_frames, n_frames_allocated;
	struct placed_frame *outer;
	size_t n_outer, n_outer_allocated;
};

void walk_log_deinit(struct walk_log *log);
void walk_log_clear(struct walk_log *log);
/* Notes a sample whose path is resolved. 1: its path may be joined; 0: it may not; -ENOMEM. */
int walk_log_note(struct walk_log *log, size_t number, const struct sample *sample);
/* Joins what can be joined, in the order of the log. 0 or -ENOMEM. */
int walk_log_join(struct walk_log *log, struct path_joins *joins);
/* The callers to which @walk was joined: @walk->n_outer; NULL: none. Valid until the log is
 * cleared. */
const struct placed_frame *walk_log_outer(const struct walk_log *log,
					  const struct noted_walk *walk);

#endif
