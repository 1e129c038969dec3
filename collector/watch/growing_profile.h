/*
 * The profile of a recording that is still being made: a thread builds it from a stream of records,
 * a pipe or a file that grows,
 * and snapshots of it are taken meanwhile (docs/decisions/0035-snapshots-are-profiles.md).
 *
 * A snapshot is a stored profile, with names, of all samples up to then. The last one, when the
 * stream has ended, is what dendro build makes of the records.
 */
#ifndef COLLECTOR_WATCH_GROWING_PROFILE_H
#define COLLECTOR_WATCH_GROWING_PROFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "collector/command-line/report_options.h"

struct growing_profile;

/*
 * Starts to build from the stream @path. @report is borrowed, and its search for files must
 * be open. 0 or -errno.
 */
int growing_profile_start(struct report_options *report, const char *path,
			  struct growing_profile **growing_ret);
/* Waits for the end of the stream. Whether its writer had confirmed that it is whole is noted in
 * the profile, by @control_fd (collector/record/builder_link.h). Once, before the last snapshot is
 * taken. 0 or -ENOMEM. */
int growing_profile_finish(struct growing_profile *growing, int control_fd);
/* Waits for the end of the stream, too; a file is not followed any more. */
void growing_profile_destroy(struct growing_profile *growing);
/* A descriptor that is readable once the stream has ended and everything of it is in the profile.
 */
int growing_profile_end_fd(const struct growing_profile *growing);
bool growing_profile_has_ended(const struct growing_profile *growing);
/* Whether the stream had the header of a recording. */
bool growing_profile_has_begun(struct growing_profile *growing);
/* The stream could not be read up to its end; NULL: it could, or it has not ended. */
const char *growing_profile_error(const struct growing_profile *growing);
/*
 * Writes the profile as it is now to @file; once the stream has ended, with rows of its samples. 0;
 * -EAGAIN: there is no sample; or -errno.
 */
int growing_profile_write(struct growing_profile *growing, FILE *file);
/* From now on, until the stream has ended, of the last @recent_ns alone, at most build.recent_ns;
 * 0: since the start. */
void growing_profile_show_recent(struct growing_profile *growing, uint64_t recent_ns);

#endif
