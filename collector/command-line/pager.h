/* Shows long output on a terminal in the user's pager. */
#ifndef COLLECTOR_COMMAND_LINE_PAGER_H
#define COLLECTOR_COMMAND_LINE_PAGER_H

#include <sys/types.h>

#include "collector/command-line/options.h"

/* For a bool: whether output is not paged. */
extern const struct command_option pager_option[];

/* All zero: none. */
struct pager {
	pid_t pid;
	int input_fd; /* while it is prepared */
	bool is_prepared, is_started;
};

/* Forks the process that will run it, for a caller who can't do so later. Without text it ends with
 * the caller, and has shown nothing. */
void pager_prepare(struct pager *pager);
/*
 * Runs $PAGER, or less, and redirects standard output to it. Does nothing if that is not wanted (an
 * empty $PAGER, "cat") or not possible. A pager that cannot be run is replaced by plain output.
 */
void pager_start(struct pager *pager);
/* Closes standard output and waits until the pager has ended. */
void pager_finish(struct pager *pager);

#endif
