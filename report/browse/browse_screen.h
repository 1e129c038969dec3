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

/* The same, step by step, for a profile that grows. There is one screen at a time. */
struct browse_screen;

/* Takes the terminal. @browse is borrowed. The caller frees *@screen_ret with
 * browse_screen_close(), which gives the terminal back. Errors are those of browse_screen_run(). */
int browse_screen_open(struct browse *browse, bool color, struct browse_screen **screen_ret);
void browse_screen_close(struct browse_screen *screen);
/*
 * Draws, and does what the keys say: those that are typed until @timeout_ms are over (-1: no
 * limit),
 * @wake_fd can be read (-1: none), or a key came. *@action_ret: what the caller has to do itself,
 * else ACTION_NONE. 0 or -errno.
 */
int browse_screen_step(struct browse_screen *screen, int wake_fd, int timeout_ms,
		       enum browse_action *action_ret);
/* The user quits, or the terminal is gone. */
bool browse_screen_is_done(const struct browse_screen *screen);
/* Rows are shown, so that browse_refresh() disturbs nothing: no text is typed, and there is neither
 * help nor code. */
bool browse_screen_shows_rows(const struct browse_screen *screen);

#endif
