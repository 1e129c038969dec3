/*
 * dendro diff --browse: a comparison on the terminal, to walk through it by keys. There are two:
 * changes_screen.c, and no_changes_screen.c where ncurses is missing.
 */
#ifndef REPORT_CHANGES_CHANGES_SCREEN_H
#define REPORT_CHANGES_CHANGES_SCREEN_H

#include "report/diff/diff.h"

/*
 * Shows the same runs by call paths and by functions on the terminal that is standard input and
 * output, until the user quits. 0 or -errno; -ENOTTY: there is no terminal; -ENODEV: it is of an
 * unknown type; -ENOSYS: there is no ncurses.
 */
int changes_screen_run(const struct diff *paths, const struct diff *functions, bool color);

#endif
