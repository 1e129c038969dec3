#include "collector/record/recorder.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "collector/attached/event_counts.h"
#include "collector/record/builder_pace.h"
#include "collector/record/control/phase_marks.h"
#include "collector/record/control/record_control.h"
#include "collector/record/cpu_hotplug.h"
#include "collector/record/drain.h"
#include "collector/record/observers/observer_table.h"
#include "collector/record/parts/output_switch.h"
#include "collector/record/parts/recent_parts.h"
#include "collector/record/record_advice.h"
#include "collector/record/recording_events.h"
#include "collector/record/recording_file.h"
#include "collector/record/recording_start.h"
#include "collector/record/start/command.h"
#include "collector/record/start/output_file.h"
#include "collector/record/target_times.h"
#include "perf/kernel/debug_registers.h"
#include "perf/records/window_record.h"

/* The rings are read this often even if they have not filled, and files that may soon be deleted
 * are checked. */
#define DRAIN_INTERVAL_NS (100 * NSEC_PER_MSEC)
/* A kill -9 loses at most the samples of this time. */
#define FLUSH_INTERVAL_NS (NSEC_PER_SEC / 4)
/* How long a command is still recorded after SIGTERM was sent to it. */
#define GRACE_NS NSEC_PER_SEC

/* Times at which something is due, on the clock of the records. */
struct schedule {
	uint64_t start_ns, stop_ns; /* stop_ns: when it ends; UINT64_MAX: no limit */
	uint64_t enable_ns;         /* samples begin then; UINT64_MAX: they have */
	uint64_t enabled_ns;        /* when they began */
	uint64_t look_ns, flush_ns;
	uint64_t part_ns; /* when the part at hand of the output ends; UINT64_MAX: not by time */
};

struct recorder {
	const struct recorder_options *options;
	struct recording_notes notes;
	struct recording_start start;
	struct recording_events events;
	struct recording_file file;
	struct command command;
	bool has_command;
	struct stack_output stack_output;
	struct observed_recording observed;
	struct recording_observers *observers;
	struct second_stacks *second_stacks; /* NULL: there are none */
	struct drain drain;
	struct builder_pace pace;
	uint64_t n_observed_samples; /* written by observers */
	struct cpu_hotplug hotplug;
	struct phase_marks phases;
	uint64_t n_phase_signals; /* that are to be marked */
	struct record_control control;
	struct output_switch parts;
	struct int_list live_pids; /* that a part after the first begins with */
	uint64_t n_bytes, n_lost;  /* of parts that are whole */
	bool is_part_wanted;       /* by a signal */
	struct recent_parts recent;
	uint64_t part_begin_ns, n_part_samples; /* the time of the part at hand, samples before */
	bool has_begun, is_on;                  /* samples are taken; or were, if only has_begun */
	int wake_fd; /* readable when a descriptor other than those of the rings is */
	struct schedule schedule;
	struct target_times target_times; /* of processes that run already */
	bool is_stopped;
	struct recorder_summary summary; /* once it was run */
};

size_t recorder_n_notes(const struct recorder *recorder)
{
	return recorder->notes.n;
}

const char *recorder_note(const struct recorder *recorder, size_t index, bool *is_detail_ret)
{
	*is_detail_ret = recorder->notes.notes[index].is_detail;
	return recorder->notes.notes[index].text;
}

static int open_signals(struct recorder *recorder)
{
	int err = recorder_signals_open(recorder->options->signals);

	return err ? recording_notes_explain(&recorder->notes, err, "cannot catch signals: %s.",
					     strerror(-err))
		   : 0;
}

static int fork_command(struct recorder *recorder)
{
	const struct recorder_options *options = recorder->options;
	bool is_stdout_ours = options->output && strcmp(options->output, "-") == 0;

	if (!options->command)
		return 0;
	int err = command_fork(&recorder->command, options->command,
			       is_stdout_ours ? STDERR_FILENO : -1,
			       &recorder->options->signals->old_mask);
	if (err)
		return recording_notes_explain(&recorder->notes, err,
					       "cannot start a process for the command: %s.",
					       strerror(-err));
	recorder->has_command = true;
	return 0;
}

static int watch_fd(const struct recorder *recorder, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(recorder->wake_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static int watch_observers(const struct recorder *recorder)
{
	int err = 0, fd;

	for (size_t i = 0; !err && (fd = recording_observers_wake_fd(recorder->observers, i)) >= 0;
	     i++) {
		err = watch_fd(recorder, fd);
		if (err == -EEXIST) /* of the events: it was watched for another part, too */
			err = 0;
	}
	return err;
}

static int watch_fds(struct recorder *recorder)
{
	int err = 0;

	recorder->wake_fd = epoll_create1(EPOLL_CLOEXEC);
	if (recorder->wake_fd < 0)
		return -errno;
	err = watch_fd(recorder, recorder->options->signals->fd);
	if (!err && recorder->hotplug.n_cpus && recorder->hotplug.uevents_fd >= 0)
		err = watch_fd(recorder, recorder->hotplug.uevents_fd);
	if (!err && recorder->phases.lines.fd >= 0)
		err = watch_fd(recorder, recorder->phases.lines.fd);
	if (!err && recorder->control.lines.fd >= 0)
		err = watch_fd(recorder, recorder->control.lines.fd);
	return err ? err : watch_observers(recorder);
}

/* The steps that may be refused, in this order: events are opened on a command that exists. */
static int open_events(struct recorder *recorder)
{
	int err = recording_events_find(&recorder->events, recorder->options, &recorder->notes);

	if (!err)
		err = open_signals(recorder);
	if (!err)
		err = fork_command(recorder);
	if (!err)
		err = recording_events_open(&recorder->events, recorder->options,
					    recorder->command.pid, &recorder->notes);
	return err ? err
		   : recording_file_create(&recorder->file, recorder->options,
					   recorder->events.evlist, &recorder->notes);
}

static const struct evlist_event *find_off_cpu(const struct recorder *recorder)
{
	const struct recorder_options *options = recorder->options;

	for (size_t i = 0; i < options->n_events; i++) {
		if (options->events[i].weight.kind == WEIGHT_OFF_CPU)
			return &recorder->events.evlist->events[i];
	}
	return NULL;
}

static const struct int_list *find_tids(const struct recorder *recorder)
{
	const struct recorder_options *options = recorder->options;

	if (recorder->events.is_system_wide)
		return NULL;
	return options->tids.n ? &options->tids : &recorder->events.tids;
}

static void prepare_synthesis(struct recorder *recorder)
{
	const struct evlist *evlist = recorder->events.evlist;
	const struct evlist_event *sideband = &evlist->events[evlist->n_events];
	const struct int_list *pids = &recorder->events.pids;
	bool has_all = recorder->events.is_system_wide;

	recorder->start.command_pid = recorder->has_command ? recorder->command.pid : 0;
	recorder->start.synthesize = (struct synthesize_options){
		.writer = recorder->file.writer,
		.observers = recorder->observers,
		.attr = &sideband->attr,
		.id = sideband->n_ids ? sideband->ids[0] : 0,
		.proc = "/proc",
		.pids = has_all ? NULL : pids->values,
		.n_pids = has_all ? 0 : pids->n,
	};
}

static int watch_cpus(struct recorder *recorder)
{
	const bool is_system_wide = recorder->events.is_system_wide;

	if (!is_system_wide && !recorder->events.evlist->second_stacks.n_ids)
		return 0;
	return cpu_hotplug_init(&recorder->hotplug, &recorder->drain, &recorder->events.absent_cpus,
				&recorder->notes,
				is_system_wide ? &recorder->start.synthesize : NULL);
}

static int follow_processes(struct recorder *recorder)
{
	const struct int_list *pids = &recorder->events.pids;
	int err = recorder->has_command
			  ? int_list_insert(&recorder->live_pids, recorder->command.pid)
			  : 0;

	for (size_t i = 0; i < pids->n && !err; i++)
		err = int_list_insert(&recorder->live_pids, pids->values[i]);
	recorder->drain.live_pids = &recorder->live_pids;
	return err;
}

static int begin_observers(struct recorder *recorder)
{
	struct observed_recording *observed = &recorder->observed;

	recorder->stack_output.writer = recorder->file.writer;
	int err = second_stacks_create(recorder->events.evlist, &recorder->stack_output,
				       &recorder->second_stacks);
	if (err)
		return err;
	drain_init(&recorder->drain, recorder->events.evlist, recorder->file.writer,
		   &recorder->stack_output, recorder->observers, recorder->second_stacks);
	if (recorder_options_have_parts(recorder->options) && !recorder->events.is_system_wide) {
		err = follow_processes(recorder);
		if (err)
			return err;
	}
	if (recorder->options->builder)
		builder_pace_init(&recorder->pace, recorder->options->builder->is_watched
							   ? 0
							   : recorder->options->builder->pid);
	observed->evlist = recorder->events.evlist;
	observed->writer = recorder->file.writer;
	observed->stack_output = &recorder->stack_output;
	observed->n_samples = &recorder->n_observed_samples;
	observed->off_cpu = find_off_cpu(recorder);
	observed->tids = find_tids(recorder);
	observed->has_known_clock = recorder->drain.has_known_clock;
	observed->completes_stacks = recorder->options->deep_stacks != DEEP_STACKS_CUT;
	observed->watches_stacks =
		recorder->options->deep_stacks == DEEP_STACKS_WATCHED || debug_registers_are_safe();
	observed->has_vdso32 = recorder->start.has_vdso32;
	err = recording_observers_begin(recorder->observers);
	if (!err)
		err = watch_cpus(recorder);
	return err ? err : watch_fds(recorder);
}

static int open_all(struct recorder *recorder)
{
	const char *phase_fifo = recorder->options->phase_fifo;
	int err =
		phase_fifo ? phase_marks_open(&recorder->phases, phase_fifo, &recorder->notes) : 0;
	if (!err && recorder->options->control.is_given)
		err = record_control_open(&recorder->control, &recorder->options->control,
					  &recorder->notes);
	if (err)
		return err;
	err = recording_start_prepare(&recorder->start);
	if (err)
		return err;
	err = recording_observers_create(observer_table, N_OBSERVERS, &recorder->observed,
					 &recorder->observers);
	if (err && recorder->notes.error)
		return err;
	if (err)
		return recording_notes_explain(&recorder->notes, err, "out of memory.");
	err = open_events(recorder);
	if (err)
		return err;
	err = begin_observers(recorder);
	if (err)
		return recording_notes_explain(&recorder->notes, err,
					       "cannot prepare to record: %s.", strerror(-err));
	prepare_synthesis(recorder);
	return recording_start_write(&recorder->start);
}

int recorder_open(const struct recorder_options *options, struct recorder **recorder_ret,
		  char **error_ret)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));

	*error_ret = NULL;
	if (!recorder)
		return -ENOMEM;
	recorder->options = options;
	recorder->file.fd = recorder->wake_fd = -1;
	phase_marks_init(&recorder->phases);
	record_control_init(&recorder->control);
	recorder->start.options = options;
	recorder->start.notes = recorder->observed.notes = &recorder->notes;
	recorder->start.drain = &recorder->drain;
	recorder->observed.proc = "/proc";
	recorder->observed.records_wakers = options->has_wakers;
	int err = open_all(recorder);
	if (err) {
		*error_ret = steal_ptr(recorder->notes.error);
		recorder_close(recorder);
		return err;
	}
	*recorder_ret = recorder;
	return 0;
}

void recorder_close(struct recorder *recorder)
{
	if (!recorder)
		return;
	target_times_deinit(&recorder->target_times);
	cpu_hotplug_deinit(&recorder->hotplug);
	phase_marks_close(&recorder->phases);
	output_switch_deinit(&recorder->parts);
	recent_parts_deinit(&recorder->recent);
	int_list_deinit(&recorder->live_pids);
	record_control_close(&recorder->control);
	recording_observers_destroy(recorder->observers);
	second_stacks_destroy(recorder->second_stacks);
	recording_file_deinit(&recorder->file);
	recording_events_deinit(&recorder->events, recorder->options);
	if (recorder->has_command)
		command_deinit(&recorder->command);
	recording_start_deinit(&recorder->start);
	cleanup_close(&recorder->wake_fd);
	recorder_signals_deinit(recorder->options->signals);
	recording_notes_deinit(&recorder->notes);
	free(recorder);
}

/* The thread that empties the rings must not wait for the load that it records. Children do not
 * inherit the priority. */
static void raise_priority(struct recorder *recorder)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) == 0)
		recording_notes_add(
			&recorder->notes, true,
			"the rings are emptied with real-time priority (SCHED_FIFO 1).");
	else if (setpriority(PRIO_PROCESS, 0, -20) == 0)
		recording_notes_add(&recorder->notes, true,
				    "the rings are emptied with nice value -20.");
	else
		recording_notes_add(
			&recorder->notes, true,
			"the rings are emptied with normal priority: samples may be lost on a busy "
			"machine.");
}

/* The time from which, or until which, threads that sleep are counted. */
static int write_window(struct recorder *recorder, enum window_record_kind kind, uint64_t time_ns)
{
	struct window_record record;

	/* Parts in memory get theirs when they are joined. */
	if (!recorder->observed.off_cpu || recorder->options->recent.is_given)
		return 0;
	window_record_init(&record, kind, time_ns);
	return data_writer_append(recorder->file.writer, &record.header, sizeof(record));
}

/* Enables the events: samples begin. */
static int enable(struct recorder *recorder)
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
	recorder->is_on = recorder->has_begun = true;
	return write_window(recorder, WINDOW_RECORD_BEGIN, recorder->schedule.enabled_ns);
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

static uint64_t present_ns(const struct drain *drain)
{
	return drain->has_known_clock ? now_ns() : drain->newest_ns;
}

static void write_lost(struct recorder *recorder)
{
	struct evlist *evlist = recorder->events.evlist;
	bool is_known = true;
	uint64_t total = 0;

	for (size_t i = 0; i < evlist->n_events && is_known; i++) {
		const struct evlist_event *event = &evlist->events[i];
		uint64_t n = evlist_read_lost(evlist, i, &is_known);

		if (!is_known || !n)
			continue;
		total += n;
		synthesize_lost(&recorder->start.synthesize, event->ids[0], n,
				recorder->drain.newest_ns);
	}
	recorder->n_lost = is_known ? recorder->n_lost + total : recorder->drain.n_lost;
}

static void keep_error(int *first, int err)
{
	if (!*first)
		*first = err;
}

/* Whatever fails, all that observers keep goes into the file: the first error is returned. */
static int finish_file(struct recorder *recorder, uint64_t end_ns)
{
	struct recording_observers *observers = recorder->observers;
	struct data_writer *writer = recorder->file.writer;
	int err = write_window(recorder, WINDOW_RECORD_END, end_ns);

	keep_error(&err, recording_observers_look(observers, true));
	write_lost(recorder);
	keep_error(&err, event_counts_write(recorder->events.evlist, writer));
	keep_error(&err, recording_observers_write_waiting(observers, SIZE_MAX));
	keep_error(&err, recording_observers_finish(observers));
	keep_error(&err, data_writer_finish(writer));
	return err;
}

static uint64_t n_samples(const struct recorder *recorder)
{
	return recorder->drain.n_samples + recorder->n_observed_samples;
}

static int keep_recent(struct recorder *recorder, uint64_t end_ns)
{
	const struct recent_part part = {
		.fd = recorder->file.fd,
		.begin_ns = recorder->part_begin_ns,
		.end_ns = end_ns,
		.size = data_writer_n_bytes(recorder->file.writer),
		.n_samples = n_samples(recorder) - recorder->n_part_samples,
	};

	recorder->file.fd = -1;
	return recent_parts_add(&recorder->recent, &recorder->options->recent, &part);
}

/* The finished file gets the name of a part, or its place among those in memory. */
static int keep_part(struct recorder *recorder, uint64_t end_ns)
{
	const struct recorder_options *options = recorder->options;
	int err = 0;

	if (options->recent.is_given)
		err = keep_recent(recorder, end_ns);
	else
		recorder->n_bytes += data_writer_n_bytes(recorder->file.writer);
	recording_file_deinit(&recorder->file);
	recorder->file = (struct recording_file){ .fd = -1 };
	return err || options->recent.is_given
		       ? err
		       : output_switch_keep(&recorder->parts, &options->parts, options->output);
}

static void schedule_part(struct recorder *recorder, uint64_t begin_ns)
{
	const struct recorder_options *options = recorder->options;
	const uint64_t time_ns = options->recent.is_given ? recent_part_ns(&options->recent)
							  : options->parts.time_ns;

	recorder->schedule.part_ns = time_ns ? now_ns() + time_ns : UINT64_MAX;
	recorder->part_begin_ns = begin_ns;
	recorder->n_part_samples = n_samples(recorder);
}

/* An exit may have been read before the fork. */
static void forget_processes(struct int_list *pids)
{
	for (size_t i = pids->n; i-- > 0;) {
		if (kill(pids->values[i], 0) < 0 && errno == ESRCH)
			int_list_remove(pids, pids->values[i]);
	}
}

/* The observers begin anew, and see the mappings that are there, as at the start: so all that they
 * have to add is in this file, too. */
static int begin_next_file(struct recorder *recorder, uint64_t begin_ns)
{
	struct synthesize_options *synthesize = &recorder->start.synthesize;
	struct observed_recording *observed = &recorder->observed;
	int err = recording_observers_create(observer_table, N_OBSERVERS, observed,
					     &recorder->observers);

	if (!err)
		err = recording_file_create(&recorder->file, recorder->options,
					    recorder->events.evlist, &recorder->notes);
	if (err)
		return err;
	struct data_writer *writer = recorder->file.writer;
	recorder->stack_output.writer = observed->writer = synthesize->writer = writer;
	recorder->stack_output.misses = (struct stack_misses){ 0 };
	synthesize->observers = recorder->observers;
	synthesize->is_again = true;
	if (!recorder->events.is_system_wide) {
		forget_processes(&recorder->live_pids);
		synthesize->pids = recorder->live_pids.values;
		synthesize->n_pids = recorder->live_pids.n;
	}
	drain_redirect(&recorder->drain, writer, recorder->observers);
	err = recording_observers_begin(recorder->observers);
	if (!err)
		err = watch_observers(recorder);
	if (!err)
		err = recording_start_write(&recorder->start);
	if (!err && recorder->has_begun)
		err = write_window(recorder, WINDOW_RECORD_BEGIN, begin_ns);
	return err ? err : phase_marks_renew(&recorder->phases, writer, begin_ns);
}

/* Ends the file at hand with all that was recorded until now, and begins the next. */
static int switch_file(struct recorder *recorder)
{
	int err = drain_round(&recorder->drain);
	const uint64_t time_ns = present_ns(&recorder->drain);

	recorder->is_part_wanted = false;
	if (err >= 0)
		err = recording_start_prepare(&recorder->start);
	recorder->observed.goes_on = recorder->options->recent.is_given;
	if (err >= 0)
		err = finish_file(recorder, time_ns);
	recorder->observed.goes_on = false;
	if (err < 0)
		return err;
	evlist_restart_counts(recorder->events.evlist);
	recording_observers_destroy(steal_ptr(recorder->observers));
	err = keep_part(recorder, time_ns);
	if (err)
		return err;
	schedule_part(recorder, time_ns);
	return begin_next_file(recorder, time_ns);
}

/* Copies the parts to @fd. Meanwhile the rings are emptied, if there is a file for that. 0 or
 * -errno;
 * *@err of the recording, as elsewhere. */
static int write_recent(struct recorder *recorder, int fd, int *err)
{
	const bool has_windows = recorder->observed.off_cpu && recorder->has_begun;
	struct recent_join *join;
	int more = recent_join_begin(&recorder->recent, has_windows, fd, &join);

	if (more)
		return more;
	do {
		more = recent_join_step(join);
		if (recorder->file.writer && *err >= 0)
			*err = drain_round(&recorder->drain);
	} while (more > 0 && *err >= 0);
	*err = *err < 0 ? *err : 0;
	recorder->n_bytes += recent_join_n_bytes(join);
	recent_join_destroy(join);
	return more < 0 ? more : 0;
}

/* Writes what is in memory to the output. The same results. */
static int save_recent(struct recorder *recorder, int *err)
{
	const char *output = recorder->options->output;
	bool is_pipe;
	_cleanup_close_ int fd = output_file_open(output, &is_pipe);
	int save_err = fd < 0 ? fd : write_recent(recorder, fd, err);

	if (save_err)
		recording_notes_add(&recorder->notes, false, "cannot write '%s': %s.", output,
				    strerror(-save_err));
	return save_err;
}

/* The last part until now becomes a file, and the recording goes on. NULL, or why it does not
 * become one. */
static const char *dump(struct recorder *recorder, int *err)
{
	const struct recorder_options *options = recorder->options;

	*err = switch_file(recorder);
	if (*err < 0)
		return "the recording cannot go on";
	if (save_recent(recorder, err) ||
	    output_switch_keep(&recorder->parts, &options->parts, options->output))
		return "the file cannot be written";
	return NULL;
}

static const char *turn_on(struct recorder *recorder, int *err)
{
	if (recorder->is_on)
		return NULL;
	if (!recorder->has_begun) {
		*err = enable(recorder);
		return NULL;
	}
	recorder->is_on = evlist_pause(recorder->events.evlist, false) == 0;
	return recorder->is_on ? NULL : "the kernel refuses to enable the events";
}

/* A sleeping thread would have the time of the pause, too. */
static const char *turn_off(struct recorder *recorder)
{
	if (!recorder->is_on)
		return NULL;
	if (recorder->observed.off_cpu)
		return "off-cpu cannot be disabled: stop the recording";
	recorder->is_on = false;
	return evlist_pause(recorder->events.evlist, true)
		       ? "the kernel refuses to disable the events"
		       : NULL;
}

static void list_events(struct recorder *recorder)
{
	for (size_t i = 0; i < recorder->options->n_events; i++)
		record_control_list(&recorder->control, recorder->options->events[i].name);
}

/* Why the word of @line cannot be obeyed; NULL: it is. *@err: of the recording, as elsewhere. */
static const char *obey(struct recorder *recorder, const char *line, int *err)
{
	const char *argument;

	switch (control_word_parse(line, &argument)) {
	case CONTROL_ENABLE:
		return turn_on(recorder, err);
	case CONTROL_DISABLE:
		return turn_off(recorder);
	case CONTROL_STOP:
		recorder->is_stopped = true;
		return NULL;
	case CONTROL_PING:
		return NULL;
	case CONTROL_EVLIST:
		list_events(recorder);
		return NULL;
	case CONTROL_PHASE:
		*err = phase_marks_begin(&recorder->phases, recorder->file.writer,
					 present_ns(&recorder->drain), argument);
		return NULL;
	case CONTROL_SNAPSHOT:
		if (recorder->options->parts.is_given) {
			*err = switch_file(recorder);
			return *err ? "the file cannot be written" : NULL;
		}
		if (recorder->options->recent.is_given)
			return dump(recorder, err);
		return "the recording is one file, which has all samples";
	case CONTROL_UNKNOWN:
		break;
	}
	return "not a word of dendro: enable, disable, stop, ping, evlist, snapshot, phase NAME";
}

static int take_control(struct recorder *recorder)
{
	struct line_channel *lines = &recorder->control.lines;
	const char *line;
	int err = 0;

	if (lines->fd < 0)
		return 0;
	line_channel_look(lines);
	while (!err && (line = line_channel_next(lines)))
		record_control_answer(&recorder->control, obey(recorder, line, &err));
	if (lines->has_ended) {
		epoll_ctl(recorder->wake_fd, EPOLL_CTL_DEL, lines->fd, NULL);
		lines->fd = -1;
	}
	return err;
}

/* Before records are read that may be later. */
static int mark_phases(struct recorder *recorder)
{
	struct phase_marks *phases = &recorder->phases;
	struct data_writer *writer = recorder->file.writer;
	int err = 0;

	if (phase_marks_look(phases))
		err = phase_marks_take_lines(phases, writer, present_ns(&recorder->drain));
	for (; !err && recorder->n_phase_signals; recorder->n_phase_signals--)
		err = phase_marks_begin_next(phases, writer, present_ns(&recorder->drain));
	return err;
}

/* 0, or why the command could not be started. */
static int start(struct recorder *recorder, int *write_error_ret)
{
	const struct recorder_options *options = recorder->options;
	struct schedule *schedule = &recorder->schedule;
	bool is_command_only = recorder->has_command && !options->is_system_wide &&
			       !recorder_options_are_attached(options);

	schedule->start_ns = now_ns();
	schedule->flush_ns = schedule->start_ns + FLUSH_INTERVAL_NS;
	schedule->stop_ns =
		options->duration_ns ? schedule->start_ns + options->duration_ns : UINT64_MAX;
	schedule->enable_ns = UINT64_MAX;
	schedule_part(recorder, schedule->start_ns);
	raise_priority(recorder);
	if (options->delay_ns)
		schedule->enable_ns = schedule->start_ns + options->delay_ns;
	else if (!is_command_only && !options->starts_disabled)
		*write_error_ret = enable(recorder);
	else if (!options->starts_disabled)
		recorder->is_on = recorder->has_begun = true;
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

/* What is due by the clock. */
static int keep_time(struct recorder *recorder)
{
	uint64_t now = now_ns();

	if (now >= recorder->schedule.enable_ns) {
		int err = enable(recorder);
		if (err)
			return err;
	}
	if (now >= recorder->schedule.stop_ns)
		recorder->is_stopped = true;
	if (now >= recorder->schedule.look_ns) {
		recorder->schedule.look_ns = now + DRAIN_INTERVAL_NS;
		evlist_vary_rates(recorder->events.evlist);
		int err = recording_observers_look(recorder->observers, false);
		if (err)
			return err;
	}
	if (now < recorder->schedule.flush_ns)
		return 0;
	recorder->schedule.flush_ns = now + FLUSH_INTERVAL_NS;
	return data_writer_flush(recorder->file.writer);
}

static int keep_parts(struct recorder *recorder)
{
	const struct recorder_options *options = recorder->options;
	const uint64_t size =
		options->recent.is_given ? recent_part_size(&options->recent) : options->parts.size;
	const bool is_full = now_ns() >= recorder->schedule.part_ns ||
			     (size && data_writer_n_bytes(recorder->file.writer) >= size);
	int err = 0;

	if (recorder->is_stopped || (!is_full && !recorder->is_part_wanted))
		return 0;
	if (!recorder->is_part_wanted || !options->recent.is_given)
		return switch_file(recorder);
	dump(recorder, &err); /* a failure is in the notes */
	return err;
}

static int timeout_ms(const struct recorder *recorder)
{
	uint64_t now = now_ns(), wanted = recording_observers_interval_ns(recorder->observers);
	uint64_t next = now + (wanted < DRAIN_INTERVAL_NS ? wanted : DRAIN_INTERVAL_NS);

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
	if (!recorder->options->builder)
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
		err = mark_phases(recorder);
		if (err >= 0)
			err = take_control(recorder);
		if (err >= 0)
			err = drain_round(&recorder->drain);
		if (err >= 0)
			err = cpu_hotplug_run(&recorder->hotplug);
		if (err >= 0)
			err = keep_time(recorder);
		if (err >= 0)
			err = keep_parts(recorder);
		keep_size(recorder);
	}
	return err < 0 ? err : 0;
}

static int finish(struct recorder *recorder, struct recorder_summary *summary)
{
	evlist_disable(recorder->events.evlist);
	builder_pace_end(&recorder->pace);
	summary->duration_ns = now_ns() - recorder->schedule.start_ns;
	int err = mark_phases(recorder);
	keep_error(&err, drain_all(&recorder->drain));
	const uint64_t end_ns = now_ns();
	if (!recorder->drain.n_samples && !recorder->n_observed_samples)
		target_times_end(&recorder->target_times, end_ns - recorder->schedule.enabled_ns);
	keep_error(&err, finish_file(recorder, end_ns));
	return err;
}

/* The command may outlive the recording; it gets SIGTERM, as from perf. By now a second ^C
 * ends the recorder as well. */
static void end_command(struct recorder *recorder, struct recorder_summary *summary)
{
	struct sched_param param = { 0 };

	sched_setscheduler(0, SCHED_OTHER, &param);
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
		keep_error(&err, finish(recorder, &summary));
	summary.is_output_gone = recording_file_is_gone(&recorder->file);
	if (!err && !summary.is_output_gone && recorder_options_have_parts(recorder->options))
		err = keep_part(recorder, present_ns(&recorder->drain));
	if (!err && recorder->options->recent.is_given)
		keep_error(&err, save_recent(recorder, &err));
	summary.write_error = err;
	end_command(recorder, &summary);

	summary.n_samples = n_samples(recorder);
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

void recorder_report(struct recorder *recorder, bool is_verbose)
{
	record_advice_add(&recorder->summary, &recorder->notes);
	builder_pace_describe(&recorder->pace, recorder->drain.n_left_out, &recorder->notes);
	if (!recorder->summary.n_lost)
		target_times_explain(&recorder->target_times, &recorder->notes);
	phase_marks_describe(&recorder->phases, &recorder->notes);
	record_control_describe(&recorder->control, &recorder->notes);
	second_stacks_describe(recorder->second_stacks, &recorder->notes);
	if (recorder->observers)
		recording_observers_report(recorder->observers, is_verbose, &recorder->notes);
}
