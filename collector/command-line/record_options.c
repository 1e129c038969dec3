#include "collector/command-line/record_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/numbers.h"
#include "collector/command-line/file_options.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "perf/catalog/event_parse.h"
#include "perf/kernel/limits.h"
#include "perf/kinds/branch_filter.h"
#include "perf/kinds/off_cpu_event.h"

#define DEFAULT_FREQUENCY  997
#define MAX_STACK_SIZE     65528
#define DEFAULT_STACK_SIZE MAX_STACK_SIZE
#define MAX_LEVEL          22
#define MIN_LEVEL          (-7)
#define PAGE_SIZE          4096u
#define MAX_RING_SIZE      (1ull << 36)
#define MAX_TIME_NS        ((uint64_t)1e18)

/* perf's -m: pages, or bytes with a unit. The ring's size is a power of two. */
static int take_ring_size(const struct option_use *use, void *field)
{
	uint64_t wanted, size = PAGE_SIZE;

	if (numbers_parse_size(use->value, PAGE_SIZE, MAX_RING_SIZE, &wanted) || wanted < PAGE_SIZE)
		return option_wrong_value(use, "a number of pages, or a size like 512K or 16M");
	while (size < wanted)
		size <<= 1;
	*(uint64_t *)field = size;
	return 0;
}

int record_options_take_frequency(const struct option_use *use, void *field)
{
	uint64_t *frequency = field;
	struct perf_limits limits;

	if (strcmp(use->value, "max") == 0) {
		limits_read(&limits);
		*frequency = limits.max_sample_rate;
		return 0;
	}
	if (numbers_parse(use->value, UINT32_MAX, frequency) || !*frequency)
		return option_wrong_value(use, "a rate in Hz, or max");
	return 0;
}

static int take_period(const struct option_use *use, void *field)
{
	uint64_t *period = field;

	if (numbers_parse(use->value, INT64_MAX, period) || !*period)
		return option_wrong_value(use, "a number of events");
	return 0;
}

static int take_duration(const struct option_use *use, void *field)
{
	uint64_t *ns = field;

	if (numbers_parse_time(use->value, NSEC_PER_SEC, MAX_TIME_NS, ns) || !*ns)
		return option_wrong_value(use, "a time, in seconds or with a unit (200ms, 2m)");
	return 0;
}

static int take_condition(const struct option_use *use, void *field)
{
	struct dump_condition_list *list = field;

	if (array_reserve_one(list->texts, list->n)) {
		message_error(use->command, "out of memory.");
		return EXIT_FAILURE;
	}
	list->texts[list->n++] = use->value;
	return 0;
}

static int take_delay(const struct option_use *use, void *field)
{
	struct recorder_options *options = field;

	options->starts_disabled = strcmp(use->value, "-1") == 0;
	options->delay_ns = 0;
	if (!options->starts_disabled &&
	    numbers_parse_time(use->value, NSEC_PER_MSEC, MAX_TIME_NS, &options->delay_ns))
		return option_wrong_value(use, "a time, in milliseconds or with a unit (5s, 2m), "
					       "or -1");
	return 0;
}

static int take_control(const struct option_use *use, void *field)
{
	if (control_choice_parse(use->value, field))
		return option_wrong_value(use, "fd:NUMBER[,NUMBER] or fifo:PATH[,PATH]");
	return 0;
}

/* zstd has levels below 0, too. */
static int take_level(const struct option_use *use, void *field)
{
	struct recorder_options *options = field;
	bool is_negative = *use->value == '-';
	uint64_t level;

	if (numbers_parse(use->value + is_negative, is_negative ? -MIN_LEVEL : MAX_LEVEL, &level))
		return option_wrong_value(use, "a level from %d to %d", MIN_LEVEL, MAX_LEVEL);
	options->compression_level = is_negative ? -(int)level : (int)level;
	options->has_compression_level = true;
	return 0;
}

static int take_stack_size(const struct option_use *use, void *field)
{
	struct recorder_options *options = field;
	uint64_t size;

	if (numbers_parse_size(use->value, 1, MAX_STACK_SIZE, &size) || size % 8)
		return option_wrong_value(use, "a multiple of 8 up to %d", MAX_STACK_SIZE);
	options->stack_size = (uint32_t)size;
	options->has_stack_size = true;
	return 0;
}

/* perf's modes: "dwarf", "dwarf,16384", "fp". */
static int take_call_graph(const struct option_use *use, void *field)
{
	struct recorder_options *options = field;
	struct option_use size = *use;

	if (strcmp(use->value, "lbr") == 0) {
		message_error(use->command,
			      "%s lbr is not supported: dendro unwinds with DWARF CFI, which needs "
			      "no LBR; leave the option out.",
			      use->spelling);
		return EXIT_WRONG_USE;
	}
	options->has_frame_pointers = strcmp(use->value, "fp") == 0;
	if (options->has_frame_pointers || strcmp(use->value, "dwarf") == 0)
		return 0;
	size.value += strlen("dwarf,");
	return strncmp(use->value, "dwarf,", strlen("dwarf,")) == 0
		       ? take_stack_size(&size, field)
		       : option_wrong_value(use, "dwarf, dwarf,BYTES or fp");
}

/* The branches of -b and of each -j add up. */
static int take_all_branches(const struct option_use *use, void *field)
{
	uint64_t *filter = field;

	(void)use;
	*filter |= PERF_SAMPLE_BRANCH_ANY;
	return 0;
}

static int take_branch_filter(const struct option_use *use, void *field)
{
	uint64_t *filter = field, added;

	if (branch_filter_parse(use->value, &added))
		return option_wrong_value(use, "%s, separated by commas", BRANCH_FILTER_NAMES);
	*filter |= added;
	return 0;
}

static int take_processes(const struct option_use *use, void *field)
{
	char *spelling = strdup(use->value);
	int status = 0, err = spelling ? process_choice_add(field, use->value) : -ENOMEM;

	if (err == -ENOMEM)
		status = message_error_of_memory(use->command);
	else if (err)
		status = message_wrong_use(use->command,
					   "%s takes numbers like 1,2 or 4-7, with + for their "
					   "descendants, and names, not '%s'.",
					   use->spelling, spelling);
	free(spelling);
	return status;
}

static int take_users(const struct option_use *use, void *field)
{
	char *rest = use->value;
	int err = 0;

	for (char *user; !err && (user = strsep(&rest, ","));) {
		err = process_choice_add_user(field, user);
		if (err == -ENOENT)
			return message_wrong_use(use->command, "%s: there is no user '%s'.",
						 use->spelling, user);
	}
	return err ? message_error_of_memory(use->command) : 0;
}

int record_options_take_events(const struct option_use *use, void *field)
{
	struct record_arguments *arguments = field;
	_cleanup_free_ char *error = NULL;

	enum event_error err =
		event_parse(use->value, &arguments->events, &arguments->n_events, &error);
	if (err == EVENT_OK)
		return 0;
	if (!error)
		return message_error_of_memory(use->command);
	message_error(use->command, "%s\nSee 'dendro list'.", error);
	/* An event that is missing on this machine is not wrong use. */
	return err == EVENT_NOT_HERE ? 1 : EXIT_WRONG_USE;
}

/* As in perf, a filter applies to the tracepoints of the event before it, and filters add up. */
int record_options_take_filter(const struct option_use *use, void *field)
{
	struct record_arguments *arguments = field;
	size_t i = arguments->n_events;
	const char *name = i ? arguments->events[i - 1].name : "";

	do {
		struct event *event = i ? &arguments->events[i - 1] : NULL;
		char *filter;

		if (!event || !event->tracepoint)
			return message_wrong_use(use->command,
						 "%s must follow an -e that names a tracepoint.",
						 use->spelling);
		int n = event->filter ? asprintf(&filter, "(%s) && (%s)", event->filter, use->value)
				      : asprintf(&filter, "%s", use->value);
		if (n < 0)
			return message_error_of_memory(use->command);
		free(event->filter);
		event->filter = filter;
	} while (--i && strcmp(arguments->events[i - 1].name, name) == 0);
	return 0;
}

static int take_max_size(const struct option_use *use, void *field)
{
	uint64_t *size = field;

	if (numbers_parse_size(use->value, 1, INT64_MAX, size) || !*size)
		return option_wrong_value(use, "a size like 512M or 2G");
	return 0;
}

static int take_switch(const struct option_use *use, void *field)
{
	if (output_switch_parse(use->value ? use->value : "signal", field))
		return option_wrong_value(
			use, "signal, a size like 100M or a time like 30s, each with its unit");
	return 0;
}

static int take_max_files(const struct option_use *use, void *field)
{
	uint64_t *n_files = field;

	if (numbers_parse(use->value, UINT32_MAX, n_files) || !*n_files)
		return option_wrong_value(use, "a number of files");
	return 0;
}

static int take_follow(const struct option_use *use, void *field)
{
	struct follow_subjects *follow = field;

	if (!follow->subjects)
		follow->subjects = calloc(FOLLOW_MAX, sizeof(*follow->subjects));
	if (!follow->subjects)
		return message_error_of_memory(use->command);
	if (follow->n == FOLLOW_MAX)
		return message_wrong_use(use->command, "%s may be given %d times.", use->spelling,
					 FOLLOW_MAX);
	const char *wrong = value_subject_parse(&follow->subjects[follow->n], use->value);
	follow->n += !wrong;
	return wrong ? message_wrong_use(use->command, "%s: '%s' %s.", use->spelling, use->value,
					 wrong)
		     : 0;
}

#define FIELD(name) offsetof(struct record_arguments, name)

const struct command_option record_target_options[] = {
	{ .name = "all-cpus",
	  .not_a_setting = SETTING_OF_ONE_RUN,
	  .letter = 'a',
	  .help = "the whole machine; while the command runs if there is one",
	  .take = option_take_flag,
	  .offset = FIELD(options.is_system_wide) },
	{ .name = "pid",
	  .not_a_setting = SETTING_OF_ONE_RUN,
	  .letter = 'p',
	  .argument = "PID,...",
	  .help = "processes that run already, with what they start; PID+: also with what they "
		  "have started; names and globs, too (12,postgres,34+)",
	  .take = take_processes,
	  .offset = FIELD(options.processes) },
	{ .name = "tid",
	  .not_a_setting = SETTING_OF_ONE_RUN,
	  .letter = 't',
	  .argument = "TID,...",
	  .help = "threads that run already, with what they start",
	  .take = option_take_ids,
	  .offset = FIELD(options.tids) },
	{ .name = "uid",
	  .not_a_setting = SETTING_OF_ONE_RUN,
	  .letter = 'u',
	  .argument = "USER,...",
	  .help = "processes of these users that run already, by name or number, with what they "
		  "start",
	  .take = take_users,
	  .offset = FIELD(options.processes) },
	{ .name = "cgroup",
	  .not_a_setting = SETTING_OF_ONE_RUN,
	  .argument = "PATH",
	  .help = "the processes in a cgroup, with those that enter it: /sys/fs/cgroup/PATH, or "
		  "PATH",
	  .take = option_take_text,
	  .offset = FIELD(options.cgroup) },
	{ .name = "unit",
	  .not_a_setting = SETTING_OF_ONE_RUN,
	  .argument = "NAME",
	  .help = "the processes of a systemd unit that runs, by its cgroup: NAME or NAME.service",
	  .take = option_take_text,
	  .offset = FIELD(options.unit) },
	{ .name = "all-cgroups",
	  .help = "record the cgroup of each sample, as -a, --cgroup and --unit do without it",
	  .take = option_take_flag,
	  .offset = FIELD(options.all_cgroups) },
	{ .name = "cpu",
	  .not_a_setting = SETTING_OF_ONE_RUN,
	  .letter = 'C',
	  .argument = "CPU,...",
	  .help = "only on these CPUs: 0-3,8",
	  .take = option_take_cpus,
	  .offset = FIELD(options.cpus) },
	{ .name = "no-inherit",
	  .not_a_setting = SETTING_OF_ONE_RUN,
	  .letter = 'i',
	  .help = "leave out the children and threads that the command or the targets start",
	  .take = option_take_flag,
	  .offset = FIELD(options.no_inherit) },
	{ 0 },
};

const struct command_option record_sample_options[] = {
	{ .name = "event",
	  .letter = 'e',
	  .argument = "EVENT,...",
	  .help = "the events to sample, which 'dendro list' names: cycles, page-faults, "
		  "instructions:u, cpu/TERMS/, names of libpfm4, SYSTEM:TRACEPOINT; resources: "
		  "read-bytes, write-bytes, syscalls, alloc-bytes, call:LIB:FUNCTION, "
		  "uprobe:LIB:FUNCTION/value=EXPRESSION/, usdt:PROGRAM:PROVIDER:NAME, "
		  "SYSTEM:NAME/weight=FIELD/, off-cpu. EVENT@N takes a sample every N events, "
		  "EVENT@fHZ at a rate; {A,B} are counted together. The default is cycles, or "
		  "cpu-clock where there are no hardware counters (may be given several times)",
	  .take = record_options_take_events },
	{ .name = "filter",
	  .not_a_setting = "it belongs to the -e before it",
	  .argument = "EXPR",
	  .help = "sample the tracepoint of the -e before it only where its fields match: "
		  "-e sched:sched_switch --filter 'prev_prio < 100'",
	  .take = record_options_take_filter },
	{ .name = "all-user",
	  .opposite = "all-kernel",
	  .help = "count in user mode only, as with :u after each event",
	  .take = option_take_constant,
	  .constant = MODES_USER,
	  .offset = FIELD(modes) },
	{ .name = "all-kernel",
	  .opposite = "all-user",
	  .help = "count in the kernel only, as with :k after each event",
	  .take = option_take_constant,
	  .constant = MODES_KERNEL,
	  .offset = FIELD(modes) },
	{ .name = "freq",
	  .opposite = "count",
	  .letter = 'F',
	  .argument = "HZ",
	  .help = "samples per second and CPU (default: 997); max: as many as the kernel permits",
	  .take = record_options_take_frequency,
	  .offset = FIELD(options.frequency) },
	{ .name = "count",
	  .opposite = "freq",
	  .letter = 'c',
	  .argument = "N",
	  .help = "take a sample every N events, instead of -F",
	  .take = take_period,
	  .offset = FIELD(options.period) },
	{ .name = "jitter",
	  .opposite = "no-jitter",
	  .help = "vary the sampling periods of all events randomly (default: of cpu-clock and "
		  "task-clock)",
	  .take = option_take_constant,
	  .constant = JITTER_ALL,
	  .offset = FIELD(options.jitter) },
	{ .name = "no-jitter",
	  .opposite = "jitter",
	  .help = "do not vary the sampling period of any event",
	  .take = option_take_constant,
	  .constant = JITTER_NONE,
	  .offset = FIELD(options.jitter) },
	{ .name = "stack-size",
	  .opposite = "call-graph",
	  .argument = "BYTES",
	  .help = "the part of the user stack that is copied with each sample: a multiple of 8, at "
		  "most 65528 (default: 65528, or down to 16384 at high rates and where the mlock "
		  "limit keeps the rings small)",
	  .take = take_stack_size,
	  .offset = FIELD(options) },
	{ .name = "call-graph",
	  .opposite = "stack-size",
	  .argument = "MODE",
	  .help = "how callers are found. dwarf[,BYTES]: by unwind information, in copies of the "
		  "stack (default), BYTES as with --stack-size; fp: by frame pointers, in the "
		  "kernel, for programs compiled with -fno-omit-frame-pointer: about 100 bytes a "
		  "sample",
	  .take = take_call_graph,
	  .offset = FIELD(options) },
	{ .name = "deep-stacks",
	  .opposite = "no-deep-stacks",
	  .help = "complete stacks that are deeper than their copies where this may kill the "
		  "program, too: in virtual machines of KVM on Intel processors, where it is left "
		  "out by default",
	  .take = option_take_constant,
	  .constant = DEEP_STACKS_WATCHED,
	  .offset = FIELD(options.deep_stacks) },
	{ .name = "no-deep-stacks",
	  .opposite = "deep-stacks",
	  .help = "do not read the part of a stack that is deeper than its copy from the thread "
		  "while it runs, nor pages at which copies end because nothing has touched them",
	  .take = option_take_constant,
	  .constant = DEEP_STACKS_CUT,
	  .offset = FIELD(options.deep_stacks) },
	{ .name = "waker",
	  .help = "with off-cpu, record by whom each wait is ended, too: a thread, or an "
		  "interrupt; "
		  "this needs root, because anybody may wake a recorded thread",
	  .take = option_take_flag,
	  .offset = FIELD(options.has_wakers) },
	{ 0 },
};

const struct command_option record_time_options[] = {
	{ .name = "duration",
	  .not_a_setting = SETTING_OF_ONE_RUN,
	  .letter = 'd',
	  .argument = "SEC",
	  .help = "stop after this time; 200ms and 2m are times, too",
	  .take = take_duration,
	  .offset = FIELD(options.duration_ns) },
	{ 0 },
};

const struct command_option record_options[] = {
	{ .heading = "What to record" },
	{ .shared = record_target_options },
	{ .heading = "Which samples" },
	{ .shared = record_sample_options },
	{ .name = "branch-any",
	  .opposite = "branch-filter",
	  .letter = 'b',
	  .help = "record with each sample the branches before it, where the processor does "
		  "(LBR): -j any",
	  .take = take_all_branches,
	  .offset = FIELD(options.branch_filter) },
	{ .name = "branch-filter",
	  .opposite = "branch-any",
	  .letter = 'j',
	  .argument = "NAME,...",
	  .help = "record only some of these branches: any_call, any_ret, ind_call, ind_jmp, call, "
		  "cond; u, k: of a mode; save_type: with their types; and more of perf's names",
	  .take = take_branch_filter,
	  .offset = FIELD(options.branch_filter) },
	{ .name = "follow",
	  .not_a_setting = SETTING_OF_ONE_RUN,
	  .argument = "FUNCTION:EXPRESSION",
	  .help = "right after each sample with FUNCTION on its path, read the memory that "
		  "EXPRESSION (p->field, as in dendro values) leads to from the process: values, "
		  "--where and --split then know it, marked as read later (may be given several "
		  "times)",
	  .take = take_follow,
	  .offset = FIELD(follow) },
	{ .heading = "When" },
	{ .shared = record_time_options },
	{ .name = "delay",
	  .not_a_setting = SETTING_OF_ONE_RUN,
	  .letter = 'D',
	  .argument = "MSEC",
	  .help = "begin to sample after this time; -1: when --control says so",
	  .take = take_delay,
	  .offset = FIELD(options) },
	{ .name = "max-size",
	  .argument = "SIZE",
	  .help = "stop when the recording has this size: 512M, 2G; with --overwrite, keep "
		  "about as much",
	  .take = take_max_size,
	  .offset = FIELD(options.max_size) },
	{ .name = "control",
	  .not_a_setting = SETTING_OF_ONE_RUN,
	  .argument = "WHERE",
	  .help = "obey words from fd:NUMBER[,NUMBER] or fifo:PATH[,PATH] and answer each to the "
		  "second: enable, disable, stop, ping, evlist, snapshot, phase NAME",
	  .take = take_control,
	  .offset = FIELD(options.control) },
	{ .name = "phase-fifo",
	  .not_a_setting = SETTING_OF_ONE_RUN,
	  .argument = "PATH",
	  .help = "each line that is written to this FIFO, which is made if it is missing, begins "
		  "a phase with that name; an empty line ends it",
	  .take = option_take_text,
	  .offset = FIELD(options.phase_fifo) },
	{ .heading = "Where to" },
	{ .name = "output",
	  .not_a_setting = SETTING_OF_FILES,
	  .letter = 'o',
	  .argument = "FILE",
	  .help = "the recording (default: " DEFAULT_RECORDING "; -: standard output); NAME.cct: a "
		  "profile, which is built while recording; an existing file is kept as FILE.old",
	  .take = option_take_text,
	  .offset = FIELD(options.output) },
	{ .name = "switch-output",
	  .opposite = "overwrite",
	  .argument = "WHEN",
	  .is_value_optional = true,
	  .help = "write the recording in parts, each complete, to FILE.TIME: a new one after each "
		  "SIGUSR2 or snapshot word (WHEN: signal, the default), and when the part has a "
		  "size (100M) or lasts a time (30s)",
	  .take = take_switch,
	  .offset = FIELD(options.parts) },
	{ .name = "max-files",
	  .argument = "N",
	  .help = "with --switch-output, keep the N newest parts",
	  .take = take_max_files,
	  .offset = FIELD(options.parts.n_files) },
	{ .name = "overwrite",
	  .opposite = "switch-output",
	  .help = "keep only the last part, in memory (about --max-size, 256M by default), and "
		  "write it to FILE.TIME on SIGUSR2 or a snapshot word, and to FILE at the end",
	  .take = option_take_flag,
	  .offset = FIELD(options.recent.is_given) },
	{ .name = "last",
	  .argument = "SEC",
	  .help = "with --overwrite, the time that is kept (default: 30s)",
	  .take = take_duration,
	  .offset = FIELD(options.recent.last_ns) },
	{ .name = "when",
	  .not_a_setting = SETTING_OF_ONE_RUN,
	  .argument = "CONDITION",
	  .help = "with --overwrite, write the last part when this is true: EVENT, one of -e, "
		  "happened; off-cpu > 500ms, of one wait; loadavg > 8; cpu-pressure, "
		  "memory-pressure, io-pressure > 20% (may be given several times)",
	  .take = take_condition,
	  .offset = FIELD(options.conditions) },
	{ .name = "compression-level",
	  .letter = 'z',
	  .argument = "N",
	  .help = "zstd's level, from 1 (fast) to 22 (small) (default: 3, for a pipe 0); 0 writes "
		  "plain records, for programs that cannot decompress",
	  .take = take_level,
	  .offset = FIELD(options) },
	{ .name = "mmap-pages",
	  .letter = 'm',
	  .argument = "SIZE",
	  .help = "the size of each CPU's ring, in pages or as 512K, 16M, ... (default: what the "
		  "rate "
		  "needs)",
	  .take = take_ring_size,
	  .offset = FIELD(options.ring_size) },
	{ .name = "no-sandbox",
	  .help = "with -o FILE.cct: the process that reads program files keeps the rights of this "
		  "one, instead of none",
	  .take = option_take_flag,
	  .offset = FIELD(no_sandbox) },
	{ .name = "dry-run",
	  .not_a_setting = SETTING_OF_ONE_RUN,
	  .help = "record nothing, and say what would be recorded: events, targets, stacks, rings, "
		  "rights, and what is refused",
	  .take = option_take_flag,
	  .offset = FIELD(options.is_dry_run) },
	{ .name = "verbose",
	  .opposite = "quiet",
	  .letter = 'v',
	  .help = "print more about the recording",
	  .take = option_take_flag,
	  .offset = FIELD(is_verbose) },
	{ .name = "quiet",
	  .opposite = "verbose",
	  .letter = 'q',
	  .help = "print nothing but errors",
	  .take = option_take_flag,
	  .offset = FIELD(is_quiet) },
	{ 0 },
};

void record_arguments_init(struct record_arguments *arguments, const char *command, char **argv)
{
	*arguments = (struct record_arguments){
		.command = command,
		.options = {
			.stack_size = DEFAULT_STACK_SIZE,
			.output = DEFAULT_RECORDING,
			.argv = argv,
			.signals = &arguments->signals,
		},
	};
	recorder_signals_init(&arguments->signals);
}

void record_arguments_deinit(struct record_arguments *arguments)
{
	recorder_signals_deinit(&arguments->signals);
	events_destroy(arguments->events, arguments->n_events);
	free(arguments->follow.subjects);
	process_choice_deinit(&arguments->options.processes);
	int_list_deinit(&arguments->options.tids);
	int_list_deinit(&arguments->options.cpus);
	free(arguments->options.conditions.texts);
}

/* off-cpu needs the switches of a thread on all CPUs. */
static int check_off_cpu(const struct record_arguments *arguments)
{
	bool has_off_cpu = false;

	for (size_t i = 0; i < arguments->n_events; i++) {
		const struct event *event = &arguments->events[i];

		if (event->weight.kind != WEIGHT_OFF_CPU)
			continue;
		has_off_cpu = true;
		if (arguments->options.cpus.n)
			return message_wrong_use(
				arguments->command,
				"off-cpu follows threads over all CPUs: leave out -C, or "
				"off-cpu.");
		if (!off_cpu_event_is_whole(event))
			return message_wrong_use(arguments->command,
						 "off-cpu takes no modifiers and no --filter.");
	}
	if (arguments->options.has_wakers && !has_off_cpu)
		return message_wrong_use(arguments->command, "--waker belongs to off-cpu: add -e "
							     "off-cpu.");
	return 0;
}

/* Without copies there is nothing to complete. */
static int check_stacks(struct record_arguments *arguments)
{
	struct recorder_options *options = &arguments->options;

	if (!options->has_frame_pointers)
		return 0;
	if (options->has_stack_size)
		return message_wrong_use(arguments->command,
					 "--call-graph fp copies no stacks: leave out "
					 "the size of the copies, or fp.");
	options->stack_size = 0;
	options->has_stack_size = true;
	options->deep_stacks = DEEP_STACKS_CUT;
	return 0;
}

static bool is_name_of_profile(const char *path)
{
	const size_t size = strlen(path), end = strlen(".cct");

	return size > end && strcmp(path + size - end, ".cct") == 0;
}

/* A profile is written when the recording has ended. */
static int check_profile(struct record_arguments *arguments)
{
	const struct recorder_options *options = &arguments->options;

	arguments->is_profile = options->output && is_name_of_profile(options->output);
	if (!arguments->is_profile)
		return 0;
	if (options->has_compression_level)
		return message_wrong_use(arguments->command,
					 "-z compresses recordings, and %s will be a "
					 "profile: leave out -z.",
					 options->output);
	if (options->max_size)
		return message_wrong_use(arguments->command,
					 "--max-size is for recordings, and %s will be a "
					 "profile, whose size does not grow with the "
					 "samples: limit the time with -d.",
					 options->output);
	return 0;
}

/* What is read is of use where variables are evaluated, and they need registers. */
static int check_follow(const struct record_arguments *arguments)
{
	if (!arguments->follow.n)
		return 0;
	if (arguments->is_profile)
		return message_wrong_use(
			arguments->command,
			"--follow is for recordings, and %s will be a profile, which has no "
			"variables: record to a file, and give --split to 'dendro build'.",
			arguments->options.output);
	if (arguments->options.has_frame_pointers)
		return message_wrong_use(arguments->command,
					 "--follow needs the registers of samples, which "
					 "--call-graph fp leaves out: leave out one.");
	return 0;
}

static int check_recent(struct record_arguments *arguments)
{
	struct recorder_options *options = &arguments->options;
	struct recent_choice *recent = &options->recent;

	if (!recent->is_given)
		return recent->last_ns
			       ? message_wrong_use("record", "--last is for --overwrite: add it.")
			       : 0;
	if (options->parts.is_given || strcmp(options->output, "-") == 0 || arguments->is_profile)
		return message_wrong_use(
			"record", "--overwrite writes a recording to a file when it is asked "
				  "to: leave out --switch-output, -o - and names of "
				  "profiles.");
	if (!recent->last_ns)
		recent->last_ns = RECENT_DEFAULT_NS;
	recent->max_size = options->max_size ? options->max_size : RECENT_DEFAULT_SIZE;
	options->max_size = 0;
	/* What is kept is in parts, each with the kernel's names. */
	return recent->last_ns < RECENT_MIN_NS || recent->max_size < RECENT_MIN_SIZE
		       ? message_wrong_use("record", "--overwrite keeps 1 s and 32 MiB at least.")
		       : 0;
}

/* What is wrong with the condition. Returns EXIT_WRONG_USE. */
static int explain_condition(const char *text, enum dump_condition_error error)
{
	switch (error) {
	case DUMP_CONDITION_NO_BOUND:
		return message_wrong_use("record",
					 "--when '%s': above which bound? Write '%s > "
					 "BOUND'.",
					 text, text);
	case DUMP_CONDITION_NO_EVENT:
		return message_wrong_use("record",
					 "--when '%s': the recording has no such event: name one "
					 "as it is after -e, or off-cpu, loadavg, cpu-pressure, "
					 "memory-pressure, io-pressure with '> BOUND'.",
					 text);
	case DUMP_CONDITION_NO_OFF_CPU:
		return message_wrong_use("record",
					 "--when '%s': times off the CPU are known where they are "
					 "recorded: add -e off-cpu.",
					 text);
	default:
		return message_wrong_use("record",
					 "--when '%s': a bound is a time for off-cpu (500ms), a "
					 "number for loadavg (8), and a percentage for pressure "
					 "(20%%); an event has none: choose its samples with "
					 "--filter.",
					 text);
	}
}

static int check_conditions(const struct record_arguments *arguments)
{
	const struct recorder_options *options = &arguments->options;
	struct dump_conditions conditions = { 0 };
	enum dump_condition_error error = DUMP_CONDITION_OK;
	const char *wrong = NULL;

	if (!options->conditions.n)
		return 0;
	if (!options->recent.is_given)
		return message_wrong_use("record",
					 "--when says when --overwrite writes the last part: add "
					 "--overwrite.");
	int err = dump_conditions_parse(&conditions, &options->conditions, arguments->events,
					arguments->n_events, "/proc", &wrong, &error);
	dump_conditions_deinit(&conditions);
	if (err == -EINVAL)
		return explain_condition(wrong, error);
	if (err)
		message_error("record", "out of memory.");
	return err ? EXIT_FAILURE : 0;
}

static int check_parts(const struct record_arguments *arguments)
{
	const struct recorder_options *options = &arguments->options;

	if (!options->parts.is_given)
		return options->parts.n_files
			       ? message_wrong_use("record",
						   "--max-files is for --switch-output: add it.")
			       : 0;
	if (strcmp(options->output, "-") == 0)
		return message_wrong_use("record", "--switch-output needs files: leave out -o -.");
	if (arguments->is_profile)
		return message_wrong_use("record",
					 "--switch-output writes recordings, and %s will be a "
					 "profile: choose another name.",
					 options->output);
	if (options->max_size)
		return message_wrong_use("record",
					 "--switch-output begins a new file where --max-size would "
					 "end the recording: leave out one.");
	return 0;
}

int record_arguments_check(struct record_arguments *arguments)
{
	struct recorder_options *options = &arguments->options;
	bool has_processes = !process_choice_is_empty(&options->processes);
	bool is_attached = recorder_options_are_attached(options);

	if (has_processes && options->tids.n)
		return message_wrong_use(arguments->command,
					 "-p and -t cannot be combined: name the threads, or the "
					 "processes.");
	if ((options->cgroup && options->unit) ||
	    (recorder_options_have_cgroup(options) && (has_processes || options->tids.n)))
		return message_wrong_use(arguments->command,
					 "--cgroup, --unit, -p and -t cannot be combined: choose "
					 "one.");
	/* As in perf, -a counts a cgroup on all CPUs, which is done anyway. */
	if (recorder_options_have_cgroup(options))
		options->is_system_wide = false;
	if (options->is_system_wide && is_attached)
		return message_wrong_use(arguments->command,
					 "-a records every process: leave out -p, -u "
					 "and -t, or -a.");
	if (options->frequency && options->period)
		return message_wrong_use(arguments->command,
					 "-F and -c both set the rate of samples: leave out one.");
	if (options->is_dry_run && strcmp(options->output, "-") == 0)
		return message_wrong_use(arguments->command,
					 "--dry-run prints to standard output, where the recording "
					 "would go: leave out -o -.");
	if (arguments->is_quiet && arguments->is_verbose)
		return message_wrong_use(arguments->command, "-q and -v contradict each other.");
	if (options->cpus.n && !is_attached && !options->command)
		options->is_system_wide = true;
	if (!options->command && !is_attached && !options->is_system_wide)
		return message_wrong_use(
			arguments->command,
			"nothing to record: name a command, or -a (the whole machine), "
			"or -p PID.");
	if (options->starts_disabled && !options->control.is_given)
		return message_wrong_use(arguments->command,
					 "with -D -1 samples begin when --control says so: add "
					 "--control.");
	options->has_rate = options->frequency || options->period;
	if (!options->has_rate)
		options->frequency = DEFAULT_FREQUENCY;
	int status = check_stacks(arguments);
	if (!status)
		status = check_profile(arguments);
	if (!status)
		status = check_follow(arguments);
	if (!status)
		status = check_recent(arguments);
	if (!status)
		status = check_conditions(arguments);
	if (!status)
		status = check_parts(arguments);
	return status ? status : check_off_cpu(arguments);
}

void record_arguments_apply_modes(struct record_arguments *arguments)
{
	for (size_t i = 0; arguments->modes && i < arguments->n_events; i++) {
		struct event *event = &arguments->events[i];

		if (event->tracepoint || event->probed_path || event->weight.kind == WEIGHT_OFF_CPU)
			continue;
		event->attr.exclude_user = arguments->modes == MODES_KERNEL;
		event->attr.exclude_kernel = arguments->modes == MODES_USER;
		event->attr.exclude_hv = 1;
	}
}
