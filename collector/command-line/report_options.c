#include "collector/command-line/report_options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/printable.h"
#include "cct/model/profile_filter.h"

#define DEFAULT_FILE        "dendro.data"
#define DEFAULT_MIN_PERCENT 0.5
#define MAX_CPUS            65536

struct choice {
	const char *name;
	int value;
};

static const struct choice views[] = {
	{ "tree", VIEW_TREE },
	{ "callers", VIEW_CALLERS },
	{ "functions", VIEW_FUNCTIONS },
	{ "lines", VIEW_LINES },
	{ "modules", VIEW_MODULES },
	{ "processes", VIEW_PROCESSES },
	{ NULL, 0 },
};
static const struct choice groupings[] = {
	{ "comm", GROUP_COMM },
	{ "process", GROUP_PROCESS },
	{ "thread", GROUP_THREAD },
	{ NULL, 0 },
};
static const struct choice kernels[] = {
	{ "merged", KERNEL_MERGED },
	{ "only", KERNEL_ONLY },
	{ "none", KERNEL_NONE },
	{ NULL, 0 },
};
static const struct choice sorts[] = {
	{ "total", SORT_TOTAL },
	{ "self", SORT_SELF },
	{ "name", SORT_NAME },
	{ NULL, 0 },
};
static const struct choice colors[] = {
	{ "auto", REPORT_COLOR_AUTO },
	{ "always", REPORT_COLOR_ALWAYS },
	{ "never", REPORT_COLOR_NEVER },
	{ NULL, 0 },
};

static const char usage[] =
	"usage: dendro report [OPTIONS] [FILE]\n\n"
	"Shows where the cost of a recording (default: dendro.data; -: standard input) went.\n\n"
	"  -i, --input FILE       the recording\n"
	"      --view VIEW        tree: call paths from the outermost function on (default)\n"
	"                         callers: each function's own cost, its callers below\n"
	"                         functions, lines, modules, processes: tables\n"
	"      --by GROUP         tree, processes: by comm (default), process, thread\n"
	"      --kernel PART      merged (default); only: kernel functions without the user\n"
	"                         part; none: kernel cost goes to the user function\n"
	"      --min PCT          text: sum up rows below this (default: 0.5)\n"
	"      --depth N          no more than N levels of a tree\n"
	"      --sort KEY[,EVENT] total, self or name; of this event\n"
	"      --ratio A/B[*N]    a column of one event's cost by another's: instructions/cycles,\n"
	"                         cache-misses/instructions*1000; ipc and mpki are short for\n"
	"                         these (may be given four times)\n"
	"  -c, --comm NAME,...    only these commands\n"
	"  -p, --pid PID,...      only these processes\n"
	"  -t, --tid TID,...      only these threads\n"
	"  -C, --cpu CPU,...      only these CPUs: 0,4-7\n"
	"  -e, --event NAME,...   only these events\n"
	"  -f, --format FORMAT    text (default), json, csv\n"
	"      --color WHEN       auto (default: on a terminal, unless NO_COLOR is set),\n"
	"                         always, never\n" SYMFS_USAGE DEBUGINFOD_USAGE
	"      --no-inline        only compiled functions: what was inlined is part of them\n"
	"      --merge-copies     what the compiler made of one function is one: clones, parts "
	"that\n"
	"                         it split off; in tables of functions, inlined copies too\n"
	"      --raw-names        names as in the file, mangled\n"
	"      --full-names       text: whole names, not shortened to the width\n"
	"      --vmlinux FILE     the kernel's debug information, instead of looking for it\n"
	"      --no-pager         do not page on a terminal\n"
	"  -h, --help             this text\n";

int report_complain(const char *format, ...)
{
	va_list arguments;

	fputs("dendro: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	putc('\n', stderr);
	return -EINVAL;
}

int report_complain_of_file(const char *path, const char *message)
{
	if (strncmp(message, path, strlen(path)) == 0)
		return report_complain("%s", message);
	return report_complain("%s: %s", path, message);
}

static int choose(const struct choice *choices, const char *option, const char *name)
{
	for (const struct choice *choice = choices; choice->name; choice++) {
		if (strcmp(choice->name, name) == 0)
			return choice->value;
	}
	fprintf(stderr, "dendro: --%s takes", option);
	for (const struct choice *choice = choices; choice->name; choice++)
		fprintf(stderr, "%s %s", choice == choices ? "" : ",", choice->name);
	fprintf(stderr, "; not '%s'\n", name);
	return -EINVAL;
}

static int parse_number(const char *option, const char *text, uint64_t max, uint64_t *number_ret)
{
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(text, &end, 10);
	if (end == text || *end || errno || number > max || strchr(text, '-'))
		return report_complain("--%s: '%s' is not a number from 0 to %" PRIu64, option,
				       text, max);
	*number_ret = number;
	return 0;
}

static size_t count_items(const char *list)
{
	size_t n_items = 1;

	for (; *list; list++)
		n_items += *list == ',';
	return n_items;
}

/*
 * "a,b" onto *@items, which grows. The list itself is cut into pieces; "pmu/a,b/" is one.
 */
static int add_names(char *list, const char ***items, size_t *n_items)
{
	const char **larger = reallocarray(*items, *n_items + count_items(list), sizeof(*larger));
	const char *separator = strchr(list, '/') ? "" : ",";
	char *rest = list, *item;

	if (!larger)
		return report_complain("out of memory");
	*items = larger;
	while ((item = strsep(&rest, separator)))
		larger[(*n_items)++] = item;
	return 0;
}

static int add_ids(const char *option, char *list, int32_t **ids, size_t *n_ids)
{
	int32_t *larger = reallocarray(*ids, *n_ids + count_items(list), sizeof(*larger));
	char *rest = list, *item;

	if (!larger)
		return report_complain("out of memory");
	*ids = larger;
	while ((item = strsep(&rest, ","))) {
		uint64_t id = 0;
		int err = parse_number(option, item, INT32_MAX, &id);

		if (err)
			return err;
		larger[(*n_ids)++] = (int32_t)id;
	}
	return 0;
}

/* "3" or "4-7" */
static int parse_range(char *item, uint64_t *first_ret, uint64_t *last_ret)
{
	char *dash = strchr(item, '-');
	int err;

	if (dash)
		*dash = '\0';
	err = parse_number("cpu", item, MAX_CPUS - 1, first_ret);
	if (!err)
		err = parse_number("cpu", dash ? dash + 1 : item, MAX_CPUS - 1, last_ret);
	if (!err && *last_ret < *first_ret)
		return report_complain("--cpu: the range %" PRIu64 "-%" PRIu64 " is empty",
				       *first_ret, *last_ret);
	return err;
}

static int add_cpus(char *list, uint32_t **cpus, size_t *n_cpus)
{
	char *rest = list, *item;

	while ((item = strsep(&rest, ","))) {
		uint64_t first, last;
		uint32_t *larger;
		int err = parse_range(item, &first, &last);

		if (err)
			return err;
		larger = reallocarray(*cpus, *n_cpus + last - first + 1, sizeof(*larger));
		if (!larger)
			return report_complain("out of memory");
		*cpus = larger;
		for (uint64_t cpu = first; cpu <= last; cpu++)
			larger[(*n_cpus)++] = (uint32_t)cpu;
	}
	return 0;
}

static int parse_percent(const char *text, double *percent_ret)
{
	char *end;
	double percent = strtod(text, &end);

	if (end != text && *end == '%')
		end++;
	if (end == text || *end || !(percent >= 0 && percent <= 100))
		return report_complain("--min: '%s' is not a percentage", text);
	*percent_ret = percent;
	return 0;
}

static const struct option long_options[] = {
	{ "input", required_argument, NULL, 'i' },
	{ "view", required_argument, NULL, REPORT_OPTION_VIEW },
	{ "by", required_argument, NULL, REPORT_OPTION_BY },
	{ "kernel", required_argument, NULL, REPORT_OPTION_KERNEL },
	{ "min", required_argument, NULL, REPORT_OPTION_MIN },
	{ "depth", required_argument, NULL, REPORT_OPTION_DEPTH },
	{ "sort", required_argument, NULL, REPORT_OPTION_SORT },
	{ "ratio", required_argument, NULL, REPORT_OPTION_RATIO },
	{ "comm", required_argument, NULL, 'c' },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "event", required_argument, NULL, 'e' },
	{ "format", required_argument, NULL, 'f' },
	{ "color", required_argument, NULL, REPORT_OPTION_COLOR },
	{ "symfs", required_argument, NULL, REPORT_OPTION_SYMFS },
	{ "debuginfod", optional_argument, NULL, REPORT_OPTION_DEBUGINFOD },
	{ "no-inline", no_argument, NULL, REPORT_OPTION_NO_INLINE },
	{ "vmlinux", required_argument, NULL, REPORT_OPTION_VMLINUX },
	{ "merge-copies", no_argument, NULL, REPORT_OPTION_MERGE_COPIES },
	{ "raw-names", no_argument, NULL, REPORT_OPTION_RAW_NAMES },
	{ "full-names", no_argument, NULL, REPORT_OPTION_FULL_NAMES },
	{ "no-pager", no_argument, NULL, REPORT_OPTION_NO_PAGER },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

/* Options that pick one of several words. */
static int parse_choice(struct report_options *options, int option, const char *argument)
{
	int chosen;

	switch (option) {
	case REPORT_OPTION_VIEW:
		chosen = choose(views, "view", argument);
		options->view.kind = (enum view_kind)chosen;
		break;
	case REPORT_OPTION_BY:
		chosen = choose(groupings, "by", argument);
		options->view.grouping = (enum view_grouping)chosen;
		break;
	case REPORT_OPTION_KERNEL:
		chosen = choose(kernels, "kernel", argument);
		options->view.kernel = (enum view_kernel)chosen;
		break;
	default:
		chosen = choose(colors, "color", argument);
		options->color = (enum report_color)chosen;
		break;
	}
	return chosen < 0 ? chosen : 0;
}

/* Options that leave samples out. */
static int parse_filter(struct report_options *options, int option, char *argument)
{
	struct build_filter *filter = &options->build.filter;

	switch (option) {
	case 'c':
		return add_names(argument, &options->comms, &filter->n_comms);
	case 'e':
		return add_names(argument, &options->events, &filter->n_events);
	case 'p':
		return add_ids("pid", argument, &options->pids, &filter->n_pids);
	case 't':
		return add_ids("tid", argument, &options->tids, &filter->n_tids);
	default:
		return add_cpus(argument, &options->cpus, &filter->n_cpus);
	}
}

static int parse_format(struct report_options *options, const char *name)
{
	options->format = export_format_find(name);
	if (!options->format)
		return report_complain("--format takes text, json, csv; not '%s'", name);
	return 0;
}

/* "KEY", "KEY,EVENT" */
static int parse_sort(struct report_options *options, char *argument)
{
	char *comma = strchr(argument, ',');
	int chosen;

	if (comma)
		*comma = '\0';
	chosen = choose(sorts, "sort", argument);
	if (chosen < 0)
		return chosen;
	options->has_sort = true;
	options->view.sort = (enum view_sort)chosen;
	options->sort_event = comma ? comma + 1 : NULL;
	return 0;
}

static int parse_depth(struct report_options *options, const char *argument)
{
	uint64_t depth = 0;
	int err = parse_number("depth", argument, UINT_MAX, &depth);

	if (!err)
		options->export.max_depth = (unsigned)depth;
	return err;
}

static int add_ratio(struct report_options *options, const char *argument)
{
	if (options->n_ratio_texts == REPORT_MAX_RATIOS)
		return report_complain("no more than %d ratios, please", REPORT_MAX_RATIOS);
	options->ratio_texts[options->n_ratio_texts++] = argument;
	return 0;
}

/* Options about functions and their names, without a value. */
static int parse_names(struct report_options *options, int option)
{
	switch (option) {
	case REPORT_OPTION_NO_INLINE:
		options->symbolizer.no_inlines = true;
		return 0;
	case REPORT_OPTION_MERGE_COPIES:
		options->view.merge_copies = true;
		return 0;
	case REPORT_OPTION_RAW_NAMES:
		options->symbolizer.names = NAMES_RAW;
		return 0;
	default:
		options->export.full_names = true;
		return 0;
	}
}

/* Options about where files are. */
static int parse_files(struct report_options *options, int option, const char *argument)
{
	if (option == REPORT_OPTION_SYMFS)
		options->files.symfs = argument;
	else if (!file_options_take_debuginfod(&options->files, argument))
		return report_complain("--debuginfod: '%s' is no number of seconds", argument);
	return 0;
}

int report_options_parse(struct report_options *options, int option, char *argument)
{
	switch (option) {
	case 'i':
		options->path = argument;
		return 0;
	case 'f':
		return parse_format(options, argument);
	case REPORT_OPTION_MIN:
		return parse_percent(argument, &options->export.min_percent);
	case REPORT_OPTION_DEPTH:
		return parse_depth(options, argument);
	case REPORT_OPTION_SORT:
		return parse_sort(options, argument);
	case REPORT_OPTION_RATIO:
		return add_ratio(options, argument);
	case REPORT_OPTION_SYMFS:
	case REPORT_OPTION_DEBUGINFOD:
		return parse_files(options, option, argument);
	case REPORT_OPTION_NO_INLINE:
	case REPORT_OPTION_MERGE_COPIES:
	case REPORT_OPTION_RAW_NAMES:
	case REPORT_OPTION_FULL_NAMES:
		return parse_names(options, option);
	case REPORT_OPTION_VMLINUX:
		options->symbolizer.vmlinux = argument;
		return 0;
	case REPORT_OPTION_NO_PAGER:
		options->no_pager = true;
		return 0;
	case 'c':
	case 'e':
	case 'p':
	case 't':
	case 'C':
		return parse_filter(options, option, argument);
	default:
		return parse_choice(options, option, argument);
	}
}

void report_options_set_defaults(struct report_options *options)
{
	*options = (struct report_options){
		.path = DEFAULT_FILE,
		.export.min_percent = DEFAULT_MIN_PERCENT,
		.format = export_format_find("text"),
	};
	file_options_init(&options->files);
}

void report_options_finish(struct report_options *options)
{
	options->symbolizer.lines = options->view.kind == VIEW_LINES;
	options->build.by_thread = options->view.grouping == GROUP_THREAD;
	options->build.filter.pids = options->pids;
	options->build.filter.tids = options->tids;
	options->build.filter.cpus = options->cpus;
	options->build.filter.comms = options->comms;
	options->build.filter.events = options->events;
}

int report_options_init(struct report_options *options, int argc, char **argv)
{
	int option;

	report_options_set_defaults(options);
	while ((option = getopt_long(argc, argv, "i:c:p:t:C:e:f:h", long_options, NULL)) != -1) {
		int err;

		if (option == 'h') {
			fputs(usage, stdout);
			return 1;
		}
		if (option == '?') {
			fputs(usage, stderr);
			return -EINVAL;
		}
		err = report_options_parse(options, option, optarg);
		if (err)
			return err;
	}
	if (optind < argc)
		options->path = argv[optind++];
	if (optind < argc)
		return report_complain("one recording at a time, please");
	report_options_finish(options);
	return 0;
}

void report_options_deinit(struct report_options *options)
{
	free(options->pids);
	free(options->tids);
	free(options->cpus);
	free(options->comms);
	free(options->events);
}

static void list_events(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		fputs("  ", stderr);
		printable_put(stderr, profile->metrics[i].name);
		putc('\n', stderr);
	}
}

static const struct metric *find_metric(const struct profile *profile, const char *name)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (strcmp(profile->metrics[i].name, name) == 0)
			return &profile->metrics[i];
	}
	report_complain("the recording has no event '%s'. It has:", name);
	list_events(profile);
	return NULL;
}

int report_options_check_events(const struct report_options *options, const struct profile *profile)
{
	for (size_t i = 0; i < options->build.filter.n_events; i++) {
		if (!find_metric(profile, options->build.filter.events[i]))
			return -EINVAL;
	}
	return 0;
}

int report_options_check_vmlinux(const struct report_options *options,
				 const struct profile *profile)
{
	const char *vmlinux = options->symbolizer.vmlinux;
	const char *why = vmlinux ? symbolizer_refuses_vmlinux(profile, vmlinux) : NULL;

	return why ? report_complain("--vmlinux: %s: %s", vmlinux, why) : 0;
}

/* Tables of code are read by own cost, everything else by total; the first event with samples. */
static void choose_default_sort(struct report_options *options, const struct profile *profile)
{
	bool is_table_of_code = options->view.kind == VIEW_FUNCTIONS ||
				options->view.kind == VIEW_LINES ||
				options->view.kind == VIEW_MODULES;

	if (!options->has_sort)
		options->view.sort = is_table_of_code ? SORT_SELF : SORT_TOTAL;
	while (options->view.sort_metric + 1 < profile->n_metrics &&
	       !profile->metrics[options->view.sort_metric].samples)
		options->view.sort_metric++;
	if (profile->n_metrics && !profile->metrics[options->view.sort_metric].samples)
		options->view.sort_metric = 0;
}

int report_options_choose_sort(struct report_options *options, const struct profile *profile)
{
	const struct metric *metric;

	choose_default_sort(options, profile);
	if (!options->sort_event)
		return 0;
	metric = find_metric(profile, options->sort_event);
	if (!metric)
		return -EINVAL;
	options->view.sort_metric = (uint32_t)(metric - profile->metrics);
	return 0;
}

int report_options_choose_ratios(struct report_options *options, const struct profile *profile)
{
	for (uint32_t i = 0; i < options->n_ratio_texts; i++) {
		if (ratio_parse(options->ratio_texts[i], profile, &options->ratios[i]))
			continue;
		report_complain("--ratio: '%s' is not EVENT/EVENT or EVENT/EVENT*NUMBER, of these "
				"events:",
				options->ratio_texts[i]);
		list_events(profile);
		return -EINVAL;
	}
	options->export.ratios = options->ratios;
	options->export.n_ratios = options->n_ratio_texts;
	return 0;
}

bool report_options_want_color(const struct report_options *options, bool is_terminal)
{
	const char *no_color = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	if (options->color != REPORT_COLOR_AUTO)
		return options->color == REPORT_COLOR_ALWAYS;
	return is_terminal && !(no_color && *no_color) &&
	       !(terminal && strcmp(terminal, "dumb") == 0);
}

int report_options_drop_events(const struct report_options *options, struct profile *profile)
{
	const struct build_filter *filter = &options->build.filter;

	if (profile_keep_metrics(profile, filter->events, filter->n_events))
		return report_complain("out of memory");
	return 0;
}
