/* dendro report --follow: a recording that is still written is shown while it grows. */
#ifndef COLLECTOR_WATCH_REPORT_FOLLOW_H
#define COLLECTOR_WATCH_REPORT_FOLLOW_H

#include "collector/command-line/report_options.h"

/* Whether --follow, if it is given, goes with the other options. 0, or an exit status after a
 * message. */
int report_follow_check(const struct report_options *options);
/*
 * Shows the recording until it is whole, or its recorder is gone, or the user leaves.
 * *@is_whole_ret: it ended, and its report is not seen yet; so it is when nobody writes it. 0, or
 * an exit status after a message.
 */
int report_follow(const struct report_options *options, bool *is_whole_ret);

#endif
