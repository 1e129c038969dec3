#include "collector/record/recorder/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "cct/base/cleanup.h"
#include "collector/record/observers/observer_table.h"
#include "collector/record/record_advice.h"
#include "collector/record/recorder/recorder_private.h"
#include "perf/kernel/debug_registers.h"

size_t recorder_n_notes(const struct recorder *recorder)
{
	return recorder->notes.n;
}

const char *recorder_note(const struct recorder *recorder, size_t index, bool *is_detail_ret)
{
	*is_detail_ret = recorder->notes.notes[index].is_detail;
	return recorder->notes.notes[index].text;
}

struct recorder_plan recorder_plan(const struct recorder *recorder)
{
	const struct int_list *tids = &recorder->options->tids;

	return (struct recorder_plan){
		.evlist = recorder->events.evlist,
		.cpus = &recorder->events.cpus,
		.is_system_wide = recorder->events.is_system_wide,
		.n_processes = recorder->events.pids.n,
		.n_threads = tids->n ? tids->n : recorder->events.tids.n,
	};
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
	setpriority(PRIO_PROCESS, (id_t)recorder->command.pid, recorder->usual_nice);
	return 0;
}

static int watch_fd(const struct recorder *recorder, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(recorder->wake_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int recorder_watch_observers(const struct recorder *recorder)
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
	return err ? err : recorder_watch_observers(recorder);
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
					   recorder->events.evlist, &recorder->start.vdsos,
					   &recorder->notes);
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

/* Of struct observed_recording. */
static int find_watch_err(const struct recorder_options *options)
{
	if (options->deep_stacks == DEEP_STACKS_SAFE && !debug_registers_are_safe())
		return -ENOTSUP;
	return options->deep_stacks == DEEP_STACKS_CUT || debug_registers_work() ? 0 : -ENODEV;
}

static int begin_observers(struct recorder *recorder)
{
	struct observed_recording *observed = &recorder->observed;

	recorder->stack_output.writer = recorder->file.writer;
	int err = second_stacks_create(recorder->events.evlist, &recorder->stack_output,
				       &recorder->second_stacks);
	if (!err)
		err = ring_memory_create(recorder->events.evlist, &recorder->memory);
	if (err)
		return err;
	drain_init(&recorder->drain, recorder->events.evlist, recorder->file.writer,
		   &recorder->stack_output, recorder->observers, recorder->second_stacks);
	recorder->drain.memory = recorder->memory;
	if (recorder->conditions.n)
		recorder->drain.conditions = &recorder->conditions;
	if (recorder_options_have_parts(recorder->options) && !recorder->events.is_system_wide) {
		err = follow_processes(recorder);
		if (err)
			return err;
	}
	observed->evlist = recorder->events.evlist;
	observed->writer = recorder->file.writer;
	observed->stack_output = &recorder->stack_output;
	observed->n_samples = &recorder->n_observed_samples;
	observed->off_cpu = find_off_cpu(recorder);
	observed->tids = find_tids(recorder);
	observed->has_known_clock = recorder->drain.has_known_clock;
	observed->completes_stacks = recorder->options->deep_stacks != DEEP_STACKS_CUT;
	observed->watch_err = find_watch_err(recorder->options);
	observed->has_vdso32 = recorder->start.vdsos.low.size;
	err = recording_observers_begin(recorder->observers);
	if (!err)
		err = watch_cpus(recorder);
	return err ? err : watch_fds(recorder);
}

/* The options were checked: what fails here is memory, or the machine. */
static int open_conditions(struct recorder *recorder)
{
	const struct recorder_options *options = recorder->options;
	enum dump_condition_error error;
	const char *wrong;

	if (!options->conditions.n)
		return 0;
	int err =
		dump_conditions_parse(&recorder->conditions, &options->conditions, options->events,
				      options->n_events, "/proc", &wrong, &error);
	return err ? err : dump_conditions_check_levels(&recorder->conditions, &recorder->notes);
}

/* FIFOs are made, and others may wait for them to be opened. */
static int open_fifos(struct recorder *recorder)
{
	const struct recorder_options *options = recorder->options;
	int err = 0;

	if (options->is_dry_run)
		return 0;
	if (options->phase_fifo)
		err = phase_marks_open(&recorder->phases, options->phase_fifo, &recorder->notes);
	if (!err && options->control.is_given)
		err = record_control_open(&recorder->control, &options->control, &recorder->notes);
	return err;
}

static int open_all(struct recorder *recorder)
{
	int err = open_fifos(recorder);

	if (!err)
		err = open_conditions(recorder);
	if (err)
		return err;
	recorder_hurry(recorder);
	err = recording_start_prepare(&recorder->start); /* its thread is waited for */
	recorder_hurry_alone(recorder);
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
	if (recorder->options->samples_first)
		recorder_begin_samples(recorder);
	err = recording_start_write(&recorder->start);
	return err || !recorder->options->samples_first ? err : recorder_write_begin(recorder);
}

int recorder_open(const struct recorder_options *options, struct recorder **recorder_ret,
		  char **error_ret)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));

	*error_ret = NULL;
	if (!recorder)
		return -ENOMEM;
	recorder->options = options;
	recorder->file.fd = recorder->former.fd = recorder->wake_fd = -1;
	phase_marks_init(&recorder->phases);
	record_control_init(&recorder->control);
	recorder->start.options = options;
	recorder->start.notes = recorder->observed.notes = &recorder->notes;
	recorder->start.drain = &recorder->drain;
	recorder->observed.proc = "/proc";
	recorder->observed.records_wakers = options->has_wakers;
	recorder->observed.follow = options->follow;
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
	dump_conditions_deinit(&recorder->conditions);
	recording_observers_destroy(recorder->observers);
	second_stacks_destroy(recorder->second_stacks);
	ring_memory_destroy(recorder->memory);
	recording_file_deinit(&recorder->former);
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

void recorder_report(struct recorder *recorder, bool is_verbose)
{
	record_advice_add(&recorder->summary, &recorder->notes);
	builder_pace_describe(&recorder->pace, recorder->drain.n_left_out, &recorder->notes);
	if (!recorder->summary.n_lost)
		target_times_explain(&recorder->target_times, &recorder->notes);
	phase_marks_describe(&recorder->phases, &recorder->notes);
	record_control_describe(&recorder->control, &recorder->notes);
	dump_conditions_describe(&recorder->conditions, &recorder->notes);
	second_stacks_describe(recorder->second_stacks, &recorder->notes);
	ring_memory_describe(recorder->memory, &recorder->notes);
	if (recorder->observers)
		recording_observers_report(recorder->observers, is_verbose, &recorder->notes);
}
