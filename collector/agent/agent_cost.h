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
/* Bytes that the calling process and the @n @pids had at most since agent_cost_restart(), each for
 * itself. */
uint64_t agent_cost_memory(const pid_t *pids, size_t n);
/* Counts the most from now on. */
void agent_cost_restart(const pid_t *pids, size_t n);

#endif
