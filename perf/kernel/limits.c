/* Reads the sysctls, resource limits and capabilities that decide what perf_event_open permits. */
#include "perf/kernel/limits.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* include/uapi/linux/capability.h of 5.8; older build machines lack the name. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#define MAX_LINE 256

static bool read_file(const char *proc, const char *name, char *text, size_t size)
{
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s/%s", proc, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, size - 1);
	close(fd);
	if (n < 0)
		return false;
	text[n] = '\0';
	return true;
}

static long long read_number(const char *proc, const char *name, long long otherwise)
{
	char text[MAX_LINE];
	if (!read_file(proc, name, text, sizeof(text)))
		return otherwise;
	char *end;
	long long value = strtoll(text, &end, 10);
	return end == text ? otherwise : value;
}

/*
 * perf_event_open checks capabilities in the initial user namespace: root in a container's user
 * namespace has all of them in CapEff, but none of them is effective there.
 */
static bool is_first_user_namespace(const char *proc)
{
	char text[MAX_LINE];
	if (!read_file(proc, "self/uid_map", text, sizeof(text)))
		return true; /* a kernel without user namespaces */
	unsigned long inside, outside, count;
	if (sscanf(text, "%lu %lu %lu", &inside, &outside, &count) != 3)
		return false;
	return inside == 0 && outside == 0 && count == UINT32_MAX;
}

static uint64_t read_capabilities(const char *proc)
{
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s/self/status", proc);
	FILE *status = fopen(path, "re");
	if (!status)
		return 0;
	char line[MAX_LINE];
	unsigned long long capabilities = 0;
	while (fgets(line, sizeof(line), status))
		if (sscanf(line, "CapEff: %llx", &capabilities) == 1)
			break;
	fclose(status);
	return capabilities;
}

static bool has_capability(uint64_t capabilities, unsigned int number)
{
	return capabilities >> number & 1;
}

static uint64_t from_rlim(rlim_t value)
{
	return value == RLIM_INFINITY ? UINT64_MAX : value;
}

static void read_resource_limits(struct perf_limits *limits)
{
	struct rlimit rlimit;
	if (getrlimit(RLIMIT_MEMLOCK, &rlimit) == 0)
		limits->rlimit_memlock = from_rlim(rlimit.rlim_cur);
	if (getrlimit(RLIMIT_NOFILE, &rlimit) == 0) {
		limits->max_fds = from_rlim(rlimit.rlim_cur);
		limits->hard_max_fds = from_rlim(rlimit.rlim_max);
	}
}

void limits_read_from(const char *proc, struct perf_limits *limits)
{
	memset(limits, 0, sizeof(*limits));
	limits->paranoid = read_number(proc, "sys/kernel/perf_event_paranoid", INT_MIN);
	limits->kptr_restrict = read_number(proc, "sys/kernel/kptr_restrict", 0);
	/* The kernel's defaults, for old kernels that do not have these files. */
	long long mlock_kb = read_number(proc, "sys/kernel/perf_event_mlock_kb", 516);
	limits->mlock_bytes = mlock_kb > 0 ? (uint64_t)mlock_kb * 1024 : 0;
	limits->max_sample_rate =
		read_number(proc, "sys/kernel/perf_event_max_sample_rate", 100000);
	limits->max_stack = read_number(proc, "sys/kernel/perf_event_max_stack", 127);

	limits->lacks_proc = !read_file(proc, "self/stat", (char[2]){ 0 }, 2);
	limits->in_user_namespace = !is_first_user_namespace(proc);
	uint64_t capabilities = limits->in_user_namespace ? 0 : read_capabilities(proc);
	limits->has_cap_perfmon = has_capability(capabilities, CAP_PERFMON) ||
				  has_capability(capabilities, CAP_SYS_ADMIN);
	limits->has_cap_ipc_lock = has_capability(capabilities, CAP_IPC_LOCK);
	read_resource_limits(limits);
	long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	limits->n_cpus = n_cpus > 0 ? n_cpus : 1;
}

void limits_read(struct perf_limits *limits)
{
	limits_read_from("/proc", limits);
}
