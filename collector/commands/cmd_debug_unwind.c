/* dendro debug-unwind: how a recording's user stacks were unwound, as a whole or one step by step.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "collector/commands/commands.h"
#include "collector/debug-unwind/unwind_case.h"
#include "collector/debug-unwind/unwind_listing.h"
#include "collector/debug-unwind/unwind_summary.h"
#include "collector/files/file_options.h"
#include "collector/paths/sample_path.h"
#include "collector/replay/replay.h"
#include "report/names/symbolize.h"

#define MAX_PROBLEMS 24

enum task {
	COUNT,        /* what became of every sample */
	TIME,         /* how long the walks take */
	TIME_LOOKUPS, /* and the look-ups of rules among that */
	SHOW,         /* one sample, step by step */
};

struct options {
	const char *path;
	uint64_t sample;    /* number; 0: not chosen by number */
	uint64_t time_ns;   /* the first sample from then on; 0: any */
	int32_t tid;        /* -1: any */
	const char *export; /* folder for the case; NULL: no export */
	struct file_options files;
	bool is_summary;
	enum symbol_names names;
};

/* One pass over the recording. */
struct pass {
	enum task task;
	const struct options *options;
	struct file_search *files;
	struct replay *replay;
	struct elf_modules *elf_modules;
	struct sample_path *sample_path;
	struct unwinder *unwinder;
	struct symbolizer *symbolizer;
	struct frame *frames;
	struct unwind_summary *summary;
	uint64_t n_samples;
	bool is_found; /* the sample to show */
	int export_error;
};

static const char usage[] =
	"usage: dendro debug-unwind [OPTIONS] [FILE]\n\n"
	"Says how the user stacks of a recording (default: dendro.data) were unwound: all of them\n"
	"in a summary, with numbers of samples to look at, or one sample step by step.\n\n"
	"  -s, --sample N     the sample to show, as numbered in the summary: in order of time, "
	"from 1\n"
	"  -t, --time SEC     show the first sample from this time on, in seconds as dendro "
	"script\n"
	"                     prints them\n"
	"      --tid TID      show the first sample of this thread; with --time, from then on\n"
	"      --export DIR   also write what the chosen sample's walk needs into this new folder: "
	"a\n"
	"                     case that can be walked without the machine and the recording\n"
	"  -i, --input FILE   the recording\n"
	"      --symfs DIR    look for programs, libraries and debug files below DIR, as a "
	"sysroot,\n"
	"                     and nowhere else\n"
	"      --raw-names    names as in the file, mangled\n"
	"  -h, --help         this text\n";

static int pass_start(struct pass *pass)
{
	struct profile *profile = replay_profile(pass->replay);

	pass->elf_modules = elf_modules_create(&profile->modules);
	if (!pass->elf_modules)
		return -ENOMEM;
	if (pass->task == TIME_LOOKUPS)
		elf_modules_time(pass->elf_modules);
	pass->unwinder = unwinder_create(pass->elf_modules);
	pass->sample_path =
		sample_path_create(pass->elf_modules, replay_kernel_symbols(pass->replay));
	pass->symbolizer = symbolizer_create(
		profile,
		&(struct symbolizer_options){ .no_inlines = true, .names = pass->options->names });
	pass->frames = calloc(SAMPLE_PATH_MAX_USER, sizeof(*pass->frames));
	if (!pass->unwinder || !pass->sample_path || !pass->symbolizer || !pass->frames)
		return -ENOMEM;
	return replay_name_kernel(pass->replay);
}

static uint64_t heap_size(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static void pass_deinit(struct pass *pass)
{
	free(pass->frames);
	symbolizer_destroy(pass->symbolizer);
	sample_path_destroy(pass->sample_path);
	uint64_t before = heap_size();
	unwinder_destroy(pass->unwinder);
	elf_modules_destroy(pass->elf_modules);
	if (pass->task == TIME)
		pass->summary->memory = before - heap_size();
	replay_close(pass->replay);
	file_search_destroy(pass->files);
}

static bool is_wanted(const struct pass *pass, const struct record *record)
{
	const struct options *options = pass->options;

	if (options->sample)
		return pass->n_samples == options->sample;
	return (options->tid < 0 || record->tid == options->tid) &&
	       (!record->has_time || record->time_ns >= options->time_ns);
}

static int show(struct pass *pass, const struct replay_sample *sample,
		const struct sample_input *input)
{
	struct unwind_listing listing = {
		.out = stdout,
		.modules = &replay_profile(pass->replay)->modules,
		.elf_modules = pass->elf_modules,
		.symbolizer = pass->symbolizer,
		.sample_path = pass->sample_path,
		.unwinder = pass->unwinder,
	};

	pass->is_found = true;
	int err = unwind_listing_print(&listing, pass->n_samples, sample, input);
	if (!err && pass->options->export)
		pass->export_error =
			unwind_case_export(pass->options->export, listing.modules, input);
	return err;
}

static int take(struct pass *pass, const struct replay_sample *sample)
{
	struct record record;
	struct sample_input input = {
		.record = &record,
		.layout = &sample->event->layout,
		.stack_size = sample->event->attr.sample_stack_user,
		.machine = replay_machine(pass->replay),
		.space = sample->space,
		.memory = sample->memory,
		.kernel = sample->kernel,
		.code = &sample->code,
		.is_in_exec = sample->is_in_exec,
		.has_exec = sample->has_exec,
		.has_memory = sample->has_memory,
	};

	if (!sample->raw.header)
		return 0; /* time off the CPU without a sample */
	pass->n_samples++;
	record_decode(input.layout, sample->raw.header, &record);
	switch (pass->task) {
	case COUNT:
		unwind_summary_count(pass->summary, pass->n_samples, pass->sample_path,
				     pass->unwinder, &input);
		return 0;
	case TIME:
		unwind_summary_time(&pass->summary->times, pass->unwinder, &input, pass->frames);
		return 0;
	case TIME_LOOKUPS:
		unwind_summary_time(&pass->summary->with_lookups, pass->unwinder, &input,
				    pass->frames);
		return 0;
	case SHOW:
		return is_wanted(pass, &record) ? show(pass, sample, &input) : 0;
	}
	return 0;
}

static int pass_samples(struct pass *pass)
{
	struct replay_sample sample;
	int got = 0;

	while (!pass->is_found && (got = replay_next(pass->replay, &sample)) > 0) {
		int err = pass->elf_modules ? 0 : pass_start(pass);

		if (!err)
			err = take(pass, &sample);
		replay_sample_deinit(&sample);
		if (err)
			return err;
	}
	return pass->is_found ? 0 : got;
}

static int complain(const char *path, const char *why)
{
	fprintf(stderr, "dendro debug-unwind: %s: %s\n", path, why);
	return 1;
}

static int complain_of_export(const char *folder, int err)
{
	if (err == -ENODATA)
		return complain(folder, "the sample has no registers or no stack to unwind from");
	if (err == -ENOTSUP)
		return complain(folder, "the walk needs what a case can't hold");
	return complain(folder, strerror(-err));
}

static void print_problems(const struct pass *pass)
{
	struct elf_module_problem problems[MAX_PROBLEMS];
	const struct module_table *modules = &replay_profile(pass->replay)->modules;
	size_t n = elf_modules_problems(pass->elf_modules, problems, MAX_PROBLEMS);

	if (n)
		printf("files that could not be read: %zu\n", n);
	for (size_t i = 0; i < n && i < MAX_PROBLEMS; i++) {
		fputs("  ", stdout);
		printable_put(stdout, module_table_get(modules, problems[i].module)->key.path);
		printf(": %s\n", problems[i].text);
	}
}

static void conclude(struct pass *pass)
{
	if (!pass->elf_modules)
		return;
	if (pass->task == COUNT) {
		print_problems(pass);
	} else if (pass->task == TIME) {
		pass->summary->stats = *unwinder_stats(pass->unwinder);
		elf_modules_stats(pass->elf_modules, &pass->summary->times.files);
	} else if (pass->task == TIME_LOOKUPS) {
		elf_modules_stats(pass->elf_modules, &pass->summary->with_lookups.files);
	}
}

/* 0, or 1 after a message. */
static int run(const struct options *options, enum task task, struct unwind_summary *summary)
{
	struct pass pass = { .task = task, .options = options, .summary = summary };
	_cleanup_free_ char *error = NULL;

	if (file_options_open(&options->files, "debug-unwind", &pass.files))
		return 1;
	int err = replay_open(options->path, pass.files, &pass.replay, &error);
	if (err) {
		fprintf(stderr, "dendro debug-unwind: %s\n", error ? error : strerror(-err));
		file_search_destroy(pass.files);
		return 1;
	}
	err = pass_samples(&pass);
	const char *wrong = replay_error(pass.replay);
	if (err)
		err = complain(options->path, strerror(-err));
	else if (wrong && task != TIME && task != TIME_LOOKUPS)
		err = complain(options->path, wrong);
	else if (task == SHOW && !pass.is_found)
		err = complain(options->path, "there is no such sample");
	if (!err && pass.export_error)
		err = complain_of_export(options->export, pass.export_error);
	if (!err || wrong)
		conclude(&pass);
	pass_deinit(&pass);
	return err;
}

static int summarize(const struct options *options)
{
	struct unwind_summary summary = { .n_samples = 0 };
	int err = run(options, COUNT, &summary);

	if (!err)
		err = run(options, TIME, &summary);
	if (!err)
		err = run(options, TIME_LOOKUPS, &summary);
	if (!err)
		unwind_summary_print(stdout, &summary);
	return err;
}

/* "12.000345" in nanoseconds. */
static bool parse_time(const char *text, uint64_t *ns_ret)
{
	char *end;
	unsigned long long seconds = strtoull(text, &end, 10);
	uint64_t ns = 0;

	if (end == text || seconds > UINT64_MAX / 1000000000 - 1)
		return false;
	if (*end == '.') {
		end++;
		for (uint64_t unit = 100000000; unit && *end >= '0' && *end <= '9'; unit /= 10)
			ns += (uint64_t)(*end++ - '0') * unit;
	}
	*ns_ret = seconds * 1000000000 + ns;
	return !*end;
}

static bool parse_number(const char *text, uint64_t max, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	return !errno && *text >= '0' && *text <= '9' && !*end && *ret <= max;
}

static bool take_option(struct options *options, int option, const char *value)
{
	uint64_t number;

	options->is_summary =
		options->is_summary && (option == 'i' || option == 'S' || option == 'r');
	switch (option) {
	case 'i':
		options->path = value;
		return true;
	case 'S':
		options->files.symfs = value;
		return true;
	case 's':
		return parse_number(value, UINT64_MAX, &options->sample) && options->sample;
	case 't':
		return parse_time(value, &options->time_ns);
	case 'T':
		if (!parse_number(value, INT32_MAX, &number))
			return false;
		options->tid = (int32_t)number;
		return true;
	case 'e':
		options->export = value;
		return true;
	case 'r':
		options->names = NAMES_RAW;
		return true;
	default:
		return false;
	}
}

int cmd_debug_unwind(int argc, char **argv)
{
	static const struct option long_options[] = { { "input", required_argument, NULL, 'i' },
						      { "sample", required_argument, NULL, 's' },
						      { "time", required_argument, NULL, 't' },
						      { "tid", required_argument, NULL, 'T' },
						      { "export", required_argument, NULL, 'e' },
						      { "symfs", required_argument, NULL, 'S' },
						      { "raw-names", no_argument, NULL, 'r' },
						      { "help", no_argument, NULL, 'h' },
						      { 0 } };
	struct options options = { .path = "dendro.data",
				   .tid = -1,
				   .is_summary = true,
				   .names = NAMES_WITHOUT_PARAMETERS };
	int option;

	while ((option = getopt_long(argc, argv, "i:s:t:h", long_options, NULL)) != -1) {
		if (option == 'h')
			return fputs(usage, stdout) < 0;
		if (take_option(&options, option, optarg))
			continue;
		if (option != '?')
			fprintf(stderr, "dendro debug-unwind: '%s' is no value for that option\n",
				optarg);
		fputs(usage, stderr);
		return 129;
	}
	if (optind < argc)
		options.path = argv[optind++];
	if (optind < argc) {
		fprintf(stderr, "dendro debug-unwind: one recording at a time, please\n");
		return 129;
	}
	if (!options.is_summary)
		return run(&options, SHOW, NULL);
	if (strcmp(options.path, "-") == 0)
		return complain("-", "a summary reads the recording twice; name a file");
	return summarize(&options);
}
