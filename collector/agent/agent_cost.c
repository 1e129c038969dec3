#include "collector/agent/agent_cost.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cct/base/clock.h"

/* Two numbers in KiB, by the words before them. */
struct memory_words {
	const char *file;
	const char *anonymous, *shared;
};
static const struct memory_words resident = { "status", "RssAnon:", "RssShmem:" };
static const struct memory_words proportional = { "smaps_rollup", "Pss_Anon:", "Pss_Shmem:" };

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

static bool add_kib(const char *line, const char *word, uint64_t *kib)
{
	const size_t size = strlen(word);

	if (strncmp(line, word, size) != 0)
		return false;
	*kib += strtoull(line + size, NULL, 10);
	return true;
}

/* Documentation/filesystems/proc.rst: anonymous memory, and shared memory that has no file on a
 * disk. false: that file has no such lines, or cannot be read. */
static bool read_memory(pid_t pid, const struct memory_words *words, uint64_t *bytes_ret)
{
	char path[48], line[256];
	uint64_t kib = 0;
	bool is_there = false;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, words->file);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		is_there |= add_kib(line, words->anonymous, &kib);
		add_kib(line, words->shared, &kib);
	}
	if (file)
		fclose(file);
	*bytes_ret = kib << 10;
	return is_there;
}

uint64_t agent_cost_of_memory(pid_t pid)
{
	uint64_t bytes;

	read_memory(pid, &resident, &bytes);
	return bytes;
}

/* Before Linux 5.4 there is no such number, and it takes the right to trace the process. */
static uint64_t share_of_memory(pid_t pid)
{
	uint64_t bytes;

	return read_memory(pid, &proportional, &bytes) ? bytes : agent_cost_of_memory(pid);
}

uint64_t agent_cost_memory(const pid_t *pids, size_t n)
{
	uint64_t memory = agent_cost_of_memory(getpid());

	for (size_t i = 0; i < n; i++)
		memory += agent_cost_of_memory(pids[i]);
	return memory;
}

uint64_t agent_cost_shared_memory(const pid_t *pids, size_t n)
{
	uint64_t memory = share_of_memory(getpid());

	for (size_t i = 0; i < n; i++)
		memory += share_of_memory(pids[i]);
	return memory;
}
