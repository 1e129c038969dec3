/* The structures and functions that evlist.c and its parts share. */
#ifndef PERF_COUNTERS_EVLIST_PRIVATE_H
#define PERF_COUNTERS_EVLIST_PRIVATE_H

#include "perf/counters/attr_fallback.h"
#include "perf/counters/evlist_types.h"
#include "perf/events/event.h"
#include "perf/rings/ring_size.h"

/* A thread for which events were opened. The whole system is one such task, with tid -1, and a
 * cgroup is one with its descriptor. */
struct evlist_task {
	pid_t tid;
	bool has_exited; /* it and all threads that inherited its events have exited */
	/* CLOCK_MONOTONIC before and after its sampling events were opened. */
	uint64_t open_began_ns, open_ended_ns;
};

/* The event whose counter has a sample ring mapped, and the counter's index among the event's CPUs.
 */
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
	bool has_rate; /* set by the user, for all events that have no rate */
	struct attr_opener opener;
	int *cpus, *sideband_cpus;
	size_t n_cpus, n_sideband_cpus;
	const int *absent_cpus; /* of the options, while events are opened */
	size_t n_absent_cpus;
	enum evlist_wake wake;          /* as of the options */
	bool samples_are_silent;        /* their rings are not waited for */
	struct ring_owner *ring_owners; /* of each sample ring */
	int *ring_fds;                  /* owners of the first task's rings */
	struct evlist_task *tasks;
	size_t n_tasks, n_tasks_alive;
	struct ring_demand demand;
	struct ring_sizes sizes;
	bool rings_too_large; /* the reason why evlist_open_task() failed */
	size_t watched_task;  /* the task whose counters report that rings have filled */
	int second_stacks_map, second_stacks_program; /* -1: none */
	int follow_rules;                             /* a map, borrowed; -1: none */
	int epoll_fd;
	int wake_fd; /* as registered in epoll; -1: none */
	bool is_enabled;
	bool is_paused;               /* task_time_begin_ns has the times until then */
	uint64_t *task_time_begin_ns; /* by event: how long tasks had run before it was enabled */
	enum evlist_jitter jitter;
	uint64_t random_state; /* 0: not seeded yet */
	size_t next_varied;    /* the next counter to draw a period */
	char *error_text;      /* the sentence of the first failure */
};

static inline struct evlist_impl *evlist_impl(struct evlist *evlist)
{
	return (struct evlist_impl *)evlist;
}

bool evlist_has_cpu(const int *cpus, size_t n_cpus, int cpu);
/* While events are opened: whether the CPU has no counters yet. */
bool evlist_is_absent(const struct evlist_impl *impl, int cpu);
/*
 * Leaves out events that count on none of the options' CPUs, for example those of the other PMU of
 * a hybrid processor. The remaining events in *@chosen_ret (heap) borrow from @events.
 */
int evlist_choose_events(const struct evlist_options *options, const struct event *events,
			 size_t n_events, struct event **chosen_ret, size_t *n_chosen_ret);
/* The name of an event that was left out on all its PMUs; NULL: there is no such event. */
const char *evlist_find_missing(const struct event *events, size_t n_events,
				const struct event *chosen, size_t n_chosen);
/* Fills impl->cpus: the CPUs of the options on which at least one event counts, absent ones last.
 */
int evlist_choose_cpus(struct evlist_impl *impl, const struct evlist_options *options,
		       const struct event *events, size_t n_events);
/* Assigns a ring to each counter of the events, and a counter that owns it to each ring. */
int evlist_choose_rings(struct evlist_impl *impl, const struct event *events);
/* The counter of a task that reports that a sample ring has filled. */
int evlist_sample_fd(const struct evlist_impl *impl, size_t task, size_t ring);

/* NULL: no such thread. */
const struct evlist_task *evlist_find_task(const struct evlist_impl *impl, pid_t tid);
/* Prepares the event that captures contexts if it is available here; else sets
 * evlist->contexts_err. */
void evlist_init_contexts(struct evlist_impl *impl);
/* Opens the context event for one more thread, like the sampling events. After a failure it is
 * given up for all threads, and evlist->contexts_err contains the reason. */
void evlist_open_contexts(struct evlist_impl *impl, pid_t tid);
/* Replaces the counter and the ring of contexts on the CPU of a sample ring, if possible. */
void evlist_reopen_contexts(struct evlist_impl *impl, size_t ring);
/* Gives up contexts, for @err. */
void evlist_close_contexts(struct evlist_impl *impl, int err);
/* Prepares second stacks, unless they are not wanted, and memory that is read at samples, if they
 * are available here; else sets evlist->second_stacks_err and evlist->follow_err. */
void evlist_init_second_stacks(struct evlist_impl *impl, bool has_other_stacks);
/* For the sampling events of one more task, by its index. After a failure they are given up for all
 * tasks, and evlist->second_stacks_err contains the reason. */
void evlist_open_second_stacks(struct evlist_impl *impl, size_t task);
/* For the counters that were opened again on the CPU of that ring of the whole system. Where it
 * fails, the CPU has no second stacks. */
void evlist_reopen_second_stacks(struct evlist_impl *impl, size_t ring);
/* Gives them up, for @err. */
void evlist_close_second_stacks(struct evlist_impl *impl, int err);
/* To be called just before the events are enabled, while the sideband runs already. */
void evlist_begin_task_time(struct evlist_impl *impl);
/* They pause, or go on. */
void evlist_turn_task_time(struct evlist_impl *impl);
/* Whether a timer drives the event, not a hardware counter: cpu-clock, task-clock. */
bool evlist_is_clock(const struct perf_event_attr *attr);
/* Draws a rate around the rate of @attr. */
void evlist_draw_rate(struct evlist_impl *impl, struct evlist_event *event,
		      struct perf_event_attr *attr);
/* Adds the counters of the task with that index to epoll. */
int evlist_watch_task(struct evlist_impl *impl, size_t task);
/* Adds a counter of the whole system. */
int evlist_watch_counter(struct evlist_impl *impl, size_t event, size_t place);
/* Adds what a counter of an event has counted to what its replaced counters had. */
void evlist_keep_count(struct evlist_impl *impl, size_t event, size_t place);

#endif
