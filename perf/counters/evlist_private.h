/* What evlist.c and its parts share. */
#ifndef PERF_COUNTERS_EVLIST_PRIVATE_H
#define PERF_COUNTERS_EVLIST_PRIVATE_H

#include "perf/counters/attr_fallback.h"
#include "perf/counters/evlist_types.h"
#include "perf/events/event.h"
#include "perf/rings/ring_size.h"

/* A thread with events of its own; the whole system counts as one, of tid -1. */
struct evlist_task {
	pid_t tid;
	bool has_exited; /* and all that inherited its events */
	/* CLOCK_MONOTONIC before and after its sampling events were opened. */
	uint64_t open_began_ns, open_ended_ns;
};

/* The event, and its place among the event's CPUs, whose counter has a sample ring mapped. */
struct ring_owner {
	size_t event, place;
};

/* struct evlist's storage. Counters are stored task by task, and by the event's CPUs within a task.
 */
struct evlist_impl {
	struct evlist evlist; /* first: what callers see */
	enum evlist_target target;
	struct perf_limits limits;
	struct attr_request request;
	bool has_rate; /* which is the user's, for all events that have none of their own */
	struct attr_opener opener;
	int *cpus, *sideband_cpus;
	size_t n_cpus, n_sideband_cpus;
	struct ring_owner *ring_owners; /* of each sample ring */
	int *ring_fds;                  /* the owners' of the first task */
	struct evlist_task *tasks;
	size_t n_tasks, n_tasks_alive;
	struct ring_demand demand;
	struct ring_sizes sizes;
	bool rings_too_large; /* why evlist_open_task() failed */
	size_t watched_task;  /* the one whose counters tell that rings filled */
	int epoll_fd;
	int wake_fd; /* as registered in epoll; -1: none */
	bool is_enabled;
	uint64_t *task_time_begin_ns; /* by event: that tasks had run before it was enabled */
	uint64_t random_state;        /* 0: not begun */
	size_t next_varied;           /* the counter whose turn it is to draw a period */
	char *error_text;             /* of the first failure */
};

static inline struct evlist_impl *evlist_impl(struct evlist *evlist)
{
	return (struct evlist_impl *)evlist;
}

bool evlist_has_cpu(const int *cpus, size_t n_cpus, int cpu);
/*
 * Leaves out what counts on none of the options' CPUs, as a hybrid processor's other half may. What
 * is left in *@chosen_ret (heap) borrows from @events.
 */
int evlist_choose_events(const struct evlist_options *options, const struct event *events,
			 size_t n_events, struct event **chosen_ret, size_t *n_chosen_ret);
/* The name of an event none of which was chosen; NULL: there is none. */
const char *evlist_find_missing(const struct event *events, size_t n_events,
				const struct event *chosen, size_t n_chosen);
/* impl->cpus: those of the options that some event counts on. */
int evlist_choose_cpus(struct evlist_impl *impl, const struct evlist_options *options,
		       const struct event *events, size_t n_events);
/* Which ring each counter of the events writes to, and which counter owns each ring. */
int evlist_choose_rings(struct evlist_impl *impl, const struct event *events);
/* The counter of a task that reports on a sample ring. */
int evlist_sample_fd(const struct evlist_impl *impl, size_t task, size_t ring);

/* NULL: no such thread. */
const struct evlist_task *evlist_find_task(const struct evlist_impl *impl, pid_t tid);
/* The event of the contexts, if it can be had here; else evlist->contexts_err. */
void evlist_init_contexts(struct evlist_impl *impl);
/* Opens it for one more thread, like the samples' events. What fails is given up for all threads,
 * and evlist->contexts_err says why. */
void evlist_open_contexts(struct evlist_impl *impl, pid_t tid);
/* Gives up contexts, for @err. */
void evlist_close_contexts(struct evlist_impl *impl, int err);
/* The events are about to be enabled, while the sideband runs already. */
void evlist_begin_task_time(struct evlist_impl *impl);
/* cpu-clock, task-clock: by a timer, not by a counter. */
bool evlist_is_clock(const struct perf_event_attr *attr);
/* Draws a rate around that of @attr. */
void evlist_draw_rate(struct evlist_impl *impl, struct perf_event_attr *attr);
/* Has epoll watch the task of that index. */
int evlist_watch_task(struct evlist_impl *impl, size_t task);

#endif
