/* The limits of this machine and this user, read once from /proc and never changed. */
#ifndef PERF_KERNEL_LIMITS_H
#define PERF_KERNEL_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct perf_limits {
	int paranoid; /* kernel.perf_event_paranoid; INT_MIN: no perf events here */
	int kptr_restrict;
	uint64_t mlock_bytes;     /* perf_event_mlock_kb per user and CPU, in bytes */
	uint64_t rlimit_memlock;  /* UINT64_MAX: none */
	uint64_t max_sample_rate; /* Hz */
	uint32_t max_stack;       /* kernel callchain entries */
	bool has_cap_perfmon;     /* CAP_PERFMON or CAP_SYS_ADMIN */
	bool has_cap_ipc_lock;
	bool in_user_namespace; /* not the initial namespace: capabilities are not effective */
	bool lacks_proc;        /* not mounted: paranoid and other fields are guesses */
	uint64_t max_fds, hard_max_fds;
	uint32_t n_cpus; /* online */
};

void limits_read(struct perf_limits *limits);
/* The same with another folder in place of /proc (tests). */
void limits_read_from(const char *proc, struct perf_limits *limits);

#endif
