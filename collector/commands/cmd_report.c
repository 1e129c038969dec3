/* dendro report: makes a profile of a recording, and shows a view of it. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/numbers.h"
#include "cct/base/sentence.h"
#include "cct/model/profile_filter.h"
#include "collector/agent/recorded_range.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/pager.h"
#include "collector/command-line/perf_views.h"
#include "collector/command-line/report_options.h"
#include "collector/command-line/terminal.h"
#include "collector/commands/commands.h"
#include "collector/commands/next_command.h"
#include "collector/commands/report_comparison.h"
#include "collector/files/fetched_profile.h"
#include "collector/files/named_profile.h"
#include "collector/files/page_file.h"
#include "collector/files/shown_naming.h"
#include "collector/fleet/from_database.h"
#include "collector/sandbox/reader_sandbox.h"
#include "collector/session/dendro.h"
#include "collector/session/sample_filter.h"
#include "collector/watch/report_follow.h"
#include "report/fold/view_traits.h"
#include "report/terminal/character_set.h"
#include "report/views/view.h"

#define DEFAULT_WIDTH 100

static const struct choice groupings[] = {
	{ "comm", GROUP_COMM },
	{ "process", GROUP_PROCESS },
	{ "thread", GROUP_THREAD },
	{ NULL, 0 },
};
static const struct choice sorts[] = {
	{ "total", SORT_TOTAL },
	{ "self", SORT_SELF },
	{ "name", SORT_NAME },
	{ NULL, 0 },
};

static int take_format(const struct option_use *use, void *field)
{
	struct report_options *options = field;
	_cleanup_free_ char *names = NULL;

	options->has_format = true;
	options->format = export_format_find(use->value);
	if (options->format)
		return 0;
	names = export_format_names();
	return option_wrong_value(use, "%s", names ? names : "another format");
}

/* "comm", "cpu", "thread,cpu" */
static int take_each(const struct option_use *use, void *field)
{
	struct report_options *options = field;
	struct view_options *view = &options->view;
	const char *each = use->value;
	unsigned n_tasks = 0;

	for (size_t length; *each; each += length + (each[length] == ',')) {
		const struct choice *grouping = groupings;

		length = strcspn(each, ",");
		while (grouping->name && (strlen(grouping->name) != length ||
					  strncmp(grouping->name, each, length) != 0))
			grouping++;
		if (grouping->name)
			view->grouping = (enum view_grouping)grouping->value;
		else if (strncmp(each, "cpu", length) != 0 || length != 3)
			break;
		n_tasks += grouping->name != NULL;
		view->each_cpu |= !grouping->name;
	}
	options->has_each = true;
	view->each_task = n_tasks > 0;
	if (*each || !*use->value || n_tasks > 1)
		return option_wrong_value(use, "comm, process or thread, cpu, or one of these with "
					       "cpu");
	return 0;
}

static int take_view(const struct option_use *use, void *field)
{
	struct report_options *options = field;
	enum view_kind kind;
	int status = option_take_choice(use, &kind);

	if (!status)
		report_options_choose_view(options, kind);
	return status;
}

/* "KEY", "KEY,EVENT", or columns of perf's: "comm,dso,sym" */
static int take_sort(const struct option_use *use, void *field)
{
	struct report_options *options = field;
	char *comma = strchr(use->value, ',');

	if (perf_views_have_column(use->value))
		return perf_views_take_columns(use, field);
	if (comma)
		*comma = '\0';
	options->has_sort = true;
	options->sort_event = comma ? comma + 1 : NULL;
	return option_take_choice(use, &options->view.sort);
}

static int take_depth(const struct option_use *use, void *field)
{
	uint64_t depth;

	if (numbers_parse(use->value, UINT_MAX, &depth))
		return option_wrong_value(use, "a number of levels");
	*(unsigned *)field = (unsigned)depth;
	return 0;
}

static int take_ratio(const struct option_use *use, void *field)
{
	struct report_options *options = field;

	if (options->n_ratio_texts == REPORT_MAX_RATIOS)
		return message_wrong_use(use->command, "%s may be given %d times at most.",
					 use->spelling, REPORT_MAX_RATIOS);
	options->ratio_texts[options->n_ratio_texts++] = use->value;
	return 0;
}

#define FIELD(name) offsetof(struct report_options, name)

static const struct command_option options_of_report[] = {
	{ .shared = input_option, .offset = FIELD(path) },
	{ .name = "view",
	  .argument = "VIEW",
	  .help = "what to show. tree: call paths from the outermost function on (default);\n"
		  "callers: each function's own cost, with its callers below it;\n"
		  "callgraph: each function between its callers and what it calls;\n"
		  "functions, lines, modules, processes, threads, cpus, cgroups, phases, epochs: "
		  "tables;\n"
		  "paths: the call paths that begin or end with the function of --root;\n"
		  "syscalls: each system call's cost, with its callers below it;\n"
		  "hot: code with much of an event, dense or sparse beside that of --per;\n"
		  "stats: the size and shape of the tree of call paths",
	  .take = take_view,
	  .choices = view_choices },
	{ .name = "root",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "FUNCTION",
	  .help = "the function that the call paths of --view paths begin or end with; may be a "
		  "glob",
	  .take = option_take_text,
	  .offset = FIELD(view.root) },
	{ .name = "per",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "EVENT",
	  .help = "of --view hot: the event that another one is divided by",
	  .take = option_take_text,
	  .offset = FIELD(per_event) },
	{ .name = "threshold",
	  .argument = "PCT",
	  .help = "of --view hot: the share of the event that makes code hot (default: 1)",
	  .take = option_take_percent,
	  .offset = FIELD(view.threshold_percent) },
	{ .name = "direction",
	  .argument = "WAY",
	  .help = "down: from --root to what it calls (default); up: to its callers",
	  .take = option_take_choice,
	  .choices = direction_choices,
	  .offset = FIELD(view.direction) },
	{ .name = "by",
	  .argument = "GROUP",
	  .help = "group trees and processes by comm (default), process or thread",
	  .take = option_take_choice,
	  .choices = groupings,
	  .offset = FIELD(view.grouping) },
	{ .name = "each",
	  .argument = "GROUP,...",
	  .help = "make separate rows, in tables of functions, lines and modules, for each comm, "
		  "process or thread, or for each cpu, or both; in that of processes, for each "
		  "cpu",
	  .take = take_each },
	{ .name = "kernel",
	  .argument = "PART",
	  .help = "merged: kernel functions below the user functions that entered the kernel "
		  "(default); only: kernel functions alone; none: the user function gets their "
		  "cost",
	  .take = option_take_choice,
	  .choices = kernel_choices,
	  .offset = FIELD(view.kernel) },
	{ .name = "min",
	  .argument = "PCT",
	  .help = "text only: sum up rows with a smaller share (default: 0.5)",
	  .take = option_take_percent,
	  .offset = FIELD(export.min_percent) },
	{ .name = "depth",
	  .argument = "N",
	  .help = "show at most N levels of a tree",
	  .take = take_depth,
	  .offset = FIELD(export.max_depth) },
	{ .name = "sort",
	  .argument = "KEY[,EVENT]",
	  .help = "sort rows by total, self or name; with several events, by this one. As in "
		  "perf, comm, pid, tid, dso, sym and srcline, or some of them, choose the view "
		  "that has these columns",
	  .take = take_sort,
	  .choices = sorts },
	{ .name = "ratio",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "A/B[*N]",
	  .help = "add a column with one event's cost divided by another's: instructions/cycles, "
		  "cache-misses/instructions*1000; ipc and mpki are short for these (may be given "
		  "four times)",
	  .take = take_ratio },
	{ .name = "from",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "TIME",
	  .help = "of what dendro agent has recorded in FILE, its folder (default: "
		  "/var/lib/dendro), the samples since this local time: 02:10, '2026-11-27 02:10', "
		  "-2h",
	  .take = option_take_text,
	  .offset = FIELD(from) },
	{ .name = "to",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "TIME",
	  .help = "likewise, the samples before this time (default: now)",
	  .take = option_take_text,
	  .offset = FIELD(to) },
	{ .shared = db_options, .offset = FIELD(files.db) },
	{ .shared = filter_options, .offset = FIELD(filter) },
	{ .shared = where_or_sql_option, .offset = FIELD(filter) },
	{ .shared = split_option, .offset = FIELD(filter) },
	{ .shared = selection_options, .offset = FIELD(selection) },
	{ .name = "format",
	  .letter = 'f',
	  .argument = "FORMAT",
	  .help = "text (default), json or csv",
	  .take = take_format },
	{ .name = "html",
	  .not_a_setting = SETTING_OF_FILES,
	  .argument = "FILE",
	  .help = "write a page for browsers with all views of calls to this file (-: standard "
		  "output): one file that loads nothing",
	  .take = option_take_text,
	  .offset = FIELD(html) },
	{ .name = "source",
	  .help = "the page of --html has source lines and instructions of the hottest "
		  "functions",
	  .take = option_take_flag,
	  .offset = FIELD(has_code) },
	{ .shared = source_path_option, .offset = FIELD(files) },
	{ .shared = color_option, .offset = FIELD(color) },
	{ .shared = symfs_option, .offset = FIELD(files) },
	{ .shared = debuginfod_option, .offset = FIELD(files) },
	{ .name = "no-inline",
	  .help = "do not show inlined functions; their cost belongs to the function that contains "
		  "them",
	  .take = option_take_flag,
	  .offset = FIELD(symbolizer.no_inlines) },
	{ .name = "merge-copies",
	  .help = "combine a function's clones and split-off parts (.constprop, .cold); in tables "
		  "of functions, also its inlined copies",
	  .take = option_take_flag,
	  .offset = FIELD(view.merge_copies) },
	{ .name = "activations",
	  .help = "add a column to the tree, functions and callgraph: how often each function was "
		  "called, at least, as far as samples prove it",
	  .take = option_take_flag,
	  .offset = FIELD(view.activations) },
	{ .name = "fold-recursion",
	  .help = "in trees, make a recursive call a part of its function's call farther out; "
		  "tables, callgraph and paths do not change",
	  .take = option_take_flag,
	  .offset = FIELD(view.fold_recursion) },
	{ .shared = raw_names_option, .offset = FIELD(symbolizer.names) },
	{ .name = "values",
	  .help = "text only: show costs in time, bytes or events beside their shares",
	  .take = option_take_flag,
	  .offset = FIELD(export.values) },
	{ .name = "compare",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "F,G",
	  .help = "say whether two functions differ in their samples, by more than chance, "
		  "instead of a view; names may be globs",
	  .take = report_comparison_take,
	  .offset = FIELD(compared) },
	{ .name = "errors",
	  .help = "show how exact each share is: its standard error, and in JSON and CSV the "
		  "range that holds the true share 95 times in 100",
	  .take = option_take_flag,
	  .offset = FIELD(view.errors) },
	{ .name = "full-names",
	  .help = "text only: show whole names, not shortened to the width",
	  .take = option_take_flag,
	  .offset = FIELD(export.full_names) },
	{ .name = "vmlinux",
	  .argument = "FILE",
	  .help = "use this debug information of the recorded kernel, instead of searching for it",
	  .take = option_take_text,
	  .offset = FIELD(symbolizer.vmlinux) },
	{ .name = "follow",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .help = "while dendro still writes the recording, show the profile so far again and "
		  "again, as dendro top does; the report comes at its end",
	  .take = option_take_flag,
	  .offset = FIELD(follows) },
	{ .shared = sandbox_option, .offset = FIELD(files) },
	{ .shared = pager_option, .offset = FIELD(no_pager) },
	{ 0 },
};

const struct command_line report_line = {
	.command = "report",
	.synopsis = "[OPTIONS] [FILE...]",
	.description =
		"Shows where the cost of a recording went; of several recordings or profiles, "
		"their sum.",
	.options = options_of_report,
	.of_perf = perf_options_of_report,
};

static int check_per(const struct report_options *options)
{
	bool is_hot = options->view.kind == VIEW_HOT;

	if (is_hot && !options->per_event)
		return message_wrong_use(options->command,
					 "--view hot needs --per EVENT, such as instructions.");
	if (!is_hot && options->per_event)
		return message_wrong_use(options->command, "--per needs --view hot.");
	return 0;
}

static int check_each(const struct report_options *options)
{
	const enum view_kind kind = options->view.kind;
	const bool is_code = kind == VIEW_FUNCTIONS || kind == VIEW_LINES || kind == VIEW_MODULES;

	if (options->view.each_task && !is_code)
		return message_wrong_use(options->command,
					 "--each comm, process and thread need --view functions, "
					 "lines or modules.");
	if (options->view.each_cpu && !is_code && kind != VIEW_PROCESSES)
		return message_wrong_use(options->command,
					 "--each cpu needs --view functions, lines, modules or "
					 "processes.");
	return 0;
}

static int check_errors(const struct report_options *options)
{
	if (options->view.errors && options->view.kind == VIEW_STATS)
		return message_wrong_use(options->command,
					 "--view stats counts nodes, which have no --errors.");
	return 0;
}

/* The page has its own views, and folds in them. */
static int check_html(struct report_options *options)
{
	const struct view_options *view = &options->view;

	if (!options->html)
		return 0;
	if (options->has_view || options->has_format || options->compared[0])
		return message_wrong_use(options->command,
					 "--html writes a page with its own views: leave out "
					 "--view, --format and --compare.");
	if (view->merge_copies || view->fold_recursion || view->activations ||
	    options->export.max_depth)
		return message_wrong_use(options->command,
					 "--html does not take --merge-copies, --fold-recursion, "
					 "--activations and --depth.");
	if (strcmp(options->html, "-") == 0 && isatty(STDOUT_FILENO))
		return message_wrong_use(options->command,
					 "a terminal cannot show a page: name a file.");
	/* With threads, rows of samples can stay. */
	options->build.by_thread = options->build.keeps_rows = true;
	options->build.keeps_code = options->has_code;
	return 0;
}

/* A filter leaves out samples between others: what these prove then is another number. */
static int check_activations(struct report_options *options)
{
	if (!options->view.activations)
		return 0;
	if (!view_traits(options->view.kind)->has_activations)
		return message_wrong_use(options->command,
					 "--activations needs --view tree, functions or "
					 "callgraph.");
	if (sample_filter_is_given(&options->build.filter))
		return message_wrong_use(options->command,
					 "--activations compares each sample of a thread with the "
					 "one before: no samples may be left out.");
	if (options->selection.has_caller_depth)
		return message_wrong_use(options->command,
					 "--activations counts calls on whole paths, which "
					 "--caller-depth cuts.");
	options->build.counts_calls = true;
	return 0;
}

static int check_for_activations(const struct report_options *options,
				 const struct profile *profile)
{
	if (!options->view.activations || profile->cct->activations)
		return 0;
	return message_error(options->command,
			     "the profile does not have the calls that were seen: build it again "
			     "from its recording, without leaving out samples.");
}

static int complain_of_root(const struct report_options *options)
{
	return message_error(options->command,
			     "no function '%s' is on a call path; --view functions --sort total "
			     "lists those that are.",
			     options->view.root);
}

static int show(struct report_options *options, const struct profile *profile,
		struct symbolizer *symbolizer)
{
	const struct progress_title writing = { .command = options->command, .what = "writing" };
	bool is_text = strcmp(options->format->name, "text") == 0;
	bool is_terminal = isatty(STDOUT_FILENO);
	struct shown_naming naming;
	struct view *view;
	int err;

	options->export.source = options->source ? options->source : options->path;
	if (options->html)
		return page_file_write(options, profile, symbolizer);
	if (is_text)
		options->view.min_percent = options->export.min_percent;
	options->view.rows_by_walk = !is_text && options->view.kind == VIEW_TREE;
	shown_naming_start(&naming, options->command, symbolizer, "adding up");
	err = view_create(profile, symbolizer, &options->view, &view);
	shown_naming_stop(&naming);
	if (err == -ENOENT)
		return complain_of_root(options);
	if (err)
		return message_error(options->command, "%s.", strerror(-err));
	options->export.width = terminal_width();
	options->export.is_width_free = !options->export.width;
	if (!options->export.width)
		options->export.width = DEFAULT_WIDTH;
	options->export.color = terminal_wants_color(options->color, is_terminal);
	options->export.marks_few = true;
	if (is_text && is_terminal && !options->no_pager)
		pager_start(&options->pager);
	__fsetlocking(stdout, FSETLOCKING_BYCALLER); /* no other thread writes */
	struct progress *progress = is_terminal ? NULL : progress_start(&writing, NULL);
	err = options->format->write(stdout, view, symbolizer, &options->export);
	progress_stop(progress);
	if (!err && is_text && is_terminal)
		next_command_write(options, view);
	/* It is not an error if the reader closes the pipe early. */
	if (err == -EPIPE)
		err = 0;
	pager_finish(&options->pager);
	view_destroy(view);
	return err ? message_error(options->command, "cannot write the report: %s.", strerror(-err))
		   : 0;
}

static int select_and_show(struct report_options *options, struct profile *profile,
			   struct symbolizer *symbolizer)
{
	struct selected_paths selected;
	int err = shown_naming_select(options->command, &options->selection, profile, symbolizer,
				      &selected);

	if (err)
		return err;
	if (selected.selection)
		options->export.selected = &selected;
	if (strcmp(options->format->name, "csv") == 0)
		selection_options_note_share(options->command, &selected, profile);
	err = options->compared[0] ? report_comparison_show(options, profile, symbolizer)
				   : show(options, profile, symbolizer);
	options->export.selected = NULL;
	selected_paths_deinit(&selected);
	return err;
}

static int report(struct report_options *options, struct profile *profile)
{
	struct symbolizer *symbolizer;

	profile->info.watched.asked = options->asked;
	/* Those of a sum were checked when it was made. */
	int err = options->n_paths > 1 ? 0 : report_options_check_filters(options, profile);

	if (!err)
		err = report_options_check_intervals(options, profile);
	if (err)
		return err;
	err = report_options_check_cgroups(options, profile);
	if (!err)
		err = report_options_drop_events(options, profile);
	if (!err)
		err = report_options_choose_sort(options, profile);
	if (!err)
		err = report_options_choose_per(options, profile);
	if (!err)
		err = report_options_choose_ratios(options, profile);
	if (err)
		return err;
	err = report_options_check_vmlinux(options, profile);
	if (!err)
		err = check_for_activations(options, profile);
	if (err)
		return err;
	report_options_explain_emptiness(options, profile);
	if (options->view.errors && !profile->cct->squares && quality_n_used(&profile->quality))
		message_note(options->command,
			     "the weights of single samples are not known, so --errors takes those "
			     "of a call path as equal.");
	symbolizer = symbolizer_create(profile, &options->symbolizer);
	if (!symbolizer)
		return message_error_of_memory(options->command);
	err = select_and_show(options, profile, symbolizer);
	symbolizer_destroy(symbolizer);
	return err;
}

static int report_one(struct report_options *options)
{
	_cleanup_free_ char *error = NULL;
	struct profile *profile = NULL;
	int err = file_options_open(&options->files, options->command, &options->build.files);

	if (err)
		return err;
	err = fetched_profile_build(options->path, &options->build, &options->files,
				    options->command, &profile, &error);
	if (err)
		message_error_of_file(options->command, options->path,
				      error ? error : strerror(-err));
	else
		err = report(options, profile);
	if (!err && error)
		err = message_error_of_file(options->command, options->path, error);
	profile_destroy(profile);
	file_search_destroy(options->build.files);
	return err;
}

/* Phases and epochs of a sum have their places when all runs are known. */
static bool is_of_intervals(const struct report_options *options)
{
	return options->view.kind == VIEW_PHASES || options->view.kind == VIEW_EPOCHS;
}

static int group_sum(const struct report_options *options, struct profile *profile,
		     enum sample_grouping grouping)
{
	if (!profile->rows)
		return message_error(options->command,
				     "not all of these files have their samples one by one, so "
				     "their sum cannot be shown by phase or epoch.");
	return profile_group(profile, grouping) ? message_error_of_memory(options->command) : 0;
}

static int report_sum(struct report_options *options)
{
	const enum sample_grouping grouping = options->build.grouping;
	const bool by_thread = options->build.by_thread;
	_cleanup_free_ char *source =
		sentence("%s and %zu more", options->path, options->n_paths - 1);
	struct profile *profile = NULL;
	bool is_damaged = false;

	if (is_of_intervals(options))
		options->build.grouping = GROUPED_BY_TASK;
	int err = named_profile_merge(options, &profile, &is_damaged);
	options->symbolizer.vmlinux = NULL; /* the names are found */
	if (!options->source)
		options->source = source;
	if (!err && is_of_intervals(options))
		err = group_sum(options, profile, grouping);
	else if (!err && !by_thread && profile_join_threads(profile))
		err = message_error_of_memory(options->command);
	if (!err)
		err = report(options, profile);
	profile_destroy(profile);
	return err || is_damaged;
}

/* What is shown how is known, and nothing is read so far. */
static void give_up_rights(struct report_options *options)
{
	const struct reader_needs needs = {
		.inputs = options->paths,
		.n_inputs = options->n_paths,
		.vmlinux = options->symbolizer.vmlinux,
		.result = options->html,
		.has_sources = options->has_code,
		.decodes_code = options->has_code,
	};

	if (!options->html && strcmp(options->format->name, "text") == 0 && isatty(STDOUT_FILENO) &&
	    !options->no_pager)
		pager_prepare(&options->pager);
	reader_sandbox_enter(options->command, &options->files, &needs);
}

/* The operand of --from and --to is a folder of dendro agent. 0, or an exit status after a message.
 */
static int report_range(struct report_options *options, const struct parsed_line *parsed)
{
	const char *folder =
		parsed->n_operands ? parsed->operands[0] : RECORDED_RANGE_DEFAULT_FOLDER;
	struct recorded_range range;
	int status =
		parsed->n_operands > 1
			? message_wrong_use(options->command,
					    "--from and --to take one folder, of dendro agent.")
			: recorded_range_parse(options->command, "--from", options->from,
					       options->to, &options->asked);

	if (status)
		return status;
	if (recorded_range_find(options->command, folder, &options->asked, &range))
		return 1;
	options->asked = options->build.filter.dates = range.span;
	options->build.filter.has_dates = true;
	options->paths = range.paths;
	options->n_paths = range.n_paths;
	options->path = options->source = folder;
	give_up_rights(options);
	status = report_sum(options) ? 1 : 0;
	recorded_range_deinit(&range);
	return status;
}

/* 0, or an exit status after a message. */
static int run(struct report_options *options, const struct parsed_line *parsed)
{
	bool is_whole = true;

	if (!options->files.db.url && (options->from || options->to))
		return report_range(options, parsed);
	if (options->follows && report_follow(options, &is_whole))
		return 1;
	if (!is_whole)
		return 0;
	give_up_rights(options);
	return (options->n_paths > 1 ? report_sum(options) : report_one(options)) ? 1 : 0;
}

int cmd_report(int argc, char **argv, struct configuration *configuration)
{
	struct report_options options;

	report_options_init(&options, "report");
	struct parsed_line parsed =
		options_parse(&report_line, configuration, argc, argv, &options);
	int status = parsed.status;
	if (!parsed.is_done)
		status = report_options_check_root(&options);
	if (!parsed.is_done && !status)
		status = check_per(&options);
	if (!parsed.is_done && !status)
		status = check_errors(&options);
	if (!parsed.is_done && !status)
		status = check_each(&options);
	if (!parsed.is_done && !status)
		status = report_comparison_check(&options);
	if (!parsed.is_done && !status) {
		perf_views_finish(&options);
		status = from_database_take(&options, &parsed);
	}
	if (!parsed.is_done && !status) {
		report_options_finish(&options);
		options.build.keeps_squares = options.view.errors;
		character_set_take();
		status = check_activations(&options);
	}
	if (!parsed.is_done && !status)
		status = check_html(&options);
	if (!parsed.is_done && !status)
		status = report_follow_check(&options);
	if (!parsed.is_done && !status)
		status = page_file_check_code(&options);
	if (!parsed.is_done && !status)
		status = run(&options, &parsed);
	report_options_deinit(&options);
	return status;
}
