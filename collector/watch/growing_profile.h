/*
 * The profile of a recording that is still being made, for who shows it: a process without rights
 * builds it (collector/watch/growing_server.h), and writes snapshots of it when it is asked to.
 * This process reads snapshots alone, which have all names.
 */
#ifndef COLLECTOR_WATCH_GROWING_PROFILE_H
#define COLLECTOR_WATCH_GROWING_PROFILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "collector/command-line/report_options.h"

struct growing_profile;

/*
 * Starts the process, which builds from the records of @stream_fd, a pipe or a file that grows.
 * @control_fd: where the recorder confirms that they are whole (collector/record/builder_link.h);
 * -1: it does not. The caller, which has one thread, closes its @stream_fd. 0 or -errno.
 */
int growing_profile_start(struct report_options *report, int stream_fd, int control_fd,
			  struct growing_profile **growing_ret);
/* Waits for the end of the stream, and for whether its writer had confirmed that it is whole, which
 * is noted in the profile. Once, before the last snapshot is taken. 0 or -errno. */
int growing_profile_finish(struct growing_profile *growing);
/* Waits for the end of the stream, too; a file is not followed any more. */
void growing_profile_destroy(struct growing_profile *growing);
pid_t growing_profile_pid(const struct growing_profile *growing);
/* CPU time that snapshots took there. */
uint64_t growing_profile_cpu_ns(const struct growing_profile *growing);
/* A descriptor that is readable once the stream has ended and everything of it is in the profile,
 * or the process is gone. */
int growing_profile_end_fd(const struct growing_profile *growing);
bool growing_profile_has_ended(const struct growing_profile *growing);
/* Whether the stream had the header of a recording. */
bool growing_profile_has_begun(struct growing_profile *growing);
/* The stream could not be read up to its end; NULL: it could, or it has not ended. Valid until the
 * next call. */
const char *growing_profile_error(struct growing_profile *growing);
/*
 * Writes the profile as it is now to the file of @file, of which nothing was written so far; once
 * the stream has ended, with rows of its samples. 0; -EAGAIN: there is no sample; or -errno.
 */
int growing_profile_write(struct growing_profile *growing, FILE *file);
/* From now on, until the stream has ended, of the last @recent_ns alone, at most build.recent_ns;
 * 0: since the start. */
void growing_profile_show_recent(struct growing_profile *growing, uint64_t recent_ns);

#endif
