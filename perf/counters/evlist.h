/*
 * The events of a recording, opened: on every CPU of the target, for a task or for all; with one
 * ring per CPU for samples and one per CPU for sideband (MMAP2, COMM, FORK, ...), so that
 * a flood of samples never costs a mapping its name.
 *
 * What an older kernel refuses is dropped step by step, and said in ->notes.
 */
#ifndef PERF_COUNTERS_EVLIST_H
#define PERF_COUNTERS_EVLIST_H

#include "perf/counters/evlist_types.h"
#include "perf/events/event.h"
#include "perf/kernel/limits.h"

/* perf_event_open(2). */
extern const struct evlist_syscalls evlist_real_syscalls;

/*
 * Opens and maps; nothing counts yet, but the sideband of SYSTEM and TASKS runs already, so that
 * /proc may be walked now (drain its rings meanwhile). On failure -errno and *@error_ret a sentence
 * with the remedy (heap, to free).
 */
int evlist_open(const struct evlist_options *options, const struct event *events, size_t n_events,
		const struct perf_limits *limits, struct evlist **evlist_ret, char **error_ret);
void evlist_close(struct evlist *evlist);
int evlist_enable(struct evlist *evlist); /* not needed after enable_on_exec */
int evlist_disable(struct evlist *evlist);
/* Stops the recording of contexts, or goes on with it. */
void evlist_control_contexts(struct evlist *evlist, bool is_enabled);
/*
 * Adds threads that appeared since (attach); opens for those not yet known. Number added, or
 * -errno. Threads that inherited the events of the one that made them are left out: their FORK
 * records, still unread in the sideband rings, tell; so call it before the first drain.
 */
int evlist_add_tids(struct evlist *evlist, const pid_t *tids, size_t n_tids);
/* Waits until a ring reached its watermark, @wake_fd is readable, or the time is over. >0: rings
 * or wake_fd ready; 0: timeout. *all_hung_up_ret: every target has exited. */
int evlist_wait(struct evlist *evlist, int wake_fd, int timeout_ms, bool *all_hung_up_ret);
/* The index of the event that has a counter of this id; SIZE_MAX: none. */
size_t evlist_find_event(const struct evlist *evlist, uint64_t id);
/* Samples the kernel lost, by event: PERF_FORMAT_LOST where there is, else 0 (LOST records then
 * count). */
uint64_t evlist_read_lost(const struct evlist *evlist, size_t event, bool *is_known_ret);

/* 0 or -errno. */
int evlist_read_counts(const struct evlist *evlist, size_t event, struct evlist_counts *counts_ret);
/* Draws new periods for events with jitter, as many as is cheap; to be called some ten times a
 * second. */
void evlist_vary_rates(struct evlist *evlist);

#endif
