/*
 * The opened events of a recording: on every CPU of the target, for one task or for all. Each CPU
 * has one ring for samples and one for the sideband (MMAP2, COMM, FORK, ...), so that a flood of
 * samples never displaces the record of a mapping.
 *
 * Features that an older kernel refuses are dropped step by step, and reported in ->notes.
 */
#ifndef PERF_COUNTERS_EVLIST_H
#define PERF_COUNTERS_EVLIST_H

#include "perf/counters/evlist_types.h"
#include "perf/events/event.h"
#include "perf/kernel/limits.h"

/* perf_event_open(2). */
extern const struct evlist_syscalls evlist_real_syscalls;

/*
 * Opens the counters and maps the rings. Events do not count yet. The sideband of SYSTEM and TASKS
 * runs already, so that the caller can read /proc now, and drain the sideband rings meanwhile. On
 * failure returns -errno, and *@error_ret is a sentence with the remedy (heap; the caller frees
 * it).
 */
int evlist_open(const struct evlist_options *options, const struct event *events, size_t n_events,
		const struct perf_limits *limits, struct evlist **evlist_ret, char **error_ret);
void evlist_close(struct evlist *evlist);
/* Whether the kernel lets us count a cgroup, by its folder's descriptor: 0 or -errno. */
int evlist_try_cgroup(int cgroup_fd, int cpu);
int evlist_enable(struct evlist *evlist); /* not needed with enable_on_exec */
int evlist_disable(struct evlist *evlist);
/* Stops the samples of enabled events, or lets them go on. The sideband goes on meanwhile. 0 or
 * -errno. */
int evlist_pause(struct evlist *evlist, bool is_paused);
/* Stops or resumes the recording of contexts. */
void evlist_control_contexts(struct evlist *evlist, bool is_enabled);
/*
 * Opens the events for threads that are not known yet (attach). Returns the number of
 * added threads, or -errno. Threads that inherited the events of their creator are left out. Their
 * FORK records, still unread in the sideband rings, show that, so call this before the first drain.
 */
int evlist_add_tids(struct evlist *evlist, const pid_t *tids, size_t n_tids);
/*
 * Waits until a ring has reached its watermark, @wake_fd is readable, or the timeout expires.
 * Returns >0 if rings or @wake_fd are ready, 0 after the timeout. *all_hung_up_ret: every target
 * has exited.
 */
int evlist_wait(struct evlist *evlist, int wake_fd, int timeout_ms, bool *all_hung_up_ret);
/*
 * Opens the counters and rings of a CPU that was absent, or again that was offline and is back, if
 * the whole system is recorded; otherwise the counters of its tasks are as they were. Their records
 * have ids that the recording does not list: evlist_listed_id() says which ids they stand for. 0;
 * -EBUSY: records in the CPU's rings have yet to be read; another -errno: as before.
 */
int evlist_reopen_cpu(struct evlist *evlist, int cpu);
/* Whether the CPU's sideband counter counts: a CPU that was offline meanwhile has none that does.
 * Interrupts the CPU. */
bool evlist_counts_cpu(const struct evlist *evlist, int cpu);
/* The id that the recording lists for the counter with this id in the kernel. */
uint64_t evlist_listed_id(const struct evlist *evlist, uint64_t kernel_id);
/* The index of the event that has a counter with this listed id; SIZE_MAX: no event. */
size_t evlist_find_event(const struct evlist *evlist, uint64_t id);
/* The samples of each event that the kernel lost, by PERF_FORMAT_LOST. Without PERF_FORMAT_LOST it
 * is 0, and LOST records contain the number. */
uint64_t evlist_read_lost(struct evlist *evlist, size_t event, bool *is_known_ret);

/* 0 or -errno. */
int evlist_read_counts(struct evlist *evlist, size_t event, struct evlist_counts *counts_ret);
/* Another file begins: lost samples and counts are those after they were read last, so that what
 * is counted meanwhile is in one of both files. */
void evlist_restart_counts(struct evlist *evlist);
/* Draws new periods for events with jitter: a limited number of counters per call, so that it is
 * cheap. To be called about ten times a second. */
void evlist_vary_rates(struct evlist *evlist);

#endif
