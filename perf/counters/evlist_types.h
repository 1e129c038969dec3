/* A recording's opened events and their rings, and the options they are opened with. */
#ifndef PERF_COUNTERS_EVLIST_TYPES_H
#define PERF_COUNTERS_EVLIST_TYPES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perf/kernel/bpf.h"
#include "perf/kernel/stack_watch.h"
#include "perf/rings/ring.h"

/* The system calls that open events. Tests replace them; NULL: the real ones. open() returns -1 and
 * sets errno, like perf_event_open(2). */
struct evlist_syscalls {
	int (*open)(void *arg, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		    unsigned long flags);
	void *arg;
};

enum evlist_target {
	EVLIST_SYSTEM,  /* every process, or those in a cgroup, on ->cpus */
	EVLIST_COMMAND, /* a child before its exec: inherit, enable_on_exec */
	EVLIST_TASKS,   /* threads that run already */
};

/* The events that are sampled at varying periods. */
enum evlist_jitter {
	JITTER_CLOCKS, /* cpu-clock and task-clock, because any program may run in step with them */
	JITTER_ALL,
	/* As JITTER_ALL, but a clock has the same rate on all CPUs, drawn once: then equal numbers
	 * of samples weigh the same, and sums that are kept take less. */
	JITTER_ALL_ALIKE,
	JITTER_NONE,
};

/* How full a ring of samples is when it wakes the reader. */
enum evlist_wake {
	EVLIST_WAKE_EARLY,   /* a quarter */
	EVLIST_WAKE_AT_ONCE, /* each sample wakes the reader */
	EVLIST_WAKE_LATE,    /* never, if a ring has room for more than a second's samples: the
				reader comes each second by itself. Otherwise a quarter.
				Of other records, three quarters */
};

struct evlist_options {
	enum evlist_target target;
	const pid_t *tids; /* COMMAND: one; TASKS: all threads */
	size_t n_tids;
	/* SYSTEM: only samples of processes in this cgroup, by its folder's descriptor, which stays
	 * open; the sideband has all processes. NULL: everywhere. */
	const int *cgroup_fd;
	const int *cpus; /* online CPUs to open on */
	size_t n_cpus;
	/* SYSTEM: CPUs that are offline and may come online. They have rings, but neither counters
	 * nor memory until evlist_reopen_cpu(). */
	const int *absent_cpus;
	size_t n_absent_cpus;
	uint64_t frequency;  /* Hz, or 0 */
	uint64_t period;     /* or 0 */
	bool has_rate;       /* the user gave one: default periods of events are ignored */
	uint32_t stack_size; /* user stack copy; 0: none */
	/* The copy may be smaller at rates at which rings would not hold enough of them
	 * (ring_sizes_choose_stack()); the attrs of the events have its size. */
	bool may_copy_less;
	uint64_t ring_size; /* bytes per CPU for samples; 0: at least 100 ms of samples */
	bool no_inherit;
	bool start_disabled; /* COMMAND: samples wait for evlist_enable(), not for exec (-D) */
	enum evlist_jitter jitter;
	uint64_t branch_filter; /* PERF_SAMPLE_BRANCH_*: samples contain these branches where the
				   processor records them; 0: none */
	bool has_cgroups;       /* samples contain the ids of cgroups, if the kernel knows them */
	bool has_other_stacks;  /* stacks that were left for the sampled ones are recorded, too,
				   where possible */
	/* Rules by which memory is read at samples (perf/counters/follow_program.h), as a map,
	 * which stays open. NULL: none. */
	const int *follow_rules;
	enum evlist_wake wake; /* when rings wake the reader */
	const struct evlist_syscalls *syscalls;
};

/* The full count of an event, including occurrences that were not sampled. */
struct evlist_counts {
	uint64_t value;
	/* The time for which it was enabled, summed over tasks or CPUs, and the time for which it
	 * counted. In the remaining time other events used its counter. */
	uint64_t time_enabled_ns, time_running_ns;
};

struct evlist_event {
	char *name;
	const char *filter;          /* of a tracepoint, borrowed; NULL: none */
	struct perf_event_attr attr; /* as the kernel accepted it; the rate is without jitter */
	size_t leader;               /* index of its group's leader, as in struct event */
	bool is_counted; /* takes no samples; the samples of its leader have its count */
	bool has_jitter;
	uint64_t clock_period; /* JITTER_ALL_ALIKE: what was drawn for a clock; 0: nothing yet */
	bool is_probe;         /* on a function */
	/* The rings that its counters write to: one per CPU it counts on, for each task again.
	 * Members of a group have their leader's rings. */
	size_t *rings;
	size_t n_rings;
	uint64_t *ids; /* as the recording lists them */
	size_t n_ids;
	int *fds; /* one per id; -1: of an absent CPU */
	/* Counters at the end that are of absent CPUs. They have the id of the last one before, and
	 * the recording does not list them. */
	size_t n_absent;
	/* The kernel's own id of each counter, which differs where evlist_reopen_cpu() has replaced
	 * the counter; NULL: nowhere. */
	uint64_t *kernel_ids;
	/* What counters that were replaced had counted. */
	struct evlist_counts replaced;
	uint64_t replaced_lost;
	/* All counters, as they were read last. */
	struct evlist_counts read;
	uint64_t read_lost, read_task_time_ns;
};

struct evlist {
	struct evlist_event *events; /* n_events events, then the sideband event as [n_events] */
	size_t n_events;
	struct ring *sample_rings;
	size_t n_sample_rings;
	struct ring *sideband_rings;
	size_t n_sideband_rings;
	/*
	 * The event that captures registers and stack of the code that a signal interrupts, for
	 * handlers on an alternate stack. It is not among the events that the recording lists.
	 * Without ids it is unavailable, and contexts_err contains the reason. It has one ring per
	 * sample ring.
	 */
	struct evlist_event contexts;
	struct ring *context_rings;
	int contexts_err;
	bool has_lost_contexts; /* some since the user of the rings has reset this */
	/*
	 * The events by which the kernel writes second stacks into the sample rings, one per ring,
	 * directly before their samples (perf/counters/second_stacks_program.h). They are not among
	 * the events that the recording lists. If they are unavailable, second_stacks_err contains
	 * the reason.
	 */
	struct evlist_event second_stacks;
	bool second_stacks_are_partial; /* events of tracepoints have none */
	int second_stacks_err;
	/* Whether the same program reads memory at samples: 0, or why not. Its records are those of
	 * ->second_stacks, which then has ids without second stacks, too. */
	int follow_err;
	/* What the kernel has said of a program that it refused; "": nothing. */
	char bpf_reason[BPF_REASON_MAX];
	/* That the same program looks at for each sample; NULL: none. */
	struct stack_watch *stack_watch;
	int *ring_cpus; /* CPU of each sample ring */
	uint64_t ring_size;
	bool has_reopened; /* a CPU: not all of the kernel's ids are the recording's, too */
	bool user_only;    /* fell back to user mode (:u) */
	bool ring_shrunk;  /* mlock limit */
	char **notes;      /* sentences for the user: what was dropped or shrunk, and why */
	size_t n_notes;
};

#endif
