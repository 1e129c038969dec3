/*
 * Records the whole machine all the time, in windows that follow one another without a gap.
 *
 * There are three kinds of processes. The agent itself has no counters and parses nothing: it
 * starts the others and keeps their files. The recorder (collector/agent/agent_recorder.h) empties
 * the rings. And each window has a process that builds its profile
 * (collector/agent/agent_window.h): if it crashes, its window is lost, and no other.
 */
#ifndef COLLECTOR_AGENT_AGENT_H
#define COLLECTOR_AGENT_AGENT_H

#include "collector/agent/agent_options.h"

/* Runs until SIGTERM or SIGINT came and the window at hand is written, or until it cannot record.
 * Returns the exit status, after a message if that is not 0. */
int agent_run(struct agent_options *options);

#endif
