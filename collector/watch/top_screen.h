/* dendro top on a terminal: the screen of dendro browse, refreshed by snapshots. */
#ifndef COLLECTOR_WATCH_TOP_SCREEN_H
#define COLLECTOR_WATCH_TOP_SCREEN_H

#include "collector/watch/growing_profile.h"
#include "collector/watch/own_cost.h"
#include "collector/watch/top_options.h"

/* Whether there is a screen, and it is wanted. */
bool top_screen_is_wanted(const struct top_options *options);
/*
 * Shows @growing until the user quits; what was recorded stays on the screen when the recording has
 * ended, unless ^C ended it, or it never began. 0 or -errno.
 */
int top_screen_run(const struct top_options *options, struct growing_profile *growing,
		   struct own_cost *cost);

#endif
