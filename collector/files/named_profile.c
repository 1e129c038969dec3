#include "collector/files/named_profile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/merge/profile_merge.h"
#include "cct/model/row_slices.h"
#include "cct/store/profile_file.h"
#include "collector/command-line/filter_findings.h"
#include "collector/command-line/messages.h"
#include "collector/files/fetched_profile.h"
#include "collector/files/progress.h"
#include "collector/files/result_file.h"
#include "collector/files/shown_naming.h"
#include "report/names/names_store.h"

int named_profile_name(const struct report_options *options, struct profile *profile)
{
	const struct symbolizer_options named = {
		.lines = true,
		.vmlinux = options->symbolizer.vmlinux,
	};
	struct symbolizer *symbolizer = symbolizer_create(profile, &named);
	struct shown_naming naming;

	if (!symbolizer)
		return message_error_of_memory(options->command);
	if (!options->files.is_quiet)
		shown_naming_start(&naming, options->command, symbolizer, NULL);
	const int err = names_store(profile, symbolizer, options->known_names, &profile->names);
	if (!options->files.is_quiet)
		shown_naming_stop(&naming);
	symbolizer_destroy(symbolizer);
	return err ? message_error_of_memory(options->command) : 0;
}

/* @is_part: of a sum. Another part may have the event, phase or epoch that this one lacks. */
static int check_and_name(struct report_options *options, struct profile *profile, bool is_part)
{
	int err = is_part ? 0 : report_options_check_filters(options, profile);

	if (!err && !is_part)
		err = report_options_drop_events(options, profile);
	if (!err)
		err = report_options_check_vmlinux(options, profile);
	return err || profile->names ? err : named_profile_name(options, profile);
}

static int build(struct report_options *options, bool is_part, struct profile **profile_ret,
		 bool *is_damaged_ret)
{
	_cleanup_free_ char *error = NULL;
	struct dendro_options build = options->build;
	struct profile *profile = NULL;

	build.by_thread = true;
	int err = fetched_profile_build(options->path, &build, &options->files, options->command,
					&profile, &error);
	if (err)
		return message_error_of_file(options->command, options->path,
					     error ? error : strerror(-err));
	err = check_and_name(options, profile, is_part);
	if (err) {
		profile_destroy(profile);
		return err;
	}
	*is_damaged_ret = error;
	if (error)
		message_error_of_file(options->command, options->path, error);
	*profile_ret = profile;
	return 0;
}

int named_profile_build(struct report_options *options, struct profile **profile_ret,
			bool *is_damaged_ret)
{
	return build(options, false, profile_ret, is_damaged_ret);
}

static int add_profile(struct report_options *options, struct profile_merge *merge,
		       struct profile *profile)
{
	/* They were read to choose samples. */
	if (!options->build.keeps_rows)
		sample_rows_destroy(steal_ptr(profile->rows));
	return profile_merge_add(merge, profile) ? message_error_of_memory(options->command) : 0;
}

/* What one recording carries must not be taken for another's, so each has a search for files.
 * @found: as of filter_findings_note_intervals(). */
static int add_file(struct report_options *options, struct profile_merge *merge, bool *found,
		    bool *is_damaged_ret)
{
	struct profile *profile = NULL;
	int err = file_options_open(&options->files, options->command, &options->build.files);

	if (err)
		return err;
	err = build(options, true, &profile, is_damaged_ret);
	if (profile) {
		filter_findings_note_intervals(profile, &options->build.filter, found);
		err = add_profile(options, merge, profile);
	}
	profile_destroy(profile);
	file_search_destroy(options->build.files);
	options->build.files = NULL;
	return err;
}

/* The servers of debuginfod leave the environment when a file was read. */
static int add_files(struct report_options *options, struct profile_merge *merge, bool *found,
		     bool *is_damaged_ret)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	_cleanup_free_ char *servers = urls ? strdup(urls) : NULL;
	const struct progress_title title = { options->command, "adding up", "files", NULL };
	struct work_done work = { .all = options->n_paths };
	struct progress *progress = progress_start(&title, &work);
	int err = 0;

	*is_damaged_ret = false;
	options->files.is_quiet = true; /* the files are what is counted */
	for (size_t i = 0; !err && i < options->n_paths; i++) {
		bool is_damaged = false;

		work_done_set(&work, i);
		options->path = options->paths[i];
		if (servers)
			setenv("DEBUGINFOD_URLS", servers, 1);
		err = add_file(options, merge, found, &is_damaged);
		*is_damaged_ret |= is_damaged;
	}
	progress_stop(progress);
	options->path = options->paths[0];
	return err;
}

static int merge_files(struct report_options *options,
		       int (*finish)(struct profile_merge *merge, struct profile **profile_ret),
		       struct profile **profile_ret, bool *is_damaged_ret)
{
	struct profile_merge *merge = profile_merge_create(options->by_name, MERGED_ROWS_MAX);
	const struct dendro_filter *filter = &options->build.filter;
	_cleanup_free_ bool *found =
		calloc(filter->n_phases + filter->n_epochs + 1, sizeof(*found));
	struct profile *sum = NULL;
	int err = merge && found ? 0 : message_error_of_memory(options->command);

	if (!err && options->joins_processes)
		profile_merge_join_processes(merge);
	if (!err && options->by_minute)
		profile_merge_by_minute(merge);
	if (!err && options->joins_addresses)
		profile_merge_join_addresses(merge);
	if (!err && options->folds_once)
		profile_merge_fold_once(merge);
	if (!err)
		err = add_files(options, merge, found, is_damaged_ret);
	if (!err)
		err = filter_findings_check_noted(options->command, filter, found);
	if (!err && finish(merge, &sum))
		err = message_error_of_memory(options->command);
	profile_merge_destroy(merge);
	if (!err)
		err = report_options_check_events(options, sum);
	if (!err)
		err = report_options_drop_events(options, sum);
	if (err) {
		profile_destroy(sum);
		return err;
	}
	*profile_ret = sum;
	return 0;
}

int named_profile_merge(struct report_options *options, struct profile **profile_ret,
			bool *is_damaged_ret)
{
	return merge_files(options, profile_merge_finish, profile_ret, is_damaged_ret);
}

int named_profile_merge_packed(struct report_options *options, struct profile **profile_ret,
			       bool *is_damaged_ret)
{
	return merge_files(options, profile_merge_finish_packed, profile_ret, is_damaged_ret);
}

int named_profile_give_run(struct report_options *options, struct profile **profile)
{
	struct profile_merge *merge = profile_merge_create(options->by_name, MERGED_ROWS_MAX);
	struct profile *sum = NULL;
	int err = merge ? add_profile(options, merge, *profile)
			: message_error_of_memory(options->command);

	if (!err && profile_merge_finish(merge, &sum))
		err = message_error_of_memory(options->command);
	profile_merge_destroy(merge);
	if (err)
		return err;
	profile_destroy(*profile);
	*profile = sum;
	return 0;
}

int named_profile_check_output(const char *command, const char *output)
{
	if (!output)
		return message_wrong_use(command, "name the profile's file: -o FILE.cct.");
	if (strcmp(output, "-") == 0 && isatty(STDOUT_FILENO))
		return message_wrong_use(command, "a terminal cannot show a profile: name a file "
						  "with -o.");
	return 0;
}

void named_profile_note_lacks(const struct report_options *options, const struct profile *profile)
{
	if (!profile->rows)
		message_note(options->command,
			     "the profile has no single samples, so options that choose samples, "
			     "such as --pid, will not work on it.");
	else if (profile->rows->slice_shift == ROW_SLICE_SHIFT_MAX)
		message_note(options->command,
			     "the profile has sums of samples over all of a run's time, not the "
			     "time of each sample.");
	else if (profile->rows->slice_shift)
		message_note(options->command,
			     "the profile has sums of samples in slices of %.3g s, not the time of "
			     "each sample.",
			     ldexp(1e-6, (int)profile->rows->slice_shift));
}

int named_profile_write(const struct report_options *options, const char *output,
			const struct profile *profile)
{
	const struct progress_title title = { .command = options->command, .what = "writing" };
	FILE *out = result_file_open(&options->files, options->command, output, options->paths,
				     options->n_paths);

	if (!out)
		return 1;
	named_profile_note_lacks(options, profile);
	struct progress *progress = progress_start(&title, NULL);
	const int err = profile_file_write(out, profile);
	progress_stop(progress);
	return result_file_close(out, options->command, output, err);
}
