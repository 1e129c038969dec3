/* A recording -> a profile, with files that were missing fetched where that was asked for. */
#ifndef COLLECTOR_FETCHED_PROFILE_H
#define COLLECTOR_FETCHED_PROFILE_H

#include "collector/build_profile.h"
#include "collector/file_options.h"

/* As build_profile(). What is to be said of fetching goes to standard error. @command: for that. */
int fetched_profile_build(const char *path, const struct build_options *options,
			  const struct file_options *files, const char *command,
			  struct profile **profile_ret, char **error_ret);

#endif
