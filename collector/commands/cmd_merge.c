/* dendro merge: adds profiles up, and recordings, of which profiles are built first. */
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/report_options.h"
#include "collector/commands/commands.h"
#include "collector/files/named_profile.h"
#include "collector/sandbox/reader_sandbox.h"

struct merge_command {
	struct report_options report;
	const char *output; /* NULL: none was given; "-": standard output */
};

static const struct command_option options_of_merge[] = {
	{ .name = "output",
	  .not_a_setting = SETTING_OF_FILES,
	  .letter = 'o',
	  .argument = "FILE",
	  .help = "write the profile to this file; its name should end in .cct",
	  .take = option_take_text,
	  .offset = offsetof(struct merge_command, output) },
	{ .name = "by-name",
	  .help = "functions of different builds of a program are the same if program and function "
		  "have the same name",
	  .take = option_take_flag,
	  .offset = offsetof(struct merge_command, report.by_name) },
	{ .name = "fold-once",
	  .help = "paths of which there is one sample in all profiles together end at the deepest "
		  "caller that they share with others; the rest is '[paths seen once]'",
	  .take = option_take_flag,
	  .offset = offsetof(struct merge_command, report.folds_once) },
	{ .name = "join-addresses",
	  .help = "of addresses of one function with the same callers, those with less than 16 "
		  "samples become one; functions keep their costs",
	  .take = option_take_flag,
	  .offset = offsetof(struct merge_command, report.joins_addresses) },
	{ .name = "join-processes",
	  .help = "short processes of one name become one; short are those with less than a "
		  "thousandth of all samples, within one or two minutes",
	  .take = option_take_flag,
	  .offset = offsetof(struct merge_command, report.joins_processes) },
	{ .name = "by-minute",
	  .help = "instead of each sample, keep the sums of each call path in slices of 67 s of "
		  "each run's time",
	  .take = option_take_flag,
	  .offset = offsetof(struct merge_command, report.by_minute) },
	{ 0 },
};

const struct command_line merge_line = {
	.command = "merge",
	.synopsis = "-o FILE [OPTIONS] FILE...",
	.description =
		"Adds profiles up, of runs, machines or days, in any order. Recordings among "
		"them are built\n"
		"into profiles first.",
	.options = options_of_merge,
};

static int run(struct merge_command *command)
{
	struct profile *profile = NULL;
	bool is_damaged = false;
	const struct reader_needs needs = { .inputs = command->report.paths,
					    .n_inputs = command->report.n_paths,
					    .result = command->output };

	reader_sandbox_enter("merge", &command->report.files, &needs);
	command->report.build.counts_calls = true;
	command->report.build.keeps_rows = true;
	int err = named_profile_merge_packed(&command->report, &profile, &is_damaged);

	if (!err)
		err = named_profile_write(&command->report, command->output, profile);
	profile_destroy(profile);
	return err || is_damaged;
}

int cmd_merge(int argc, char **argv, struct configuration *configuration)
{
	struct merge_command command = { 0 };

	report_options_init(&command.report, "merge");
	struct parsed_line parsed = options_parse(&merge_line, configuration, argc, argv, &command);
	int status = parsed.status;
	if (!parsed.is_done && !parsed.n_operands)
		status = message_wrong_use("merge", "name the profiles to merge.");
	if (!parsed.is_done && !status)
		status = named_profile_check_output("merge", command.output);
	if (!parsed.is_done && !status) {
		report_options_take_operands(&command.report, &parsed);
		report_options_finish(&command.report);
		status = run(&command) ? 1 : 0;
	}
	report_options_deinit(&command.report);
	return status;
}
