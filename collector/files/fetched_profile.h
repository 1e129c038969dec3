/* A recording -> a profile, with files that were missing fetched where that was asked for. */
#ifndef COLLECTOR_FILES_FETCHED_PROFILE_H
#define COLLECTOR_FILES_FETCHED_PROFILE_H

#include "collector/files/file_options.h"
#include "collector/replay/build_profile.h"

/* As build_profile(). What is to be said of fetching goes to standard error. @command: for that. */
int fetched_profile_build(const char *path, const struct build_options *options,
			  const struct file_options *files, const char *command,
			  struct profile **profile_ret, char **error_ret);

#endif
