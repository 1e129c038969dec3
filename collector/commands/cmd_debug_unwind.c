/* dendro debug-unwind: shows how user stacks were unwound: a summary, or one sample step by step.
 */
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/numbers.h"
#include "cct/base/printable.h"
#include "collector/command-line/file_options.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/report_options.h"
#include "collector/commands/commands.h"
#include "collector/debug-unwind/unwind_case.h"
#include "collector/debug-unwind/unwind_listing.h"
#include "collector/debug-unwind/unwind_summary.h"
#include "collector/files/stored_profile.h"
#include "collector/paths/sample_path.h"
#include "collector/session/dendro.h"
#include "report/names/symbolize.h"

#define MAX_PROBLEMS 24

enum task {
	COUNT,        /* count the results of all samples */
	TIME,         /* measure how long unwinding takes */
	TIME_LOOKUPS, /* and how long the look-ups of rules take */
	REPEAT,       /* compare walks that repeat others with whole ones */
	SHOW,         /* show one sample, step by step */
};

struct options {
	const char *path;
	uint64_t sample;    /* number; 0: not chosen by number */
	uint64_t time_ns;   /* the first sample from then on; 0: any */
	int32_t tid;        /* -1: any */
	const char *export; /* folder for the case; NULL: no export */
	struct file_options files;
	bool has_choice; /* one sample is shown; otherwise a summary */
	enum symbol_names names;
};

/* One pass over the recording. */
struct pass {
	enum task task;
	const struct options *options;
	struct file_search *files;
	struct dendro *session;
	/* Used to observe each step; separate from those of the session. */
	struct elf_modules *elf_modules;
	struct unwinder *unwinder;
	struct symbolizer *symbolizer;
	struct walked_stack walked[2]; /* the first for timing, too */
	struct unwind_summary *summary;
	uint64_t n_samples;
	bool is_found; /* the sample to show */
	int export_error;
};

static int take_sample(const struct option_use *use, void *field)
{
	struct options *options = field;

	options->has_choice = true;
	if (numbers_parse(use->value, UINT64_MAX, &options->sample) || !options->sample)
		return option_wrong_value(use, "the number of a sample, from 1");
	return 0;
}

static int take_time(const struct option_use *use, void *field)
{
	struct options *options = field;

	options->has_choice = true;
	if (numbers_parse_time(use->value, NSEC_PER_SEC, UINT64_MAX, &options->time_ns))
		return option_wrong_value(use, "a time in seconds");
	return 0;
}

static int take_tid(const struct option_use *use, void *field)
{
	struct options *options = field;
	uint64_t tid;

	options->has_choice = true;
	if (numbers_parse(use->value, INT32_MAX, &tid))
		return option_wrong_value(use, "the number of a thread");
	options->tid = (int32_t)tid;
	return 0;
}

static int take_export(const struct option_use *use, void *field)
{
	struct options *options = field;

	(void)use;
	options->has_choice = true;
	options->export = use->value;
	return 0;
}

static const struct command_option options_of_debug_unwind[] = {
	{ .name = "sample",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .letter = 's',
	  .argument = "N",
	  .help = "show this sample; samples are numbered in the order of time, from 1, as in the "
		  "summary",
	  .take = take_sample },
	{ .name = "time",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .letter = 't',
	  .argument = "SEC",
	  .help = "show the first sample from this time on, in seconds as dendro script prints "
		  "them",
	  .take = take_time },
	{ .name = "tid",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "TID",
	  .help = "show the first sample of this thread; with --time, from then on",
	  .take = take_tid },
	{ .name = "export",
	  .not_a_setting = SETTING_OF_FILES,
	  .argument = "DIR",
	  .help = "also write the files that the chosen sample's walk needs into this new folder: "
		  "a "
		  "case that can be walked without the machine and the recording",
	  .take = take_export },
	{ .shared = input_option, .offset = offsetof(struct options, path) },
	{ .shared = symfs_option, .offset = offsetof(struct options, files) },
	{ .shared = raw_names_option, .offset = offsetof(struct options, names) },
	{ 0 },
};

const struct command_line debug_unwind_line = {
	.command = "debug-unwind",
	.synopsis = "[OPTIONS] [FILE]",
	.description = "Shows how the user stacks of a recording were unwound: all of them in a "
		       "summary, with\n"
		       "numbers of samples to look at, or one sample step by step. A summary reads "
		       "the recording\n"
		       "more than once, so it cannot be a pipe.",
	.options = options_of_debug_unwind,
};

static int pass_start(struct pass *pass)
{
	const struct profile *profile = dendro_recording(pass->session);

	pass->elf_modules = elf_modules_create(&profile->modules);
	if (!pass->elf_modules)
		return -ENOMEM;
	if (pass->task == TIME_LOOKUPS)
		elf_modules_time(pass->elf_modules);
	pass->unwinder = unwinder_create(pass->elf_modules);
	pass->symbolizer = symbolizer_create(
		profile,
		&(struct symbolizer_options){ .no_inlines = true, .names = pass->options->names });
	bool has_room = true;
	for (size_t i = 0; i < 2; i++) {
		struct walked_stack *walked = &pass->walked[i];

		walked->frames = calloc(SAMPLE_PATH_MAX_USER, sizeof(*walked->frames));
		walked->addrs = calloc(SAMPLE_PATH_MAX_USER, sizeof(*walked->addrs));
		walked->sps = calloc(SAMPLE_PATH_MAX_USER, sizeof(*walked->sps));
		has_room = has_room && walked->frames && walked->addrs && walked->sps;
	}
	return pass->unwinder && pass->symbolizer && has_room ? 0 : -ENOMEM;
}

static uint64_t heap_size(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static void pass_deinit(struct pass *pass)
{
	for (size_t i = 0; i < 2; i++) {
		free(pass->walked[i].frames);
		free(pass->walked[i].addrs);
		free(pass->walked[i].sps);
	}
	symbolizer_destroy(pass->symbolizer);
	uint64_t before = heap_size();
	unwinder_destroy(pass->unwinder);
	elf_modules_destroy(pass->elf_modules);
	if (pass->task == TIME)
		pass->summary->memory = before - heap_size();
	dendro_close(pass->session);
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

static int show(struct pass *pass, const struct sample *sample)
{
	struct unwind_listing listing = {
		.out = stdout,
		.modules = &dendro_recording(pass->session)->modules,
		.elf_modules = pass->elf_modules,
		.symbolizer = pass->symbolizer,
		.unwinder = pass->unwinder,
	};

	pass->is_found = true;
	int err = dendro_resolve(pass->session);
	if (!err)
		err = unwind_listing_print(&listing, pass->n_samples, sample);
	if (!err && pass->options->export)
		pass->export_error =
			unwind_case_export(pass->options->export, listing.modules, sample);
	return err;
}

static int count(struct pass *pass, const struct sample *sample)
{
	int err = dendro_resolve(pass->session);

	if (!err)
		unwind_summary_count(pass->summary, pass->n_samples, pass->unwinder, sample);
	return err;
}

static int take(struct pass *pass, const struct sample *sample)
{
	if (!sample->raw.header)
		return 0; /* time off the CPU without a sample */
	pass->n_samples++;
	switch (pass->task) {
	case COUNT:
		return count(pass, sample);
	case TIME:
		unwind_summary_time(&pass->summary->times, pass->unwinder, sample,
				    pass->walked[0].frames);
		return 0;
	case TIME_LOOKUPS:
		unwind_summary_time(&pass->summary->with_lookups, pass->unwinder, sample,
				    pass->walked[0].frames);
		return 0;
	case REPEAT:
		unwind_summary_repeat(&pass->summary->repeated, pass->n_samples, pass->unwinder,
				      sample, pass->walked);
		return 0;
	case SHOW:
		return is_wanted(pass, &sample->record) ? show(pass, sample) : 0;
	}
	return 0;
}

static int pass_samples(struct pass *pass)
{
	const struct sample *sample;
	int got = 0;

	while (!pass->is_found && (got = dendro_next(pass->session, &sample)) > 0) {
		int err = pass->elf_modules ? 0 : pass_start(pass);

		if (!err)
			err = take(pass, sample);
		if (err)
			return err;
	}
	return pass->is_found ? 0 : got;
}

static int complain_of_export(const char *folder, int err)
{
	const char *why = err == -ENODATA
				  ? "the sample has no registers or no stack to unwind from."
			  : err == -ENOTSUP ? "a case cannot hold what the walk needs."
					    : strerror(-err);

	return message_error_of_file("debug-unwind", folder, why);
}

static void print_problems(const struct pass *pass)
{
	struct elf_module_problem problems[MAX_PROBLEMS];
	const struct module_table *modules = &dendro_recording(pass->session)->modules;
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

/* Returns 0, or 1 after a message. */
static int run(const struct options *options, enum task task, struct unwind_summary *summary)
{
	struct pass pass = { .task = task, .options = options, .summary = summary };
	_cleanup_free_ char *error = NULL;

	if (stored_profile_refused(options->path, "debug-unwind") ||
	    file_options_open(&options->files, "debug-unwind", &pass.files))
		return 1;
	int err = dendro_open(&(struct dendro_source){ .path = options->path },
			      &(struct dendro_options){ .files = pass.files, .no_paths = true },
			      &pass.session, &error);
	if (err) {
		message_error_of_file("debug-unwind", options->path,
				      error ? error : strerror(-err));
		file_search_destroy(pass.files);
		return 1;
	}
	err = pass_samples(&pass);
	const char *wrong = dendro_error(pass.session);
	if (err)
		err = message_error_of_file("debug-unwind", options->path, strerror(-err));
	else if (wrong && (task == COUNT || task == SHOW))
		err = message_error_of_file("debug-unwind", options->path, wrong);
	else if (task == SHOW && !pass.is_found)
		err = message_error_of_file("debug-unwind", options->path,
					    "there is no such sample.");
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
		err = run(options, REPEAT, &summary);
	if (!err)
		unwind_summary_print(stdout, &summary);
	return err;
}

int cmd_debug_unwind(int argc, char **argv, struct configuration *configuration)
{
	struct options options = { .path = file_options_default,
				   .tid = -1,
				   .names = NAMES_WITHOUT_PARAMETERS };
	struct parsed_line parsed =
		options_parse(&debug_unwind_line, configuration, argc, argv, &options);

	if (parsed.is_done)
		return parsed.status;
	int status = file_options_take_operand("debug-unwind", &parsed, 0, &options.path);
	if (status)
		return status;
	if (options.has_choice)
		return run(&options, SHOW, NULL);
	if (strcmp(options.path, "-") == 0)
		return message_error(
			"debug-unwind",
			"a summary reads the recording twice: name a file instead of '-'.");
	return summarize(&options);
}
