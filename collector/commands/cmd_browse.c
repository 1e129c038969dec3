/* dendro browse: shows a recording or a profile on the terminal, to walk through it by keys. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "cct/model/profile_filter.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/report_options.h"
#include "collector/command-line/terminal.h"
#include "collector/commands/commands.h"
#include "collector/exchange/branch_counts.h"
#include "collector/files/fetched_profile.h"
#include "collector/files/named_profile.h"
#include "collector/files/shown_naming.h"
#include "collector/fleet/from_database.h"
#include "collector/sandbox/reader_sandbox.h"
#include "report/browse/browse_screen.h"
#include "report/terminal/character_set.h"

static const struct choice groupings[] = {
	{ "comm", GROUP_COMM },
	{ "process", GROUP_PROCESS },
	{ "thread", GROUP_THREAD },
	{ NULL, 0 },
};

#define FIELD(name) offsetof(struct report_options, name)

static const struct command_option options_of_browse[] = {
	{ .shared = input_option, .offset = FIELD(path) },
	{ .name = "by",
	  .argument = "GROUP",
	  .help = "group the tree by comm (default), process or thread",
	  .take = option_take_choice,
	  .choices = groupings,
	  .offset = FIELD(view.grouping) },
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
	  .help = "unfold all: only rows with at least this share (default: 0.5)",
	  .take = option_take_percent,
	  .offset = FIELD(export.min_percent) },
	{ .name = "sort",
	  .argument = "EVENT",
	  .help = "show the costs of this event first",
	  .take = option_take_text,
	  .offset = FIELD(sort_event) },
	{ .shared = db_options, .offset = FIELD(files.db) },
	{ .shared = db_time_options },
	{ .shared = filter_options, .offset = FIELD(filter) },
	{ .shared = where_or_sql_option, .offset = FIELD(filter) },
	{ .shared = split_option, .offset = FIELD(filter) },
	{ .shared = selection_options, .offset = FIELD(selection) },
	{ .shared = color_option, .offset = FIELD(color) },
	{ .shared = symfs_option, .offset = FIELD(files) },
	{ .shared = debuginfod_option, .offset = FIELD(files) },
	{ .name = "no-inline",
	  .help = "do not show inlined functions; their cost belongs to the function that contains "
		  "them",
	  .take = option_take_flag,
	  .offset = FIELD(symbolizer.no_inlines) },
	{ .shared = raw_names_option, .offset = FIELD(symbolizer.names) },
	{ .name = "vmlinux",
	  .argument = "FILE",
	  .help = "use this debug information of the recorded kernel, instead of searching for it",
	  .take = option_take_text,
	  .offset = FIELD(symbolizer.vmlinux) },
	{ 0 },
};

const struct command_line browse_line = {
	.command = "browse",
	.synopsis = "[OPTIONS] [FILE...]",
	.description = "Shows a recording or a profile on the terminal, or the sum of several: the "
		       "call tree,\n"
		       "callers, functions, modules, processes, threads and cgroups, to be "
		       "unfolded, sorted and\n"
		       "searched by keys. The key ? lists them all.",
	.options = options_of_browse,
};

/* Reading a large recording takes time: what prevents the screen is said before. */
static int check_terminal(void)
{
	if (!browse_screen_is_there())
		return message_error("browse", "dendro was built without ncurses: install its "
					       "headers (Debian: libncurses-dev) and build it "
					       "again. 'dendro report' shows the same as text.");
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return message_error("browse", "standard input and output must be a terminal; "
					       "'dendro report' writes to files and pipes.");
	return 0;
}

static int complain_of_screen(int err)
{
	if (err == -ENODEV)
		return message_error("browse", "the type of the terminal ($TERM) is not known; "
					       "'dendro report' needs none.");
	return message_error("browse", "%s.", strerror(-err));
}

static int show(const struct report_options *options, const struct profile *profile,
		struct symbolizer *symbolizer, const struct executed_code *executed)
{
	const char *source = options->source ? options->source : options->path;
	const struct browse_options shown = { .source = source,
					      .view = options->view,
					      .symbolizer = options->symbolizer,
					      .min_percent = options->export.min_percent,
					      .executed = executed };
	struct browse *browse;

	browse_keep_memory();
	int err = browse_create(profile, symbolizer, &shown, &browse);

	if (err)
		return complain_of_screen(err);
	browse_fetch_memory(browse);
	err = browse_screen_run(browse, terminal_wants_color(options->color, true));
	browse_destroy(browse);
	return err ? complain_of_screen(err) : 0;
}

/* Of one recording, with how often its code was executed. 0, or another value after a message. */
static int show_with_branches(const struct report_options *options, const struct profile *profile,
			      struct symbolizer *symbolizer)
{
	struct recorded_counts counts = { .known = NULL };
	int err = options->n_paths > 1 || profile->names
			  ? 0
			  : recorded_counts_read(&counts, "browse", options->path, profile,
						 &options->build, &options->symbolizer);

	if (!err)
		err = show(options, profile, symbolizer, counts.known);
	recorded_counts_deinit(&counts);
	return err;
}

static int select_and_show(const struct report_options *options, struct profile *profile)
{
	struct symbolizer *symbolizer = symbolizer_create(profile, &options->symbolizer);
	struct selected_paths selected;

	if (!symbolizer)
		return message_error_of_memory("browse");
	int err =
		shown_naming_select("browse", &options->selection, profile, symbolizer, &selected);
	if (!err) {
		err = show_with_branches(options, profile, symbolizer);
		selected_paths_deinit(&selected);
	}
	symbolizer_destroy(symbolizer);
	return err;
}

static int browse_profile(struct report_options *options, struct profile *profile)
{
	/* Those of a sum were checked when it was made. */
	int err = options->n_paths > 1 ? 0 : report_options_check_filters(options, profile);

	if (!err)
		err = report_options_drop_events(options, profile);
	if (!err)
		err = report_options_choose_sort(options, profile);
	if (!err)
		err = report_options_check_vmlinux(options, profile);
	if (err)
		return err;
	report_options_explain_emptiness(options, profile);
	return select_and_show(options, profile);
}

static int browse_one(struct report_options *options)
{
	_cleanup_free_ char *error = NULL;
	struct profile *profile = NULL;
	int err = file_options_open(&options->files, "browse", &options->build.files);

	if (err)
		return err;
	err = fetched_profile_build(options->path, &options->build, &options->files, "browse",
				    &profile, &error);
	if (err)
		message_error_of_file("browse", options->path, error ? error : strerror(-err));
	else
		err = browse_profile(options, profile);
	if (!err && error)
		err = message_error_of_file("browse", options->path, error);
	profile_destroy(profile);
	file_search_destroy(options->build.files);
	return err;
}

static int browse_sum(struct report_options *options)
{
	_cleanup_free_ char *source =
		sentence("%s and %zu more", options->path, options->n_paths - 1);
	struct profile *profile = NULL;
	bool is_damaged = false;
	int err = source ? named_profile_merge(options, &profile, &is_damaged)
			 : message_error_of_memory("browse");

	options->symbolizer.vmlinux = NULL; /* the names are found */
	options->source = source;
	if (!err && !options->build.by_thread && profile_join_threads(profile))
		err = message_error_of_memory("browse");
	if (!err)
		err = browse_profile(options, profile);
	profile_destroy(profile);
	return err || is_damaged;
}

/* 0, or another value after a message. */
static int run(struct report_options *options)
{
	const struct reader_needs needs = {
		.inputs = options->paths,
		.n_inputs = options->n_paths,
		.vmlinux = options->symbolizer.vmlinux,
		.has_sources = true,
		.decodes_code = true,
	};

	reader_sandbox_enter("browse", &options->files, &needs);
	return options->n_paths > 1 ? browse_sum(options) : browse_one(options);
}

int cmd_browse(int argc, char **argv, struct configuration *configuration)
{
	struct report_options options;

	report_options_init(&options, "browse");
	struct parsed_line parsed =
		options_parse(&browse_line, configuration, argc, argv, &options);
	int status = parsed.status;
	if (!parsed.is_done)
		status = check_terminal();
	if (!parsed.is_done && !status) {
		status = from_database_take(&options, &parsed);
	}
	if (!parsed.is_done && !status) {
		report_options_finish(&options);
		options.build.keeps_code = options.build.by_thread = options.build.keeps_rows =
			true;
		character_set_take();
		status = run(&options) ? 1 : 0;
	}
	report_options_deinit(&options);
	return status;
}
