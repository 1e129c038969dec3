/* What an agent records, and where it keeps it. */
#ifndef COLLECTOR_AGENT_AGENT_OPTIONS_H
#define COLLECTOR_AGENT_AGENT_OPTIONS_H

#include "collector/agent/ageing.h"
#include "collector/agent/agent_rate.h"
#include "collector/command-line/record_options.h"
#include "collector/push/push_runs.h"

struct agent_options {
	struct record_arguments record;
	const char *directory;
	const char *metrics; /* a file; NULL: none */
	struct push_runs_options push;
	uint64_t window_ns;
	struct agent_limits limits;
	struct ageing ageing;
	bool has_keep; /* the user chose what is kept */
};

#endif
