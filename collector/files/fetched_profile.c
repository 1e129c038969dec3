#include "collector/files/fetched_profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "cct/store/profile_file.h"
#include "collector/command-line/messages.h"
#include "collector/database/db_reading.h"
#include "collector/files/debuginfod.h"
#include "collector/files/shown_build.h"
#include "collector/files/stored_profile.h"

/* How the fetching ended, if not by itself. */
static const char *early_end(const struct debuginfod_result *result)
{
	if (result->is_interrupted)
		return " It was interrupted.";
	if (result->is_out_of_time)
		return " It ran out of time: --debuginfod=SEC gives more.";
	return "";
}

static void notify_of_result(const char *command, const struct debuginfod_result *result)
{
	_cleanup_free_ char *refused = NULL;

	if (!result->n_wanted) {
		message_note(command, "debuginfod: no file is missing.");
		return;
	}
	if (result->n_refused)
		refused =
			sentence(" Not used, because of another build ID: %u.", result->n_refused);
	message_note(command, "debuginfod: fetched %u of %u files.%s%s", result->n_fetched,
		     result->n_wanted, refused ? refused : "", early_end(result));
}

static void fetch(const struct profile *profile, const struct file_options *files,
		  const char *command, struct debuginfod_result *result)
{
	int err = file_options_have_servers()
			  ? debuginfod_fetch(command, profile, files->debuginfod_s, result)
			  : -ENOTCONN;

	if (!err)
		notify_of_result(command, result);
	else if (err == -ENOTCONN)
		message_note(command,
			     "debuginfod: DEBUGINFOD_URLS is not set, so no server is known.");
	else if (err == -ENOENT)
		message_note(command, "debuginfod: neither libdebuginfod.so.1 nor debuginfod-find "
				      "is installed.");
	else
		message_note(command, "debuginfod: %s.", strerror(-err));
	/* Whatever else knows that variable would wait without a limit. */
	unsetenv("DEBUGINFOD_URLS");
}

/* A profile of a database is like a stored one. */
static int read_database(const struct dendro_options *options, const struct file_options *files,
			 const char *command, struct profile **profile_ret, char **error_ret)
{
	struct profile *profile = NULL;

	*error_ret = NULL;
	int err = db_reading_run(command, &files->db, &files->db.span, &profile, error_ret);
	if (!err)
		err = stored_profile_choose(profile, options, error_ret);
	if (err)
		profile_destroy(profile);
	else
		*profile_ret = profile;
	return err;
}

int fetched_profile_build(const char *path, const struct dendro_options *options,
			  const struct file_options *files, const char *command,
			  struct profile **profile_ret, char **error_ret)
{
	struct debuginfod_result result = { 0 };
	const struct dendro_source source = { .path = path };

	if (files->db.url)
		return read_database(options, files, command, profile_ret, error_ret);
	if (profile_file_is_at(path))
		return stored_profile_open(path, options, files, command, profile_ret, error_ret);
	int err = shown_build(command, files->is_quiet, &source, options, profile_ret, error_ret);

	if (err || !files->debuginfod)
		return err;
	fetch(*profile_ret, files, command, &result);
	/* With code that was missing, callers are found. A pipe is read once. */
	if (!result.has_executables || strcmp(path, "-") == 0)
		return 0;
	profile_destroy(*profile_ret);
	free(*error_ret);
	return shown_build(command, files->is_quiet, &source, options, profile_ret, error_ret);
}
