/*
 * The agent's processes that build profiles. Each builds one after the other, because most of the
 * work for a window is the same as for the one before: it keeps names. While one still finds names
 * for its window, another has the next one, so there are two in most cases. One that has grown, or
 * has built many, is replaced.
 */
#ifndef COLLECTOR_AGENT_AGENT_BUILDER_H
#define COLLECTOR_AGENT_AGENT_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct agent_builder {
	pid_t pid;   /* 0: there is none */
	int task_fd; /* what profile_builder_serve() has the other end of; -1: closed */
	bool keeps_rights;
	unsigned n_windows; /* that it was given */
};

#define IDLE_BUILDERS_MAX 2

/* Those that have no window. All zero: there are none. */
struct idle_builders {
	struct agent_builder builders[IDLE_BUILDERS_MAX];
	size_t n;
};

/* Gives a window to one of them, or to one that is started for it: the caller has one thread. The
 * descriptors, as of profile_builder_give(), stay open. 0, or another value after a message. */
int idle_builders_give(struct idle_builders *idle, bool keeps_rights, int stream_fd, int control_fd,
		       int file_fd, struct agent_builder *builder_ret);
/* Takes one back whose window has its profile; it is ended if it is not to have another one. */
void idle_builders_take(struct idle_builders *idle, struct agent_builder *builder);
/* The process was waited for. */
void idle_builders_forget(struct idle_builders *idle, pid_t pid);
/* Ends them, and waits until they have ended. */
void idle_builders_end(struct idle_builders *idle);
/* Ends one, without waiting. */
void agent_builder_end(struct agent_builder *builder);

#endif
