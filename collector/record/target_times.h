/*
 * The CPU time that the targets of a recording and their descendants use meanwhile: why a recording
 * of processes that run already has no samples.
 */
#ifndef COLLECTOR_RECORD_TARGET_TIMES_H
#define COLLECTOR_RECORD_TARGET_TIMES_H

#include <stdbool.h>

#include "collector/record/live/process_table.h"
#include "collector/record/observing/recording_notes.h"

/* All zeros: not begun. */
struct target_times {
	const char *proc;
	const struct int_list *pids; /* the recorded processes */
	const struct int_list *tids; /* if only these threads of them are recorded; else empty */
	bool can_have_trees;         /* the targets may be chosen with their descendants */
	struct process_table before, after;
	uint64_t threads_before_ns, threads_after_ns;
	uint64_t duration_ns; /* from begin to end */
};

/* The lists are borrowed, @proc ("/proc", but in tests) too. Without /proc the times stay unknown.
 */
void target_times_begin(struct target_times *times, const char *proc, const struct int_list *pids,
			const struct int_list *tids, bool can_have_trees);
void target_times_deinit(struct target_times *times);
/* To be called once; has no effect if they have not begun. */
void target_times_end(struct target_times *times, uint64_t duration_ns);
/*
 * Adds notes on what the targets have done between begin and end, which has given no sample, and on
 * what their descendants that are not recorded have done. Targets that have exited are left out.
 */
void target_times_explain(const struct target_times *times, struct recording_notes *notes);

#endif
