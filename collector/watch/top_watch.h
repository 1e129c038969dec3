/* The process of dendro top that gets the records, and shows the profile while it grows. */
#ifndef COLLECTOR_WATCH_TOP_WATCH_H
#define COLLECTOR_WATCH_TOP_WATCH_H

#include "collector/record/builder_link.h"
#include "collector/watch/top_options.h"

/*
 * Shows until the recording has ended, or its user has enough, which ends the recording. @link: as
 * profile_builder_fork() gave it to the child. @recorder: its parent. With options->record's
 * output, the profile is stored in the file that the recorder sends. Returns an exit status, after
 * a message if that is not 0.
 */
int top_watch(struct top_options *options, const struct builder_link *link, pid_t recorder);
/*
 * Likewise, of the recording @path, which another process writes, until its end. *@is_whole_ret:
 * the user has not left before. What is said of options->record does not hold: it is not used.
 */
int top_watch_file(struct top_options *options, const char *path, bool *is_whole_ret);

#endif
