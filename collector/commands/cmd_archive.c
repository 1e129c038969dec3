/* dendro archive: packs a recording and all files that its reports read into one file. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cct/base/cleanup.h"
#include "collector/command-line/file_options.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/commands/commands.h"
#include "collector/files/archive.h"
#include "collector/files/fetched_profile.h"
#include "collector/files/shown_build.h"
#include "collector/files/shown_naming.h"
#include "collector/files/stored_profile.h"
#include "collector/session/dendro.h"
#include "report/names/symbolize.h"

#define INCOMPLETE_STATUS 2
#define MIB               (1024.0 * 1024.0)

struct options {
	const char *from, *to; /* @to NULL: @from with a suffix */
	const char *vmlinux;   /* NULL: it is searched for */
	struct file_options files;
	bool is_quiet;
};

static const struct command_option options_of_archive[] = {
	{ .shared = input_option, .offset = offsetof(struct options, from) },
	{ .name = "output",
	  .not_a_setting = SETTING_OF_FILES,
	  .letter = 'o',
	  .argument = "FILE",
	  .help = "the archive (default: the recording's name with .archive)",
	  .take = option_take_text,
	  .offset = offsetof(struct options, to) },
	{ .name = "quiet",
	  .letter = 'q',
	  .help = "report only what could not be packed",
	  .take = option_take_flag,
	  .offset = offsetof(struct options, is_quiet) },
	{ .name = "vmlinux",
	  .argument = "FILE",
	  .help = "pack this debug information of the recorded kernel",
	  .take = option_take_text,
	  .offset = offsetof(struct options, vmlinux) },
	{ .shared = symfs_option, .offset = offsetof(struct options, files) },
	{ .shared = debuginfod_option, .offset = offsetof(struct options, files) },
	{ 0 },
};

const struct command_line archive_line = {
	.command = "archive",
	.synopsis = "[OPTIONS] [FILE]",
	.description =
		"Writes a recording together with all other files that reports of it read: "
		"programs,\n"
		"libraries, debug files. Reports of the archive are the same on any machine.",
	.options = options_of_archive,
	.notes = "The recording is read twice, so it cannot be a pipe. The exit status is 1 if "
		 "there is no\n"
		 "archive, 2 if a program or library could not be packed, and 129 after wrong use.",
};

/* Opens all files that a report with names, inlined functions and lines opens. 0 or -ENOMEM. */
static int name_all(const struct options *options, const struct profile *profile)
{
	struct symbolizer *symbolizer = symbolizer_create(
		profile, &(struct symbolizer_options){ .vmlinux = options->vmlinux });
	struct shown_naming naming;

	if (!symbolizer)
		return -ENOMEM;
	if (!options->is_quiet)
		shown_naming_start(&naming, "archive", symbolizer, NULL);
	const int err = symbolizer_expand_all(symbolizer);
	if (!options->is_quiet)
		shown_naming_stop(&naming);
	symbolizer_destroy(symbolizer);
	return err;
}

/* Returns the path in "state BUILDID MAJOR:MINOR:INODE PATH". */
static const char *path_in_key(const char *key)
{
	for (int i = 0; key && i < 3; i++) {
		key = strchr(key, ' ');
		key = key ? key + 1 : NULL;
	}
	return key ? key : "";
}

/* Prints programs and libraries that could not be packed. A missing debug file is not reported. */
static unsigned list_missing(struct file_search *files)
{
	const struct found_file *found;
	size_t n_found;
	unsigned n = 0;

	file_search_list_found(files, &found, &n_found);
	for (size_t i = 0; i < n_found; i++) {
		if (!found[i].text || strncmp(found[i].text, "ok ", 3) == 0)
			continue;
		message_note("archive", "%s was not packed: %s.", path_in_key(found[i].key),
			     strncmp(found[i].text, "changed ", 8) == 0
				     ? "it has changed since the recording"
			     : strncmp(found[i].text, "bad ", 4) == 0
				     ? "it is not an ELF file"
				     : "it is missing or not readable");
		n++;
	}
	return n;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The exit status. */
static int write_archive(const struct options *options, const struct profile *profile,
			 struct file_search *files)
{
	const struct progress_title title = { .command = "archive", .what = "packing" };
	_cleanup_free_ char *to = NULL;
	struct archive_result result;
	struct work_done work = { 0 };

	if (options->to ? !(to = strdup(options->to))
			: asprintf(&to, "%s.archive", options->from) < 0)
		return message_error_of_memory("archive");
	if (is_same_file(options->from, to))
		return message_error("archive",
				     "%s is the recording itself: name another file with -o.", to);
	struct progress *progress = options->is_quiet ? NULL : progress_start(&title, &work);
	int err = archive_write(options->from, profile->info.truncated != NULL, to, files, &work,
				&result);
	progress_stop(progress);
	if (err)
		return message_error_of_file("archive", to, strerror(-err));
	if (!options->is_quiet)
		fprintf(stderr,
			"[ dendro: %u files, %.1f MiB, with the recording %.1f MiB in %s ]\n",
			result.n_files, (double)result.added_size / MIB, (double)result.size / MIB,
			to);
	return list_missing(files) ? INCOMPLETE_STATUS : 0;
}

/* Fetches missing files by making a profile, which shows which are needed. An error occurs again
 * later. */
static void fetch_missing(const struct options *options, const struct dendro_options *build)
{
	_cleanup_free_ char *error = NULL;
	struct profile *profile = NULL;

	if (fetched_profile_build(options->from, build, &options->files, "archive", &profile,
				  &error) == 0)
		profile_destroy(profile);
}

static int archive(const struct options *options, struct file_search *files)
{
	const struct dendro_source source = { .path = options->from };
	const struct dendro_options build = { .files = files };
	_cleanup_free_ char *error = NULL;
	struct profile *profile = NULL;

	if (stored_profile_refused(options->from, "archive"))
		return 1;
	if (options->files.debuginfod)
		fetch_missing(options, &build);
	file_search_keep_found(files);
	int err = shown_build("archive", options->is_quiet, &source, &build, &profile, &error);
	const char *refusal = !err && options->vmlinux
				      ? symbolizer_refuses_vmlinux(profile, options->vmlinux)
				      : NULL;
	if (refusal) {
		profile_destroy(profile);
		return message_error("archive", "--vmlinux %s: %s.", options->vmlinux, refusal);
	}
	if (!err)
		err = name_all(options, profile);
	int status = 1;
	if (err || error)
		message_error_of_file("archive", options->from, error ? error : strerror(-err));
	if (!err)
		status = write_archive(options, profile, files);
	if (error && !status)
		status = INCOMPLETE_STATUS;
	profile_destroy(profile);
	return status;
}

int cmd_archive(int argc, char **argv, struct configuration *configuration)
{
	struct options options = { .from = file_options_default };
	struct file_search *files;

	file_options_init(&options.files);
	struct parsed_line parsed =
		options_parse(&archive_line, configuration, argc, argv, &options);
	if (parsed.is_done)
		return parsed.status;
	int status = file_options_take_operand("archive", &parsed, 0, &options.from);
	if (status)
		return status;
	if (strcmp(options.from, "-") == 0)
		return message_error("archive",
				     "the recording is read twice: name a file instead of '-'.");
	options.files.is_quiet = options.is_quiet;
	if (file_options_open(&options.files, "archive", &files))
		return 1;
	status = archive(&options, files);
	file_search_destroy(files);
	return status;
}
