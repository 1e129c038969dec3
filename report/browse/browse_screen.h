/*
 * The screen and the keyboard of dendro browse. There are two: browse_screen.c uses ncurses, and
 * no_screen.c is built where its headers are missing.
 */
#ifndef REPORT_BROWSE_BROWSE_SCREEN_H
#define REPORT_BROWSE_BROWSE_SCREEN_H

#include "report/browse/browse.h"

/* Whether dendro was built with ncurses. */
bool browse_screen_is_there(void);
/*
 * Shows @browse on the terminal that is standard input and output, until the user quits. 0 or
 * -errno; -ENOTTY: there is no terminal; -ENODEV: it is of an unknown type; -ENOSYS: there is no
 * ncurses.
 */
int browse_screen_run(struct browse *browse, bool color);

#endif
