/* Profiles that dendro build has stored, where commands expect a recording. */
#ifndef COLLECTOR_FILES_STORED_PROFILE_H
#define COLLECTOR_FILES_STORED_PROFILE_H

#include <stdbool.h>

#include "collector/command-line/file_options.h"
#include "collector/session/dendro.h"

/* For commands that need stacks or code: whether @path is a stored profile, after a message that
 * refuses it. */
bool stored_profile_refused(const char *path, const char *command);

/*
 * Reads a stored profile as the options want it. Notes go to standard error; they name @command.
 * -errno with *@error_ret: a sentence for the user, to free(); NULL without memory. -EINVAL if it
 * is damaged, or an option needs the recording.
 */
int stored_profile_open(const char *path, const struct dendro_options *options,
			const struct file_options *files, const char *command,
			struct profile **profile_ret, char **error_ret);

/* Leaves out of a profile what the options do not want. 0, or -errno likewise. */
int stored_profile_choose(struct profile *profile, const struct dendro_options *options,
			  char **error_ret);

#endif
