#include "collector/command-line/perf_options.h"

#include <stdio.h>
#include <sys/prctl.h>

#include "collector/command-line/option_values.h"
#include "collector/command-line/record_options.h"

/*
 * Filters the recorder out of the tracepoint before the option: by its name, because a filter knows
 * threads, of which perf has one and dendro several.
 */
static int take_exclude_own(const struct option_use *use, void *field)
{
	char name[16] = "", filter[64];
	struct option_use filter_use = *use;

	prctl(PR_GET_NAME, name);
	snprintf(filter, sizeof(filter), "COMM != \"%s\"", name);
	filter_use.value = filter;
	return record_options_take_filter(&filter_use, field);
}

const struct command_option perf_options_of_record[] = {
	{ .letter = 'g', .take = option_take_nothing },
	{ .name = "timestamp", .letter = 'T', .take = option_take_nothing },
	{ .name = "period", .letter = 'P', .take = option_take_nothing },
	{ .name = "raw-samples", .letter = 'R', .take = option_take_nothing },
	{ .name = "no-samples", .letter = 'n', .take = option_take_nothing },
	{ .name = "no-buildid", .letter = 'B', .take = option_take_nothing },
	{ .name = "no-buildid-cache", .letter = 'N', .take = option_take_nothing },
	{ .name = "buildid-all", .take = option_take_nothing },
	{ .name = "buildid-mmap", .take = option_take_nothing },
	{ .name = "sample-cpu", .take = option_take_nothing },
	{ .name = "sample-identifier", .take = option_take_nothing },
	{ .name = "namespaces", .take = option_take_nothing },
	{ .name = "no-bpf-event", .take = option_take_nothing },
	{ .name = "group", .take = option_take_nothing },
	{ .name = "aio", .argument = "N", .is_value_optional = true, .take = option_take_nothing },
	{ .name = "threads",
	  .argument = "SPEC",
	  .is_value_optional = true,
	  .take = option_take_nothing },
	{ .name = "realtime", .letter = 'r', .argument = "N", .take = option_take_nothing },
	{ .letter = 'G', .argument = "PATH", .same_as = "cgroup" },
	{ .name = "off-cpu", .same_as = "event", .given = (char[]){ "off-cpu" } },
	{ .name = "exclude-perf", .take = take_exclude_own },
	{ .name = "stat",
	  .letter = 's',
	  .take = option_refuse,
	  .help = "each sample has its thread; 'dendro report --by thread' divides the cost by "
		  "threads" },
	{ .name = "weight",
	  .letter = 'W',
	  .take = option_refuse,
	  .help = "dendro records no latencies of accesses; 'perf record -W' does, and 'dendro "
		  "script -F +weight' reads them" },
	{ .name = "data",
	  .take = option_refuse,
	  .help = "dendro records no addresses of data; 'perf record --data' does, and 'dendro "
		  "script -F +addr' reads them" },
	{ .name = "phys-data",
	  .take = option_refuse,
	  .help = "dendro records no addresses of data; 'perf record --phys-data' does" },
	{ .name = "intr-regs",
	  .letter = 'I',
	  .argument = "REGS",
	  .is_value_optional = true,
	  .take = option_refuse,
	  .help = "dendro records the user registers that unwinding needs, and no others" },
	{ .name = "user-regs",
	  .argument = "REGS",
	  .is_value_optional = true,
	  .take = option_refuse,
	  .help = "dendro records the user registers that unwinding needs; leave the option "
		  "out" },
	{ .name = "clockid",
	  .letter = 'k',
	  .argument = "CLOCK",
	  .take = option_refuse,
	  .help = "the times of a recording are of CLOCK_MONOTONIC; leave the option out" },
	{ .name = "per-thread",
	  .take = option_refuse,
	  .help = "-t TID records a thread, and rings are of CPUs; leave the option out" },
	{ .name = "switch-max-files", .argument = "N", .same_as = "max-files" },
	{ .name = "snapshot",
	  .letter = 'S',
	  .argument = "OPTS",
	  .is_value_optional = true,
	  .take = option_refuse,
	  .help = "dendro records no AUX area; leave the option out" },
	{ 0 },
};

const struct command_option perf_options_of_script[] = {
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
	  .take = option_refuse,
	  .help = "'dendro report --view callers' has each function with its callers" },
	{ .name = "dsos",
	  .argument = "NAME,...",
	  .take = option_refuse,
	  .help = "'dendro report --view modules' has a row for each module" },
	{ .name = "max-stack",
	  .argument = "N",
	  .take = option_refuse,
	  .help = "stacks are unwound to their start; -G leaves callers out" },
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
