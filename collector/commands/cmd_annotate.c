/* dendro annotate: shows the lines and instructions of a function, with their cost. */
#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/text/near_names.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/pager.h"
#include "collector/command-line/report_options.h"
#include "collector/command-line/terminal.h"
#include "collector/commands/commands.h"
#include "collector/exchange/branch_counts.h"
#include "collector/files/fetched_profile.h"
#include "collector/files/shown_naming.h"
#include "collector/files/stored_profile.h"
#include "collector/sandbox/reader_sandbox.h"
#include "report/annotate/annotate_output.h"
#include "report/annotate/hottest_function.h"
#include "report/names/function_query.h"
#include "report/terminal/character_set.h"

struct annotate_command {
	struct report_options report;
	struct annotate_options annotate;
	const char *function;
	enum text_or_json format;
};

/* perf's -M */
static int take_syntax(const struct option_use *use, void *field)
{
	bool *is_intel = field;

	*is_intel = strcmp(use->value, "intel") == 0;
	return *is_intel || strcmp(use->value, "att") == 0
		       ? 0
		       : option_wrong_value(use, "intel or att");
}

#define FIELD(name) offsetof(struct annotate_command, name)

static const struct command_option options_of_perf[] = {
	{ .name = "symbol",
	  .letter = 's',
	  .argument = "FUNCTION",
	  .take = option_take_text,
	  .offset = FIELD(function) },
	{ .name = "disassembler-style",
	  .letter = 'M',
	  .argument = "SYNTAX",
	  .take = take_syntax,
	  .offset = FIELD(annotate.intel_syntax) },
	{ .letter = 'k', .argument = "FILE", .same_as = "vmlinux" },
	{ .name = "no-demangle", .same_as = "raw-names" },
	{ .name = "stdio", .take = option_take_nothing },
	{ .name = "stdio2", .take = option_take_nothing },
	{ .name = "demangle", .take = option_take_nothing },
	{ .name = "skip-missing", .take = option_take_nothing },
	{ .name = "modules", .letter = 'm', .take = option_take_nothing },
	{ .name = "percent-limit", .argument = "PCT", .same_as = "min" },
	{ .name = "stdio-color", .argument = "WHEN", .same_as = "color" },
	{ .name = "tui",
	  .take = option_refuse,
	  .help = "the text is in a pager on a terminal; leave the option out" },
	{ .name = "print-line", .letter = 'l', .take = option_take_nothing },
	{ .name = "full-paths", .letter = 'P', .take = option_take_nothing },
	{ .name = "group", .take = option_take_nothing },
	{ .name = "force", .letter = 'f', .take = option_take_nothing },
	{ .name = "verbose", .letter = 'v', .take = option_take_nothing },
	{ .name = "quiet", .letter = 'q', .take = option_take_nothing },
	{ .name = "dsos",
	  .letter = 'd',
	  .argument = "NAME,...",
	  .take = option_refuse,
	  .help = "all functions of the name are shown, the most costly first" },
	{ .name = "dump-raw-trace",
	  .letter = 'D',
	  .take = option_refuse,
	  .help = "'perf annotate -D -i FILE' reads recordings of dendro" },
	{ .name = "show-nr-samples",
	  .letter = 'n',
	  .take = option_refuse,
	  .help = "--format json has the number of samples of each function" },
	{ .name = "show-total-period",
	  .take = option_refuse,
	  .help = "--format json has the costs of lines and instructions" },
	{ .name = "asm-raw",
	  .take = option_refuse,
	  .help = "--asm lists instructions, and --format json has their bytes" },
	{ .name = "demangle-kernel", .take = option_take_nothing },
	{ .name = "ignore-vmlinux",
	  .take = option_refuse,
	  .help = "the code of the kernel that has samples is in the recording; leave the option "
		  "out" },
	{ .name = "itrace",
	  .argument = "OPTS",
	  .is_value_optional = true,
	  .take = option_refuse,
	  .help = "dendro reads no instruction traces; 'perf annotate --itrace' does" },
	{ .name = "objdump",
	  .argument = "PATH",
	  .take = option_refuse,
	  .help = "dendro decodes instructions itself; leave the option out" },
	{ .name = "percent-type",
	  .argument = "TYPE",
	  .take = option_refuse,
	  .help = "shares are of the cost of the function; leave the option out" },
	{ .name = "prefix",
	  .argument = "PREFIX",
	  .take = option_refuse,
	  .help = "--source-path FROM=TO says where source files are" },
	{ .name = "prefix-strip",
	  .argument = "N",
	  .take = option_refuse,
	  .help = "--source-path FROM=TO says where source files are" },
	{ 0 },
};

static const struct command_option options_of_annotate[] = {
	{ .shared = input_option, .offset = FIELD(report.path) },
	{ .name = "asm",
	  .help = "list instructions by address, with source lines between them",
	  .take = option_take_constant,
	  .constant = ANNOTATE_ASSEMBLY,
	  .offset = FIELD(annotate.part) },
	{ .name = "source",
	  .help = "list only the source, from the first line with cost to the last",
	  .take = option_take_constant,
	  .constant = ANNOTATE_SOURCE,
	  .offset = FIELD(annotate.part) },
	{ .name = "no-source",
	  .help = "do not read source files",
	  .take = option_take_flag,
	  .offset = FIELD(annotate.no_source) },
	{ .shared = source_path_option, .offset = FIELD(report.files) },
	{ .name = "total",
	  .help = "show inclusive costs: a call has the cost of its callee, too",
	  .take = option_take_flag,
	  .offset = FIELD(annotate.inclusive) },
	{ .name = "min",
	  .argument = "PCT",
	  .help = "text only: leave out lines and instructions with a smaller share of the "
		  "function's cost (default: 0.5); 0 shows everything",
	  .take = option_take_percent,
	  .offset = FIELD(report.export.min_percent) },
	{ .name = "sort",
	  .argument = "EVENT",
	  .help = "sort functions by this event's cost",
	  .take = option_take_text,
	  .offset = FIELD(report.sort_event) },
	{ .name = "intel",
	  .help = "use Intel's syntax instead of AT&T's, on x86",
	  .take = option_take_flag,
	  .offset = FIELD(annotate.intel_syntax) },
	{ .shared = filter_options, .offset = FIELD(report.filter) },
	{ .shared = where_option, .offset = FIELD(report.filter) },
	{ .shared = text_or_json_option, .offset = FIELD(format) },
	{ .shared = color_option, .offset = FIELD(report.color) },
	{ .shared = symfs_option, .offset = FIELD(report.files) },
	{ .shared = debuginfod_option, .offset = FIELD(report.files) },
	{ .shared = raw_names_option, .offset = FIELD(report.symbolizer.names) },
	{ .name = "full-names",
	  .help = "show names with parameters, and do not cut lines to the width",
	  .take = option_take_flag,
	  .offset = FIELD(report.export.full_names) },
	{ .name = "vmlinux",
	  .argument = "FILE",
	  .help = "use this code and debug information of the recorded kernel, instead of "
		  "searching "
		  "for it",
	  .take = option_take_text,
	  .offset = FIELD(report.symbolizer.vmlinux) },
	{ .shared = pager_option, .offset = FIELD(report.no_pager) },
	{ 0 },
};

const struct command_line annotate_line = {
	.command = "annotate",
	.synopsis = "[OPTIONS] [FUNCTION [FILE]]",
	.description = "Shows the cost of a function's source lines and instructions.\n\n"
		       "FUNCTION is a name as in dendro report (ns::foo), with parameters "
		       "(ns::foo(int)),\n"
		       "mangled, or without namespaces and template arguments (foo). Without it, "
		       "the function\n"
		       "with the highest self cost is shown.\n\n"
		       "By default, source lines with cost are shown with the lines around them, "
		       "and below\n"
		       "each line the code that was inlined there and its costly instructions.",
	.options = options_of_annotate,
	.refused = refused_split,
	.of_perf = options_of_perf,
};

/* 0, or an exit status after a message. */
static int take_operands(struct annotate_command *command, const struct parsed_line *parsed)
{
	if (command->function)
		return file_options_take_operand("annotate", parsed, 0, &command->report.path);
	if (!parsed->n_operands)
		return 0;
	command->function = parsed->operands[0];
	return file_options_take_operand("annotate", parsed, 1, &command->report.path);
}

static void finish_options(struct annotate_command *command)
{
	struct report_options *report = &command->report;

	report_options_finish(report);
	report->symbolizer.lines = true;
	report->build.keeps_code = true;
	if (report->symbolizer.names == NAMES_WHOLE && !report->export.full_names)
		report->symbolizer.names = NAMES_WITHOUT_PARAMETERS;
	command->annotate.min_percent = report->export.min_percent;
	command->annotate.moved = report->files.moved;
	command->annotate.n_moved = report->files.n_moved;
}

/* Suggests similar names of the recording, with namespaces and without. */
static void offer_names(const struct profile *profile, struct symbolizer *symbolizer,
			struct near_names *near)
{
	for (uint32_t i = 0; i < profile->cct->n_nodes; i++) {
		const struct frame *frame = cct_frame(profile->cct, i);
		const struct frame_name *names;
		size_t n_names;

		if ((frame->kind != FRAME_USER && frame->kind != FRAME_KERNEL) ||
		    symbolizer_expand(symbolizer, frame, &names, &n_names))
			continue;
		for (size_t j = 0; j < n_names; j++) {
			char base[NEAR_NAME_SIZE];
			size_t size;
			const char *start = function_base_name(names[j].name, &size);

			near_names_offer(near, names[j].name);
			snprintf(base, sizeof(base), "%.*s", (int)(size < 1024 ? size : 1024),
				 start);
			near_names_offer(near, base);
		}
	}
}

static int complain_of_name(const struct annotate_command *command, const struct profile *profile,
			    struct symbolizer *symbolizer)
{
	_cleanup_free_ char *question = NULL;
	struct near_names near;

	near_names_init(&near, command->function, strlen(command->function));
	offer_names(profile, symbolizer, &near);
	question = near_names_question(&near);
	return message_error("annotate", "%s: no call path contains a function '%s'%s",
			     command->report.path, command->function,
			     question && *question ? question : ".");
}

static int show(struct annotate_command *command, struct annotation *annotation)
{
	static const struct progress_title writing = { .command = "annotate", .what = "writing" };
	bool is_terminal = isatty(STDOUT_FILENO);
	int err;

	command->annotate.width = command->report.export.full_names ? 0 : terminal_width();
	command->annotate.color = terminal_wants_color(command->report.color, is_terminal);
	if (command->format == AS_TEXT && is_terminal && !command->report.no_pager)
		pager_start(&command->report.pager);
	__fsetlocking(stdout, FSETLOCKING_BYCALLER); /* no other thread writes */
	struct progress *progress = is_terminal ? NULL : progress_start(&writing, NULL);
	err = command->format == AS_JSON
		      ? annotate_write_json(stdout, annotation, &command->annotate)
		      : annotate_write_text(stdout, annotation, &command->annotate);
	progress_stop(progress);
	/* It is not an error if the reader closes the pipe early. */
	if (err == -EPIPE)
		err = 0;
	pager_finish(&command->report.pager);
	return err ? message_error("annotate", "cannot write the annotation: %s.", strerror(-err))
		   : 0;
}

/* Without a function: takes the one with the highest cost, and prints which it is. */
static int choose_function(struct annotate_command *command, const struct profile *profile,
			   struct symbolizer *symbolizer)
{
	uint32_t metric = command->report.view.sort_metric;
	const struct hottest_limits limits = { .max = 1 };
	struct hottest_function hottest;
	size_t n = 0;

	if (command->function)
		return 0;
	if (hottest_functions_find(profile, symbolizer, metric, &limits, &hottest, &n))
		return message_error_of_memory("annotate");
	if (!n)
		return message_error("annotate", "%s: no function has a self cost.",
				     command->report.path);
	command->function = hottest.name.name;
	message_note("annotate", "'%s' has the highest self cost: %.2f%%.", command->function,
		     100.0 * (double)hottest.self / (double)profile->metrics[metric].total);
	return 0;
}

static int annotate_with(struct annotate_command *command, const struct profile *profile,
			 struct symbolizer *symbolizer)
{
	struct annotation *annotation;
	struct shown_naming naming;

	shown_naming_start(&naming, "annotate", symbolizer, "adding up");
	int err = choose_function(command, profile, symbolizer);
	if (!err)
		err = annotation_create(profile, symbolizer, command->function,
					command->report.view.sort_metric, &annotation);
	shown_naming_stop(&naming);
	if (err > 0) /* after a message */
		return err;
	if (err)
		return message_error("annotate", "%s.", strerror(-err));
	err = annotation->n_functions ? show(command, annotation)
				      : complain_of_name(command, profile, symbolizer);
	annotation_destroy(annotation);
	return err;
}

static int annotate(struct annotate_command *command, struct profile *profile)
{
	struct symbolizer *symbolizer;
	int err = report_options_check_filters(&command->report, profile);

	if (err)
		return err;
	err = report_options_drop_events(&command->report, profile);
	if (!err)
		err = report_options_check_vmlinux(&command->report, profile);
	if (!err)
		err = report_options_choose_sort(&command->report, profile);
	if (err)
		return err;
	report_options_explain_emptiness(&command->report, profile);
	symbolizer = symbolizer_create(profile, &command->report.symbolizer);
	if (!symbolizer)
		return message_error_of_memory("annotate");
	err = annotate_with(command, profile, symbolizer);
	symbolizer_destroy(symbolizer);
	return err;
}

/* 0, or another value after a message. */
static int annotate_with_branches(struct annotate_command *command, struct profile *profile)
{
	const struct report_options *report = &command->report;
	struct recorded_counts counts;
	int err = recorded_counts_read(&counts, "annotate", report->path, profile, &report->build,
				       &report->symbolizer);

	if (!err) {
		command->annotate.executed = counts.known;
		err = annotate(command, profile);
		command->annotate.executed = NULL;
	}
	recorded_counts_deinit(&counts);
	return err;
}

static void give_up_rights(struct annotate_command *command)
{
	const struct reader_needs needs = {
		.inputs = &command->report.path,
		.n_inputs = 1,
		.vmlinux = command->report.symbolizer.vmlinux,
		.has_sources = true,
		.decodes_code = true,
	};

	if (command->format == AS_TEXT && isatty(STDOUT_FILENO) && !command->report.no_pager)
		pager_prepare(&command->report.pager);
	reader_sandbox_enter("annotate", &command->report.files, &needs);
}

/* 0, or another value after a message. */
static int run(struct annotate_command *command)
{
	struct report_options *report = &command->report;
	_cleanup_free_ char *error = NULL;
	struct profile *profile = NULL;

	if (stored_profile_refused(report->path, "annotate"))
		return 1;
	give_up_rights(command);
	int err = file_options_open(&report->files, "annotate", &report->build.files);
	if (err)
		return err;
	err = fetched_profile_build(report->path, &report->build, &report->files, "annotate",
				    &profile, &error);
	if (err)
		message_error_of_file("annotate", report->path, error ? error : strerror(-err));
	else
		err = annotate_with_branches(command, profile);
	if (!err && error)
		err = message_error_of_file("annotate", report->path, error);
	profile_destroy(profile);
	file_search_destroy(report->build.files);
	return err;
}

int cmd_annotate(int argc, char **argv, struct configuration *configuration)
{
	struct annotate_command command = { 0 };

	report_options_init(&command.report, "annotate");
	struct parsed_line parsed =
		options_parse(&annotate_line, configuration, argc, argv, &command);
	int status = parsed.status;
	if (!parsed.is_done)
		status = take_operands(&command, &parsed);
	if (!parsed.is_done && !status) {
		finish_options(&command);
		character_set_take();
		status = run(&command) ? 1 : 0;
	}
	report_options_deinit(&command.report);
	return status;
}
