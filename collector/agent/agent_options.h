/* What an agent records, and where it keeps it. */
#ifndef COLLECTOR_AGENT_AGENT_OPTIONS_H
#define COLLECTOR_AGENT_AGENT_OPTIONS_H

#include "collector/agent/ageing.h"
#include "collector/agent/agent_rate.h"
#include "collector/command-line/record_options.h"
#include "collector/push/push_runs.h"

/* Of the processes that build profiles. Processes that merge and send them have twice as much. */
#define AGENT_DEFAULT_NICE 10
#define AGENT_MAX_NICE     19

struct agent_options {
	struct record_arguments record;
	const char *directory;
	const char *metrics; /* a file; NULL: none */
	struct push_runs_options push;
	uint64_t window_ns;
	struct agent_limits limits;
	uint64_t nice; /* of a process that builds, when its window is over: up to AGENT_MAX_NICE */
	struct ageing ageing;
	bool has_keep; /* the user chose what is kept */
};

/* The nice value of processes for which nobody waits: they merge and send. */
static inline int agent_later_nice(const struct agent_options *options)
{
	const int nice = 2 * (int)options->nice;

	return nice < AGENT_MAX_NICE ? nice : AGENT_MAX_NICE;
}

#endif
