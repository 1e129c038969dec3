/*
 * The profile of a recording that is still being made: a thread builds it from a stream of records,
 * a pipe or a file that grows, and snapshots of it are written meanwhile
 * (docs/decisions/0035-snapshots-are-profiles.md).
 *
 * A snapshot is a stored profile, with names, of all samples up to then. The last one, when the
 * stream has ended, is what dendro build makes of the records.
 */
#ifndef COLLECTOR_WATCH_GROWING_BUILD_H
#define COLLECTOR_WATCH_GROWING_BUILD_H

#include <stdbool.h>
#include <stdio.h>

#include "collector/command-line/report_options.h"

struct growing_build;

/*
 * Starts to build from standard input. @report is borrowed, and its search for files must be open.
 * When the stream has ended, and everything of it is in the profile, a byte is written to @end_fd,
 * which stays the caller's. 0 or -errno.
 */
int growing_build_start(struct report_options *report, int end_fd,
			struct growing_build **growing_ret);
/* Waits for the end of the stream. Whether its writer had confirmed that it is whole is noted in
 * the profile, by @control_fd (collector/record/builder_link.h). Once, before the last snapshot is
 * taken. 0 or -ENOMEM. */
int growing_build_finish(struct growing_build *growing, int control_fd);
/* Waits for the end of the stream, too; a file is not followed any more. */
void growing_build_destroy(struct growing_build *growing);
/* Whether the stream had the header of a recording. */
bool growing_build_has_begun(struct growing_build *growing);
/* The stream could not be read up to its end; NULL: it could, or it has not ended. */
const char *growing_build_error(struct growing_build *growing);
/*
 * Writes the profile as it is now to @file; once the stream has ended, with rows of its samples.
 * @recent_ns: until then, of the last so many alone, at most build.recent_ns; 0: since the start.
 * 0; -EAGAIN: there is no sample; or -errno.
 */
int growing_build_write(struct growing_build *growing, uint64_t recent_ns, FILE *file);

#endif
