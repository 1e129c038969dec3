/*
 * A window of the agent: the time in which all records go to one process, which builds their
 * profile. The process lives on for a while after that, to find names and to write.
 */
#ifndef COLLECTOR_AGENT_AGENT_WINDOW_H
#define COLLECTOR_AGENT_AGENT_WINDOW_H

#include <stdbool.h>
#include <sys/types.h>

#include "cct/time/clock_moment.h"
#include "collector/agent/agent_builder.h"
#include "collector/agent/hang_check.h"
#include "collector/agent/window_folder.h"
#include "collector/record/builder_link.h"

struct agent_window {
	struct agent_builder builder;
	bool is_asking; /* it waits for the window's time */
	int file_fd;    /* of the profile; its name is temporary, or "": it cannot be made */
	char name[TEMPORARY_NAME_MAX];
	char kept_name[WINDOW_NAME_MAX]; /* of the profile that was kept */
	struct clock_moment begin;
	bool is_slow; /* its rate is lower than what the user asked for */
	bool has_ended;
	bool has_read;      /* the process has all of its records */
	uint64_t n_samples; /* that the recorder has passed on; known when it has ended */
	/* Once it has ended: */
	struct hang_check check; /* of the process */
	struct time_span span;
	uint64_t own_cpu_ns, own_memory;
};

/*
 * Gives a window that begins at @begin to a process, of @idle if there is one; the caller has one
 * thread.
 * @keeps_rights: the process does. *@link_ret is for who writes records; the caller closes its
 * descriptors. 0, or another value after a message.
 */
int agent_window_begin(struct agent_window *window, struct window_folder *folder,
		       const struct clock_moment *begin, struct idle_builders *idle,
		       bool keeps_rights, struct builder_link *link_ret);
/* The window's span up to @end; its costs are the caller's to set. The process goes on with this
 * nice value. */
void agent_window_end(struct agent_window *window, const struct clock_moment *end, int nice);
/* Ends the process, after a message, if the window has ended and it hangs. */
void agent_window_end_hanging(struct agent_window *window, uint64_t now_ns);
/* Answers the process, if it asks, and the window has ended. */
void agent_window_answer(struct agent_window *window);
/* The process has written the profile, or could not, or has ended: @status is that of waitpid(), or
 * as if it was. Keeps the profile, and closes what is open but the process. 0, or another value
 * after a message: there is none. */
int agent_window_finish(struct agent_window *window, struct window_folder *folder, int status);

#endif
