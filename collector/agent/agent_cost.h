/*
 * What the agent takes of the machine: CPU time and memory of all of its processes. Time of those
 * that have ended counts, so between two readings nothing is missing and nothing counts twice.
 */
#ifndef COLLECTOR_AGENT_AGENT_COST_H
#define COLLECTOR_AGENT_AGENT_COST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* CPU time of a child that was not waited for; 0: there is none. */
uint64_t agent_cost_of_process(pid_t pid);
/* Of the calling process, its children that were waited for, and the @n children @pids. */
uint64_t agent_cost_cpu_ns(const pid_t *pids, size_t n);
/* Bytes of memory that a process has now; 0: there is none. Pages of mapped files, which the kernel
 * keeps for all processes, and takes back when it needs memory, do not count. */
uint64_t agent_cost_of_memory(pid_t pid);
/* Likewise, of the calling process and the @n @pids: a page that several have is in it several
 * times. */
uint64_t agent_cost_memory(const pid_t *pids, size_t n);
/* Likewise, each page once, as far as the kernel tells. That takes ten times as long. */
uint64_t agent_cost_shared_memory(const pid_t *pids, size_t n);

#endif
