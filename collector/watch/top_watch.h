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

#endif
