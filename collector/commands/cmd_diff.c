/* dendro diff: compares runs before and after a change. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/model/profile_filter.h"
#include "cct/store/profile_file.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/pager.h"
#include "collector/command-line/terminal.h"
#include "collector/commands/commands.h"
#include "collector/commands/diff_options.h"
#include "collector/files/fetched_profile.h"
#include "collector/files/named_profile.h"
#include "collector/files/result_file.h"
#include "collector/files/shown_naming.h"
#include "collector/sandbox/reader_sandbox.h"
#include "report/browse/browse_screen.h"
#include "report/changes/changes_screen.h"
#include "report/diff/diff_csv.h"
#include "report/diff/diff_hot.h"
#include "report/diff/diff_json.h"
#include "report/diff/diff_stats.h"
#include "report/diff/diff_text.h"
#include "report/findings/missing.h"
#include "report/fold/fold_profile.h"
#include "report/html/comparison_page.h"
#include "report/terminal/character_set.h"
#include "report/views/view.h"

#define DEFAULT_WIDTH 100
/* --html, --browse and the view hot have two views, call paths after functions. */
#define MAX_VIEWS 2

struct diff_command {
	struct diff_request request;
	struct dendro_options wanted; /* for the view; stored profiles need more */
	/* What is compared, once the first run is read: the first decides about rows. The strings
	 * are owned. */
	struct diff_metric metrics[DIFF_MAX_METRICS];
	bool is_missing[DIFF_MAX_METRICS]; /* in a later file: it is not compared */
	bool has_root;                     /* --root is on a path of a run, or not needed */
	struct diff_rows rows[MAX_VIEWS];  /* of the runs, by view */
	struct comparison_rows times;      /* of --html */
	struct comparison_code code;       /* of --source */
	size_t n_views;
	uint64_t n_to_add; /* of the file at hand: paths of all its runs, in each view */
	struct work_done added;
};

static const struct progress_title adding_up = { "diff", "adding up", "paths", NULL };
static const struct progress_title comparing = { .command = "diff", .what = "comparing" };
static const struct progress_title writing = { .command = "diff", .what = "writing" };
static const struct progress_title writing_page = { .command = "diff", .what = "writing the page" };

static int out_of_memory(void)
{
	message_error_of_memory("diff");
	return DIFF_EXIT_ERROR;
}

static const struct metric *find_metric(const struct profile *profile, const char *name)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (strcmp(profile->metrics[i].name, name) == 0)
			return &profile->metrics[i];
	}
	return NULL;
}

/* With samples, and not the one that another is divided by. */
static const struct metric *find_first_metric(const struct diff_command *command,
					      const struct profile *profile)
{
	const char *per = command->request.report.per_event;

	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		const struct metric *metric = &profile->metrics[i];

		if (metric->samples > 0 && (!per || strcmp(metric->name, per) != 0))
			return metric;
	}
	return NULL;
}

static int complain_of_per(const struct diff_command *command)
{
	message_error("diff",
		      "--view hot compares two events that have samples in all files; record both: "
		      "-e %s,OTHER.",
		      command->request.report.per_event);
	return DIFF_EXIT_ERROR;
}

/* The first metric decides. NULL after a message. */
static const struct metric *choose_metric(const struct diff_command *command,
					  const struct profile *profile, const char *path)
{
	const char *chosen = command->metrics[0].event;
	const char *name = chosen ? chosen : command->request.event;
	const struct metric *metric =
		name ? find_metric(profile, name) : find_first_metric(command, profile);

	if (!metric && !name && command->request.report.per_event) {
		complain_of_per(command);
		return NULL;
	}
	if (!metric && !name) {
		message_error("diff", "%s has no samples to compare.", path);
		return NULL;
	}
	if (metric && metric->samples)
		return metric;
	message_error("diff",
		      "%s has no samples of the event '%s': choose one that all files have, with "
		      "--sort self,EVENT.",
		      path, name);
	return NULL;
}

static int take_metric(struct diff_command *command, const struct metric *metric)
{
	struct diff_metric *taken = &command->metrics[command->rows[0].n_metrics];

	for (size_t i = 0; i < command->n_views; i++)
		command->rows[i].n_metrics++;
	taken->event = strdup(metric->name);
	taken->unit = strdup(metric->unit);
	return taken->event && taken->unit ? 0 : out_of_memory();
}

/* Of the first run: @first, then the others with samples. Two of one name cannot be told apart in
 * the other runs. */
static int take_metrics(struct diff_command *command, const struct profile *profile,
			const struct metric *first)
{
	const char *per = command->request.report.per_event;
	int status = take_metric(command, first);

	for (uint32_t i = 0; !status && i < profile->n_metrics; i++) {
		const struct metric *metric = &profile->metrics[i];

		if (per && strcmp(metric->name, per) != 0)
			continue;
		if (command->rows[0].n_metrics < DIFF_MAX_METRICS && metric->samples &&
		    strcmp(metric->name, first->name) != 0 &&
		    metric == find_metric(profile, metric->name))
			status = take_metric(command, metric);
	}
	return status;
}

/* The profile's numbers of the metrics that are compared. */
static void number_metrics(struct diff_command *command, const struct profile *profile,
			   const struct metric *first, const char *path, uint32_t *numbers)
{
	numbers[0] = (uint32_t)(first - profile->metrics);
	for (size_t i = 1; i < command->rows[0].n_metrics; i++) {
		const char *event = command->metrics[i].event;
		const struct metric *metric = find_metric(profile, event);
		const bool is_there = metric && metric->samples;

		numbers[i] = is_there ? (uint32_t)(metric - profile->metrics) : numbers[0];
		if (!is_there && !command->is_missing[i])
			message_note("diff",
				     "%s has no samples of the event '%s', which is not compared.",
				     path, event);
		command->is_missing[i] |= !is_there;
	}
}

/* Of the part of the run that --time selects; runs of one profile may have different parts. */
static uint64_t find_duration(const struct diff_command *command, const struct profile *profile)
{
	const struct profile_info *info = &profile->info;
	const struct dendro_filter *filter = &command->request.report.build.filter;
	const struct time_span whole = { info->start_ns, info->end_ns };

	if (filter->has_dates)
		return watched_time_total_ns(&info->watched, &filter->dates);
	if (!info->has_window && !filter->has_time)
		return whole.end_ns - whole.start_ns;
	const struct time_window window =
		info->has_window ? info->window : time_range_resolve(&filter->time, &whole);
	const struct time_span part = time_window_span(&window, &whole);
	return part.end_ns - part.start_ns;
}

/* Fills what the run's cost is divided by. 0, or a status after a message. */
static int find_amount(const struct diff_command *command, const struct profile *profile,
		       struct diff_source *source)
{
	source->duration_ns = find_duration(command, profile);
	if (command->request.options.norm == DIFF_BY_TIME) {
		source->amount = (double)source->duration_ns / 1e9;
		if (source->duration_ns)
			return 0;
		message_error("diff", "%s does not say how long it took.", source->path);
		return DIFF_EXIT_ERROR;
	}
	if (command->request.options.norm == DIFF_BY_METRIC) {
		const struct metric *metric = find_metric(profile, command->request.options.per);

		source->amount = metric ? (double)metric->total : 0;
		if (source->amount > 0)
			return 0;
		message_error("diff", "%s has no samples of the event '%s' of --normalize.",
			      source->path, command->request.options.per);
		return DIFF_EXIT_ERROR;
	}
	return 0;
}

/* The view of a run, and where the nodes of its profile are. */
struct run_view {
	struct view *view;
	uint32_t *nodes; /* by node of the profile: of the view's fold */
	uint32_t *rows;  /* by node of that: of the comparison */
};

static void run_view_deinit(struct run_view *of)
{
	view_destroy(of->view);
	free(of->nodes);
	free(of->rows);
}

/* None is a row of the comparison yet. 0 or -ENOMEM. */
static int make_rows(struct run_view *of, uint32_t n)
{
	of->rows = calloc((size_t)n + 1, sizeof(*of->rows));
	for (uint32_t i = 0; of->rows && i < n; i++)
		of->rows[i] = DIFF_NO_ROW;
	return of->rows ? 0 : -ENOMEM;
}

/* A run in which --root is on no path has no rows; *@has_root_ret is unchanged then. 0 or -errno.
 * run_view_deinit() follows in any case. */
static int create_view(const struct view_options *options, const struct profile *profile,
		       struct symbolizer *symbolizer, bool *has_root_ret, struct run_view *of)
{
	struct fold *fold;
	int err = fold_profile_mapped(profile, symbolizer, options, &fold, &of->nodes);

	if (err)
		return err;
	err = make_rows(of, fold->n_nodes);
	if (!err)
		err = view_create_from_fold(profile, options, fold, &of->view);
	if (!err)
		*has_root_ret = true;
	if (err == -ENOENT) {
		of->view = view_create_root(profile, options, fold);
		err = of->view ? 0 : -ENOMEM;
	}
	fold_destroy(fold);
	return err;
}

/* Whether the page has the times of samples. Nodes that were joined do not say where they went. */
static bool has_times(const struct diff_command *command)
{
	const struct view_options *view = &command->request.report.view;

	return command->request.report.html && !view->merge_copies && !view->fold_recursion;
}

static int add_times(struct diff_command *command, const struct profile *profile,
		     const struct run_view *of, const uint32_t *metrics, size_t number,
		     uint32_t profile_run)
{
	_cleanup_free_ uint32_t *paths = calloc((size_t)profile->cct->n_nodes + 1, sizeof(*paths));
	const struct comparison_run run = {
		.number = number,
		.side = command->request.sources[number].side,
		.profile = profile,
		.profile_run = profile_run,
		.paths = paths,
		.metrics = metrics,
		.n_metrics = command->rows[0].n_metrics,
		.counts_samples = command->request.options.norm == DIFF_BY_SAMPLES,
	};

	if (!paths)
		return -ENOMEM;
	for (uint32_t i = 0; i < profile->cct->n_nodes; i++)
		paths[i] = of->rows[of->nodes[i]];
	return comparison_rows_add(&command->times, &command->rows[1], &run);
}

/* @run: of the comparison; @profile_run: of the profile, or COMPARISON_ALL_RUNS. */
static int add_view(struct diff_command *command, const struct profile *profile,
		    struct symbolizer *symbolizer, const uint32_t *metrics, size_t run,
		    uint32_t profile_run, size_t number)
{
	struct view_options options = command->request.report.view;
	struct run_view of = { 0 };

	if (number)
		options.kind = VIEW_TREE;
	else if (options.kind == VIEW_HOT)
		options.kind = VIEW_FUNCTIONS;
	int err = create_view(&options, profile, symbolizer, &command->has_root, &of);
	work_done_expect(&command->added, command->n_to_add); /* names are found */
	if (!err)
		err = diff_rows_add(&command->rows[number], run, of.view, metrics,
				    command->request.options.norm == DIFF_BY_SAMPLES,
				    number ? of.rows : NULL);
	if (!err && number && has_times(command))
		err = add_times(command, profile, &of, metrics, run, profile_run);
	if (!err && options.kind == VIEW_STATS)
		tree_numbers_take(&command->request.sources[run].trees, of.view);
	run_view_deinit(&of);
	work_done_add(&command->added, profile->cct->n_nodes);
	return err ? out_of_memory() : 0;
}

static int add_run(struct diff_command *command, const struct profile *profile,
		   struct symbolizer *symbolizer, const uint32_t *metrics, size_t run,
		   uint32_t profile_run)
{
	int status = find_amount(command, profile, &command->request.sources[run]);

	for (size_t i = 0; !status && i < command->n_views; i++)
		status = add_view(command, profile, symbolizer, metrics, run, profile_run, i);
	return status;
}

/* Puts @n runs into the place of one. 0 or -ENOMEM. */
static int split_run(struct diff_command *command, size_t run, size_t n)
{
	int err = diff_request_split_source(&command->request, run, n);

	for (size_t i = 0; !err && i < command->n_views; i++)
		err = diff_rows_split_run(&command->rows[i], run, n);
	return err;
}

/* Which runs of a merged profile have samples of the metric; to free(). Their number, at least 1,
 * is 1 if the profile has no runs. NULL: no memory. */
static bool *find_runs(const struct profile *profile, uint32_t metric, size_t *n_ret)
{
	const struct sample_rows *rows = profile->rows;
	bool *has_samples = calloc(rows ? (size_t)rows->n_runs + 1 : 1, sizeof(*has_samples));
	size_t n = 0;

	for (uint32_t i = 0; has_samples && rows && i < rows->n_rows; i++) {
		bool *is_known = &has_samples[rows->rows[i].run];

		if (rows->rows[i].metric != metric || *is_known)
			continue;
		*is_known = true;
		n++;
	}
	*n_ret = n ? n : 1;
	return has_samples;
}

/* Each run of a merged profile is a run of its side. */
static int add_runs(struct diff_command *command, struct profile *profile,
		    struct symbolizer *symbolizer, const uint32_t *metrics, size_t first,
		    size_t *n_ret)
{
	_cleanup_free_ bool *has_samples = find_runs(profile, metrics[0], n_ret);
	size_t n = 0;
	int status = 0;

	if (!has_samples)
		return out_of_memory();
	command->n_to_add = (uint64_t)profile->cct->n_nodes * command->n_views * *n_ret;
	if (*n_ret == 1)
		return add_run(command, profile, symbolizer, metrics, first, COMPARISON_ALL_RUNS);
	if (split_run(command, first, *n_ret))
		return out_of_memory();
	for (uint32_t i = 0; !status && i < profile->rows->n_runs; i++) {
		if (!has_samples[i])
			continue;
		status = profile_count_run(profile, i)
				 ? out_of_memory()
				 : add_run(command, profile, symbolizer, metrics, first + n++, i);
	}
	return status;
}

/* Another file may be in a program's place by now: its functions are compared as offsets then,
 * which no other run has. Says so of the costliest. 0 or -ENOMEM. */
static int note_changed_file(const struct diff_command *command, const struct profile *profile,
			     struct symbolizer *symbolizer, uint32_t metric, const char *path)
{
	const uint64_t all = profile->metrics[metric].total;
	const double min_percent = command->request.report.export.min_percent;
	struct missing_list list;
	int err = missing_list_init(&list, profile, symbolizer, metric);

	if (err)
		return err;
	for (size_t i = 0; i < list.n; i++) {
		const struct symbol_problem *problem = &list.items[i].problem;
		const uint64_t cost = missing_cost(&list.items[i], metric);

		if (!problem->is_changed || problem->lack != LACKS_NAMES ||
		    100.0 * (double)cost < min_percent * (double)all)
			continue;
		_cleanup_free_ char *name = printable_copy(
			module_name(module_table_get(&profile->modules, problem->module)));
		if (!name)
			err = -ENOMEM;
		else
			message_note("diff",
				     "%s: %s was replaced since it was recorded, so its functions "
				     "have no names. A profile keeps them: record -o FILE.cct, or "
				     "build.",
				     path, name);
		break;
	}
	missing_list_deinit(&list);
	return err;
}

/* Of a file, which may have several runs. */
static int add_code(struct diff_command *command, const struct profile *profile, uint32_t metric,
		    const struct diff_source *source)
{
	const struct report_options *report = &command->request.report;
	struct symbolizer_options with_lines = report->symbolizer;

	with_lines.lines = true;
	struct symbolizer *symbolizer = symbolizer_create(profile, &with_lines);
	const struct page_code code = {
		.profile = profile,
		.symbolizer = symbolizer,
		.metric = metric,
		.moved_sources = report->files.moved,
		.n_moved_sources = report->files.n_moved,
	};
	int err = symbolizer
			  ? comparison_code_add(&command->code, source->side, source->path, &code)
			  : -ENOMEM;

	symbolizer_destroy(symbolizer);
	return err ? out_of_memory() : 0;
}

/* What is not selected remains a part of the whole. The first view needs all names. */
static int select_and_add(struct diff_command *command, struct profile *profile,
			  const uint32_t *metrics, size_t first, size_t *n_ret)
{
	struct report_options *report = &command->request.report;
	struct symbolizer *symbolizer = symbolizer_create(profile, &report->symbolizer);
	struct selected_paths selected = { 0 };
	struct shown_naming naming;

	if (!symbolizer)
		return out_of_memory();
	command->added = (struct work_done){ 0 };
	shown_naming_start(&naming, "diff", symbolizer, "adding up");
	progress_follow(naming.progress, &adding_up, &command->added);
	int status =
		selection_options_apply("diff", &report->selection, profile, symbolizer, &selected)
			? DIFF_EXIT_ERROR
			: add_runs(command, profile, symbolizer, metrics, first, n_ret);
	if (!status && report->has_code)
		status = add_code(command, profile, metrics[0], &command->request.sources[first]);
	shown_naming_stop(&naming);
	if (!status && note_changed_file(command, profile, symbolizer, metrics[0],
					 command->request.sources[first].path))
		status = out_of_memory();
	selected_paths_deinit(&selected);
	symbolizer_destroy(symbolizer);
	return status;
}

static int add_profile(struct diff_command *command, struct profile *profile, size_t run,
		       size_t *n_ret)
{
	struct report_options *report = &command->request.report;
	const char *path = command->request.sources[run].path;
	uint32_t numbers[DIFF_MAX_METRICS];

	report->path = path;
	if (report_options_check_filters(report, profile) ||
	    report_options_check_intervals(report, profile) ||
	    report_options_check_cgroups(report, profile))
		return DIFF_EXIT_ERROR;
	report_options_explain_emptiness(report, profile);
	const struct metric *metric = choose_metric(command, profile, path);
	if (!metric)
		return DIFF_EXIT_ERROR;
	int status = command->rows[0].n_metrics ? 0 : take_metrics(command, profile, metric);
	if (status)
		return status;
	number_metrics(command, profile, metric, path, numbers);
	return select_and_add(command, profile, numbers, run, n_ret);
}

/* Of a damaged recording, what precedes the damage is compared; *@is_damaged_ret says so. *@n_ret:
 * the runs that the file has. */
static int add_file(struct diff_command *command, size_t run, size_t *n_ret, bool *is_damaged_ret)
{
	struct report_options *report = &command->request.report;
	_cleanup_free_ char *error = NULL;
	struct profile *profile = NULL;

	report->path = command->request.sources[run].path;
	if (report->files.db.url) {
		report->files.db = command->request.selections[command->request.sources[run].side];
		report->files.db.title = NULL; /* the selection's */
	}
	const struct dendro_options *wanted = &command->wanted;
	/* Rows tell runs apart, and then threads have nodes. */
	const bool has_runs = command->request.options.view != VIEW_STATS &&
			      (report->files.db.url || profile_file_is_at(report->path));
	report->build.by_thread = wanted->by_thread || has_runs;
	report->build.keeps_rows = wanted->keeps_rows || has_runs;
	int err = fetched_profile_build(report->path, &report->build, &report->files, "diff",
					&profile, &error);
	int status = err ? DIFF_EXIT_ERROR : add_profile(command, profile, run, n_ret);
	if (error || err)
		message_error_of_file("diff", report->path, error ? error : strerror(-err));
	*is_damaged_ret |= error != NULL;
	profile_destroy(profile);
	return status;
}

/* Adds the sum of all files of a time. */
static int add_range(struct diff_command *command, size_t run, size_t *n_ret, bool *is_damaged_ret)
{
	static const char *const sides[] = { [DIFF_BEFORE] = "before: ", [DIFF_AFTER] = "after: " };
	const enum diff_side side = command->request.sources[run].side;
	const struct recorded_range *range = &command->request.ranges[side];
	struct report_options *report = &command->request.report;
	struct profile *profile = NULL;
	bool is_damaged = false;

	report->paths = range->paths;
	report->n_paths = range->n_paths;
	report->build.filter.has_dates = true;
	report->build.filter.dates = range->span;
	int err = named_profile_merge(report, &profile, &is_damaged);
	if (!err && !command->wanted.by_thread && profile_join_threads(profile))
		err = message_error_of_memory("diff");
	if (!err) {
		profile->info.watched.asked = range->span;
		recorded_range_note_missing("diff", sides[side], &profile->info.watched);
	}
	*is_damaged_ret |= is_damaged;
	int status = err ? DIFF_EXIT_ERROR : add_profile(command, profile, run, n_ret);
	profile_destroy(profile);
	return status;
}

static int write_stats(const struct diff_command *command, const struct diff *diff)
{
	switch (command->request.format) {
	case FORMAT_JSON:
		return diff_stats_write_json(stdout, diff);
	case FORMAT_CSV:
		return diff_stats_write_csv(stdout, diff);
	default:
		return diff_stats_write_text(stdout, diff, &command->request.report.export);
	}
}

static int write_hot(const struct diff_command *command, const struct diff *diffs)
{
	struct diff_hot hot;
	int err = diff_hot_init(&hot, &diffs[0], &diffs[1],
				command->request.report.view.threshold_percent);

	if (!err && command->request.format == FORMAT_JSON)
		err = diff_hot_write_json(stdout, &hot);
	else if (!err && command->request.format == FORMAT_CSV)
		err = diff_hot_write_csv(stdout, &hot);
	else if (!err)
		err = diff_hot_write_text(stdout, &hot, &command->request.report.export);
	diff_hot_deinit(&hot);
	return err;
}

/* @diffs: by view. */
static int write_diff(const struct diff_command *command, const struct diff *diffs)
{
	const struct export_options *options = &command->request.report.export;
	const struct diff *diff = &diffs[0];

	if (diff->options.view == VIEW_STATS)
		return write_stats(command, diff);
	if (diff->options.view == VIEW_HOT)
		return write_hot(command, diffs);
	switch (command->request.format) {
	case FORMAT_JSON:
		return diff_write_json(stdout, diff, options);
	case FORMAT_CSV:
		return diff_write_csv(stdout, diff, options);
	default:
		return diff_write_text(stdout, diff, options);
	}
}

static int show(struct diff_command *command, const struct diff *diffs)
{
	bool is_terminal = isatty(STDOUT_FILENO);
	struct export_options *options = &command->request.report.export;

	options->width = terminal_width();
	if (!options->width)
		options->width = DEFAULT_WIDTH;
	options->color = terminal_wants_color(command->request.report.color, is_terminal);
	if (command->request.format == FORMAT_TEXT && is_terminal &&
	    !command->request.report.no_pager)
		pager_start(&command->request.report.pager);
	struct progress *progress = is_terminal ? NULL : progress_start(&writing, NULL);
	int err = write_diff(command, diffs);
	progress_stop(progress);
	pager_finish(&command->request.report.pager);
	/* It is not an error if the reader closes the pipe early. */
	if (!err || err == -EPIPE)
		return 0;
	message_error("diff", "cannot write the comparison: %s.", strerror(-err));
	return DIFF_EXIT_ERROR;
}

/* Reading large recordings takes time: what prevents the screen is said before. */
static int check_terminal(const struct diff_command *command)
{
	if (!command->request.has_browse)
		return 0;
	if (!browse_screen_is_there())
		return message_error("diff", "dendro was built without ncurses, which --browse "
					     "needs.");
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return message_error("diff", "--browse needs a terminal as standard input and "
					     "output.");
	return 0;
}

static int browse(const struct diff_command *command, const struct diff *paths,
		  const struct diff *functions)
{
	int err = changes_screen_run(paths, functions,
				     terminal_wants_color(command->request.report.color, true));

	if (err == -ENODEV)
		message_error("diff", "the type of the terminal ($TERM) is not known; without "
				      "--browse none is needed.");
	else if (err)
		message_error("diff", "%s.", strerror(-err));
	return err ? DIFF_EXIT_ERROR : 0;
}

static int write_page(struct diff_command *command, const struct diff *paths,
		      const struct diff *functions)
{
	const struct comparison_page page = {
		.paths = paths,
		.functions = functions,
		.rows = &command->times,
		.code = &command->code,
		.merges_copies = command->request.report.view.merge_copies,
	};
	const char *path = command->request.report.html;
	const size_t n = command->request.n_sources;
	_cleanup_free_ const char **inputs = calloc(n, sizeof(*inputs));

	if (!inputs || comparison_code_finish(&command->code))
		return out_of_memory();
	for (size_t i = 0; i < n; i++)
		inputs[i] = command->request.sources[i].path;
	FILE *out = result_file_open(&command->request.report.files, "diff", path, inputs, n);
	if (!out)
		return DIFF_EXIT_ERROR;
	struct progress *progress = progress_start(&writing_page, NULL);
	int err = comparison_page_write(out, &page);
	progress_stop(progress);
	/* It is not an error if the reader closes the pipe early. */
	return result_file_close(out, "diff", path, err == -EPIPE ? 0 : err) ? DIFF_EXIT_ERROR : 0;
}

/* 0, DIFF_EXIT_ROSE or DIFF_EXIT_ERROR after a message. */
static int judge(const struct diff_command *command, const struct diff *diff)
{
	struct diff_rise rise;
	int found;

	if (!command->request.has_fail)
		return 0;
	found = diff_find_rise(diff, command->request.fail_percent, command->request.fail_function,
			       &rise);
	if (found < 0)
		return out_of_memory();
	if (!found && command->request.fail_function && !rise.n_rows) {
		message_error("diff", "--fail-above: neither side has '%s'.",
			      command->request.fail_function);
		return DIFF_EXIT_ERROR;
	}
	if (!found)
		return 0;
	message_note("diff", "%s rose by more than %g %%.", rise.row->name,
		     command->request.fail_percent);
	return DIFF_EXIT_ROSE;
}

static void release(struct diff_metric *metric)
{
	free((char *)metric->event);
	free((char *)metric->unit);
}

static void drop_costs(const struct diff_command *command, struct diff_rows *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->n_metrics; i++) {
		if (command->is_missing[i])
			diff_costs_deinit(&rows->metrics[i]);
		else
			rows->metrics[n++] = rows->metrics[i];
	}
	rows->n_metrics = n;
}

static void drop_missing(struct diff_command *command)
{
	const size_t n_metrics = command->rows[0].n_metrics;
	size_t n = 0;

	for (size_t i = 0; i < command->n_views; i++)
		drop_costs(command, &command->rows[i]);
	comparison_rows_drop_metrics(&command->times, command->is_missing);
	for (size_t i = 0; i < n_metrics; i++) {
		if (command->is_missing[i])
			release(&command->metrics[i]);
		else
			command->metrics[n++] = command->metrics[i];
	}
	for (size_t i = n; i < n_metrics; i++)
		command->metrics[i] = (struct diff_metric){ 0 };
}

static int complain_of_root(const struct diff_command *command)
{
	message_error("diff",
		      "no function '%s' is on a call path of any run; --sort total lists those "
		      "that are.",
		      command->request.report.view.root);
	return DIFF_EXIT_ERROR;
}

/* The comparison of what --view asks for, and with @number 1 of call paths. */
static int compare_view(const struct diff_command *command, size_t number, struct diff_rows *rows,
			struct diff *diff)
{
	struct diff_options options = command->request.options;

	options.metrics = command->metrics;
	if (number) {
		options.view = VIEW_TREE;
		options.view_name = "tree";
		if (command->request.options.view != VIEW_HOT)
			options.measure = DIFF_TOTAL;
	}
	return diff_init(diff, &options, command->request.sources, rows);
}

/* @diffs: by view. */
static int present(struct diff_command *command, const struct diff *diffs)
{
	if (command->request.report.html)
		return write_page(command, &diffs[1], &diffs[0]);
	return command->request.has_browse ? browse(command, &diffs[1], &diffs[0])
					   : show(command, diffs);
}

static int compare(struct diff_command *command)
{
	struct diff diffs[MAX_VIEWS] = { 0 };
	int err = 0;

	if (!command->has_root)
		return complain_of_root(command);
	drop_missing(command);
	if (command->request.options.view == VIEW_HOT && command->rows[0].n_metrics < 2)
		return complain_of_per(command);
	struct progress *progress = progress_start(&comparing, NULL);
	for (size_t i = 0; !err && i < command->n_views; i++)
		err = compare_view(command, i, &command->rows[i], &diffs[i]);
	progress_stop(progress);
	int status = err ? out_of_memory() : present(command, diffs);
	if (!status)
		status = judge(command, &diffs[0]);
	for (size_t i = 0; i < command->n_views; i++)
		diff_deinit(&diffs[i]);
	return status;
}

static bool has_two_views(const struct diff_command *command)
{
	return command->request.report.html || command->request.has_browse ||
	       command->request.options.view == VIEW_HOT;
}

/* 0, or another value after a message. */
static int give_up_rights(struct diff_request *request)
{
	struct report_options *report = &request->report;
	const struct recorded_range *ranges = request->ranges;
	const size_t n_files =
		request->n_sources + ranges[DIFF_BEFORE].n_paths + ranges[DIFF_AFTER].n_paths;
	_cleanup_free_ const char **inputs = calloc(n_files, sizeof(*inputs));
	const struct reader_needs needs = {
		.inputs = inputs,
		.n_inputs = n_files,
		.vmlinux = report->symbolizer.vmlinux,
		.result = report->html,
		.has_sources = report->has_code,
		.decodes_code = report->has_code,
	};

	if (!inputs)
		return out_of_memory();
	size_t n = 0;
	for (size_t i = 0; i < request->n_sources; i++)
		inputs[n++] = request->sources[i].path;
	for (size_t side = 0; side < N_DIFF_SIDES; side++) {
		for (size_t i = 0; i < ranges[side].n_paths; i++)
			inputs[n++] = ranges[side].paths[i];
	}
	if (request->format == FORMAT_TEXT && !request->has_browse && !report->html &&
	    isatty(STDOUT_FILENO) && !report->no_pager)
		pager_prepare(&report->pager);
	reader_sandbox_enter("diff", &report->files, &needs);
	return 0;
}

static int run(struct diff_command *command)
{
	struct report_options *report = &command->request.report;
	bool is_damaged = false;
	size_t n = 1;
	int status = 0;

	if (check_terminal(command) || give_up_rights(&command->request))
		return DIFF_EXIT_ERROR;
	/* Files of ranges are opened one by one. */
	if (!command->request.has_ranges &&
	    file_options_open(&report->files, "diff", &report->build.files))
		return DIFF_EXIT_ERROR;
	/* With threads, rows of samples can stay. */
	if (has_times(command))
		report->build.by_thread = report->build.keeps_rows = true;
	command->wanted = report->build;
	command->n_views = has_two_views(command) ? MAX_VIEWS : 1;
	for (size_t i = 0; i < command->n_views; i++)
		command->rows[i].n_runs = command->request.n_sources;
	for (size_t i = 0; !status && i < command->request.n_sources; i += n)
		status = command->request.has_ranges ? add_range(command, i, &n, &is_damaged)
						     : add_file(command, i, &n, &is_damaged);
	if (!status)
		status = compare(command);
	for (size_t i = 0; i < command->n_views; i++)
		diff_rows_deinit(&command->rows[i]);
	comparison_rows_deinit(&command->times);
	comparison_code_deinit(&command->code);
	file_search_destroy(report->build.files);
	return status || !is_damaged ? status : DIFF_EXIT_ERROR;
}

int cmd_diff(int argc, char **argv, struct configuration *configuration)
{
	struct diff_command command = { 0 };
	bool is_done = false;
	int status = diff_request_parse(&command.request, configuration, argc, argv, &is_done);

	if (!status && !is_done) {
		character_set_take();
		status = run(&command);
	}
	diff_request_deinit(&command.request);
	for (size_t i = 0; i < DIFF_MAX_METRICS; i++)
		release(&command.metrics[i]);
	return status;
}
