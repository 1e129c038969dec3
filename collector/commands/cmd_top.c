/* dendro top: shows a profile while it is recorded. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/numbers.h"
#include "collector/command-line/filter_options.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/commands/commands.h"
#include "collector/files/profile_builder.h"
#include "collector/files/recording_run.h"
#include "collector/watch/top_screen.h"
#include "collector/watch/top_watch.h"
#include "report/terminal/character_set.h"

#define DEFAULT_ROWS 20

static const struct choice views[] = {
	{ "functions", VIEW_FUNCTIONS }, { "modules", VIEW_MODULES },
	{ "processes", VIEW_PROCESSES }, { "threads", VIEW_THREADS },
	{ "lines", VIEW_LINES },         { NULL, 0 },
};
static const struct choice groupings[] = {
	{ "comm", GROUP_COMM },
	{ "process", GROUP_PROCESS },
	{ "thread", GROUP_THREAD },
	{ NULL, 0 },
};
static const struct choice sorts[] = {
	{ "total", SORT_TOTAL },
	{ "self", SORT_SELF },
	{ "name", SORT_NAME },
	{ NULL, 0 },
};

static int take_interval(const struct option_use *use, void *field)
{
	uint64_t *ns = field;

	if (numbers_parse_time(use->value, NSEC_PER_SEC, 86400 * NSEC_PER_SEC, ns) || !*ns)
		return option_wrong_value(use, "a time, in seconds or with a unit (200ms, 2m)");
	return 0;
}

static int take_count(const struct option_use *use, void *field)
{
	uint64_t *n = field;

	if (numbers_parse(use->value, UINT32_MAX, n) || !*n)
		return option_wrong_value(use, "a number from 1 on");
	return 0;
}

static int take_view(const struct option_use *use, void *field)
{
	struct report_options *report = field;
	enum view_kind kind;
	int status = option_take_choice(use, &kind);

	if (!status)
		report_options_choose_view(report, kind);
	return status;
}

static int take_sort(const struct option_use *use, void *field)
{
	struct report_options *report = field;

	report->has_sort = true;
	return option_take_choice(use, &report->view.sort);
}

#define FIELD(name) offsetof(struct top_options, name)

static const struct command_option options_of_top[] = {
	{ .heading = "What to record" },
	{ .shared = record_target_options, .offset = FIELD(record) },
	{ .heading = "Which samples" },
	{ .shared = record_sample_options, .offset = FIELD(record) },
	{ .heading = "When" },
	{ .shared = record_time_options, .offset = FIELD(record) },
	{ .heading = "How it is shown" },
	{ .name = "interval",
	  .argument = "SEC",
	  .help = "the time between refreshes (default: 1); 200ms is a time, too",
	  .take = take_interval,
	  .offset = FIELD(interval_ns) },
	{ .name = "last",
	  .argument = "SEC",
	  .help = "show the samples of the last SEC seconds alone, until the recording has ended; "
		  "on a screen, w shows all (default: since the start; w shows the last 10s)",
	  .take = take_interval,
	  .offset = FIELD(last_ns) },
	{ .name = "iterations",
	  .not_a_setting = SETTING_OF_ONE_RUN,
	  .letter = 'n',
	  .argument = "N",
	  .help = "text only: stop after N refreshes",
	  .take = take_count,
	  .offset = FIELD(n_iterations) },
	{ .name = "text",
	  .help = "print tables on a terminal, too, instead of a screen with keys",
	  .take = option_take_flag,
	  .offset = FIELD(is_text) },
	{ .name = "rows",
	  .argument = "N",
	  .help = "text only: show at most N rows (default: 20)",
	  .take = take_count,
	  .offset = FIELD(n_rows) },
	{ .name = "view",
	  .argument = "VIEW",
	  .help = "text only: what rows are: functions (default), lines, modules, processes or "
		  "threads",
	  .take = take_view,
	  .choices = views,
	  .offset = FIELD(report) },
	{ .name = "sort",
	  .argument = "KEY",
	  .help = "text only: sort rows by total, self or name",
	  .take = take_sort,
	  .choices = sorts,
	  .offset = FIELD(report) },
	{ .name = "kernel",
	  .argument = "PART",
	  .help = "merged: kernel functions below the user functions that entered the kernel "
		  "(default); only: kernel functions alone; none: the user function gets their "
		  "cost",
	  .take = option_take_choice,
	  .choices = kernel_choices,
	  .offset = FIELD(report.view.kernel) },
	{ .name = "no-inline",
	  .help = "do not show inlined functions; their cost belongs to the function that contains "
		  "them",
	  .take = option_take_flag,
	  .offset = FIELD(report.symbolizer.no_inlines) },
	{ .shared = raw_names_option, .offset = FIELD(report.symbolizer.names) },
	{ .name = "by",
	  .argument = "GROUP",
	  .help = "group the tree by comm (default), process or thread",
	  .take = option_take_choice,
	  .choices = groupings,
	  .offset = FIELD(report.view.grouping) },
	{ .shared = color_option, .offset = FIELD(report.color) },
	{ .name = "output",
	  .not_a_setting = SETTING_OF_FILES,
	  .letter = 'o',
	  .argument = "FILE",
	  .help = "store the profile in this file, too, when the recording has ended; its name "
		  "should end in .cct; an existing file is kept as FILE.old",
	  .take = option_take_text,
	  .offset = FIELD(record.options.output) },
	{ .shared = sandbox_option, .offset = FIELD(report.files) },
	{ .name = "quiet",
	  .letter = 'q',
	  .help = "print no notes",
	  .take = option_take_flag,
	  .offset = FIELD(record.is_quiet) },
	{ 0 },
};

const struct command_line top_line = {
	.command = "top",
	.synopsis = "[OPTIONS] [--] COMMAND [ARGS]\n"
		    "[OPTIONS] -a | -p PID,... | -t TID,... | --cgroup PATH | --unit NAME "
		    "[COMMAND [ARGS]]",
	.description = "Records like dendro record, and shows the profile of all samples so far "
		       "while it grows:\n"
		       "on a terminal with the keys of dendro browse, else the hottest rows, "
		       "again and again,\n"
		       "until COMMAND or all targets have ended, the time (-d) is over, or ^C. "
		       "Nothing is written\n"
		       "to the disk.",
	.options = options_of_top,
	.refused = refused_values,
	.notes = "The exit status is COMMAND's; 127: not found; 126: not executable; 128+N: killed "
		 "by\n"
		 "signal N; 1: not recorded, or not shown; 129: wrong use. COMMAND writes its "
		 "standard\n"
		 "output to standard error; beside a screen it has neither, nor standard input.",
	.is_ended_by_operand = true,
};

/* Standard output is for what is shown. With a screen, standard input and standard error are, too:
 * neither the command nor a message may disturb it. Returns a copy of standard error, or -1. */
static int leave_output(bool has_screen)
{
	int error_fd = -1, null = has_screen ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;

	if (null >= 0) {
		error_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
		dup2(null, STDIN_FILENO);
		dup2(null, STDERR_FILENO);
		close(null);
	}
	dup2(STDERR_FILENO, STDOUT_FILENO);
	return error_fd;
}

/* The screen is gone. */
static void return_output(int *error_fd)
{
	if (*error_fd >= 0) {
		dup2(*error_fd, STDERR_FILENO);
		close(*error_fd);
	}
	*error_fd = -1;
}

static int run(const struct record_arguments *arguments, struct recorder *recorder,
	       struct builder_link *link, int *error_fd)
{
	struct recorder_summary summary;
	size_t n_notes = recorder_n_notes(recorder);

	if (*error_fd < 0)
		recording_run_print_notes(recorder, 0, arguments);
	else
		n_notes = 0;
	recorder_run(recorder, &summary);
	int err = profile_builder_finish(arguments->command, link, !summary.write_error);
	return_output(error_fd);
	recording_run_print_notes(recorder, n_notes, arguments);
	if (summary.command_error)
		return recording_run_command_failed(arguments, summary.command_error);
	n_notes = recorder_n_notes(recorder);
	recorder_report(recorder, arguments->is_verbose);
	recording_run_print_notes(recorder, n_notes, arguments);
	if (err)
		return 1;
	return summary.has_command_exit_code ? summary.command_exit_code : 0;
}

static int record(struct record_arguments *arguments, struct builder_link *link, int *error_fd)
{
	_cleanup_free_ char *error = NULL;
	struct recorder *recorder;

	int err = recorder_open(&arguments->options, &recorder, &error);
	if (err) {
		profile_builder_finish(arguments->command, link, false);
		return_output(error_fd);
		return error ? message_error(arguments->command, "%s", error)
			     : message_error(arguments->command, "cannot record: %s.",
					     strerror(-err));
	}
	int status = run(arguments, recorder, link, error_fd);
	recorder_close(recorder);
	return status;
}

static int watch_and_record(struct top_options *options)
{
	const pid_t recorder = getpid();
	struct builder_link link;
	int err = profile_builder_fork(options->record.command, &link);

	if (err)
		return err;
	if (link.pid == 0) {
		err = top_watch(options, &link, recorder);
		fflush(NULL);
		_exit(err);
	}
	link.is_watched = true;
	options->record.options.builder = &link;
	int error_fd = leave_output(top_screen_is_wanted(options));
	err = record(&options->record, &link, &error_fd);
	options->record.options.builder = NULL;
	return err;
}

static int check_and_watch(struct top_options *options)
{
	int status = record_arguments_check(&options->record);

	if (!status)
		status = recording_run_check_command(&options->record);
	if (!status)
		status = recording_run_choose_events(&options->record);
	return status ? status : watch_and_record(options);
}

int cmd_top(int argc, char **argv, struct configuration *configuration)
{
	struct top_options options = { .interval_ns = NSEC_PER_SEC, .n_rows = DEFAULT_ROWS };

	record_arguments_init(&options.record, "top", argv);
	recorder_signals_block(&options.record.signals);
	recorder_signals_leave_parts(&options.record.signals);
	options.record.options.output = NULL;
	report_options_init(&options.report, "top");
	options.report.view.kind = VIEW_FUNCTIONS;
	struct parsed_line parsed = options_parse(&top_line, configuration, argc, argv, &options);

	if (parsed.n_operands)
		options.record.options.command = parsed.operands;
	int status = parsed.status;
	if (!parsed.is_done) {
		report_options_finish(&options.report);
		character_set_take();
		status = check_and_watch(&options);
	}
	record_arguments_deinit(&options.record);
	report_options_deinit(&options.report);
	return status;
}
