/* Long output on a terminal goes through the reader's pager. */
#ifndef COLLECTOR_COMMAND_LINE_PAGER_H
#define COLLECTOR_COMMAND_LINE_PAGER_H

#include <sys/types.h>

#include "collector/command-line/options.h"

/* Of a bool: whether output is not paged. */
extern const struct command_option pager_option[];

struct pager {
	pid_t pid; /* 0: none */
};

/*
 * Runs $PAGER, or less, and points standard output at it. Where that is not wanted (an empty
 * $PAGER, "cat") or not possible, output stays where it was.
 */
void pager_start(struct pager *pager);
/* Closes standard output and waits until the reader is done. */
void pager_finish(struct pager *pager);

#endif
