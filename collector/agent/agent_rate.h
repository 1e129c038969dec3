/*
 * The rate of samples that holds what the agent takes below the limits of a user (--max-cpu,
 * --max-memory). It changes before a limit is passed, and by so much that it does not go up and
 * down by turns.
 */
#ifndef COLLECTOR_AGENT_AGENT_RATE_H
#define COLLECTOR_AGENT_AGENT_RATE_H

#include <stdint.h>

struct agent_limits {
	double cpu_percent; /* of one CPU; 0: no limit */
	uint64_t memory;    /* bytes; 0: no limit */
};

/* What a window took. */
struct agent_usage {
	uint64_t span_ns; /* its time, not 0 */
	uint64_t cpu_ns, memory;
};

/*
 * The rate of the next windows, from 1 to @asked, in Hz: @rate, which the window had; less, where
 * what it took is near a limit; more, where twice as much would be far from all limits.
 */
uint64_t agent_rate_next(const struct agent_limits *limits, const struct agent_usage *usage,
			 uint64_t asked, uint64_t rate);

#endif
