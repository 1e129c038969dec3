/*
 * The attrs of a recording, and the features to leave out where the kernel, the permissions or the
 * machine refuse them.
 */
#ifndef PERF_COUNTERS_ATTR_FALLBACK_H
#define PERF_COUNTERS_ATTR_FALLBACK_H

#include "perf/counters/evlist_types.h"
#include "perf/kernel/limits.h"

/* Features of attrs by the kernel version that added them, newest first: they are given up in this
 * order. */
enum attr_feature {
	ATTR_READ_INHERITED, /* 6.12 PERF_SAMPLE_READ of inherited events */
	ATTR_LOST,           /* 6.0 PERF_FORMAT_LOST */
	ATTR_BUILD_ID,       /* 5.12 */
	ATTR_TEXT_POKE,      /* 5.9 */
	ATTR_CGROUP,         /* 5.7 PERF_SAMPLE_CGROUP; needs CONFIG_CGROUP_PERF */
	ATTR_KSYMBOL,        /* 5.1, with bpf_event */
	ATTR_NAMESPACES,     /* 4.12; needs CAP_PERFMON */
	ATTR_CLOCKID,        /* 4.1 */
	ATTR_COMM_EXEC,      /* 3.16 */
	ATTR_MMAP2,          /* 3.16 */
	ATTR_CLOEXEC,        /* 3.14 PERF_FLAG_FD_CLOEXEC */
	ATTR_IDENTIFIER,     /* 3.12 PERF_SAMPLE_IDENTIFIER; PERF_SAMPLE_ID before */
	ATTR_DUMMY,          /* 3.12 PERF_COUNT_SW_DUMMY; a counting cpu-clock before */
	ATTR_N_FEATURES,
};

/* The fields that all attrs of one recording share. */
struct attr_request {
	uint64_t frequency, period; /* exactly one is set */
	uint64_t watermark;         /* bytes in the ring that wake the reader */
	uint32_t stack_size;
	bool inherit;
	bool has_arguments; /* registers are recorded even without stacks */
	bool has_raw;       /* raw data of tracepoints, for events that have it */
	bool lacks_periods; /* events with a fixed period omit it: the attr contains it */
	bool samples_on_exec, sideband_on_exec; /* enable_on_exec */
	bool switches;                          /* the sideband has switches of tasks */
	bool has_cgroups;                       /* samples contain the id of their cgroup */
	bool reads_groups;                      /* samples contain the counts of their group */
	uint64_t branch_filter;                 /* the branches that samples contain; 0: none */
	bool has_probes;                        /* probes on functions that children may inherit */
	unsigned int dropped;                   /* 1 << enum attr_feature */
};

void attr_init_sample(struct perf_event_attr *attr, const struct attr_request *request,
		      const struct perf_event_attr *event);
/* Restricts @attr to user mode. false: @attr excludes the kernel or user mode already, or is a
 * tracepoint. */
bool attr_leave_out_kernel(struct perf_event_attr *attr);
/* Exactly one of @frequency and @period is 0. */
void attr_set_rate(struct perf_event_attr *attr, uint64_t period, uint64_t frequency);
/* The attr of an event that takes no samples: its count is read when its group's leader samples. */
void attr_init_counted(struct perf_event_attr *attr, const struct attr_request *request,
		       const struct perf_event_attr *event);
void attr_init_sideband(struct perf_event_attr *attr, const struct attr_request *request);

struct attr_opener {
	struct evlist_syscalls syscalls; /* .open is never NULL */
	const struct perf_limits *limits;
	struct evlist
		*evlist; /* its notes and user_only are updated; the caller explains the latter */
	bool lacks_cloexec;
	bool has_cgroup; /* each pid but -1 is the descriptor of a cgroup's folder */
};

/*
 * Finds out which features of @request this kernel knows, by opening events, and fills
 * request->dropped. Returns -errno if the kernel refuses for a reason that dropping features does
 * not remove.
 */
int attr_probe(struct attr_opener *opener, struct attr_request *request);
/*
 * Opens an event and, where the kernel refuses it, tries user mode only, a lower precise_ip or
 * frequency, and a higher limit of file descriptors. Changes *@attr to the accepted one and adds a
 * note for each change. Returns a file descriptor or -errno.
 */
int attr_open(struct attr_opener *opener, struct perf_event_attr *attr, pid_t pid, int cpu,
	      int group_fd);
/* :P: the highest precise_ip that opens for this program, or 0. If only events that include guests
 * open, guests are counted and a note is added. */
void attr_choose_precise(struct attr_opener *opener, struct perf_event_attr *attr);
/*
 * Adds branch stacks with this filter (PERF_SAMPLE_BRANCH_*) to the samples of @attr. false: the
 * event, or this machine, has none, and @attr is as it was.
 */
bool attr_choose_branches(struct attr_opener *opener, struct perf_event_attr *attr,
			  uint64_t filter);
/* Opens exactly @attr or fails. The limit of file descriptors is raised if necessary. */
int attr_open_exactly(struct attr_opener *opener, struct perf_event_attr *attr, pid_t pid, int cpu);

#endif
