/* dendro build: makes a profile of a recording, with names, and stores it. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/store/profile_file.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/report_options.h"
#include "collector/commands/commands.h"
#include "collector/files/fetched_profile.h"
#include "collector/files/result_file.h"
#include "collector/files/stored_profile.h"
#include "report/names/names_store.h"

struct build_command {
	struct report_options report;
	const char *output; /* NULL: none was given; "-": standard output */
};

#define FIELD(name) offsetof(struct build_command, name)

static const struct command_option options_of_build[] = {
	{ .shared = input_option, .offset = FIELD(report.path) },
	{ .name = "output",
	  .letter = 'o',
	  .argument = "FILE",
	  .help = "write the profile to this file; its name should end in .cct",
	  .take = option_take_text,
	  .offset = FIELD(output) },
	{ .shared = filter_options, .offset = FIELD(report.filter) },
	{ .shared = symfs_option, .offset = FIELD(report.files) },
	{ .shared = debuginfod_option, .offset = FIELD(report.files) },
	{ .name = "vmlinux",
	  .argument = "FILE",
	  .help = "use this debug information of the recorded kernel, instead of searching for it",
	  .take = option_take_text,
	  .offset = FIELD(report.symbolizer.vmlinux) },
	{ 0 },
};

const struct command_line build_line = {
	.command = "build",
	.synopsis = "-o FILE [OPTIONS] [FILE]",
	.description = "Builds a profile of a recording: its call paths with their cost, and the "
		       "names of all\n"
		       "functions and lines in them. dendro report and dendro export read it like "
		       "the recording.",
	.options = options_of_build,
};

/* 0, or another value after a message. */
static int write_profile(const struct build_command *command, const struct profile *profile)
{
	FILE *out = result_file_open("build", command->output, command->report.path);

	if (!out)
		return 1;
	return result_file_close(out, "build", command->output, profile_file_write(out, profile));
}

static int name_and_write(struct build_command *command, struct profile *profile)
{
	struct report_options *report = &command->report;
	int err = report_options_check_events(report, profile);

	if (!err)
		err = report_options_drop_events(report, profile);
	if (!err)
		err = report_options_check_vmlinux(report, profile);
	if (err)
		return err;
	report_options_explain_emptiness(report, profile);
	struct symbolizer *symbolizer = symbolizer_create(profile, &report->symbolizer);
	err = symbolizer ? names_store(profile, symbolizer, &profile->names) : -ENOMEM;
	symbolizer_destroy(symbolizer);
	return err ? message_error_of_memory("build") : write_profile(command, profile);
}

/* 0, or another value after a message. */
static int run(struct build_command *command)
{
	struct report_options *report = &command->report;
	_cleanup_free_ char *error = NULL;
	struct profile *profile = NULL;

	if (stored_profile_is_at(report->path))
		return message_error("build", "%s is a profile already.", report->path);
	int err = file_options_open(&report->files, "build", &report->build.files);
	if (err)
		return err;
	err = fetched_profile_build(report->path, &report->build, &report->files, "build", &profile,
				    &error);
	if (err)
		message_error_of_file("build", report->path, error ? error : strerror(-err));
	else
		err = name_and_write(command, profile);
	if (!err && error)
		err = message_error_of_file("build", report->path, error);
	profile_destroy(profile);
	file_search_destroy(report->build.files);
	return err;
}

static int check(const struct build_command *command)
{
	if (!command->output)
		return message_wrong_use("build", "name the profile's file: -o FILE.cct.");
	if (strcmp(command->output, "-") == 0 && isatty(STDOUT_FILENO))
		return message_wrong_use("build", "a terminal cannot show a profile: name a file "
						  "with -o.");
	return 0;
}

int cmd_build(int argc, char **argv)
{
	struct build_command command = { 0 };

	report_options_init(&command.report, "build");
	struct parsed_line parsed = options_parse(&build_line, argc, argv, &command);
	int status = parsed.status;
	if (!parsed.is_done)
		status = file_options_take_operand("build", &parsed, 0, &command.report.path);
	if (!parsed.is_done && !status)
		status = check(&command);
	if (!parsed.is_done && !status) {
		report_options_finish(&command.report);
		command.report.symbolizer.lines = true;
		command.report.build.by_thread = true;
		status = run(&command) ? 1 : 0;
	}
	report_options_deinit(&command.report);
	return status;
}
