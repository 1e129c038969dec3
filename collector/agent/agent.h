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

struct agent;

#define AGENT_RELOAD (-1)

/* @options are borrowed. 0, or an exit status after a message. */
int agent_create(const struct agent_options *options, struct agent **agent_ret);
/* Runs until SIGTERM or SIGINT came and the window at hand is written, or until it cannot record:
 * the exit status, after a message if that is not 0. Or AGENT_RELOAD, and all goes on: SIGHUP came;
 * the caller runs it again. */
int agent_run(struct agent *agent);
/* Other options, which are borrowed from now on, instead of those before; the folder stays. The
 * recorder is started anew. */
void agent_change(struct agent *agent, const struct agent_options *options);
void agent_destroy(struct agent *agent);

#endif
