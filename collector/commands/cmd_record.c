/* dendro record: makes a recording as the options request, and prints a summary. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cct/base/cleanup.h"
#include "collector/command-line/filter_options.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/perf_options.h"
#include "collector/command-line/record_options.h"
#include "collector/commands/commands.h"
#include "collector/files/profile_builder.h"
#include "collector/files/recording_plan.h"
#include "collector/files/recording_run.h"
#include "collector/record/follow/follow_process.h"
#include "collector/record/kept_part.h"
#include "collector/record/observing/recording_notes.h"
#include "collector/record/recording_file.h"
#include "collector/sandbox/parser_sandbox.h"

const struct command_line record_line = {
	.command = "record",
	.synopsis = "[OPTIONS] [--] COMMAND [ARGS]\n"
		    "[OPTIONS] -a | -p PID,... | -t TID,... | --cgroup PATH | --unit NAME "
		    "[COMMAND [ARGS]]",
	.description = "Records samples with kernel and user call paths, until COMMAND or all "
		       "targets have\n"
		       "ended, the time (-d) is over, or ^C.",
	.options = record_options,
	.refused = refused_values,
	.of_perf = perf_options_of_record,
	.notes = "The exit status is COMMAND's; 127: not found; 126: not executable; 128+N: killed "
		 "by\n"
		 "signal N; 1: not recorded, or the file is incomplete; 129: wrong use.",
	.is_ended_by_operand = true,
};

/* "5 873": groups of three digits, separated by blanks. */
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

static void print_summary(const struct recorder_summary *summary,
			  const struct record_arguments *arguments)
{
	const char *output = arguments->options.output;
	char text[32], size[SIZE_TEXT_MAX];

	fprintf(stderr, "[ dendro: %.2f s, %s sample%s, ", (double)summary->duration_ns / 1e9,
		grouped(summary->n_samples, text), summary->n_samples == 1 ? "" : "s");
	fputs(recording_notes_size(summary->n_bytes, size), stderr);
	if (summary->n_parts)
		fprintf(stderr, " in %" PRIu64 " part%s of", summary->n_parts,
			summary->n_parts == 1 ? "" : "s");
	else
		fputs(" in", stderr);
	fprintf(stderr, " %s, ", strcmp(output, "-") == 0 ? "standard output" : output);
	fprintf(stderr, "%s lost", grouped(summary->n_lost, text));
	if (summary->n_lost)
		fprintf(stderr, " (%.2f %%)",
			100.0 * (double)summary->n_lost /
				(double)(summary->n_lost + summary->n_samples));
	if (summary->n_removed_parts)
		fprintf(stderr, ", %s part%s removed", grouped(summary->n_removed_parts, text),
			summary->n_removed_parts == 1 ? "" : "s");
	if (summary->n_throttled)
		fprintf(stderr, ", throttled %s times", grouped(summary->n_throttled, text));
	if (summary->is_last_part)
		fprintf(stderr, "; the last part, %s samples, was kept",
			grouped(summary->n_kept_samples, text));
	fputs(" ]\n", stderr);
}

static int complain_of_output(const struct recorder_summary *summary, const char *output)
{
	_cleanup_free_ char *failure = recording_file_failure(output, summary->write_error);
	char text[32], size[SIZE_TEXT_MAX];
	struct kept_part kept;

	if (!failure || kept_part_read(output, &kept))
		return message_error("record",
				     "%s. The recording ends there; the first %" PRIu64
				     " bytes are readable.",
				     failure ? failure : "out of memory", summary->n_bytes);
	return message_error(
		"record", "%s. The recording ends there; kept: %s sample%s of %.2f s, %s.", failure,
		grouped(kept.n_samples, text), kept.n_samples == 1 ? "" : "s",
		(double)kept.duration_ns / 1e9, recording_notes_size(summary->n_bytes, size));
}

/* Waits until the profile is stored, if one is built. 0, or another value after a message. */
static int finish_profile(struct builder_link *builder, const char *output,
			  struct recorder_summary *summary)
{
	struct stat st;

	if (!builder)
		return 0;
	int err = profile_builder_finish("record", builder, !summary->write_error);
	summary->write_error = 0; /* the process that reads has said why it ended */
	summary->n_bytes = stat(output, &st) ? 0 : (uint64_t)st.st_size;
	return err;
}

static int run(const struct record_arguments *arguments, struct recorder *recorder,
	       struct builder_link *builder)
{
	const struct recorder_options *options = &arguments->options;
	struct recorder_summary summary;
	size_t n_notes = recorder_n_notes(recorder);

	recording_run_print_notes(recorder, 0, arguments);
	recorder_run(recorder, &summary);
	int profile_err = finish_profile(builder, options->output, &summary);
	recording_run_print_notes(recorder, n_notes, arguments);
	if (summary.command_error)
		return recording_run_command_failed(arguments, summary.command_error);
	if (!arguments->is_quiet && !summary.is_output_gone) {
		/* It counts what was received, which is more than what was kept. */
		if (!summary.write_error && !profile_err)
			print_summary(&summary, arguments);
		n_notes = recorder_n_notes(recorder);
		recorder_report(recorder, arguments->is_verbose);
		recording_run_print_notes(recorder, n_notes, arguments);
	}
	if (summary.is_output_gone)
		return message_error(
			"record",
			"'%s' was removed while it was being recorded: the recording is lost.",
			options->output);
	if (summary.write_error)
		return complain_of_output(&summary, options->output);
	if (profile_err)
		return 1;
	return summary.has_command_exit_code ? summary.command_exit_code : 0;
}

static int record(const struct record_arguments *arguments, struct builder_link *builder)
{
	struct recorder *recorder;
	_cleanup_free_ char *error = NULL;

	int err = recorder_open(&arguments->options, &recorder, &error);
	if (err) {
		if (builder)
			profile_builder_finish("record", builder, false);
		return error ? message_error("record", "%s", error)
			     : message_error("record", "cannot record: %s.", strerror(-err));
	}
	int status = run(arguments, recorder, builder);
	recorder_close(recorder);
	return status;
}

static int record_profile(struct record_arguments *arguments)
{
	const struct profile_builder_options options = {
		.command = "record",
		.output = arguments->options.output,
		.is_quiet = arguments->is_quiet,
		.keeps_rights = arguments->no_sandbox,
	};
	struct builder_link builder;

	if (!arguments->no_sandbox && !arguments->is_quiet)
		parser_sandbox_note_lacks(options.command);
	int err = profile_builder_start(&options, &builder);

	if (err)
		return err;
	arguments->options.builder = &builder;
	int status = record(arguments, &builder);
	arguments->options.builder = NULL;
	return status;
}

static int record_following(struct record_arguments *arguments)
{
	struct follow_link link;
	int err = follow_process_start(&arguments->follow, &link);

	if (err)
		return message_error("record",
				     "cannot start the process that reads for --follow: %s.",
				     strerror(-err));
	arguments->options.follow = &link;
	int status = record(arguments, NULL);
	arguments->options.follow = NULL;
	const int signal_number = follow_process_finish(&link);
	if (signal_number)
		message_note("record",
			     "the process that reads for --follow was ended by signal %d (%s).",
			     signal_number, strsignal(signal_number));
	return status;
}

/* What the kernel refuses is refused as if it were recorded. */
static int rehearse(const struct record_arguments *arguments)
{
	struct recorder *recorder;
	_cleanup_free_ char *error = NULL;
	int err = recorder_open(&arguments->options, &recorder, &error);

	if (err)
		return error ? message_error("record", "%s", error)
			     : message_error("record", "cannot record: %s.", strerror(-err));
	recording_run_print_notes(recorder, 0, arguments);
	recording_plan_print(stdout, arguments, recorder);
	recorder_close(recorder);
	if (fflush(stdout) && errno != EPIPE)
		return message_error("record", "cannot write: %s.", strerror(errno));
	return 0;
}

static int check_and_record(struct record_arguments *arguments)
{
	int status = record_arguments_check(arguments);

	if (!status)
		status = recording_run_check_command(arguments);
	if (!status)
		status = recording_run_choose_events(arguments);
	if (status)
		return status;
	if (arguments->options.is_dry_run)
		return rehearse(arguments);
	if (arguments->is_profile)
		return record_profile(arguments);
	return arguments->follow.n ? record_following(arguments) : record(arguments, NULL);
}

int cmd_record(int argc, char **argv, struct configuration *configuration)
{
	struct record_arguments arguments;

	record_arguments_init(&arguments, "record", argv);
	recorder_signals_block(&arguments.signals);
	struct parsed_line parsed =
		options_parse(&record_line, configuration, argc, argv, &arguments);

	if (!recorder_options_have_parts(&arguments.options))
		recorder_signals_leave_parts(&arguments.signals);
	if (parsed.n_operands)
		arguments.options.command = parsed.operands;
	int status = parsed.is_done ? parsed.status : check_and_record(&arguments);
	record_arguments_deinit(&arguments);
	return status;
}
