/* The agent's process that records: it opens counters, empties rings, and parses nothing. */
#ifndef COLLECTOR_AGENT_AGENT_RECORDER_H
#define COLLECTOR_AGENT_AGENT_RECORDER_H

#include <sys/types.h>

#include "collector/agent/agent_options.h"

struct agent_recorder {
	pid_t pid;     /* 0: there is none */
	int supply_fd; /* what it calls (collector/record/builder_link.h); -1: none */
};

/*
 * Starts it, with samples at @rate Hz; the caller has one thread. It ends with SIGTERM, also if the
 * caller dies, after the window at hand got its last records. Its exit status is 0, or another
 * value after a message. 0 or -errno.
 */
int agent_recorder_start(const struct agent_options *options, uint64_t rate,
			 struct agent_recorder *recorder_ret);

#endif
