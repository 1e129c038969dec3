/* dendro branches: shows the paths inside functions that the branches of samples walked through. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/numbers.h"
#include "collector/command-line/filter_findings.h"
#include "collector/command-line/filter_options.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/report_options.h"
#include "collector/commands/commands.h"
#include "collector/exchange/branch_stacks.h"
#include "collector/files/stored_profile.h"
#include "collector/sandbox/reader_sandbox.h"
#include "collector/session/dendro.h"
#include "report/branches/branch_output.h"

#define DEFAULT_TOP 10
#define MAX_TOP     1000000

struct branches_command {
	struct branch_options output;
	const char *path;
	struct filter_options filter;
	struct file_options files;
	enum symbol_names names;
	enum text_or_json format;
};

static int take_top(const struct option_use *use, void *field)
{
	uint32_t *n_top = field;
	uint64_t n;

	if (numbers_parse(use->value, MAX_TOP, &n))
		return option_wrong_value(use, "a number of paths");
	*n_top = (uint32_t)n;
	return 0;
}

#define FIELD(name) offsetof(struct branches_command, name)

static const struct command_option options_of_branches[] = {
	{ .shared = input_option, .offset = FIELD(path) },
	{ .name = "function",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "NAME",
	  .help = "only the paths of this function",
	  .take = option_take_text,
	  .offset = FIELD(output.function) },
	{ .name = "by-context",
	  .help = "tell the paths of a function apart by who called it",
	  .take = option_take_flag,
	  .offset = FIELD(output.by_context) },
	{ .name = "blocks",
	  .help = "text only: show the basic blocks of each function, too",
	  .take = option_take_flag,
	  .offset = FIELD(output.has_blocks) },
	{ .name = "top",
	  .argument = "N",
	  .help = "text only: show N functions or contexts, and N paths of each (default: 10)",
	  .take = take_top,
	  .offset = FIELD(output.n_top) },
	{ .shared = text_or_json_option, .offset = FIELD(format) },
	{ .shared = filter_options, .offset = FIELD(filter) },
	{ .shared = where_option, .offset = FIELD(filter) },
	{ .shared = symfs_option, .offset = FIELD(files) },
	{ .shared = raw_names_option, .offset = FIELD(names) },
	{ 0 },
};

const struct command_line branches_line = {
	.command = "branches",
	.synopsis = "[OPTIONS] [FILE]",
	.description =
		"Shows the paths inside functions that the branches of samples walked through "
		"(record\n"
		"-b): from the entry of a function, or the beginning of a loop's round, to its "
		"end,\n"
		"with how often each was executed, and which branches were mispredicted.",
	.options = options_of_branches,
	.refused = refused_split,
};

/* Returns 1. */
static int complain_of_no_stacks(const struct branches_command *command, struct dendro *session,
				 const struct dendro_filter *filter)
{
	const struct profile_quality *quality = &dendro_recording(session)->quality;

	if (quality->counts[QUALITY_FILTERED] && !quality_n_used(quality)) {
		filter_findings_print("branches", &command->path, 1, &command->files, filter);
		return 1;
	}
	return message_error("branches",
			     "%s: no sample has all branches before it: 'dendro record -b' "
			     "records them where the processor does.",
			     command->path);
}

/* 0, or 1 after a message. */
static int conclude(const struct branches_command *command, struct dendro *session,
		    const struct branch_paths *paths, const struct dendro_filter *filter)
{
	if (!paths->n_stacks)
		return complain_of_no_stacks(command, session, filter);
	int err = command->format == AS_JSON ? branch_write_json(stdout, paths, &command->output)
					     : branch_write_text(stdout, paths, &command->output);
	if (err)
		return message_error_of_file("branches", command->path, strerror(-err));
	if (fflush(stdout) && errno != EPIPE)
		return message_error("branches", "cannot write: %s.", strerror(errno));
	const char *wrong = dendro_error(session);
	return wrong ? message_error_of_file("branches", command->path, wrong) : 0;
}

static int run_session(struct branches_command *command, struct dendro *session,
		       const struct dendro_filter *filter)
{
	const struct symbolizer_options names = { .names = command->names, .no_inlines = true };
	struct branch_stacks stacks;
	int err = branch_stacks_read(session, &names, command->output.by_context, &stacks);

	command->output.n_without = stacks.n_without;
	command->output.n_filtered = stacks.n_filtered;

	if (err)
		err = message_error_of_file("branches", command->path, strerror(-err));
	else if (filter_findings_check_phases("branches", NULL, dendro_recording(session),
					      filter) ||
		 filter_findings_check_epochs("branches", NULL, dendro_recording(session), filter))
		err = 1;
	else
		err = conclude(command, session, &stacks.paths, filter);
	branch_stacks_deinit(&stacks);
	return err;
}

/* Returns 0, or 1 after a message. */
static int run(struct branches_command *command)
{
	const struct dendro_source source = { .path = command->path };
	struct dendro_options options = { .no_paths = true,
					  .filter = filter_options_filter(&command->filter) };
	_cleanup_free_ char *error = NULL;
	struct dendro *session = NULL;
	const struct reader_needs needs = { .inputs = &command->path,
					    .n_inputs = 1,
					    .decodes_code = true };

	if (command->output.by_context && command->output.has_blocks)
		return message_wrong_use("branches",
					 "--blocks counts by function, not --by-context.");
	if (stored_profile_refused(command->path, "branches"))
		return 1;
	reader_sandbox_enter("branches", &command->files, &needs);
	if (file_options_open(&command->files, "branches", &options.files))
		return 1;
	int err = options.filter.has_time ? dendro_read_times(&source, &options.times, &error) : 0;
	if (!err)
		err = dendro_open(&source, &options, &session, &error);
	if (err)
		message_error_of_file("branches", command->path, error ? error : strerror(-err));
	else
		err = run_session(command, session, &options.filter);
	dendro_close(session);
	file_search_destroy(options.files);
	return err ? 1 : 0;
}

int cmd_branches(int argc, char **argv, struct configuration *configuration)
{
	struct branches_command command = { .path = file_options_default,
					    .names = NAMES_WITHOUT_PARAMETERS,
					    .output.n_top = DEFAULT_TOP };
	struct parsed_line parsed =
		options_parse(&branches_line, configuration, argc, argv, &command);
	int status = parsed.status;

	if (!parsed.is_done)
		status = file_options_take_operand("branches", &parsed, 0, &command.path);
	if (!parsed.is_done && !status)
		status = run(&command);
	filter_options_deinit(&command.filter);
	return status;
}
