/*
 * The attrs of a recording, and what to leave out where the kernel, the permissions or the machine
 * refuse them.
 */
#ifndef PERF_COUNTERS_ATTR_FALLBACK_H
#define PERF_COUNTERS_ATTR_FALLBACK_H

#include "perf/counters/evlist_types.h"
#include "perf/kernel/limits.h"

/* What kernels learned over time, newest first: the order in which it is given up. */
enum attr_feature {
	ATTR_READ_INHERITED, /* 6.12 PERF_SAMPLE_READ of what is inherited */
	ATTR_LOST,           /* 6.0 PERF_FORMAT_LOST */
	ATTR_BUILD_ID,       /* 5.12 */
	ATTR_TEXT_POKE,      /* 5.9 */
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

/* What the attrs of one recording have in common. */
struct attr_request {
	uint64_t frequency, period; /* one of them */
	uint64_t watermark;         /* bytes in the ring that wake the reader */
	uint32_t stack_size;
	bool inherit;
	bool has_arguments; /* registers are needed even without stacks */
	bool has_raw;       /* tracepoints' own data, where an event has any */
	bool lacks_periods; /* of an event with a fixed period: the attr tells it */
	bool samples_on_exec, sideband_on_exec; /* enable_on_exec */
	bool switches;                          /* sideband tells when tasks leave and enter CPUs */
	bool reads_groups;                      /* samples hold what their group counted */
	bool has_probes;                        /* on functions, that may be inherited */
	unsigned int dropped;                   /* 1 << enum attr_feature */
};

void attr_init_sample(struct perf_event_attr *attr, const struct attr_request *request,
		      const struct perf_event_attr *event);
/* User mode only. false: that is nothing, or what was asked for. */
bool attr_leave_out_kernel(struct perf_event_attr *attr);
/* One of them is 0. */
void attr_set_rate(struct perf_event_attr *attr, uint64_t period, uint64_t frequency);
/* An event that is read when its group's leader samples, and does not sample itself. */
void attr_init_counted(struct perf_event_attr *attr, const struct attr_request *request,
		       const struct perf_event_attr *event);
void attr_init_sideband(struct perf_event_attr *attr, const struct attr_request *request);

struct attr_opener {
	struct evlist_syscalls syscalls; /* .open is never NULL */
	const struct perf_limits *limits;
	struct evlist *evlist; /* takes the notes and user_only */
	bool lacks_cloexec;
};

/*
 * Finds out by opening what this kernel knows of @request, and fills request->dropped. -errno:
 * refused for a reason that dropping does not help.
 */
int attr_probe(struct attr_opener *opener, struct attr_request *request);
/*
 * Opens, giving way where that helps: user mode only, a lower precise_ip or frequency, more file
 * descriptors. Changes *@attr to what was accepted, and notes it. A file descriptor or -errno.
 */
int attr_open(struct attr_opener *opener, struct perf_event_attr *attr, pid_t pid, int cpu,
	      int group_fd);
/* :P: the highest precise_ip that opens, for this program; 0 if none does. Guests are counted where
 * that needs it, and noted. */
void attr_choose_precise(struct attr_opener *opener, struct perf_event_attr *attr);
/* Opens exactly this, or not; but raises the limit of file descriptors. */
int attr_open_exactly(struct attr_opener *opener, struct perf_event_attr *attr, pid_t pid, int cpu);

#endif
