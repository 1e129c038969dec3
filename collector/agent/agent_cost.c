#include "collector/agent/agent_cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cct/base/clock.h"

#define ANONYMOUS "RssAnon:"
#define SHARED    "RssShmem:"

static uint64_t read_usage(int who)
{
	struct rusage usage;

	if (getrusage(who, &usage))
		return 0;
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NSEC_PER_SEC +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NSEC_PER_USEC;
}

/* A process that has ended, but was not waited for, still has its time. */
uint64_t agent_cost_of_process(pid_t pid)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time))
		return 0;
	return (uint64_t)time.tv_sec * NSEC_PER_SEC + (uint64_t)time.tv_nsec;
}

uint64_t agent_cost_cpu_ns(const pid_t *pids, size_t n)
{
	uint64_t cpu_ns = read_usage(RUSAGE_SELF) + read_usage(RUSAGE_CHILDREN);

	for (size_t i = 0; i < n; i++)
		cpu_ns += agent_cost_of_process(pids[i]);
	return cpu_ns;
}

/* Documentation/filesystems/proc.rst: RssAnon, and RssShmem of memory that has no file on a disk.
 */
uint64_t agent_cost_of_memory(pid_t pid)
{
	char path[32], line[256];
	uint64_t kib = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, ANONYMOUS, strlen(ANONYMOUS)) == 0)
			kib += strtoull(line + strlen(ANONYMOUS), NULL, 10);
		else if (strncmp(line, SHARED, strlen(SHARED)) == 0)
			kib += strtoull(line + strlen(SHARED), NULL, 10);
	}
	if (file)
		fclose(file);
	return kib << 10;
}

uint64_t agent_cost_memory(const pid_t *pids, size_t n)
{
	uint64_t memory = agent_cost_of_memory(getpid());

	for (size_t i = 0; i < n; i++)
		memory += agent_cost_of_memory(pids[i]);
	return memory;
}
