/* dendro build: makes a profile of a recording, with names, and stores it. */

#include "cct/base/clock.h"
#include "cct/base/numbers.h"
#include "cct/model/row_slices.h"
#include "cct/store/profile_file.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/report_options.h"
#include "collector/commands/commands.h"
#include "collector/files/named_profile.h"
#include "collector/fleet/from_database.h"
#include "collector/sandbox/reader_sandbox.h"

#define SLICED_ROWS_MAX (1u << 22) /* in memory, where they become sums in the end anyway */

struct build_command {
	struct report_options report;
	const char *output; /* NULL: none was given; "-": standard output */
	uint64_t n_slices;  /* 0: the profile has each sample */
};

static int take_slices(const struct option_use *use, void *field)
{
	uint64_t *n = field;

	if (numbers_parse(use->value, UINT32_MAX, n) || !*n)
		return option_wrong_value(use, "a number from 1 on");
	return 0;
}

#define FIELD(name) offsetof(struct build_command, name)

static const struct command_option options_of_build[] = {
	{ .shared = input_option, .offset = FIELD(report.path) },
	{ .name = "output",
	  .not_a_setting = SETTING_OF_FILES,
	  .letter = 'o',
	  .argument = "FILE",
	  .help = "write the profile to this file; its name should end in .cct",
	  .take = option_take_text,
	  .offset = FIELD(output) },
	{ .name = "slices",
	  .argument = "N",
	  .help = "keep the sums of each call path in at most N slices of the run's time, instead "
		  "of each sample",
	  .take = take_slices,
	  .offset = FIELD(n_slices) },
	{ .shared = db_options, .offset = FIELD(report.files.db) },
	{ .shared = db_time_options, .offset = FIELD(report) },
	{ .shared = filter_options, .offset = FIELD(report.filter) },
	{ .shared = where_or_sql_option, .offset = FIELD(report.filter) },
	{ .shared = split_option, .offset = FIELD(report.filter) },
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
	.synopsis = "-o FILE [OPTIONS] [FILE...]",
	.description = "Builds a profile of a recording: its call paths with their cost, and the "
		       "names of all\n"
		       "functions and lines in them. dendro report and dendro export read it like "
		       "the recording.\n"
		       "Of several recordings, it is their sum.",
	.options = options_of_build,
};

static uint64_t longest_run_us(const struct sample_rows *rows)
{
	uint64_t longest = 0;

	for (uint32_t i = 0; i < rows->n_runs; i++) {
		const uint64_t ns = rows->runs[i].end_ns - rows->runs[i].start_ns;

		longest = ns > longest ? ns : longest;
	}
	return longest / NSEC_PER_USEC;
}

/* Slices have a power of two of microseconds. 0, or another value after a message. */
static int make_slices(const struct build_command *command, const struct profile *profile)
{
	unsigned shift = 1;

	if (!command->n_slices || !profile->rows)
		return 0;
	while (shift < ROW_SLICE_SHIFT_MAX &&
	       longest_run_us(profile->rows) >> shift >= command->n_slices)
		shift++;
	return row_slices_make(profile->rows, profile, shift)
		       ? message_error_of_memory(command->report.command)
		       : 0;
}

static int build_one(struct report_options *report, struct profile **profile_ret,
		     bool *is_damaged_ret)
{
	int err = file_options_open(&report->files, "build", &report->build.files);

	if (!err)
		err = named_profile_build(report, profile_ret, is_damaged_ret);
	if (!err && (*profile_ret)->rows && (*profile_ret)->rows->sums)
		err = named_profile_give_run(report, profile_ret);
	return err;
}

/* 0, or another value after a message. */
static int run(struct build_command *command)
{
	struct report_options *report = &command->report;
	struct profile *profile = NULL;
	bool is_damaged = false;

	report->build.counts_calls = true;
	for (size_t i = 0; i < report->n_paths; i++) {
		if (profile_file_is_at(report->paths[i]))
			return message_error("build",
					     "%s is a profile already. dendro merge adds profiles "
					     "up.",
					     report->paths[i]);
	}
	const struct reader_needs needs = { .inputs = report->paths,
					    .n_inputs = report->n_paths,
					    .vmlinux = report->symbolizer.vmlinux,
					    .result = command->output };
	reader_sandbox_enter("build", &report->files, &needs);
	report->build.keeps_rows = true;
	if (command->n_slices)
		report->build.n_rows_max = SLICED_ROWS_MAX;
	/* Sums are of runs, which a merged profile has. */
	int err = report->n_paths > 1 || command->n_slices
			  ? named_profile_merge(report, &profile, &is_damaged)
			  : build_one(report, &profile, &is_damaged);
	if (!err) {
		report_options_explain_emptiness(report, profile);
		err = make_slices(command, profile);
	}
	if (!err)
		err = named_profile_write(report, command->output, profile);
	profile_destroy(profile);
	file_search_destroy(report->build.files);
	return err || is_damaged;
}

int cmd_build(int argc, char **argv, struct configuration *configuration)
{
	struct build_command command = { 0 };

	report_options_init(&command.report, "build");
	struct parsed_line parsed = options_parse(&build_line, configuration, argc, argv, &command);
	int status = parsed.status;
	if (!parsed.is_done && !status)
		status = named_profile_check_output("build", command.output);
	if (!parsed.is_done && !status) {
		status = from_database_take(&command.report, &parsed);
	}
	if (!parsed.is_done && !status) {
		command.report.files.db.by_host = true;
		report_options_finish(&command.report);
		status = run(&command) ? 1 : 0;
	}
	report_options_deinit(&command.report);
	return status;
}
