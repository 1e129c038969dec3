/*
 * Tells a process that hangs, of which some more work is expected, from one that waits for a busy
 * machine: it takes no CPU time at all, or far more than its work can need.
 */
#ifndef COLLECTOR_AGENT_HANG_CHECK_H
#define COLLECTOR_AGENT_HANG_CHECK_H

#include <stdbool.h>
#include <stdint.h>

struct hang_check {
	uint64_t next_ns; /* when to ask next */
	uint64_t first_cpu_ns, last_cpu_ns;
};

/* @cpu_ns: what the process has taken up to @now_ns, from which on it should come to its end. */
void hang_check_start(struct hang_check *check, uint64_t now_ns, uint64_t cpu_ns);
/* Whether it hangs; false before it is time to ask. */
bool hang_check_hangs(struct hang_check *check, uint64_t now_ns, uint64_t cpu_ns);

#endif
