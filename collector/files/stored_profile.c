#include "collector/files/stored_profile.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "cct/model/profile_filter.h"
#include "cct/store/profile_file.h"
#include "collector/command-line/messages.h"
#include "collector/files/progress.h"
#include "collector/session/sample_filter.h"

static bool is_standard_input(const char *path)
{
	return strcmp(path, "-") == 0;
}

bool stored_profile_refused(const char *path, const char *command)
{
	if (!profile_file_is_at(path))
		return false;
	message_error(command,
		      "%s is a profile that dendro build has made: dendro %s needs the recording "
		      "that it was made of.",
		      path, command);
	return true;
}

/* A file whose bytes are counted as they are read. */
struct counted_file {
	FILE *file;
	struct work_done *work;
};

static ssize_t read_counted(void *cookie, char *bytes, size_t size)
{
	struct counted_file *counted = cookie;
	const size_t n = fread(bytes, 1, size, counted->file);

	work_done_add(counted->work, n);
	return n || !ferror(counted->file) ? (ssize_t)n : -1;
}

/* NULL: out of memory. */
static FILE *open_counted(struct counted_file *counted)
{
	struct stat status;

	if (fstat(fileno(counted->file), &status) == 0 && S_ISREG(status.st_mode))
		work_done_expect(counted->work, (uint64_t)status.st_size);
	return fopencookie(counted, "r", (cookie_io_functions_t){ .read = read_counted });
}

static int read_file(const char *path, const struct dendro_options *options, const char *command,
		     struct work_done *work, struct profile **profile_ret, char **error_ret)
{
	const bool with_rows = options->keeps_rows || options->keeps_squares ||
			       sample_filter_is_given(&options->filter);
	FILE *file = is_standard_input(path) ? stdin : fopen(path, "re");
	unsigned n_skipped;

	if (!file)
		return -errno;
	struct counted_file counted = { file, work };
	FILE *stream = open_counted(&counted);
	int err = -ENOMEM;
	if (stream)
		err = with_rows ? profile_file_read_with_rows(stream, profile_ret, &n_skipped,
							      error_ret)
				: profile_file_read(stream, profile_ret, &n_skipped, error_ret);
	if (stream)
		fclose(stream);
	if (file != stdin)
		fclose(file);
	if (!err && n_skipped)
		message_note(command,
			     "%s was written by a later version of dendro: %u of its sections are "
			     "left out.",
			     path, n_skipped);
	return err;
}

/* Rows of several runs have weights that are not scaled, each run by other factors. */
static bool has_squares(const struct profile *profile)
{
	if (!profile->rows)
		return false;
	for (uint32_t i = 0; profile->rows->n_runs && i < profile->n_metrics; i++) {
		if (profile->metrics[i].is_scaled)
			return false;
	}
	return true;
}

static bool is_split_by(const struct profile *profile, const struct value_subject *split)
{
	char text[VALUE_SUBJECT_MAX + 1];

	value_subject_write(split, text);
	return string_ids_find(&profile->splits, text) != STRING_IDS_NONE;
}

int stored_profile_choose(struct profile *profile, const struct dendro_options *options,
			  char **error_ret)
{
	const bool is_grouped = options->grouping != GROUPED_BY_TASK;
	const bool is_filtered = sample_filter_is_given(&options->filter);

	if (options->filter.n_conditions) {
		*error_ret = sentence("A profile does not have the values of variables: give "
				      "--where to dendro build, or use the recording.");
		return -EINVAL;
	}
	if (options->split && !is_split_by(profile, options->split)) {
		*error_ret = sentence("The profile is not split by that value: give --split to "
				      "dendro build, or use the recording.");
		return -EINVAL;
	}
	if ((is_filtered || is_grouped) && !profile->rows) {
		*error_ret =
			sentence("The profile does not have its samples one by one, so they "
				 "cannot be %s: use the recording.",
				 is_filtered ? "chosen" : "shown by CPU, cgroup, phase or epoch");
		return -EINVAL;
	}
	int err = is_filtered ? sample_filter_apply(&options->filter, profile) : 0;
	if (err == -ENODATA)
		*error_ret = sentence("Its samples have no times, so --time cannot choose among "
				      "them.");
	if (!err && options->keeps_squares && has_squares(profile))
		err = sample_rows_square(profile->rows, profile->cct);
	if (!err && is_grouped)
		return profile_group(profile, options->grouping);
	return err || options->by_thread ? err : profile_join_threads(profile);
}

int stored_profile_open(const char *path, const struct dendro_options *options,
			const struct file_options *files, const char *command,
			struct profile **profile_ret, char **error_ret)
{
	struct profile *profile = NULL;

	*error_ret = NULL;
	if (files->symfs || files->asks_debuginfod) {
		*error_ret = sentence("Names were found when the profile was built: give --%s to "
				      "dendro build.",
				      files->symfs ? "symfs" : "debuginfod");
		return -EINVAL;
	}
	const struct progress_title title = { command, "reading", NULL, "adding up" };
	struct work_done work = { 0 };
	struct progress *progress = files->is_quiet ? NULL : progress_start(&title, &work);
	int err = read_file(path, options, command, &work, &profile, error_ret);
	assert(err || profile);
	if (!err)
		err = stored_profile_choose(profile, options, error_ret);
	progress_stop(progress);
	if (err) {
		profile_destroy(profile);
		return err;
	}
	*profile_ret = profile;
	return 0;
}
