/*
 * Makes one file of several in an agent's folder, in a process of its own, whose memory is that of
 * the sum (cct/merge/profile_merge.h).
 *
 * Whoever reads the folder finds either the files or their sum: a journal says which files a sum
 * replaces, until they are gone, also if the agent is killed meanwhile; and nothing is replaced
 * while somebody has the folder locked (flock) to read it.
 */
#ifndef COLLECTOR_AGENT_WINDOW_MERGE_H
#define COLLECTOR_AGENT_WINDOW_MERGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "collector/agent/window_folder.h"

struct window_merge {
	pid_t pid;               /* of the process; 0: it has ended, or there is none */
	bool is_whole;           /* the sum is written: window_merge_replace() */
	struct window_list list; /* the files, owned; ->n 0: there is nothing to be done */
	int fd;                  /* of the sum */
	char name[TEMPORARY_NAME_MAX];
	struct time_span span;
};

struct window_merge_options {
	bool keeps_rights; /* does not give them up (collector/sandbox/sandbox.h) */
	int nice;          /* of the process */
	/* Paths seen once are folded, short processes joined, and samples added up by the minute
	 * (cct/merge/profile_merge.h). */
	bool drops_details;
};

/* Starts the process for @n files from @first on; the caller has one thread. 0, or another value
 * after a message. */
int window_merge_start(struct window_merge *merge, struct window_folder *folder,
		       const struct window_file *first, size_t n,
		       const struct window_merge_options *options);
/* The process has ended, with this status of waitpid(). 0, or another value after a message: the
 * files stay. */
int window_merge_end(struct window_merge *merge, struct window_folder *folder, int status);
/* Puts the sum in the files' place. 0; -EWOULDBLOCK: somebody reads the folder; or another -errno:
 * the files stay. */
int window_merge_replace(struct window_merge *merge, struct window_folder *folder);
/* What an agent has not finished that was killed. Before anything else is done with the folder. */
void window_merge_recover(const struct window_folder *folder);
/* Kills the process, if there is one, and gives up. */
void window_merge_cancel(struct window_merge *merge, struct window_folder *folder);

#endif
