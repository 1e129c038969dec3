#include "collector/files/fetched_profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/files/debuginfod.h"

static void tell(const char *command, const struct debuginfod_result *result)
{
	if (result->n_wanted)
		fprintf(stderr, "dendro %s: debuginfod: fetched %u of %u files", command,
			result->n_fetched, result->n_wanted);
	else
		fprintf(stderr, "dendro %s: debuginfod: nothing to fetch", command);
	if (result->n_refused)
		fprintf(stderr, "; %u were not what was asked for, and are not used",
			result->n_refused);
	if (result->is_interrupted)
		fputs("; interrupted", stderr);
	else if (result->is_out_of_time)
		fputs("; out of time (--debuginfod=SECONDS)", stderr);
	putc('\n', stderr);
}

static void fetch(const struct profile *profile, const struct file_options *files,
		  const char *command, struct debuginfod_result *result)
{
	int err = debuginfod_has_servers() ? debuginfod_fetch(profile, files->debuginfod_s, result)
					   : -ENOTCONN;

	if (!err)
		tell(command, result);
	else if (err == -ENOTCONN)
		fprintf(stderr, "dendro %s: debuginfod: no servers: DEBUGINFOD_URLS is not set\n",
			command);
	else
		fprintf(stderr, "dendro %s: debuginfod: %s\n", command,
			err == -ENOENT ? "libdebuginfod.so.1 is not installed" : strerror(-err));
	/* Whatever else knows that variable would wait without a limit. */
	unsetenv("DEBUGINFOD_URLS");
}

int fetched_profile_build(const char *path, const struct build_options *options,
			  const struct file_options *files, const char *command,
			  struct profile **profile_ret, char **error_ret)
{
	struct debuginfod_result result = { 0 };
	int err = build_profile(path, options, profile_ret, error_ret);

	if (err || !files->debuginfod)
		return err;
	fetch(*profile_ret, files, command, &result);
	/* With code that was missing, callers are found. A pipe is read once. */
	if (!result.has_executables || strcmp(path, "-") == 0)
		return 0;
	profile_destroy(*profile_ret);
	free(*error_ret);
	return build_profile(path, options, profile_ret, error_ret);
}
