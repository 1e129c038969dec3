#include "collector/commands/diff_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/pager.h"
#include "collector/command-line/terminal.h"
#include "collector/files/page_file.h"
#include "collector/fleet/from_database.h"
#include "report/fold/view_traits.h"

#define DEFAULT_MIN_PERCENT 0.1
#define TREE_MIN_PERCENT    0.5
#define NO_MIN_PERCENT      (-1.)
#define MEASURE_OF_VIEW     N_DIFF_MEASURES /* no order was given */

static const struct choice measures[] = {
	{ "self", DIFF_SELF },
	{ "total", DIFF_TOTAL },
	{ NULL, 0 },
};
static const struct choice formats[] = {
	{ "text", FORMAT_TEXT },
	{ "json", FORMAT_JSON },
	{ "csv", FORMAT_CSV },
	{ NULL, 0 },
};

static int take_view(const struct option_use *use, void *field)
{
	struct diff_request *request = field;

	request->options.view_name = use->value;
	request->report.has_view = true;
	return option_take_choice(use, &request->report.view.kind);
}

/* "KEY", "KEY,EVENT" */
static int take_sort(const struct option_use *use, void *field)
{
	struct diff_request *request = field;
	char *comma = strchr(use->value, ',');

	if (comma)
		*comma = '\0';
	request->event = comma ? comma + 1 : NULL;
	return option_take_choice(use, &request->options.measure);
}

/* A number above 0, or 0 if @zero, with decimals; *@end_ret: what follows. */
static bool parse_number(const char *text, bool zero, double *number_ret, char **end_ret)
{
	if (text[0] < '0' || text[0] > '9')
		return false;
	*number_ret = strtod(text, end_ret);
	return isfinite(*number_ret) && (zero || *number_ret > 0);
}

/* "NAME=N,M", or of the view hot "EVENT" */
static int take_per(const struct option_use *use, void *field)
{
	struct diff_request *request = field;
	char *sign = strchr(use->value, '=');

	if (!sign) {
		request->report.per_event = use->value;
		return 0;
	}
	if (sign == use->value || !sign[1])
		return option_wrong_value(use, "a name and numbers, as in requests=1000,1200");
	*sign = '\0';
	request->options.per = use->value;
	request->amounts = sign + 1;
	return 0;
}

/* "PCT", "PCT:FUNCTION" */
static int take_fail(const struct option_use *use, void *field)
{
	struct diff_request *request = field;
	char *end;

	request->has_fail = parse_number(use->value, true, &request->fail_percent, &end);
	if (request->has_fail && *end == '%')
		end++;
	if (!request->has_fail || (*end && (*end != ':' || !end[1])))
		return option_wrong_value(use, "a percentage, or one with a function as in 5:main");
	request->fail_function = *end ? end + 1 : NULL;
	return 0;
}

#define FIELD(name) offsetof(struct diff_request, name)

static const struct command_option options_of_diff[] = {
	{ .name = "view",
	  .argument = "VIEW",
	  .help = "what to compare: functions (default), lines, modules, processes, threads, cpus, "
		  "cgroups, phases, epochs, the tree of call paths, callers, callgraph, paths, "
		  "syscalls, hot or stats",
	  .take = take_view,
	  .choices = view_choices },
	{ .name = "root",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "FUNCTION",
	  .help = "the function that the call paths of --view paths begin or end with; may be a "
		  "glob",
	  .take = option_take_text,
	  .offset = FIELD(report.view.root) },
	{ .name = "direction",
	  .argument = "WAY",
	  .help = "down: from --root to what it calls (default); up: to its callers",
	  .take = option_take_choice,
	  .choices = direction_choices,
	  .offset = FIELD(report.view.direction) },
	{ .name = "sort",
	  .argument = "KEY[,EVENT]",
	  .help = "compare and sort by self or total cost (default: self of functions, lines and "
		  "modules, else total); with several events, of this one",
	  .take = take_sort,
	  .choices = measures },
	{ .name = "normalize",
	  .argument = "BY",
	  .help = "compare shares of the total cost (total, the default) or of the samples "
		  "(samples), or the cost per second (time) or per that of another event (its "
		  "name)",
	  .take = option_take_text,
	  .offset = FIELD(normalize) },
	{ .name = "per",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "NAME=N,M",
	  .help = "compare the cost per request, frame or whatever was done N times before and M "
		  "times after the change; or one number for each file. With --view hot, the "
		  "event that another one is divided by",
	  .take = take_per },
	{ .name = "threshold",
	  .argument = "PCT",
	  .help = "of --view hot: the share of the event that makes code hot (default: 1)",
	  .take = option_take_percent,
	  .offset = FIELD(report.view.threshold_percent) },
	{ .name = "significant",
	  .help = "only rows that moved by more than chance explains; 5 % of them are false at "
		  "most",
	  .take = option_take_flag,
	  .offset = FIELD(options.significant_only) },
	{ .name = "fail-above",
	  .argument = "PCT[:FUNCTION]",
	  .help = "exit with status 1 if a row, or FUNCTION, rose by more than PCT percent, and by "
		  "more than chance explains",
	  .take = take_fail },
	{ .name = "min",
	  .argument = "PCT",
	  .help = "text only: leave out rows with a smaller change, in percent of the total "
		  "(default: 0.1; of the tree 0.5)",
	  .take = option_take_percent,
	  .offset = FIELD(report.export.min_percent) },
	{ .name = "kernel",
	  .argument = "PART",
	  .help = "merged: with kernel functions (default); only: kernel functions alone; none: "
		  "the user function gets their cost",
	  .take = option_take_choice,
	  .choices = kernel_choices,
	  .offset = FIELD(report.view.kernel) },
	{ .name = "from",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "TIME",
	  .help = "with --versus, instead of files: the time after the change begins at this local "
		  "time: 02:10, '2026-11-27 02:10', -2h",
	  .take = option_take_text,
	  .offset = FIELD(report.from) },
	{ .name = "to",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "TIME",
	  .help = "likewise, it ends at this time (default: now)",
	  .take = option_take_text,
	  .offset = FIELD(report.to) },
	{ .name = "versus",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "TIME[..TIME]",
	  .help = "compare two times of what dendro agent has recorded in FILE, its folder "
		  "(default: /var/lib/dendro): before is this one, after is --from to --to; "
		  "without an end it is as long",
	  .take = option_take_text,
	  .offset = FIELD(versus) },
	{ .shared = db_options, .offset = FIELD(report.files.db) },
	{ .name = "versus-where",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "SQL",
	  .help = "with --from-db, the samples before the change, where they are others than those "
		  "of --where: another build, kernel or region; --versus, if given, is their "
		  "time",
	  .take = option_take_text,
	  .offset = FIELD(versus_where) },
	{ .shared = filter_options, .offset = FIELD(report.filter) },
	{ .shared = where_or_sql_option, .offset = FIELD(report.filter) },
	{ .shared = split_option, .offset = FIELD(report.filter) },
	{ .shared = selection_options, .offset = FIELD(report.selection) },
	{ .name = "format",
	  .letter = 'f',
	  .argument = "FORMAT",
	  .help = "text (default), json or csv",
	  .take = option_take_choice,
	  .choices = formats,
	  .offset = FIELD(format) },
	{ .name = "html",
	  .not_a_setting = SETTING_OF_FILES,
	  .argument = "FILE",
	  .help = "write a page for browsers with the call paths and functions of both sides to "
		  "this file (-: standard output): one file that loads nothing",
	  .take = option_take_text,
	  .offset = FIELD(report.html) },
	{ .name = "source",
	  .help = "the page of --html has source lines and instructions of the hottest functions "
		  "of "
		  "each file",
	  .take = option_take_flag,
	  .offset = FIELD(report.has_code) },
	{ .shared = source_path_option, .offset = FIELD(report.files) },
	{ .name = "browse",
	  .help = "walk through the call paths and functions of both sides on the terminal, by "
		  "keys; ? lists them",
	  .take = option_take_flag,
	  .offset = FIELD(has_browse) },
	{ .shared = color_option, .offset = FIELD(report.color) },
	{ .shared = symfs_option, .offset = FIELD(report.files) },
	{ .shared = debuginfod_option, .offset = FIELD(report.files) },
	{ .name = "no-inline",
	  .help = "do not show inlined functions; their cost belongs to the function that contains "
		  "them",
	  .take = option_take_flag,
	  .offset = FIELD(report.symbolizer.no_inlines) },
	{ .name = "merge-copies",
	  .help = "combine a function's clones, split-off parts (.constprop, .cold) and inlined "
		  "copies, which compilers choose differently in each build",
	  .take = option_take_flag,
	  .offset = FIELD(report.view.merge_copies) },
	{ .shared = raw_names_option, .offset = FIELD(report.symbolizer.names) },
	{ .name = "full-names",
	  .help = "text only: show whole names, not simplified",
	  .take = option_take_flag,
	  .offset = FIELD(report.export.full_names) },
	{ .shared = pager_option, .offset = FIELD(report.no_pager) },
	{ 0 },
};

const struct command_line diff_line = {
	.command = "diff",
	.synopsis = "[OPTIONS] BEFORE AFTER\n[OPTIONS] BEFORE... -- AFTER...",
	.description = "Shows what became cheaper and what became dearer between recordings, or "
		       "profiles of\ndendro build, and what of it is chance.",
	.options = options_of_diff,
	.notes = "Exit status: 0; 1 if --fail-above found a row; 2 after an error; 129 for wrong "
		 "use.",
};

static int out_of_memory(void)
{
	message_error_of_memory("diff");
	return DIFF_EXIT_ERROR;
}

static int add_sources(struct diff_request *request, const struct parsed_line *parsed,
		       enum diff_side side)
{
	for (size_t i = 0; i < parsed->n_operands; i++) {
		if (array_reserve_one(request->sources, request->n_sources))
			return out_of_memory();
		request->sources[request->n_sources++] = (struct diff_source){
			.path = parsed->operands[i], .side = side, .amount = 1
		};
	}
	return 0;
}

/* A side is the sum of what was recorded in its time. */
static int add_range(struct diff_request *request, const char *folder, const struct time_span *span,
		     enum diff_side side)
{
	struct recorded_range *range = &request->ranges[side];

	if (recorded_range_find("diff", folder, span, range))
		return DIFF_EXIT_ERROR;
	if (array_reserve_one(request->sources, request->n_sources))
		return out_of_memory();
	request->sources[request->n_sources++] =
		(struct diff_source){ .path = range->title, .side = side, .amount = 1 };
	return 0;
}

/* "TIME", "TIME..TIME" */
static int parse_versus(const char *text, const struct time_span *after, struct time_span *span_ret)
{
	_cleanup_free_ char *from = strdup(text);
	char *to = from ? strstr(from, "..") : NULL;

	if (!from)
		return out_of_memory();
	if (to) {
		*to = '\0';
		to += strlen("..");
	}
	int status = recorded_range_parse("diff", "--versus", from, to, span_ret);
	if (!status && !to)
		span_ret->end_ns = span_ret->start_ns + (after->end_ns - after->start_ns);
	return status;
}

/* The sides are times instead of files. */
static int add_ranges(struct diff_request *request, const struct parsed_line *parsed,
		      bool has_dashes)
{
	const char *folder =
		parsed->n_operands ? parsed->operands[0] : RECORDED_RANGE_DEFAULT_FOLDER;
	struct time_span before, after;

	if (!request->versus || !request->report.from)
		return message_wrong_use("diff", "--from and --versus say which two times are "
						 "compared: give both.");
	if (parsed->n_operands > 1 || has_dashes)
		return message_wrong_use("diff", "--versus takes one folder, of dendro agent.");
	int status = recorded_range_parse("diff", "--from", request->report.from,
					  request->report.to, &after);
	if (!status)
		status = parse_versus(request->versus, &after, &before);
	request->has_ranges = true;
	if (!status)
		status = add_range(request, folder, &before, DIFF_BEFORE);
	if (!status)
		status = add_range(request, folder, &after, DIFF_AFTER);
	return status;
}

static int add_selection(struct diff_request *request, enum diff_side side, const char *where,
			 const struct time_span *span)
{
	struct db_options *db = &request->selections[side];

	*db = request->report.files.db;
	db->where = where;
	db->span = *span;
	db->by_host = true;
	db->title = from_database_title(db->url, where, span);
	if (!db->title || array_reserve_one(request->sources, request->n_sources))
		return out_of_memory();
	request->sources[request->n_sources++] =
		(struct diff_source){ .path = db->title, .side = side, .amount = 1 };
	return 0;
}

/* The sides are two selections of a database. */
static int add_selections(struct diff_request *request, const struct parsed_line *parsed,
			  bool has_dashes)
{
	struct report_options *report = &request->report;
	const char *where = report->filter.where.n ? report->filter.where.names[0] : NULL;
	struct time_span before, after = { 0, 0 };

	if (!request->versus && !request->versus_where)
		return message_wrong_use("diff", "--from-db needs --versus, --versus-where or "
						 "both, which say what is compared.");
	if (has_dashes)
		return message_wrong_use("diff", "--from-db reads a database: name no file.");
	int status = from_database_check(report, parsed);
	if (!status)
		status =
			from_database_find_time(report, "--from", report->from, report->to, &after);
	before = after;
	if (!status && request->versus)
		status = parse_versus(request->versus, &after, &before);
	if (!status)
		status = from_database_connect(report, "the database");
	if (!status)
		status = add_selection(request, DIFF_BEFORE,
				       request->versus_where ? request->versus_where : where,
				       &before);
	return status ? status : add_selection(request, DIFF_AFTER, where, &after);
}

/* Two files without "--" are the two sides. */
static int split_sources(struct diff_request *request, bool has_dashes)
{
	size_t n_before = 0;

	if (!has_dashes && request->n_sources == N_DIFF_SIDES)
		request->sources[1].side = DIFF_AFTER;
	for (size_t i = 0; i < request->n_sources; i++)
		n_before += request->sources[i].side == DIFF_BEFORE;
	if (n_before && n_before < request->n_sources)
		return 0;
	return message_wrong_use("diff", "name two files, or those before and those after the "
					 "change with '--' between them.");
}

/* One number for each side, or for each file. */
static int set_amounts(struct diff_request *request)
{
	const char *text = request->amounts;
	size_t n = 0;

	_cleanup_free_ double *numbers = calloc(request->n_sources, sizeof(*numbers));
	if (!numbers)
		return out_of_memory();
	for (; n < request->n_sources; n++) {
		char *end;

		if (!parse_number(text, false, &numbers[n], &end) || (*end && *end != ','))
			return message_wrong_use("diff", "--per takes numbers above 0, not '%s'.",
						 request->amounts);
		text = *end ? end + 1 : end;
		if (!*end && ++n)
			break;
	}
	if (*text || (n != N_DIFF_SIDES && n != request->n_sources))
		return message_wrong_use("diff",
					 "--per needs one number for each side or for each file.");
	for (size_t i = 0; i < request->n_sources; i++)
		request->sources[i].amount =
			numbers[n == request->n_sources ? i : request->sources[i].side];
	return 0;
}

static int choose_norm(struct diff_request *request)
{
	const char *by = request->normalize;

	if (request->amounts && by)
		return message_wrong_use("diff", "give --per or --normalize, not both.");
	if (request->amounts) {
		request->options.norm = DIFF_BY_NUMBER;
		return set_amounts(request);
	}
	if (!by || strcmp(by, "total") == 0)
		return 0;
	if (strcmp(by, "samples") == 0 || strcmp(by, "time") == 0) {
		request->options.norm = *by == 's' ? DIFF_BY_SAMPLES : DIFF_BY_TIME;
		return 0;
	}
	request->options.norm = DIFF_BY_METRIC;
	request->options.per = by;
	return 0;
}

/* 0 or a status after a message, or after help, which *@is_done_ret says. */
static int parse_words(struct diff_request *request, struct configuration *configuration, int argc,
		       char **argv, bool *is_done_ret)
{
	int dashes = 1;

	while (dashes < argc && strcmp(argv[dashes], "--") != 0)
		dashes++;
	struct parsed_line parsed = options_parse(&diff_line, configuration, dashes, argv, request);
	*is_done_ret = parsed.is_done;
	if (parsed.is_done)
		return parsed.status;
	if (request->report.files.db.url) {
		int db_status = add_selections(request, &parsed, dashes < argc);
		return db_status ? db_status : choose_norm(request);
	}
	if (request->versus_where)
		return message_wrong_use("diff", "--versus-where needs --from-db.");
	if (request->report.from || request->report.to || request->versus) {
		int range_status = filter_options_take_where("diff", &request->report.filter);

		if (!range_status)
			range_status = add_ranges(request, &parsed, dashes < argc);
		return range_status ? range_status : choose_norm(request);
	}
	int status = add_sources(request, &parsed, DIFF_BEFORE);
	if (status)
		return status;
	if (dashes < argc) {
		parsed = options_parse(&diff_line, NULL, argc - dashes, argv + dashes, request);
		*is_done_ret = parsed.is_done;
		status = parsed.is_done ? parsed.status : add_sources(request, &parsed, DIFF_AFTER);
	}
	if (!status && !*is_done_ret)
		status = filter_options_take_where("diff", &request->report.filter);
	if (!status && !*is_done_ret)
		status = split_sources(request, dashes < argc);
	if (!status && !*is_done_ret)
		status = choose_norm(request);
	return status;
}

static int check_hot(const struct diff_request *request)
{
	const bool is_hot = request->report.view.kind == VIEW_HOT;

	if (!is_hot && request->report.per_event)
		return message_wrong_use("diff", "--per takes a name and numbers, as in "
						 "requests=1000,1200; an event with --view hot.");
	if (is_hot && !request->report.per_event)
		return message_wrong_use("diff",
					 "--view hot needs --per EVENT, such as instructions.");
	if (is_hot &&
	    (request->options.norm != DIFF_BY_TOTAL || request->options.measure == DIFF_TOTAL))
		return message_wrong_use("diff",
					 "--view hot compares shares of self cost: leave out "
					 "--normalize and --sort total.");
	return 0;
}

static int check_view(const struct diff_request *request)
{
	const enum view_kind kind = request->report.view.kind;

	if (kind == VIEW_STATS &&
	    (request->options.norm != DIFF_BY_TOTAL || request->options.significant_only ||
	     request->options.measure != MEASURE_OF_VIEW || request->has_fail))
		return message_wrong_use("diff",
					 "--view stats counts nodes, not costs: leave out --sort, "
					 "--normalize, --per, --significant and --fail-above.");
	const int status = check_hot(request);
	return status ? status : report_options_check_root(&request->report);
}

/* The page and the screen have their own views. */
static int check_html(const struct diff_request *request)
{
	const char *option = request->has_browse ? "--browse" : "--html";

	if (!request->report.html && !request->has_browse)
		return 0;
	if (request->report.html && request->has_browse)
		return message_wrong_use("diff", "give --html or --browse, not both.");
	if (request->report.has_view || request->format != FORMAT_TEXT ||
	    request->options.significant_only)
		return message_wrong_use("diff",
					 "%s has its own views: leave out --view, --format and "
					 "--significant.",
					 option);
	if (request->report.html && strcmp(request->report.html, "-") == 0 && isatty(STDOUT_FILENO))
		return message_wrong_use("diff", "a terminal cannot show a page: name a file.");
	return 0;
}

/* Code is in the files of programs, which the recordings name. */
static int check_code(struct diff_request *request)
{
	int status = 0;

	if (request->report.has_code && request->has_ranges)
		return message_wrong_use("diff",
					 "--source needs recordings, not what dendro agent has "
					 "recorded.");
	for (size_t i = 0; !status && i < request->n_sources; i++) {
		request->report.path = request->sources[i].path;
		status = page_file_check_code(&request->report);
	}
	return status == 1 ? DIFF_EXIT_ERROR : status;
}

static void choose_defaults(struct diff_request *request, const struct view_traits *traits)
{
	double *min_percent = &request->report.export.min_percent;

	if (request->options.measure == MEASURE_OF_VIEW)
		request->options.measure = traits->sort == SORT_SELF ? DIFF_SELF : DIFF_TOTAL;
	if (*min_percent < 0)
		*min_percent = traits->is_flat ? DEFAULT_MIN_PERCENT : TREE_MIN_PERCENT;
}

int diff_request_parse(struct diff_request *request, struct configuration *configuration, int argc,
		       char **argv, bool *is_done_ret)
{
	*request = (struct diff_request){
		.options = { .measure = MEASURE_OF_VIEW, .view_name = "functions" },
		.ranges = { { .folder_fd = -1 }, { .folder_fd = -1 } },
	};
	report_options_init(&request->report, "diff");
	request->report.compares_files = true;
	request->report.view.kind = VIEW_FUNCTIONS;
	request->report.export.min_percent = NO_MIN_PERCENT;
	int status = parse_words(request, configuration, argc, argv, is_done_ret);
	if (!status && !*is_done_ret)
		status = check_view(request);
	if (!status && !*is_done_ret)
		status = check_html(request);
	if (!status && !*is_done_ret)
		status = check_code(request);
	if (status || *is_done_ret)
		return status;
	report_options_finish(&request->report);
	request->report.view.errors = true;
	request->report.build.keeps_squares = true;
	request->report.build.keeps_code = request->report.has_code;
	request->options.view = request->report.view.kind;
	choose_defaults(request, view_traits(request->options.view));
	return 0;
}

int diff_request_split_source(struct diff_request *request, size_t source, size_t n)
{
	const size_t n_all = request->n_sources + n - 1;
	struct diff_source *sources = calloc(n_all + 1, sizeof(*sources));

	if (!sources)
		return -ENOMEM;
	for (size_t i = 0; i < n_all; i++) {
		const size_t from = i < source + n ? (i < source ? i : source) : i - n + 1;

		sources[i] = request->sources[from];
	}
	free(request->sources);
	request->sources = sources;
	request->n_sources = n_all;
	return 0;
}

void diff_request_deinit(struct diff_request *request)
{
	report_options_deinit(&request->report);
	for (int side = 0; side < N_DIFF_SIDES; side++)
		recorded_range_deinit(&request->ranges[side]);
	for (int side = 0; side < N_DIFF_SIDES; side++)
		free(request->selections[side].title);
	free(request->sources);
}
