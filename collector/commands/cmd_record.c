/* dendro record: what the user asked for, and what is said about it. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/cpu_list.h"
#include "collector/attached/jitdump.h"
#include "collector/attached/stack_misses.h"
#include "collector/commands/commands.h"
#include "collector/record/recorder.h"
#include "collector/record/start/command.h"
#include "perf/catalog/event_parse.h"
#include "perf/kernel/limits.h"
#include "perf/kinds/off_cpu_event.h"
#include "perf/writer/data_writer.h"

#define EXIT_USAGE         129
#define DEFAULT_FREQUENCY  997
#define MAX_STACK_SIZE     65528
#define DEFAULT_STACK_SIZE MAX_STACK_SIZE
#define MAX_LEVEL          22
#define MIN_LEVEL          (-7)
#define PAGE_SIZE_SHIFT    12

static const char usage[] =
	"usage: dendro record [OPTIONS] [--] COMMAND [ARGS]\n"
	"       dendro record [OPTIONS] -a | -p PID,... | -t TID,... [COMMAND [ARGS]]\n\n"
	"Records samples with kernel and user call paths into dendro.data, until COMMAND or all\n"
	"targets have ended, the time (-d) is over, or ^C.\n\n"
	"What:\n"
	"  -a, --all-cpus            the whole machine\n"
	"  -p, --pid PID,...         processes that run, and what they start\n"
	"  -t, --tid TID,...         threads that run, and what they start\n"
	"  -C, --cpu LIST            only on these CPUs: 0-3,8\n"
	"  -i, --no-inherit          not what the command or the targets start\n"
	"Which samples:\n"
	"  -e, --event EVENT         cycles, page-faults, instructions:u, cpu/TERMS/, names of\n"
	"                            libpfm4, sys:tracepoint, ... (may be given several times,\n"
	"                            or as a list; default: cycles, or cpu-clock where there are\n"
	"                            no counters). EVENT@N: a sample every N events, EVENT@fHZ;\n"
	"                            {A,B}: counted together. Resources: read-bytes, write-bytes,\n"
	"                            syscalls, alloc-bytes, call:LIB:FUNCTION,\n"
	"                            sys:name/weight=FIELD/; off-cpu: the time that threads wait.\n"
	"                            'dendro list' names what this machine has; see also\n"
	"                            dendro-record(1), EVENTS\n"
	"      --filter EXPR         only where the fields of the tracepoint before it say so:\n"
	"                            -e sched:sched_switch --filter 'prev_prio < 100'\n"
	"  -F, --freq HZ|max         samples per second and CPU (default: 997)\n"
	"  -c, --count N             a sample every N events, instead of -F\n"
	"      --jitter, --no-jitter all events, or none, at periods that vary (default:\n"
	"                            cpu-clock and task-clock)\n"
	"      --stack-size BYTES    of user stack copied per sample, up to 65528, a multiple\n"
	"                            of 8 (default: 65528)\n"
	"      --no-deep-stacks      do not read, from the threads while they run, what is\n"
	"                            deeper than these copies\n"
	"When:\n"
	"  -d, --duration SECONDS    stop after that time\n"
	"  -D, --delay MSECS         begin sampling after that time\n"
	"Where to:\n"
	"  -o, --output FILE         default: dendro.data; -: standard output. An existing file\n"
	"                            is kept as FILE.old\n"
	"  -z, --compression-level N 1 (fast) to 22 (small); default: 3; 0: plain records,\n"
	"                            for programs that cannot decompress\n"
	"  -m, --mmap-pages SIZE     of the ring of each CPU: pages, or 512K, 16M, ...\n"
	"                            (default: what the rate needs)\n"
	"  -v, --verbose             say more\n"
	"  -q, --quiet               say nothing but errors\n"
	"  -h, --help                this text\n\n"
	"The exit status is COMMAND's; 127: not found, 126: not executable, 128+N: killed by\n"
	"signal N; 1: not recorded, or the file is incomplete; 129: wrong use.\n";

struct arguments {
	struct recorder_options options;
	struct event *events;
	size_t n_events;
	bool is_verbose, is_quiet;
	bool is_fallback; /* the events are what comes closest to cycles */
};

static int __attribute__((format(printf, 1, 2))) wrong_use(const char *format, ...)
{
	va_list args;

	fputs("dendro record: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputs("\nSee 'dendro record --help'.\n", stderr);
	return EXIT_USAGE;
}

static bool parse_u64(const char *text, uint64_t max, uint64_t *ret)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	uint64_t value = strtoull(text, &end, 10);
	if (errno || *end || value > max)
		return false;
	*ret = value;
	return true;
}

/* Seconds or milliseconds, maybe with a fraction. */
static bool parse_time(const char *text, double unit_ns, uint64_t *ret)
{
	char *end;

	if (!isdigit((unsigned char)text[0]) && text[0] != '.')
		return false;
	double value = strtod(text, &end);
	if (end == text || *end || !isfinite(value) || value * unit_ns > 1e18)
		return false;
	*ret = (uint64_t)(value * unit_ns);
	return true;
}

/* perf's -m: pages, or bytes with a unit. The ring's size is a power of two. */
static bool parse_ring_size(const char *text, uint64_t *ret)
{
	static const char units[] = "bkmg";
	char digits[20];
	size_t n = strspn(text, "0123456789");
	unsigned shift = PAGE_SIZE_SHIFT;
	uint64_t value;

	if (text[n]) {
		const char *unit = strchr(units, tolower((unsigned char)text[n]));
		if (!unit || text[n + 1])
			return false;
		shift = (unsigned)(unit - units) * 10;
	}
	snprintf(digits, sizeof(digits), "%.*s", (int)n, text);
	if (n >= sizeof(digits) || !parse_u64(digits, UINT64_MAX >> (shift + 1), &value) || !value)
		return false;
	value <<= shift;
	if (value < 1u << PAGE_SIZE_SHIFT || value > 1ull << 36)
		return false;
	*ret = 1ull << PAGE_SIZE_SHIFT;
	while (*ret < value)
		*ret <<= 1;
	return true;
}

static int parse_frequency(const char *text, struct recorder_options *options)
{
	struct perf_limits limits;

	if (strcmp(text, "max") == 0) {
		limits_read(&limits);
		options->frequency = limits.max_sample_rate;
		return 0;
	}
	if (!parse_u64(text, UINT32_MAX, &options->frequency) || !options->frequency)
		return wrong_use("-F wants a rate in Hz, or max, not '%s'.", text);
	return 0;
}

static int parse_level(const char *text, struct recorder_options *options)
{
	char *end;
	long level = strtol(text, &end, 10);

	if (end == text || *end || level < MIN_LEVEL || level > MAX_LEVEL)
		return wrong_use("-z wants a level from %d to %d, not '%s'.", MIN_LEVEL, MAX_LEVEL,
				 text);
	options->compression_level = (int)level;
	return 0;
}

static int parse_stack_size(const char *text, struct recorder_options *options)
{
	uint64_t size;

	if (!parse_u64(text, MAX_STACK_SIZE, &size) || size % 8)
		return wrong_use("--stack-size wants a multiple of 8 up to %d, not '%s'.",
				 MAX_STACK_SIZE, text);
	options->stack_size = (uint32_t)size;
	options->has_stack_size = true;
	return 0;
}

static int parse_list(const char *text, char option, struct int_list *list)
{
	int err = int_list_add(list, text, option == 'C' ? CPU_MAX : TARGET_PID_MAX);
	if (err == -ENOMEM)
		return wrong_use("out of memory.");
	if (err)
		return wrong_use("-%c wants numbers like 1,2 or 4-7, not '%s'.", option, text);
	return 0;
}

static int parse_events(const char *text, struct arguments *arguments)
{
	_cleanup_free_ char *error = NULL;

	enum event_error err = event_parse(text, &arguments->events, &arguments->n_events, &error);
	if (err == EVENT_OK)
		return 0;
	fprintf(stderr, "dendro record: %s\nSee 'dendro list'.\n",
		error ? error : "out of memory.");
	/* What is not here is no wrong use. */
	return err == EVENT_NOT_HERE ? 1 : EXIT_USAGE;
}

/* As perf does: for the tracepoints of the event before it, and filters add up. */
static int parse_filter(const char *text, struct arguments *arguments)
{
	size_t i = arguments->n_events;
	const char *name = i ? arguments->events[i - 1].name : "";

	do {
		struct event *event = i ? &arguments->events[i - 1] : NULL;
		char *filter;

		if (!event || !event->tracepoint)
			return wrong_use("--filter stands behind an -e with a tracepoint.");
		int n = event->filter ? asprintf(&filter, "(%s) && (%s)", event->filter, text)
				      : asprintf(&filter, "%s", text);
		if (n < 0)
			return wrong_use("out of memory.");
		free(event->filter);
		event->filter = filter;
	} while (--i && strcmp(arguments->events[i - 1].name, name) == 0);
	return 0;
}

static int parse_option(int option, const char *text, struct arguments *arguments)
{
	struct recorder_options *options = &arguments->options;

	switch (option) {
	case 'a':
		options->is_system_wide = true;
		return 0;
	case 'i':
		options->no_inherit = true;
		return 0;
	case 'S':
		options->no_deep_stacks = true;
		return 0;
	case 'j':
		options->jitter = JITTER_ALL;
		return 0;
	case 'J':
		options->jitter = JITTER_NONE;
		return 0;
	case 'v':
		arguments->is_verbose = true;
		return 0;
	case 'q':
		arguments->is_quiet = true;
		return 0;
	case 'o':
		options->output = text;
		return 0;
	case 'e':
		return parse_events(text, arguments);
	case 'f':
		return parse_filter(text, arguments);
	case 'F':
		return parse_frequency(text, options);
	case 'z':
		return parse_level(text, options);
	case 's':
		return parse_stack_size(text, options);
	case 'p':
		return parse_list(text, 'p', &options->pids);
	case 't':
		return parse_list(text, 't', &options->tids);
	case 'C':
		return parse_list(text, 'C', &options->cpus);
	case 'c':
		return parse_u64(text, INT64_MAX, &options->period) && options->period
			       ? 0
			       : wrong_use("-c wants a number of events, not '%s'.", text);
	case 'd':
		return parse_time(text, 1e9, &options->duration_ns) && options->duration_ns
			       ? 0
			       : wrong_use("-d wants a time in seconds, not '%s'.", text);
	case 'D':
		return parse_time(text, 1e6, &options->delay_ns)
			       ? 0
			       : wrong_use("-D wants a time in milliseconds, not '%s'.", text);
	case 'm':
		return parse_ring_size(text, &options->ring_size)
			       ? 0
			       : wrong_use("-m wants pages, or a size like 512K or 16M, not '%s'.",
					   text);
	case 'h':
		fputs(usage, stdout);
		return EXIT_USAGE;
	default:
		fputs("See 'dendro record --help'.\n", stderr);
		return EXIT_USAGE;
	}
}

/* It is about threads as a whole. */
static int check_off_cpu(const struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->n_events; i++) {
		const struct event *event = &arguments->events[i];

		if (event->weight.kind != WEIGHT_OFF_CPU)
			continue;
		if (arguments->options.cpus.n)
			return wrong_use("off-cpu follows threads over all CPUs: leave out -C, or "
					 "off-cpu.");
		if (!off_cpu_event_is_whole(event))
			return wrong_use("off-cpu takes no modifiers and no --filter.");
	}
	return 0;
}

/* What can't be meant together. */
static int check(struct arguments *arguments)
{
	struct recorder_options *options = &arguments->options;
	bool is_attached = options->pids.n || options->tids.n;

	if (options->pids.n && options->tids.n)
		return wrong_use("-p and -t cannot be combined: name the threads, or the "
				 "processes.");
	if (options->is_system_wide && is_attached)
		return wrong_use("-a records every process: leave out -p and -t, or -a.");
	if (options->frequency && options->period)
		return wrong_use("-F and -c are two ways to say how often: leave out one.");
	if (arguments->is_quiet && arguments->is_verbose)
		return wrong_use("-q and -v contradict each other.");
	if (options->cpus.n && !is_attached && !options->command)
		options->is_system_wide = true;
	if (!options->command && !is_attached && !options->is_system_wide)
		return wrong_use("nothing to record: name a command, or -a (the whole machine), "
				 "or -p PID.");
	options->has_rate = options->frequency || options->period;
	if (!options->has_rate)
		options->frequency = DEFAULT_FREQUENCY;
	return check_off_cpu(arguments);
}

/* 0, or the exit status; --help ends with 0 too, but *done_ret. */
static int parse_arguments(int argc, char **argv, struct arguments *arguments, bool *done_ret)
{
	static const struct option long_options[] = {
		{ "all-cpus", no_argument, NULL, 'a' },
		{ "compression-level", required_argument, NULL, 'z' },
		{ "count", required_argument, NULL, 'c' },
		{ "cpu", required_argument, NULL, 'C' },
		{ "delay", required_argument, NULL, 'D' },
		{ "duration", required_argument, NULL, 'd' },
		{ "event", required_argument, NULL, 'e' },
		{ "filter", required_argument, NULL, 'f' },
		{ "freq", required_argument, NULL, 'F' },
		{ "help", no_argument, NULL, 'h' },
		{ "jitter", no_argument, NULL, 'j' },
		{ "mmap-pages", required_argument, NULL, 'm' },
		{ "no-deep-stacks", no_argument, NULL, 'S' },
		{ "no-inherit", no_argument, NULL, 'i' },
		{ "no-jitter", no_argument, NULL, 'J' },
		{ "output", required_argument, NULL, 'o' },
		{ "pid", required_argument, NULL, 'p' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "stack-size", required_argument, NULL, 's' },
		{ "tid", required_argument, NULL, 't' },
		{ "verbose", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	static char full_name[] = "dendro record";
	char *name = argv[0];
	int option;

	*done_ret = false;
	argv[0] = full_name; /* getopt's messages begin with it */
	/* "+": what follows the command's name is the command's. */
	while ((option = getopt_long(argc, argv, "+aC:c:D:d:e:F:him:o:p:qt:vz:", long_options,
				     NULL)) != -1) {
		int status = parse_option(option, optarg, arguments);
		if (status) {
			*done_ret = option == 'h';
			return option == 'h' ? 0 : status;
		}
	}
	argv[0] = name;
	if (optind < argc)
		arguments->options.command = argv + optind;
	return check(arguments);
}

/* Without -e: cycles, or what comes closest here. */
static int choose_events(struct arguments *arguments)
{
	if (!arguments->n_events && event_default(&arguments->events, &arguments->n_events,
						  &arguments->is_fallback) != EVENT_OK) {
		fputs("dendro record: no event can be opened on this machine.\n", stderr);
		return 1;
	}
	arguments->options.events = arguments->events;
	arguments->options.n_events = arguments->n_events;
	return 0;
}

static void print_notes(const struct recorder *recorder, size_t first,
			const struct arguments *arguments)
{
	bool is_detail;

	for (size_t i = first; i < recorder_n_notes(recorder); i++) {
		const char *text = recorder_note(recorder, i, &is_detail);

		if (!arguments->is_quiet && (!is_detail || arguments->is_verbose))
			fprintf(stderr, "dendro: %s\n", text);
	}
}

/* 5 873: groups of three, parted by blanks. */
static const char *grouped(uint64_t number, char text[32])
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, number);
	char *to = text;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*to++ = ' ';
		*to++ = digits[i];
	}
	*to = '\0';
	return text;
}

static void print_size(uint64_t n_bytes)
{
	if (n_bytes < 10 << 10)
		fprintf(stderr, "%" PRIu64 " bytes", n_bytes);
	else if (n_bytes < 1 << 20)
		fprintf(stderr, "%.0f KiB", (double)n_bytes / 1024);
	else
		fprintf(stderr, "%.1f MiB", (double)n_bytes / (1 << 20));
}

static void print_summary(const struct recorder_summary *summary, const struct arguments *arguments)
{
	const char *output = arguments->options.output;
	char text[32];

	fprintf(stderr, "[ dendro: %.2f s, %s sample%s, ", (double)summary->duration_ns / 1e9,
		grouped(summary->n_samples, text), summary->n_samples == 1 ? "" : "s");
	print_size(summary->n_bytes);
	fprintf(stderr, " in %s, ", strcmp(output, "-") == 0 ? "standard output" : output);
	fprintf(stderr, "%s lost", grouped(summary->n_lost, text));
	if (summary->n_lost)
		fprintf(stderr, " (%.2f %%)",
			100.0 * (double)summary->n_lost /
				(double)(summary->n_lost + summary->n_samples));
	if (summary->n_throttled)
		fprintf(stderr, ", throttled %s times", grouped(summary->n_throttled, text));
	fputs(" ]\n", stderr);
}

/* What the user should know or do about this recording. */
static void print_advice(const struct recorder_summary *summary)
{
	if (summary->n_lost)
		fputs("dendro: to lose fewer samples: lower the rate (-F), enlarge the rings (-m), "
		      "or copy less\nstack (--stack-size).\n",
		      stderr);
	if (summary->n_lost_sideband)
		fprintf(stderr,
			"dendro: %" PRIu64 " records of mappings and processes were lost: some "
			"code will have no name.\nEnlarge the rings (-m).\n",
			summary->n_lost_sideband);
	if (summary->n_throttled)
		fputs("dendro: the kernel throttled the events: lower -F, or raise "
		      "kernel.perf_event_max_sample_rate.\n",
		      stderr);
	if (summary->n_corrupt_rings)
		fprintf(stderr, "dendro: %" PRIu64 " times a ring made no sense and was emptied.\n",
			summary->n_corrupt_rings);
	if (summary->n_code_missed)
		fprintf(stderr,
			"dendro: %" PRIu64 " times a page of code that no file holds could not be "
			"read: samples in it may\nhave no callers.\n",
			summary->n_code_missed);
	if (summary->jit_maps.n_refused)
		fprintf(stderr,
			"dendro: %" PRIu64 " perf-PID.map files were not taken: they are another "
			"user's, or links.\n",
			summary->jit_maps.n_refused);
	if (summary->jit_maps.n_missed)
		fprintf(stderr,
			"dendro: %" PRIu64 " perf-PID.map files could not be read or were too "
			"large: code made at run time has no names.\n",
			summary->jit_maps.n_missed);
	if (summary->jitdumps.n_refused)
		fprintf(stderr,
			"dendro: %" PRIu64 " jitdump files were not taken: they are another "
			"user's, or no regular files.\n",
			summary->jitdumps.n_refused);
	if (summary->jitdumps.n_missed)
		fprintf(stderr,
			"dendro: %" PRIu64 " jitdump files could not be read: code made at run "
			"time has no names.\n",
			summary->jitdumps.n_missed);
	if (summary->jitdumps.n_cut)
		fprintf(stderr,
			"dendro: %" PRIu64 " jitdump files are larger than %u MiB: code made later "
			"has no names.\n",
			summary->jitdumps.n_cut, JITDUMP_SIZE_MAX >> 20);
	if (summary->n_capture_missed)
		fprintf(stderr,
			"dendro: %" PRIu64 " files of code were gone, replaced or out of reach "
			"before they could be kept (as %s):\ntheir stacks may be incomplete and "
			"nameless.\n",
			summary->n_capture_missed,
			summary->missed_path ? summary->missed_path : "?");
}

static void print_contexts(const struct signal_contexts_stats *stats)
{
	fprintf(stderr,
		"dendro: interruptions by signals with a stack of their own: %" PRIu64
		", kept %" PRIu64 "; too many at once %" PRIu64 " times\n",
		stats->n_seen, stats->n_written, stats->n_pauses);
}

static void print_deep_stacks(const struct deep_stacks_stats *stats)
{
	fprintf(stderr, "dendro: stacks deeper than the copies: read %" PRIu64 " times (",
		stats->n_read);
	print_size(stats->n_bytes);
	fputc(')', stderr);
	stack_misses_print_deep(stderr, ", ", stats->n_missed);
	fputc('\n', stderr);
}

/* What a user can do something about. */
static void print_forbidden_stacks(const struct deep_stacks_stats *stats)
{
	uint64_t misses[N_DEEP_STACK_MISSES] = { 0 };

	misses[DEEP_STACK_NO_REGISTER] = stats->n_missed[DEEP_STACK_NO_REGISTER];
	misses[DEEP_STACK_FORBIDDEN] = stats->n_missed[DEEP_STACK_FORBIDDEN];
	if (!misses[DEEP_STACK_NO_REGISTER] && !misses[DEEP_STACK_FORBIDDEN])
		return;
	stack_misses_print_deep(stderr, "dendro: stacks deeper than the copies stay cut: ", misses);
	fputc('\n', stderr);
}

static int command_failed(const struct arguments *arguments, int err)
{
	fprintf(stderr, "dendro record: cannot run '%s': %s\n", arguments->options.command[0],
		strerror(-err));
	return err == -ENOENT ? 127 : 126;
}

/* Before an older recording makes room for a new one. */
static int check_command(const struct arguments *arguments)
{
	char **command = arguments->options.command;

	int err = command ? command_find(command[0]) : 0;
	return err ? command_failed(arguments, err) : 0;
}

static int run(const struct arguments *arguments, struct recorder *recorder)
{
	const struct recorder_options *options = &arguments->options;
	struct recorder_summary summary;
	size_t n_notes = recorder_n_notes(recorder);

	if (arguments->is_fallback && !arguments->is_quiet)
		fputs("dendro: no hardware counters here: recording cpu-clock (time) instead of "
		      "cycles.\n",
		      stderr);
	print_notes(recorder, 0, arguments);
	recorder_run(recorder, &summary);
	print_notes(recorder, n_notes, arguments);
	if (summary.command_error)
		return command_failed(arguments, summary.command_error);
	if (!arguments->is_quiet) {
		print_summary(&summary, arguments);
		print_advice(&summary);
		if (arguments->is_verbose && summary.n_captured)
			fprintf(stderr, "dendro: kept %" PRIu64 " file%s of code\n",
				summary.n_captured, summary.n_captured == 1 ? "" : "s");
		if (arguments->is_verbose)
			print_deep_stacks(&summary.deep_stacks);
		else
			print_forbidden_stacks(&summary.deep_stacks);
		if (arguments->is_verbose && summary.signal_contexts.n_seen)
			print_contexts(&summary.signal_contexts);
	}
	if (summary.write_error) {
		fprintf(stderr,
			"dendro record: cannot write '%s': %s. The recording ends there; the "
			"first %" PRIu64 " bytes are readable.\n",
			options->output, strerror(-summary.write_error), summary.n_bytes);
		return 1;
	}
	return summary.has_command_exit_code ? summary.command_exit_code : 0;
}

static int record(const struct arguments *arguments)
{
	struct recorder *recorder;
	_cleanup_free_ char *error = NULL;

	int err = recorder_open(&arguments->options, &recorder, &error);
	if (err) {
		fprintf(stderr, "dendro record: %s\n", error ? error : strerror(-err));
		return 1;
	}
	int status = run(arguments, recorder);
	recorder_close(recorder);
	return status;
}

static void deinit(struct arguments *arguments)
{
	events_destroy(arguments->events, arguments->n_events);
	int_list_deinit(&arguments->options.pids);
	int_list_deinit(&arguments->options.tids);
	int_list_deinit(&arguments->options.cpus);
}

int cmd_record(int argc, char **argv)
{
	struct arguments arguments = {
		.options = {
			.stack_size = DEFAULT_STACK_SIZE,
			.compression_level = DATA_WRITER_DEFAULT_LEVEL,
			.output = "dendro.data",
			.argv = argv,
		},
	};
	bool is_done;

	int status = parse_arguments(argc, argv, &arguments, &is_done);
	if (!status && !is_done)
		status = check_command(&arguments);
	if (!status && !is_done)
		status = choose_events(&arguments);
	if (!status && !is_done)
		status = record(&arguments);
	deinit(&arguments);
	return status;
}
