/* The counters of one thread or of the whole system, and the rings they write to. */
#ifndef PERF_COUNTERS_EVLIST_TASKS_H
#define PERF_COUNTERS_EVLIST_TASKS_H

#include "perf/counters/evlist_private.h"

/* Opens all counters of one thread and directs them to the rings, which the first task maps. */
int evlist_open_task(struct evlist_impl *impl, pid_t tid);
/* Opens a counter of an event, disabled, for one more task or instead of another counter. The attr
 * that the kernel accepted is the event's from then on. @group_fd: of the leader's; -1: none. */
int evlist_open_counter(struct evlist_impl *impl, struct evlist_event *event, pid_t pid, int cpu,
			int group_fd, int *fd_ret, uint64_t *id_ret);
/* Closes the counters and rings of all tasks. */
void evlist_close_tasks(struct evlist_impl *impl);
/* Enables an event's counters from @first on. 0 or -errno. */
int evlist_enable_counters(const struct evlist_event *event, size_t first);

#endif
