/* A recording's opened events and their rings, and the options they are opened with. */
#ifndef PERF_COUNTERS_EVLIST_TYPES_H
#define PERF_COUNTERS_EVLIST_TYPES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perf/rings/ring.h"

/* The system calls that open events, which tests replace; NULL: the real ones. open() returns as
 * perf_event_open(2) does: -1 and errno. */
struct evlist_syscalls {
	int (*open)(void *arg, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		    unsigned long flags);
	void *arg;
};

enum evlist_target {
	EVLIST_SYSTEM,  /* every process, on ->cpus */
	EVLIST_COMMAND, /* a child that will exec: inherit, enable_on_exec */
	EVLIST_TASKS,   /* threads that run already */
};

/* Which events sample at varying periods. */
enum evlist_jitter {
	JITTER_CLOCKS, /* cpu-clock and task-clock, which any program may run in step with */
	JITTER_ALL,
	JITTER_NONE,
};

struct evlist_options {
	enum evlist_target target;
	const pid_t *tids; /* COMMAND: one; TASKS: all threads */
	size_t n_tids;
	const int *cpus; /* online CPUs to open on */
	size_t n_cpus;
	uint64_t frequency;  /* Hz, or 0 */
	uint64_t period;     /* or 0 */
	bool has_rate;       /* the user named one of them: events' default periods do not count */
	uint32_t stack_size; /* user stack copy; 0: none */
	uint64_t ring_size;  /* bytes per CPU for samples; 0: at least 100 ms at the asked rate */
	bool no_inherit;
	bool start_disabled; /* COMMAND: samples wait for evlist_enable(), not for exec (-D) */
	enum evlist_jitter jitter;
	bool has_contexts; /* what signals interrupt is recorded, too, where that is possible */
	const struct evlist_syscalls *syscalls;
};

struct evlist_event {
	char *name;
	const char *filter;          /* of a tracepoint, borrowed; NULL: none */
	struct perf_event_attr attr; /* as the kernel accepted it; its rate without jitter */
	size_t leader;               /* of its group, as in struct event */
	bool is_counted;             /* does not sample; read at its leader's samples */
	bool has_jitter;
	bool is_probe; /* on a function */
	/* The rings that its counters write to, for each task anew: one per CPU it counts on.
	 * Members of a group have their leader's. */
	size_t *rings;
	size_t n_rings;
	uint64_t *ids;
	size_t n_ids;
	int *fds; /* one per id */
};

struct evlist {
	struct evlist_event *events; /* [0..n_events), then the sideband event as [n_events] */
	size_t n_events;
	struct ring *sample_rings;
	size_t n_sample_rings;
	struct ring *sideband_rings;
	size_t n_sideband_rings;
	/*
	 * Registers and stack of what is interrupted by signals whose handlers run on a stack of
	 * their own. The recording does not announce this event. No ids: *_err says why; its rings
	 * are one per sample ring.
	 */
	struct evlist_event contexts;
	struct ring *context_rings;
	int contexts_err;
	int *ring_cpus; /* CPU of each sample ring */
	uint64_t ring_size;
	bool user_only;   /* had to fall back to :u */
	bool ring_shrunk; /* mlock limit */
	char **notes;     /* sentences for the user: what was dropped or shrunk, and why */
	size_t n_notes;
};

/* All that an event counted, sampled or not. */
struct evlist_counts {
	uint64_t value;
	/* Time that it was to count, summed up over tasks or CPUs, and that it did; the rest of the
	 * time other events had its counter. */
	uint64_t time_enabled_ns, time_running_ns;
};

#endif
