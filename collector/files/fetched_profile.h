/* A recording, a stored profile, or what a database has -> a profile. Files that a recording needs
 * and that are missing are fetched first if the options permit it. */
#ifndef COLLECTOR_FILES_FETCHED_PROFILE_H
#define COLLECTOR_FILES_FETCHED_PROFILE_H

#include "collector/command-line/file_options.h"
#include "collector/session/dendro.h"

/* As dendro_build_from() of the recording @path, or as stored_profile_open(); of a database, if
 * @files say so, whose title is @path then. Messages about
 * fetching go to standard error; they name @command. */
int fetched_profile_build(const char *path, const struct dendro_options *options,
			  const struct file_options *files, const char *command,
			  struct profile **profile_ret, char **error_ret);

#endif
