/*
 * The events of a recording, opened: on every CPU of the target, for a task or for all; with one
 * ring per CPU for samples and one per CPU for sideband (MMAP2, COMM, FORK, ...), so that
 * a flood of samples never costs a mapping its name.
 *
 * What an older kernel refuses is dropped step by step, and said in ->notes.
 */
#ifndef PERF_COUNTERS_EVLIST_H
#define PERF_COUNTERS_EVLIST_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perf/counters/ring.h"
#include "perf/events/event.h"
#include "perf/kernel/limits.h"

/* The system calls behind, to be stubbed in tests; NULL: the real ones. open() returns as
 * perf_event_open(2) does: -1 and errno. */
struct evlist_syscalls {
	int (*open)(void *arg, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		    unsigned long flags);
	void *arg;
};
extern const struct evlist_syscalls evlist_real_syscalls;

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

/* All that an event counted, sampled or not. */
struct evlist_counts {
	uint64_t value;
	/* Time that it was to count, summed up over tasks or CPUs, and that it did; the rest of the
	 * time other events had its counter. */
	uint64_t time_enabled_ns, time_running_ns;
};
/* 0 or -errno. */
int evlist_read_counts(const struct evlist *evlist, size_t event, struct evlist_counts *counts_ret);
/* Draws new periods for events with jitter, as many as is cheap; to be called some ten times a
 * second. */
void evlist_vary_rates(struct evlist *evlist);

#endif
