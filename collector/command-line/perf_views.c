#include "collector/command-line/perf_views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/numbers.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/perf_options.h"

enum {
	COLUMN_COMM = 1 << 0,
	COLUMN_PID = 1 << 1,
	COLUMN_TID = 1 << 2,
	COLUMN_MODULE = 1 << 3,
	COLUMN_FUNCTION = 1 << 4,
	COLUMN_LINE = 1 << 5,
	COLUMN_SELF = 1 << 6, /* costs are in every view */
	COLUMN_TOTAL = 1 << 7,
	COLUMN_CPU = 1 << 8,
	COLUMN_CGROUP = 1 << 9,
	COLUMN_OTHER = 1 << 10, /* of no view */
	COLUMNS_ALONE = COLUMN_CPU | COLUMN_CGROUP,
	COLUMNS_OF_TASKS = COLUMN_COMM | COLUMN_PID | COLUMN_TID,
	COLUMNS_OF_CODE = COLUMN_MODULE | COLUMN_FUNCTION | COLUMN_LINE,
};

static const struct choice columns[] = {
	{ "comm", COLUMN_COMM },
	{ "pid", COLUMN_PID },
	{ "tid", COLUMN_TID },
	{ "dso", COLUMN_MODULE },
	{ "sym", COLUMN_FUNCTION },
	{ "symbol", COLUMN_FUNCTION },
	{ "srcline", COLUMN_LINE },
	{ "overhead", COLUMN_SELF },
	{ "overhead_children", COLUMN_TOTAL },
	{ "sample", COLUMN_SELF },
	{ "period", COLUMN_SELF },
	{ "cpu", COLUMN_CPU },
	{ "cgroup", COLUMN_CGROUP },
	{ NULL, 0 },
};

/* Those of perf's columns that no view has. */
static const char other_columns[] =
	"parent socket srcfile time trace type typeoff symoff cgroup_id symbol_size dso_size "
	"weight local_weight transaction overhead_sys overhead_us overhead_guest_sys "
	"overhead_guest_us latency parallelism ipc_null ipc_lbr code_page_size data_page_size "
	"ins_lat local_ins_lat p_stage_cyc local_p_stage_cyc retire_lat local_retire_lat simd addr "
	"addr_from addr_to dso_from dso_to symbol_from symbol_to srcline_from srcline_to "
	"mispredict cycles abort in_tx mem tlb snoop locked blocked dcacheline dso_daddr "
	"symbol_daddr symbol_iaddr phys_daddr";

static bool is_other_column(const char *name, size_t length)
{
	for (const char *at = other_columns; *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");

		if (n == length && strncmp(at, name, n) == 0)
			return true;
		at += n;
	}
	return false;
}

/* 0: not one of perf's columns. */
static unsigned find_column(const char *name, size_t length)
{
	for (const struct choice *column = columns; column->name; column++) {
		if (strlen(column->name) == length && strncmp(column->name, name, length) == 0)
			return (unsigned)column->value;
	}
	return is_other_column(name, length) ? COLUMN_OTHER : 0;
}

bool perf_views_have_column(const char *list)
{
	list += *list == '+';
	return find_column(list, strcspn(list, ","));
}

/* "+": those of perf's default, and more. 0: a name is not one of perf's columns. */
static unsigned parse_columns(const char *list)
{
	unsigned found = 0;

	if (*list == '+') {
		found = COLUMN_COMM | COLUMN_MODULE | COLUMN_FUNCTION;
		list++;
	}
	for (;;) {
		size_t length = strcspn(list, ",");
		unsigned column = find_column(list, length);

		if (!column)
			return 0;
		found |= column;
		if (!list[length])
			return found;
		list += length + 1;
	}
}

static enum view_grouping grouping_of(unsigned found)
{
	return found & COLUMN_TID ? GROUP_THREAD : found & COLUMN_PID ? GROUP_PROCESS : GROUP_COMM;
}

static enum view_kind view_of(unsigned code)
{
	return code & COLUMN_LINE       ? VIEW_LINES
	       : code & COLUMN_FUNCTION ? VIEW_FUNCTIONS
					: VIEW_MODULES;
}

/* Rows are those of the code, separate for each task and CPU; without code, those of the tasks. */
static bool choose_view(unsigned found, struct report_options *options)
{
	const unsigned code = found & COLUMNS_OF_CODE, tasks = found & COLUMNS_OF_TASKS;
	struct view_options *view = &options->view;

	if (found & COLUMN_OTHER ||
	    (found & COLUMN_CGROUP && (code || tasks || found & COLUMN_CPU)))
		return false;
	options->has_view |= (found & (COLUMNS_OF_CODE | COLUMNS_OF_TASKS | COLUMNS_ALONE)) != 0;
	view->each_task = code && tasks;
	view->each_cpu = found & COLUMN_CPU && (code || tasks);
	if (tasks)
		view->grouping = grouping_of(found);
	if (code)
		view->kind = view_of(code);
	else if (tasks)
		view->kind = VIEW_PROCESSES;
	else if (found & COLUMNS_ALONE)
		view->kind = found & COLUMN_CPU ? VIEW_CPUS : VIEW_CGROUPS;
	return true;
}

int perf_views_take_columns(const struct option_use *use, void *field)
{
	struct report_options *options = field;
	unsigned found = parse_columns(use->value);

	if (!found)
		return option_wrong_value(use, "comm, pid, tid, dso, sym and srcline, or some of "
					       "them");
	if (!choose_view(found, options)) {
		message_error(use->command,
			      "%s %s is not supported: rows may be of comm, pid or tid, cpu, "
			      "and dso, sym or srcline; --view has other tables, and --cgroup "
			      "selects samples.",
			      use->spelling, use->value);
		return EXIT_WRONG_USE;
	}
	if (found & COLUMN_TOTAL)
		options->children = CHILDREN_TOTAL;
	return 0;
}

/* perf's ways to show call paths: "graph,0.5,caller,function,percent". */
static const struct choice graphs[] = {
	{ "caller", VIEW_TREE },
	{ "callee", VIEW_CALLERS },
	{ "none", VIEW_FUNCTIONS },
	{ "graph", -1 },
	{ "flat", -1 },
	{ "fractal", -1 },
	{ "function", -1 },
	{ "address", -1 },
	{ "percent", -1 },
	{ "period", -1 },
	{ "count", -1 },
	{ NULL, 0 },
};

/* One word of the list. The first number is the share below which rows are left out. */
static bool take_graph_word(const char *word, struct report_options *options, unsigned *n_numbers)
{
	const struct choice *graph = graphs;
	double percent;

	if (numbers_parse_percent(word, &percent) == 0) {
		if (!(*n_numbers)++)
			options->export.min_percent = percent;
		return true;
	}
	while (graph->name && strcmp(graph->name, word) != 0)
		graph++;
	if (graph->name && graph->value >= 0)
		report_options_choose_view(options, (enum view_kind)graph->value);
	return graph->name;
}

static int take_graph(const struct option_use *use, void *field)
{
	unsigned n_numbers = 0;
	char *rest = use->value;

	if (rest && strcmp(rest, "folded") == 0) {
		message_error(use->command,
			      "%s folded is not supported: 'dendro export --format folded' writes "
			      "folded call paths.",
			      use->spelling);
		return EXIT_WRONG_USE;
	}
	for (char *word; rest && (word = strsep(&rest, ","));) {
		if (!take_graph_word(word, field, &n_numbers))
			return message_wrong_use(use->command,
						 "%s takes caller (--view tree), callee (--view "
						 "callers), none (--view functions) or a "
						 "percentage, not '%s'.",
						 use->spelling, word);
	}
	return 0;
}

/* perf counts the sampled function, too; 0 is no limit. */
void perf_views_finish(struct report_options *options)
{
	if (options->children == CHILDREN_DEFAULT)
		return;
	if (!options->has_view)
		options->view.kind = VIEW_FUNCTIONS;
	if (!options->has_sort)
		options->view.sort = options->children == CHILDREN_TOTAL ? SORT_TOTAL : SORT_SELF;
	options->has_sort = true;
}

#define FIELD(name) offsetof(struct report_options, name)

const struct command_option perf_options_of_report[] = {
	{ .name = "stdio", .take = option_take_nothing },
	{ .name = "header", .take = option_take_nothing },
	{ .name = "show-nr-samples", .letter = 'n', .take = option_take_nothing },
	{ .name = "inline", .take = option_take_nothing },
	{ .name = "demangle", .take = option_take_nothing },
	{ .name = "group", .take = option_take_nothing },
	{ .name = "force", .letter = 'f', .take = option_take_nothing },
	{ .name = "verbose", .letter = 'v', .take = option_take_nothing },
	{ .name = "quiet", .letter = 'q', .take = option_take_nothing },
	{ .name = "show-info", .letter = 'I', .take = option_take_nothing },
	{ .name = "modules", .letter = 'm', .take = option_take_nothing },
	{ .name = "skip-empty", .take = option_take_nothing },
	{ .name = "ns", .take = option_take_nothing },
	{ .name = "comms", .argument = "NAME,...", .same_as = "comm" },
	{ .name = "percent-limit", .argument = "PCT", .same_as = "min" },
	{ .letter = 's', .argument = "KEY,...", .same_as = "sort" },
	{ .name = "fields", .letter = 'F', .argument = "KEY,...", .take = perf_views_take_columns },
	{ .name = "children",
	  .take = option_take_constant,
	  .constant = CHILDREN_TOTAL,
	  .offset = FIELD(children) },
	{ .name = "no-children",
	  .take = option_take_constant,
	  .constant = CHILDREN_SELF,
	  .offset = FIELD(children) },
	{ .name = "call-graph",
	  .letter = 'g',
	  .argument = "WORD,...",
	  .is_value_loose = true,
	  .take = take_graph },
	{ .name = "inverted", .letter = 'G', .same_as = "view", .given = (char[]){ "tree" } },
	{ .name = "hierarchy", .same_as = "view", .given = (char[]){ "tree" } },
	{ .name = "threads", .letter = 'T', .same_as = "by", .given = (char[]){ "thread" } },
	{ .name = "show-total-period", .same_as = "values" },
	{ .name = "no-demangle", .same_as = "raw-names" },
	{ .letter = 'k', .argument = "FILE", .same_as = "vmlinux" },
	{ .name = "stdio-color", .argument = "WHEN", .same_as = "color" },
	{ .name = "tui",
	  .take = option_refuse,
	  .help = "the report is text, in a pager on a terminal; leave the option out" },
	{ .name = "gtk",
	  .take = option_refuse,
	  .help = "the report is text, in a pager on a terminal; leave the option out" },
	{ .name = "max-stack",
	  .argument = "N",
	  .take = perf_options_take_max_stack,
	  .offset = FIELD(selection) },
	{ .name = "symbols",
	  .letter = 'S',
	  .argument = "NAME,...",
	  .take = perf_options_take_symbols,
	  .offset = FIELD(selection) },
	{ .name = "symbol-filter", .argument = "TEXT", .same_as = "focus" },
	{ .name = "dsos",
	  .letter = 'd',
	  .argument = "NAME,...",
	  .take = option_refuse,
	  .help = "--view modules has a row for each module, --view functions those of its "
		  "functions" },
	{ .name = "parent",
	  .letter = 'p',
	  .argument = "REGEX",
	  .take = option_refuse,
	  .help = "--view callers has the callers of each function, --focus RE samples with a "
		  "function on their path" },
	{ .name = "field-separator",
	  .letter = 't',
	  .argument = "TEXT",
	  .take = option_refuse,
	  .help = "--format csv separates columns by commas" },
	{ .name = "column-widths",
	  .letter = 'w',
	  .argument = "N,...",
	  .take = option_refuse,
	  .help = "COLUMNS in the environment sets the width, --full-names leaves names whole" },
	{ .name = "kallsyms",
	  .argument = "FILE",
	  .take = option_refuse,
	  .help = "the names of the kernel are in the recording; leave the option out" },
	{ .name = "dump-raw-trace",
	  .letter = 'D',
	  .take = option_refuse,
	  .help = "'perf report -D -i FILE' reads recordings of dendro" },
	{ .name = "stats",
	  .take = option_refuse,
	  .help = "'perf report --stats -i FILE' reads recordings of dendro" },
	{ .name = "tasks",
	  .take = option_refuse,
	  .help = "--view processes --by thread has the threads with samples" },
	{ .name = "header-only",
	  .take = option_refuse,
	  .help = "the report begins with what the recording is; leave the option out" },
	{ .name = "percentage",
	  .argument = "KIND",
	  .take = option_refuse,
	  .help = "shares are relative to what --comm, --pid, --cpu or --time leave, and of the "
		  "whole with --focus" },
	{ .name = "samples",
	  .argument = "N",
	  .take = option_refuse,
	  .help = "'dendro script' lists samples" },
	{ .name = "hide-unresolved",
	  .letter = 'U',
	  .take = option_refuse,
	  .help = "a function without a name is a row with its offset; --ignore RE leaves samples "
		  "out" },
	{ .name = "ignore-callees",
	  .argument = "REGEX",
	  .take = option_refuse,
	  .help = "--hide RE leaves functions out of paths, and their callers get the cost" },
	{ .name = "socket-filter",
	  .argument = "N",
	  .take = option_refuse,
	  .help = "--cpu selects samples by processor" },
	{ .name = "switch-on",
	  .argument = "EVENT",
	  .take = option_refuse,
	  .help = "--phase and --time select a part of the run" },
	{ .name = "switch-off",
	  .argument = "EVENT",
	  .take = option_refuse,
	  .help = "--phase and --time select a part of the run" },
	{ .name = "time-quantum",
	  .argument = "TIME",
	  .take = option_refuse,
	  .help = "--view phases divides a run by what was marked, --time selects a part" },
	{ .name = "total-cycles",
	  .take = option_refuse,
	  .help = "'dendro branches' shows the paths inside functions" },
	{ .name = "disassembler-style",
	  .letter = 'M',
	  .argument = "STYLE",
	  .take = option_refuse,
	  .help = "'dendro annotate' shows instructions" },
	{ .name = "mmaps",
	  .take = option_refuse,
	  .help = "'perf report --mmaps -i FILE' reads recordings of dendro" },
	{ .name = "branch-stack",
	  .letter = 'b',
	  .take = option_refuse,
	  .help = "'dendro script -F +brstack' lists branches" },
	{ .name = "branch-history",
	  .take = option_refuse,
	  .help = "'dendro script -F +brstack' lists branches" },
	{ .name = "mem-mode",
	  .take = option_refuse,
	  .help = "'dendro script -F +addr,+weight' lists accesses to memory" },
	{ .name = "exclude-other",
	  .letter = 'x',
	  .take = option_refuse,
	  .help = "--focus RE leaves only the samples with a function on their path" },
	{ .name = "demangle-kernel", .take = option_take_nothing },
	{ .name = "asm-raw",
	  .take = option_refuse,
	  .help = "'dendro annotate' shows instructions" },
	{ .name = "disable-order",
	  .take = option_refuse,
	  .help = "samples are put in order of time; leave the option out" },
	{ .name = "full-source-path",
	  .take = option_refuse,
	  .help = "--format json has the whole paths of source files" },
	{ .name = "group-sort-idx",
	  .argument = "N",
	  .take = option_refuse,
	  .help = "--sort total,EVENT sorts by the event of that name" },
	{ .name = "ignore-vmlinux",
	  .take = option_refuse,
	  .help = "the kernel's names are in the recording; --no-inline leaves out what debug "
		  "information adds" },
	{ .name = "itrace",
	  .argument = "OPTS",
	  .is_value_optional = true,
	  .take = option_refuse,
	  .help = "dendro reads no instruction traces; 'perf report --itrace' does" },
	{ .name = "objdump",
	  .argument = "PATH",
	  .take = option_refuse,
	  .help = "dendro decodes instructions itself; leave the option out" },
	{ .name = "percent-type",
	  .argument = "TYPE",
	  .take = option_refuse,
	  .help = "shares are of all cost, and in 'dendro annotate' of the function's; leave the "
		  "option out" },
	{ .name = "prefix",
	  .argument = "PREFIX",
	  .take = option_refuse,
	  .help = "--source-path FROM=TO says where source files are" },
	{ .name = "prefix-strip",
	  .argument = "N",
	  .take = option_refuse,
	  .help = "--source-path FROM=TO says where source files are" },
	{ .name = "pretty",
	  .argument = "KEY",
	  .take = option_refuse,
	  .help = "--by thread divides the cost by threads" },
	{ .name = "raw-trace",
	  .take = option_refuse,
	  .help = "'dendro script' lists the data of tracepoints" },
	{ .name = "show-cpu-utilization",
	  .take = option_refuse,
	  .help = "--kernel only and --kernel none show the kernel's part and the programs'" },
	{ .name = "show-on-off-events",
	  .take = option_refuse,
	  .help = "--phase and --time select a part of the run" },
	{ .name = "show-ref-call-graph",
	  .take = option_refuse,
	  .help = "each event has call paths of its own; leave the option out" },
	{ .name = "stitch-lbr",
	  .take = option_refuse,
	  .help = "dendro unwinds with DWARF CFI, which needs no LBR; leave the option out" },
	{ 0 },
};
