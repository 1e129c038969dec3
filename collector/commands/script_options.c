#include "collector/commands/script_options.h"

#include <stddef.h>

#include "collector/command-line/option_values.h"
#include "collector/command-line/perf_options.h"
#include "collector/command-line/report_options.h"
#include "collector/command-line/selection_options.h"
#include "collector/commands/script_fields.h"

#define FIELD(name) offsetof(struct script_options, name)

static const struct command_option options_of_script[] = {
	{ .shared = input_option, .offset = FIELD(path) },
	{ .shared = filter_options, .offset = FIELD(filter) },
	{ .shared = selection_options, .offset = FIELD(selection) },
	{ .name = "fields",
	  .letter = 'F',
	  .argument = "FIELD,...",
	  .help = "print these: comm, pid, tid, cpu, time, period, event, trace, ip, sym, symoff, "
		  "dso; +FIELD: print more, where the samples have it: addr, weight, brstack (the "
		  "branches of LBR); -FIELD: print less",
	  .take = script_fields_take,
	  .offset = FIELD(fields) },
	{ .name = "hide-call-graph",
	  .letter = 'G',
	  .help = "print the sampled function alone, without its callers",
	  .take = option_take_flag,
	  .offset = FIELD(has_no_callers) },
	{ .name = "ns",
	  .help = "print times with nine decimals",
	  .take = option_take_flag,
	  .offset = FIELD(has_ns) },
	{ .shared = symfs_option, .offset = FIELD(files) },
	{ .shared = raw_names_option, .offset = FIELD(names) },
	{ 0 },
};

static const struct command_option options_of_perf[] = {
	{ .name = "all-cpus", .letter = 'a', .take = option_take_nothing },
	{ .name = "header-only",
	  .take = option_refuse,
	  .help = "'dendro report' begins with what the recording is" },
	{ .name = "reltime",
	  .take = option_refuse,
	  .help = "'perf script --reltime -i FILE' reads recordings of dendro" },
	{ .name = "deltatime",
	  .take = option_refuse,
	  .help = "'perf script --deltatime -i FILE' reads recordings of dendro" },
	{ .name = "vmlinux",
	  .letter = 'k',
	  .argument = "FILE",
	  .take = option_refuse,
	  .help = "the names of the kernel are in the recording; leave the option out" },
	{ .name = "demangle", .take = option_take_nothing },
	{ .name = "inline", .take = option_take_nothing },
	{ .name = "no-inline", .take = option_take_nothing },
	{ .name = "force", .letter = 'f', .take = option_take_nothing },
	{ .name = "verbose", .letter = 'v', .take = option_take_nothing },
	{ .name = "comms", .argument = "NAME,...", .same_as = "comm" },
	{ .name = "no-demangle", .same_as = "raw-names" },
	{ .name = "header",
	  .take = option_refuse,
	  .help = "'dendro report' begins with what the recording is" },
	{ .name = "show-info",
	  .letter = 'I',
	  .take = option_refuse,
	  .help = "'dendro report' begins with what the recording is" },
	{ .name = "symbols",
	  .letter = 'S',
	  .argument = "NAME,...",
	  .take = perf_options_take_symbols,
	  .offset = FIELD(selection) },
	{ .name = "max-stack",
	  .argument = "N",
	  .take = perf_options_take_max_stack,
	  .offset = FIELD(selection) },
	{ .name = "dsos",
	  .argument = "NAME,...",
	  .take = option_refuse,
	  .help = "'dendro report --view modules' has a row for each module" },
	{ .name = "script",
	  .letter = 's',
	  .argument = "FILE",
	  .take = option_refuse,
	  .help = "'perf script -s SCRIPT -i FILE' reads recordings of dendro" },
	{ .name = "dump-raw-trace",
	  .letter = 'D',
	  .take = option_refuse,
	  .help = "'perf script -D -i FILE' reads recordings of dendro" },
	{ .name = "show-task-events",
	  .take = option_refuse,
	  .help = "'perf script --show-task-events -i FILE' reads recordings of dendro" },
	{ .name = "show-mmap-events",
	  .take = option_refuse,
	  .help = "'perf script --show-mmap-events -i FILE' reads recordings of dendro" },
	{ .name = "show-switch-events",
	  .take = option_refuse,
	  .help = "'perf script --show-switch-events -i FILE' reads recordings of dendro" },
	{ .name = "show-lost-events",
	  .take = option_refuse,
	  .help = "'dendro report' counts lost samples in its header" },
	{ 0 },
};

const struct command_line script_line = {
	.command = "script",
	.synopsis = "[OPTIONS] [FILE]",
	.description = "Lists the samples of a recording in time order, each with its call path, "
		       "leaf first, as\n"
		       "perf script prints them. A path whose outer callers are missing ends with "
		       "a line that\n"
		       "says why, at address 0.",
	.options = options_of_script,
	.of_perf = options_of_perf,
};
