#include "collector/command-line/perf_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "cct/base/cleanup.h"
#include "cct/base/numbers.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/record_options.h"
#include "report/selection/path_selection.h"

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
	{ .name = "no-buffering", .take = option_take_nothing },
	{ .name = "tail-synthesize", .take = option_take_nothing },
	{ .name = "running-time", .take = option_take_nothing },
	{ .name = "synth", .argument = "WHAT", .take = option_take_nothing },
	{ .name = "affinity", .argument = "MODE", .take = option_take_nothing },
	{ .name = "mmap-flush", .argument = "SIZE", .take = option_take_nothing },
	{ .name = "proc-map-timeout", .argument = "MS", .take = option_take_nothing },
	{ .name = "num-thread-synthesize", .argument = "N", .take = option_take_nothing },
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
	  .letter = 'd',
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
	{ .name = "kernel-callchains",
	  .take = option_refuse,
	  .help = "'dendro report --kernel only' leaves user functions out" },
	{ .name = "user-callchains",
	  .take = option_refuse,
	  .help = "'dendro report --kernel none' leaves kernel functions out" },
	{ .name = "kcore",
	  .take = option_refuse,
	  .help = "the kernel's code that has samples is in the recording; leave the option "
		  "out" },
	{ .name = "vmlinux",
	  .argument = "FILE",
	  .take = option_refuse,
	  .help = "'dendro report --vmlinux FILE' takes debug information of the kernel" },
	{ .name = "switch-events",
	  .take = option_refuse,
	  .help = "'dendro record -e off-cpu' records the time between switches" },
	{ .name = "timestamp-filename",
	  .take = option_refuse,
	  .help = "-o names the recording; --switch-output adds the time to the names of its "
		  "parts" },
	{ .name = "switch-max-files", .argument = "N", .same_as = "max-files" },
	{ .name = "snapshot",
	  .letter = 'S',
	  .argument = "OPTS",
	  .is_value_optional = true,
	  .take = option_refuse,
	  .help = "dendro records no AUX area; leave the option out" },
	{ .name = "transaction",
	  .take = option_refuse,
	  .help = "dendro records no transactions of the processor; 'perf record --transaction' "
		  "does" },
	{ .name = "code-page-size",
	  .take = option_refuse,
	  .help = "dendro records no sizes of pages; 'perf record --code-page-size' does" },
	{ .name = "data-page-size",
	  .take = option_refuse,
	  .help = "dendro records no sizes of pages; 'perf record --data-page-size' does" },
	{ .name = "aux-sample",
	  .argument = "OPTS",
	  .is_value_optional = true,
	  .take = option_refuse,
	  .help = "dendro records no AUX area; leave the option out" },
	{ .name = "clang-opt",
	  .argument = "OPTIONS",
	  .take = option_refuse,
	  .help = "dendro compiles no BPF programs; leave the option out" },
	{ .name = "clang-path",
	  .argument = "PATH",
	  .take = option_refuse,
	  .help = "dendro compiles no BPF programs; leave the option out" },
	{ .name = "debuginfod",
	  .argument = "URLS",
	  .is_value_optional = true,
	  .take = option_refuse,
	  .help = "'dendro report --debuginfod' fetches files when it needs them" },
	{ .name = "strict-freq",
	  .take = option_refuse,
	  .help = "-F max is the highest frequency, and a message says where a higher one was "
		  "lowered to it" },
	{ .name = "switch-output-event",
	  .argument = "EVENT",
	  .take = option_refuse,
	  .help = "--switch-output ends a part by signal, size or time, and so does a word "
		  "'snapshot' of --control" },
	{ .name = "timestamp-boundary", .take = option_take_nothing },
	{ 0 },
};

int perf_options_take_max_stack(const struct option_use *use, void *field)
{
	struct path_selection *selection = field;
	uint64_t depth;

	if (numbers_parse(use->value, UINT32_MAX, &depth))
		return option_wrong_value(use, "a number of functions");
	selection->has_caller_depth = depth > 0;
	selection->caller_depth = depth ? (uint32_t)depth - 1 : 0;
	return 0;
}

/* Names, "main,operator+", as a regular expression: "^(main|operator\\+)$". NULL: out of memory. */
static char *pattern_of_names(const char *names)
{
	char *pattern = malloc(2 * strlen(names) + sizeof("^()$"));
	char *to = pattern;

	if (!pattern)
		return NULL;
	to = stpcpy(to, "^(");
	for (; *names; names++) {
		if (*names != ',' && strchr("\\^$.[]|()*+?{}", *names))
			*to++ = '\\';
		*to++ = *names == ',' ? '|' : *names;
	}
	strcpy(to, ")$");
	return pattern;
}

int perf_options_take_symbols(const struct option_use *use, void *field)
{
	struct path_selection *selection = field;
	_cleanup_free_ char *pattern = pattern_of_names(use->value);
	_cleanup_free_ char *problem = NULL;

	int err = pattern ? path_selection_add(selection, PATH_FOCUS, pattern, &problem) : -ENOMEM;
	if (err == -EINVAL)
		return option_wrong_value(use, "names of functions");
	return err ? message_error_of_memory(use->command) : 0;
}
