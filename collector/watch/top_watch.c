#include "collector/watch/top_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/clock.h"
#include "collector/command-line/messages.h"
#include "collector/files/result_file.h"
#include "collector/sandbox/parser_sandbox.h"
#include "collector/watch/own_cost.h"
#include "collector/watch/top_screen.h"
#include "collector/watch/top_text.h"

/* Of samples that are kept one by one for the file; more are added up in slices of time. */
#define N_ROWS_MAX (1u << 19)

struct watch {
	struct top_options *options;
	const struct builder_link *link;
	struct growing_profile *growing;
	struct own_cost cost;
	bool has_screen;
	uint64_t n_shown;
};

/* As ^C does; once, for the second signal would not wait for the command. */
static void end_recording(const struct watch *watch)
{
	if (watch->cost.recorder && getppid() == watch->cost.recorder &&
	    !growing_profile_has_ended(watch->growing))
		kill(watch->cost.recorder, SIGINT);
}

static int choose_metric(struct top_options *options, const struct snapshot *snapshot)
{
	return report_options_choose_sort(&options->report, snapshot->profile) ? -EINVAL : 0;
}

static int show_text(struct watch *watch)
{
	const double percent = own_cost_percent(&watch->cost);
	struct snapshot snapshot;
	int err = snapshot_take(watch->growing, &watch->options->report, &snapshot);

	watch->n_shown++;
	if (err == -EAGAIN)
		return top_text_print_none(watch->options, percent);
	if (err)
		return err;
	err = choose_metric(watch->options, &snapshot);
	if (!err)
		err = top_text_print(watch->options, &snapshot, percent);
	snapshot_deinit(&snapshot);
	return err;
}

/* Until the time, or the end of the recording. */
static void wait_until(const struct watch *watch, uint64_t time_ns)
{
	struct pollfd end = { growing_profile_end_fd(watch->growing), POLLIN, 0 };

	for (uint64_t now = now_ns(); now < time_ns && !end.revents; now = now_ns()) {
		const uint64_t ms = (time_ns - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC;

		poll(&end, 1, ms < INT32_MAX ? (int)ms : INT32_MAX);
	}
}

static bool is_enough(const struct watch *watch)
{
	return watch->options->n_iterations && watch->n_shown >= watch->options->n_iterations;
}

/* Here, and in the process that writes snapshots. */
static uint64_t used_ns(const struct watch *watch)
{
	return own_cost_of_thread_ns() + growing_profile_cpu_ns(watch->growing);
}

static int watch_text(struct watch *watch)
{
	uint64_t next_ns = now_ns() + watch->options->interval_ns;
	int err = 0;

	while (!err && !is_enough(watch)) {
		wait_until(watch, next_ns);
		if (growing_profile_has_ended(watch->growing))
			return 0;
		const uint64_t before_ns = used_ns(watch);
		err = show_text(watch);
		/* A refresh takes a tenth of a CPU's time at most. */
		const uint64_t took_ns = used_ns(watch) - before_ns;
		next_ns += watch->options->interval_ns;
		if (now_ns() + 10 * took_ns > next_ns)
			next_ns = now_ns() + 10 * took_ns;
	}
	end_recording(watch);
	return err;
}

static int watch_screen(struct watch *watch)
{
	int err = top_screen_run(watch->options, watch->growing, &watch->cost);

	end_recording(watch);
	return err;
}

static int store(struct watch *watch, int fd)
{
	const char *command = watch->options->report.command;
	FILE *file = fdopen(fd, "w");

	return file ? result_file_close(file, command, watch->options->record.options.output,
					growing_profile_write(watch->growing, file))
		    : message_error_of_memory(command);
}

/* What is left when the recording has ended. */
static int finish(struct watch *watch)
{
	const char *command = watch->options->report.command;
	const bool is_stored = watch->options->record.options.output;
	int fd = is_stored ? builder_link_receive(watch->link->control_fd) : -1;
	int err = growing_profile_finish(watch->growing);

	if (is_stored && fd < 0) /* the recorder has said why there is nothing to record */
		return 1;
	if (err)
		return message_error_of_memory(command);
	if (!growing_profile_has_begun(watch->growing)) /* nor has the recorder */
		return 1;
	if (!is_enough(watch) && !watch->has_screen)
		err = show_text(watch);
	if (err && err != -EPIPE)
		return message_error(command, "%s.", strerror(-err));
	const char *error = growing_profile_error(watch->growing);
	if (error)
		message_error(command, "%s", error);
	return is_stored ? store(watch, fd) : 0;
}

static int show(struct watch *watch)
{
	const char *command = watch->options->report.command;
	int err = watch->has_screen ? watch_screen(watch) : watch_text(watch);

	if (err && err != -EPIPE) {
		growing_profile_finish(watch->growing);
		return message_error(command, "%s.", strerror(-err));
	}
	return finish(watch);
}

/* The process that parses gives up its rights, whatever is shown how. */
static int start(struct watch *watch, int stream_fd, int control_fd, pid_t recorder)
{
	struct report_options *report = &watch->options->report;

	report->files.is_quiet = true;
	report->build.by_thread = report->build.counts_calls = true;
	report->build.n_rows_max = N_ROWS_MAX;
	if (!report->files.keeps_rights && !watch->options->record.is_quiet)
		parser_sandbox_note_lacks(report->command);
	int err = growing_profile_start(report, stream_fd, control_fd, &watch->growing);
	close(stream_fd);
	if (err)
		return message_error(report->command,
				     "cannot start the process that builds the profile: %s.",
				     strerror(-err));
	own_cost_init(&watch->cost, recorder, growing_profile_pid(watch->growing));
	return 0;
}

int top_watch(struct top_options *options, const struct builder_link *link, pid_t recorder)
{
	struct watch watch = { .options = options,
			       .link = link,
			       .has_screen = top_screen_is_wanted(options) };

	options->report.build.keeps_rows = true;
	options->report.build.recent_ns = options->last_ns ? options->last_ns : TOP_LAST_NS;
	int status = start(&watch, link->stream_fd, link->control_fd, recorder);
	builder_link_tell_worker(link->control_fd, status ? 0 : growing_profile_pid(watch.growing));
	signal(SIGPIPE, SIG_IGN);
	if (!status) {
		growing_profile_show_recent(watch.growing, options->last_ns);
		status = show(&watch);
	}
	growing_profile_destroy(watch.growing);
	return status;
}

int top_watch_file(struct top_options *options, const char *path, bool *is_whole_ret)
{
	const char *command = options->report.command;
	struct watch watch = { .options = options, .has_screen = top_screen_is_wanted(options) };
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	int status = fd < 0 ? message_error_of_file(command, path, strerror(errno))
			    : start(&watch, fd, -1, 0);

	int err = status ? 0 : watch.has_screen ? watch_screen(&watch) : watch_text(&watch);
	*is_whole_ret = !status && growing_profile_has_ended(watch.growing);
	const char *error = *is_whole_ret ? growing_profile_error(watch.growing) : NULL;
	if (err && err != -EPIPE)
		status = message_error(command, "%s.", strerror(-err));
	else if (error)
		status = message_error(command, "%s", error);
	growing_profile_destroy(watch.growing);
	return status;
}
