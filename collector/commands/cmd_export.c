/* dendro export: writes the call paths of a recording in a format of other programs. */
#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/merge/anonymous.h"
#include "cct/model/profile_filter.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/report_options.h"
#include "collector/commands/commands.h"
#include "collector/exchange/branch_stacks.h"
#include "collector/exchange/path_formats.h"
#include "collector/exchange/verify_file.h"
#include "collector/files/fetched_profile.h"
#include "collector/files/named_profile.h"
#include "collector/files/result_file.h"
#include "collector/files/shown_naming.h"
#include "collector/fleet/from_database.h"
#include "collector/sandbox/reader_sandbox.h"
#include "report/pprof/gzip_file.h"
#include "report/terminal/character_set.h"

#define BUFFER_SIZE (64 * 1024)

struct export_command {
	struct report_options report;
	const struct path_format *format;   /* NULL: none was given */
	const struct path_format *verified; /* the format of a file to check; NULL: none */
	const char *output;                 /* NULL or "-": standard output */
	const char *module;                 /* of formats that have one; NULL: the largest */
	bool has_no_callchains;             /* perf.data: samples alone */
	bool is_anonymous;
	const struct branch_paths *branches; /* of the recording; NULL: none are wanted, or it has
					      * none */
};

#define FIELD(name) offsetof(struct export_command, name)

static const struct choice groupings[] = {
	{ "comm", GROUP_COMM },
	{ "process", GROUP_PROCESS },
	{ "thread", GROUP_THREAD },
	{ NULL, 0 },
};

static int take_format(const struct option_use *use, void *field)
{
	const struct path_format **format = field;
	_cleanup_free_ char *names = NULL;

	*format = path_formats_find(use->value);
	if (*format)
		return 0;
	names = path_formats_names();
	return option_wrong_value(use, "%s", names ? names : "another format");
}

static int take_verified(const struct option_use *use, void *field)
{
	const struct path_format *format = path_formats_find(use->value);
	_cleanup_free_ char *names = NULL;

	*(const struct path_format **)field = format;
	if (format && format->verify)
		return 0;
	names = path_formats_verified();
	return option_wrong_value(use, "%s", names ? names : "another format");
}

static const struct command_option options_of_export[] = {
	{ .shared = input_option, .offset = FIELD(report.path) },
	{ .name = "format",
	  .letter = 'f',
	  .argument = "FORMAT",
	  .help = "the format to write, one of the following",
	  .list = path_formats_list,
	  .take = take_format,
	  .offset = FIELD(format) },
	{ .name = "output",
	  .not_a_setting = SETTING_OF_FILES,
	  .letter = 'o',
	  .argument = "FILE",
	  .help = "write to this file (default: standard output); what is text is compressed if "
		  "its name ends in .gz",
	  .take = option_take_text,
	  .offset = FIELD(output) },
	{ .name = "verify",
	  .not_a_setting = SETTING_OF_FILES,
	  .argument = "FORMAT",
	  .help = "write nothing: check a file of this format for what lenient programs let pass",
	  .list = path_formats_verified,
	  .take = take_verified,
	  .offset = FIELD(verified) },
	{ .name = "by",
	  .argument = "GROUP",
	  .help = "begin folded paths with the comm (default), the process (comm-pid) or the "
		  "thread "
		  "(comm-pid/tid); thread adds a label with the thread to pprof",
	  .take = option_take_choice,
	  .choices = groupings,
	  .offset = FIELD(report.view.grouping) },
	{ .name = "module",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "NAME",
	  .help = "the program or library that a profile for BOLT is of, by its name or path "
		  "(default: that with the most samples)",
	  .take = option_take_text,
	  .offset = FIELD(module) },
	{ .name = "no-callchain",
	  .help = "write perf.data without the samples' callers, as perf2bolt -nl needs it",
	  .take = option_take_flag,
	  .offset = FIELD(has_no_callchains) },
	{ .name = "anonymize",
	  .help = "take out what says whose it is: commands, arguments, paths, host, cgroups, and "
		  "texts in variables become command-1, module-2, ...; costs and functions stay",
	  .take = option_take_flag,
	  .offset = FIELD(is_anonymous) },
	{ .shared = db_options, .offset = FIELD(report.files.db) },
	{ .shared = db_time_options, .offset = FIELD(report) },
	{ .shared = filter_options, .offset = FIELD(report.filter) },
	{ .shared = where_or_sql_option, .offset = FIELD(report.filter) },
	{ .shared = split_option, .offset = FIELD(report.filter) },
	{ .shared = selection_options, .offset = FIELD(report.selection) },
	{ .shared = symfs_option, .offset = FIELD(report.files) },
	{ .shared = debuginfod_option, .offset = FIELD(report.files) },
	{ .name = "no-inline",
	  .help = "leave out inlined functions; their cost belongs to the function that contains "
		  "them",
	  .take = option_take_flag,
	  .offset = FIELD(report.symbolizer.no_inlines) },
	{ .shared = raw_names_option, .offset = FIELD(report.symbolizer.names) },
	{ .name = "vmlinux",
	  .argument = "FILE",
	  .help = "use this debug information of the recorded kernel, instead of searching for it",
	  .take = option_take_text,
	  .offset = FIELD(report.symbolizer.vmlinux) },
	{ 0 },
};

const struct command_line export_line = {
	.command = "export",
	.synopsis = "--format FORMAT [OPTIONS] [FILE...]\n"
		    "--verify FORMAT FILE",
	.description = "Writes the call paths of a recording, with their cost, in a format that "
		       "other programs\n"
		       "read; of several recordings or profiles, their sum.",
	.options = options_of_export,
};

/* A format with one cost takes the first event that has samples. */
static void choose_metric(const struct export_command *command, const struct profile *profile,
			  struct path_options *options)
{
	uint32_t n_with_samples = 0;

	for (uint32_t i = profile->n_metrics; i-- > 0;) {
		if (!profile->metrics[i].samples)
			continue;
		options->metric = i;
		n_with_samples++;
	}
	if (command->format->has_one_metric && n_with_samples > 1)
		message_note("export",
			     "the costs are of %s; --event chooses another of the %u events "
			     "with samples.",
			     profile->metrics[options->metric].name, n_with_samples);
}

/* Whether the file's name wants gzip. Binary formats are compressed, or their readers take no gzip.
 */
static bool is_compressed(const struct export_command *command)
{
	const char *suffix = command->output ? strrchr(command->output, '.') : NULL;

	return suffix && strcmp(suffix, ".gz") == 0 && !command->format->is_binary;
}

/* Files may be gigabytes: written in blocks as stdio chooses them, the kernel takes longer than we.
 */
static int write_plain(FILE *out, const struct export_command *command,
		       const struct profile *profile, struct symbolizer *symbolizer,
		       const struct path_options *options)
{
	static char buffer[BUFFER_SIZE]; /* of the one export of the process, until it exits */

	setvbuf(out, buffer, _IOFBF, sizeof(buffer));
	__fsetlocking(out, FSETLOCKING_BYCALLER); /* no other thread writes */
	return command->format->write(out, profile, symbolizer, options);
}

static int write_compressed(FILE *out, const struct export_command *command,
			    const struct profile *profile, struct symbolizer *symbolizer,
			    const struct path_options *options)
{
	FILE *file = gzip_file_open(out);

	if (!file)
		return -errno;
	int err = write_plain(file, command, profile, symbolizer, options);
	return fclose(file) && !err ? -errno : err;
}

static int write_to(FILE *out, const struct export_command *command, const struct profile *profile,
		    struct symbolizer *symbolizer, struct work_done *work, char **finding_ret)
{
	const struct path_selection *selection = &command->report.selection;
	_cleanup_free_ char *text = path_selection_text(selection);
	struct path_options options = {
		.grouping = command->report.view.grouping,
		.selection = path_selection_is_empty(selection) ? NULL : text,
		.module = command->module,
		.has_no_callchains = command->has_no_callchains,
		.branches = command->branches,
		.finding_ret = finding_ret,
		.work = work,
	};

	if (!text)
		return -ENOMEM;
	choose_metric(command, profile, &options);
	int err = is_compressed(command)
			  ? write_compressed(out, command, profile, symbolizer, &options)
			  : write_plain(out, command, profile, symbolizer, &options);
	/* It is not an error if the reader closes the pipe early. */
	return err == -EPIPE ? 0 : err;
}

/* 0, or another value after a message. */
static int write_selected(const struct export_command *command, struct profile *profile,
			  struct symbolizer *symbolizer)
{
	static const struct progress_title writing = { "export", "writing", "paths", NULL };
	const bool is_shown = command->output || !isatty(STDOUT_FILENO);
	_cleanup_free_ char *finding = NULL;
	struct selected_paths selected;
	struct shown_naming naming;
	struct work_done work = { 0 };
	int err = shown_naming_select("export", &command->report.selection, profile, symbolizer,
				      &selected);

	if (err)
		return err;
	selection_options_note_share("export", &selected, profile);
	selected_paths_deinit(&selected);
	FILE *out = result_file_open(&command->report.files, "export", command->output,
				     command->report.paths, command->report.n_paths);
	if (!out)
		return 1;
	if (is_shown) {
		shown_naming_start(&naming, "export", symbolizer, "adding up");
		progress_follow(naming.progress, &writing, &work);
	}
	err = write_to(out, command, profile, symbolizer, &work, &finding);
	if (is_shown)
		shown_naming_stop(&naming);
	if (finding && err == -ENODATA) {
		result_file_close(out, "export", command->output, 0);
		return message_error("export", "%s", finding);
	}
	if (finding)
		message_note("export", "%s", finding);
	return result_file_close(out, "export", command->output, err);
}

/* Whether any sample has a time: 0, the first sample's, is also that of samples without. */
static bool has_times(const struct sample_rows *rows)
{
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		if (rows->rows[i].time)
			return true;
	}
	return rows->n_rows < 2;
}

/* Whether the profile has the samples and the code as the format needs them. 0, or another value
 * after a message. */
static int check_profile(const struct export_command *command, const struct profile *profile)
{
	const struct path_format *format = command->format;

	if (format->is_for_compilers && profile->names)
		return message_error("export",
				     "%s is made from the programs' files, which profiles and sums "
				     "are read without: export each recording.",
				     format->name);
	if (format->rows < ROWS_NEEDED)
		return 0;
	if (!profile->rows)
		return message_error("export", "%s has the samples one by one, %s.", format->name,
				     profile->names ? "which the profile does not have: export the "
						      "recording"
						    : "but the recording has too many: choose a "
						      "part of them, as with --time");
	if (format->rows == ROWS_WITH_TIMES && profile->rows->n_runs > 1)
		return message_error("export",
				     "%s has the time of each sample, and several runs have no "
				     "time in common: export each of them.",
				     format->name);
	if (format->rows == ROWS_WITH_TIMES && !has_times(profile->rows))
		return message_error("export",
				     "%s has the time of each sample, which this recording does "
				     "not have.",
				     format->name);
	return 0;
}

/* Once it was chosen from by the names that the user knows. */
static int anonymize(struct export_command *command, struct profile *profile)
{
	int err = profile->names ? 0 : named_profile_name(&command->report, profile);

	command->report.symbolizer.vmlinux = NULL; /* the names are found */
	if (err)
		return err;
	return anonymous_make(profile) ? message_error_of_memory("export") : 0;
}

static int write_profile(struct export_command *command, struct profile *profile)
{
	struct report_options *report = &command->report;
	int err = report_options_check_filters(report, profile);

	if (!err)
		err = report_options_drop_events(report, profile);
	if (!err)
		err = report_options_check_vmlinux(report, profile);
	if (!err)
		err = check_profile(command, profile);
	if (!err && command->is_anonymous)
		err = anonymize(command, profile);
	if (err)
		return err;
	report_options_explain_emptiness(report, profile);
	struct symbolizer *symbolizer = symbolizer_create(profile, &report->symbolizer);
	if (!symbolizer)
		return message_error_of_memory("export");
	err = write_selected(command, profile, symbolizer);
	symbolizer_destroy(symbolizer);
	return err;
}

/* Reads the recording once more for its branches. Without a name of a file, or where paths are
 * selected, whose branches nobody knows, samples must do. *@session_ret: to be closed after the
 * stacks. 0, or another value after a message. */
static int read_branches(struct export_command *command, struct dendro **session_ret,
			 struct branch_stacks *stacks)
{
	struct report_options *report = &command->report;
	_cleanup_free_ char *error = NULL;

	if (!command->format->is_for_compilers || strcmp(report->path, "-") == 0 ||
	    !path_selection_is_empty(&report->selection))
		return 0;
	int err = branch_stacks_read_again("export", report->path, &report->build,
					   &report->symbolizer, session_ret, stacks, &error);
	if (err)
		return message_error_of_file("export", report->path,
					     error ? error : strerror(-err));
	command->branches = stacks->paths.n_stacks ? &stacks->paths : NULL;
	return 0;
}

/* 0, or another value after a message. */
static int write_recording(struct export_command *command, struct profile *profile)
{
	struct branch_stacks stacks = { 0 };
	struct dendro *session = NULL;
	int err = profile->names ? 0 : read_branches(command, &session, &stacks);

	if (!err)
		err = write_profile(command, profile);
	branch_stacks_deinit(&stacks);
	dendro_close(session);
	return err;
}

static int export_one(struct export_command *command)
{
	struct report_options *report = &command->report;
	_cleanup_free_ char *error = NULL;
	struct profile *profile = NULL;
	int err = file_options_open(&report->files, "export", &report->build.files);

	if (err)
		return err;
	err = fetched_profile_build(report->path, &report->build, &report->files, "export",
				    &profile, &error);
	if (err)
		message_error_of_file("export", report->path, error ? error : strerror(-err));
	else
		err = write_recording(command, profile);
	if (!err && error)
		err = message_error_of_file("export", report->path, error);
	profile_destroy(profile);
	file_search_destroy(report->build.files);
	return err;
}

static int export_sum(struct export_command *command)
{
	struct report_options *report = &command->report;
	struct profile *profile = NULL;
	bool is_damaged = false;
	int err = named_profile_merge(report, &profile, &is_damaged);

	report->symbolizer.vmlinux = NULL; /* the names are found */
	report->source = "the sum";
	if (!err && !report->build.by_thread && profile_join_threads(profile))
		err = message_error_of_memory("export");
	if (!err)
		err = write_profile(command, profile);
	profile_destroy(profile);
	return err || is_damaged;
}

/* 0, or another value after a message. */
static int run(struct export_command *command)
{
	return command->report.n_paths > 1 ? export_sum(command) : export_one(command);
}

/* 0, or an exit status after a message. */
static int check(const struct export_command *command)
{
	if (!command->format) {
		_cleanup_free_ char *names = path_formats_names();

		return message_wrong_use("export", "name a format with --format: %s.",
					 names ? names : "NAME");
	}
	const char *lacks = command->format->lacks ? command->format->lacks() : NULL;
	if (lacks)
		return message_error("export", "%s needs %s.", command->format->name, lacks);
	if (command->format->is_for_compilers && command->is_anonymous)
		return message_wrong_use("export",
					 "%s is of names that --anonymize takes out: leave it out.",
					 command->format->name);
	if (command->format->is_binary && !command->output && isatty(STDOUT_FILENO))
		return message_wrong_use("export",
					 "a terminal cannot show %s: name a file with -o.",
					 command->format->name);
	return 0;
}

/* What the format needs is read. */
static void take_needs(struct export_command *command)
{
	struct report_options *report = &command->report;

	report->symbolizer.lines = command->format->has_lines;
	report->symbolizer.no_inlines &= !command->format->is_for_compilers;
	if (command->format->rows == ROWS_UNUSED)
		return;
	report->build.by_thread = true;
	report->build.keeps_rows = true;
}

/* An exit status. */
static int verify(const struct export_command *command, const struct parsed_line *parsed)
{
	if (command->format || command->output)
		return message_wrong_use("export",
					 "--verify writes nothing: leave out --format and -o.");
	if (parsed->n_operands != 1)
		return message_wrong_use("export", "--verify checks one file: name it.");
	return verify_file("export", command->verified, parsed->operands[0]) ? 1 : 0;
}

static void give_up_rights(struct export_command *command)
{
	struct report_options *report = &command->report;
	const struct reader_needs needs = { .inputs = report->paths,
					    .n_inputs = report->n_paths,
					    .vmlinux = report->symbolizer.vmlinux,
					    .result = command->output,
					    .decodes_code = command->format->is_for_compilers,
					    .keeps_rights =
						    command->format->makes_files
							    ? "this format needs files of its own"
							    : NULL };

	reader_sandbox_enter("export", &report->files, &needs);
}

static int export(struct export_command *command, const struct parsed_line *parsed)
{
	int status = check(command);

	if (!status)
		status = from_database_take(&command->report, parsed);
	if (status)
		return status;
	report_options_finish(&command->report);
	take_needs(command);
	character_set_take();
	give_up_rights(command);
	return run(command) ? 1 : 0;
}

int cmd_export(int argc, char **argv, struct configuration *configuration)
{
	struct export_command command = { 0 };

	report_options_init(&command.report, "export");
	struct parsed_line parsed =
		options_parse(&export_line, configuration, argc, argv, &command);
	int status = parsed.status;
	if (!parsed.is_done)
		status = command.verified ? verify(&command, &parsed) : export(&command, &parsed);
	report_options_deinit(&command.report);
	return status;
}
