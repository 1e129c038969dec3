/* The loop of a recording: waits, reads the rings, and does what is due, until it ends. */
#include <poll.h>
#include <signal.h>

#include "cct/base/clock.h"
#include "collector/record/recorder/recorder.h"
#include "collector/record/recorder/recorder_private.h"

/* The rings are read this often even if they have not filled, and files that may soon be deleted
 * are checked. */
#define DRAIN_INTERVAL_NS (100 * NSEC_PER_MSEC)
#define RENEW_INTERVAL_NS (500 * NSEC_PER_MSEC)
/* A kill -9 loses at most the samples of this time. */
#define FLUSH_INTERVAL_NS (NSEC_PER_SEC / 4)
/* How long a command is still recorded after SIGTERM was sent to it. */
#define GRACE_NS NSEC_PER_SEC

void recorder_begin_samples(struct recorder *recorder)
{
	const struct recorder_options *options = recorder->options;

	if (recorder_options_are_attached(options))
		target_times_begin(&recorder->target_times, "/proc", &recorder->events.pids,
				   &options->tids, !process_choice_is_empty(&options->processes));
	recorder->schedule.enabled_ns = now_ns();
	evlist_enable(recorder->events.evlist);
	recorder->observed.is_sampling = true;
	recorder->schedule.look_ns = 0;
	recorder->schedule.enable_ns = UINT64_MAX;
	if (recorder->file.has_own_builder && !recorder->has_begun)
		builder_link_tell_begin(options->builder->supply_fd, recorder->schedule.enabled_ns);
	recorder->is_on = recorder->has_begun = true;
}

int recorder_write_begin(struct recorder *recorder)
{
	return recorder_write_window(recorder, WINDOW_RECORD_BEGIN, recorder->schedule.enabled_ns);
}

int recorder_enable(struct recorder *recorder)
{
	recorder_begin_samples(recorder);
	return recorder_write_begin(recorder);
}

static void stop_by(struct recorder *recorder, uint64_t time_ns)
{
	if (time_ns < recorder->schedule.stop_ns)
		recorder->schedule.stop_ns = time_ns;
}

/* The first signal lets a command end, the second does not wait for it. A terminal's signal has
 * reached the command too; any other is passed on. */
static void handle_signal(struct recorder *recorder, const struct signalfd_siginfo *info)
{
	struct command *command = &recorder->command;
	int signal_number = (int)info->ssi_signo;

	if (signal_number == SIGCHLD) {
		if (recorder->has_command && command_poll(command))
			recorder->is_stopped = true;
		return;
	}
	if (signal_number == SIGUSR1) {
		recorder->n_phase_signals++;
		return;
	}
	if (signal_number == SIGUSR2) {
		recorder->is_part_wanted = true;
		return;
	}
	if (!recorder->has_command || recorder->schedule.stop_ns != UINT64_MAX)
		recorder->is_stopped = true;
	if (recorder->has_command && !command->has_ended && info->ssi_code != SI_KERNEL)
		kill(command->pid, signal_number);
	stop_by(recorder, now_ns() + GRACE_NS);
}

static void handle_signals(struct recorder *recorder)
{
	struct signalfd_siginfo info;

	while (recorder_signals_next(recorder->options->signals, &info))
		handle_signal(recorder, &info);
}

static uint64_t interval_ns(const struct recorder *recorder)
{
	const uint64_t wanted = recorder->options->interval_ns;

	return wanted ? wanted : DRAIN_INTERVAL_NS;
}

static uint64_t flush_interval_ns(const struct recorder *recorder)
{
	const uint64_t interval = interval_ns(recorder);

	return interval > FLUSH_INTERVAL_NS ? interval : FLUSH_INTERVAL_NS;
}

/* Samples are taken: the process that builds need not be there before. */
static void begin_pace(struct recorder *recorder)
{
	struct builder_link *builder = &recorder->file.builder;

	if (!builder->pid)
		return;
	if (builder->is_watched)
		builder->paced_pid = builder_link_hear_worker(builder->control_fd);
	builder_pace_init(&recorder->pace, builder->paced_pid ? builder->paced_pid : builder->pid,
			  recorder->file.queue_size, builder->is_watched);
}

/* 0, or why the command could not be started. */
static int start(struct recorder *recorder, int *write_error_ret)
{
	const struct recorder_options *options = recorder->options;
	struct schedule *schedule = &recorder->schedule;
	bool is_command_only = recorder->has_command && !options->is_system_wide &&
			       !recorder_options_are_attached(options);

	schedule->start_ns = now_ns();
	schedule->flush_ns = schedule->start_ns + flush_interval_ns(recorder);
	schedule->stop_ns =
		options->duration_ns ? schedule->start_ns + options->duration_ns : UINT64_MAX;
	schedule->enable_ns = UINT64_MAX;
	recorder_schedule_part(recorder, schedule->start_ns);
	recorder_raise_priority(recorder);
	if (options->delay_ns)
		schedule->enable_ns = schedule->start_ns + options->delay_ns;
	else if (!is_command_only && !options->starts_disabled && !options->samples_first)
		*write_error_ret = recorder_enable(recorder);
	else if (is_command_only && !options->starts_disabled)
		recorder->is_on = recorder->has_begun = true;
	begin_pace(recorder);
	return recorder->has_command ? command_start(&recorder->command) : 0;
}

static void keep_size(struct recorder *recorder)
{
	const uint64_t max = recorder->options->max_size;

	if (recorder->is_stopped || !max || data_writer_n_bytes(recorder->file.writer) < max)
		return;
	recorder->is_stopped = true;
	recording_notes_add(&recorder->notes, false,
			    "the recording has reached --max-size, and ends.");
}

/* A recorder that is woken seldom, and has been for another reason, need not come again soon. */
static bool is_time_to_look(const struct recorder *recorder, uint64_t now)
{
	return now + recorder->options->interval_ns / 2 >= recorder->schedule.look_ns;
}

/* What is due by the clock. */
static int keep_time(struct recorder *recorder)
{
	uint64_t now = now_ns();

	if (now >= recorder->schedule.enable_ns) {
		int err = recorder_enable(recorder);
		if (err)
			return err;
	}
	if (now >= recorder->schedule.stop_ns)
		recorder->is_stopped = true;
	if (is_time_to_look(recorder, now)) {
		recorder->schedule.look_ns = now + interval_ns(recorder);
		evlist_vary_rates(recorder->events.evlist);
		int err = recording_observers_look(recorder->observers, false);
		if (err)
			return err;
	}
	dump_conditions_look(&recorder->conditions, now);
	if (now < recorder->schedule.flush_ns)
		return 0;
	recorder->schedule.flush_ns = now + flush_interval_ns(recorder);
	return data_writer_flush(recorder->file.writer);
}

/*
 * The process that builds the part before is still reading it, and a third one beside it would keep
 * the rings waiting for the first; or who supplies these processes has too many at work. The part
 * at hand becomes longer instead.
 */
static bool must_go_on(struct recorder *recorder)
{
	const struct builder_link *builder = recorder->options->builder;
	const bool is_behind =
		recorder->former.writer && data_writer_n_waiting(recorder->former.writer);

	if (!is_behind &&
	    (!recorder->file.has_own_builder || builder_link_may_renew(builder->supply_fd)))
		return false;
	recorder->schedule.part_ns = now_ns() + (is_behind ? DRAIN_INTERVAL_NS : RENEW_INTERVAL_NS);
	return true;
}

static int keep_parts(struct recorder *recorder)
{
	const struct recorder_options *options = recorder->options;
	const uint64_t size =
		options->recent.is_given ? recent_part_size(&options->recent) : options->parts.size;
	const bool is_full = now_ns() >= recorder->schedule.part_ns ||
			     (size && data_writer_n_bytes(recorder->file.writer) >= size);
	int err = 0;

	if (dump_conditions_take(&recorder->conditions, now_ns(), options->recent.last_ns))
		recorder->is_part_wanted = true;
	if (recorder->is_stopped || (!is_full && !recorder->is_part_wanted))
		return 0;
	if (!recorder->is_part_wanted && must_go_on(recorder))
		return 0;
	if (!recorder->is_part_wanted || !options->recent.is_given)
		return recorder_switch_file(recorder);
	recorder_dump(recorder, &err); /* a failure is in the notes */
	return err;
}

static int timeout_ms(const struct recorder *recorder)
{
	uint64_t now = now_ns(), wanted = recording_observers_interval_ns(recorder->observers);
	uint64_t next = now + (wanted < interval_ns(recorder) ? wanted : interval_ns(recorder));

	if (recorder->schedule.look_ns < next) /* at once when sampling begins */
		next = recorder->schedule.look_ns;
	if (recorder->schedule.enable_ns < next)
		next = recorder->schedule.enable_ns;
	if (recorder->schedule.stop_ns < next)
		next = recorder->schedule.stop_ns;
	if (recorder->schedule.part_ns < next)
		next = recorder->schedule.part_ns;
	return next > now ? (int)((next - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC) : 0;
}

static void wait_for_work(struct recorder *recorder)
{
	bool all_hung_up = false;

	if (recorder->drain.is_behind || cpu_hotplug_is_busy(&recorder->hotplug))
		return;
	int n = evlist_wait(recorder->events.evlist, recorder->wake_fd, timeout_ms(recorder),
			    &all_hung_up);
	if (n < 0 || all_hung_up) {
		/* The end of a command is known from SIGCHLD. */
		if (!recorder->has_command)
			recorder->is_stopped = true;
		else if (n <= 0)
			poll(&(struct pollfd){ recorder->options->signals->fd, POLLIN, 0 }, 1,
			     timeout_ms(recorder));
	}
}

static void keep_pace(struct recorder *recorder)
{
	if (!recorder->file.builder.pid)
		return;
	builder_pace_keep(&recorder->pace, data_writer_n_waiting(recorder->file.writer));
	recorder->drain.leaves_stacks = recorder->pace.leaves_stacks;
}

static int record(struct recorder *recorder)
{
	int err = 0;

	while (!recorder->is_stopped && err >= 0) {
		wait_for_work(recorder);
		handle_signals(recorder);
		keep_pace(recorder);
		err = recorder_mark_phases(recorder);
		if (err >= 0)
			err = recorder_take_control(recorder);
		if (err >= 0)
			err = drain_round(&recorder->drain);
		if (err >= 0)
			err = cpu_hotplug_run(&recorder->hotplug);
		if (err >= 0)
			err = keep_time(recorder);
		if (err >= 0)
			err = keep_parts(recorder);
		recorder_end_former(recorder, false);
		keep_size(recorder);
	}
	return err < 0 ? err : 0;
}

static int finish(struct recorder *recorder, struct recorder_summary *summary)
{
	evlist_disable(recorder->events.evlist);
	builder_pace_end(&recorder->pace);
	summary->end_ns = now_ns();
	summary->duration_ns = summary->end_ns - recorder->schedule.start_ns;
	int err = recorder_mark_phases(recorder);
	recorder_keep_error(&err, drain_all(&recorder->drain));
	const uint64_t end_ns = now_ns();
	if (!recorder->drain.n_samples && !recorder->n_observed_samples)
		target_times_end(&recorder->target_times, end_ns - recorder->schedule.enabled_ns);
	recorder_keep_error(&err, recorder_finish_file(recorder, end_ns));
	return err;
}

/* The command may outlive the recording; it gets SIGTERM, as from perf. By now a second ^C
 * ends the recorder as well. */
static void end_command(struct recorder *recorder, struct recorder_summary *summary)
{
	recorder_lower_priority(recorder);
	if (!recorder->has_command)
		return;
	if (!command_poll(&recorder->command)) {
		kill(recorder->command.pid, SIGTERM);
		recorder_signals_release(recorder->options->signals);
		command_wait(&recorder->command);
	}
	summary->has_command_exit_code = true;
	summary->command_exit_code = command_exit_code(&recorder->command);
}

void recorder_run(struct recorder *recorder, struct recorder_summary *summary_ret)
{
	struct recorder_summary summary = { 0 };

	int err = 0;
	summary.command_error = start(recorder, &err);
	if (!summary.command_error && !err)
		err = record(recorder);
	/* Without, the next part could not begin. */
	if (recorder->observers && recorder->file.writer)
		recorder_keep_error(&err, finish(recorder, &summary));
	summary.is_output_gone = recording_file_is_gone(&recorder->file);
	if (!err && !summary.is_output_gone && recorder_options_have_parts(recorder->options))
		err = recorder_keep_part(recorder, recorder_present_ns(&recorder->drain));
	recorder_end_former(recorder, true);
	if (!err && recorder->options->recent.is_given)
		recorder_keep_error(&err, recorder_save_recent(recorder, &err));
	summary.write_error = err;
	end_command(recorder, &summary);

	summary.n_samples = recorder_n_samples(recorder);
	summary.n_bytes = recorder->n_bytes;
	if (recorder->file.writer)
		summary.n_bytes += data_writer_n_bytes(recorder->file.writer);
	summary.n_parts = recorder->parts.n_parts;
	summary.n_removed_parts = recorder->parts.n_removed;
	summary.n_lost = recorder->n_lost;
	summary.is_last_part = recorder->recent.n_dropped;
	summary.n_kept_samples = recorder->recent.n_samples;
	summary.n_lost_sideband = recorder->drain.n_lost_sideband;
	summary.n_throttled = recorder->drain.n_throttled;
	summary.n_corrupt_rings = recorder->drain.n_corrupt_rings;
	*summary_ret = recorder->summary = summary;
}
