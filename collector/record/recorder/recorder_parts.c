/* Ends files of a recording, and begins the next where it has several (--switch-output,
 * --overwrite). */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "collector/attached/event_counts.h"
#include "collector/record/observers/observer_table.h"
#include "collector/record/recorder/recorder_private.h"
#include "collector/record/start/output_file.h"

int recorder_write_window(struct recorder *recorder, enum window_record_kind kind, uint64_t time_ns)
{
	struct window_record record;

	/* Parts in memory get theirs when they are joined. */
	if (!recorder->observed.off_cpu || recorder->options->recent.is_given)
		return 0;
	window_record_init(&record, kind, time_ns);
	return data_writer_append(recorder->file.writer, &record.header, sizeof(record));
}

uint64_t recorder_present_ns(const struct drain *drain)
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

void recorder_keep_error(int *first, int err)
{
	if (!*first)
		*first = err;
}

int recorder_finish_file(struct recorder *recorder, uint64_t end_ns)
{
	struct recording_observers *observers = recorder->observers;
	struct data_writer *writer = recorder->file.writer;
	int err = recorder_write_window(recorder, WINDOW_RECORD_END, end_ns);

	recorder_keep_error(&err, recording_observers_look(observers, true));
	write_lost(recorder);
	recorder_keep_error(&err, event_counts_write(recorder->events.evlist, writer));
	/* What is counted, or lost, while the rest is written is the next part's. */
	if (recorder_options_have_parts(recorder->options))
		evlist_restart_counts(recorder->events.evlist);
	recorder_keep_error(&err, recording_observers_write_waiting(observers, SIZE_MAX));
	recorder_keep_error(&err, recording_observers_finish(observers));
	/* A process may be seconds behind, and rings must not wait for it. */
	recorder_keep_error(&err, recorder->file.has_own_builder ? data_writer_flush(writer)
								 : data_writer_finish(writer));
	return err;
}

void recorder_end_former(struct recorder *recorder, bool waits)
{
	struct recording_file *former = &recorder->former;

	if (!former->writer || (!waits && data_writer_n_waiting(former->writer)))
		return;
	/* A process that is gone has lost its part, and no other. */
	if (data_writer_finish(former->writer) == 0)
		recording_file_confirm(former);
	recorder->n_bytes += data_writer_n_bytes(former->writer);
	recording_file_deinit(former);
	*former = (struct recording_file){ .fd = -1 };
}

uint64_t recorder_n_samples(const struct recorder *recorder)
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
		.n_samples = recorder_n_samples(recorder) - recorder->n_part_samples,
	};

	recorder->file.fd = -1;
	return recent_parts_add(&recorder->recent, &recorder->options->recent, &part);
}

int recorder_keep_part(struct recorder *recorder, uint64_t end_ns)
{
	const struct recorder_options *options = recorder->options;
	int err = 0;

	if (recorder->file.has_own_builder) {
		builder_link_tell_samples(options->builder->supply_fd, end_ns,
					  recorder_n_samples(recorder));
		recorder_end_former(recorder, true);
		recorder->former = recorder->file;
		recorder->file = (struct recording_file){ .fd = -1 };
		return 0;
	}
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

/* How long a part takes that begins now: the first one, and one after a step of the clock, up to an
 * eighth longer than others, or shorter. */
static uint64_t part_time_ns(const struct output_switch_choice *choice)
{
	const uint64_t time_ns = choice->time_ns;
	struct timespec now;

	if (!time_ns || !choice->is_aligned || clock_gettime(CLOCK_REALTIME, &now))
		return time_ns;
	const uint64_t left =
		time_ns - ((uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec) % time_ns;
	return left < time_ns / 8 ? left + time_ns : left;
}

void recorder_schedule_part(struct recorder *recorder, uint64_t begin_ns)
{
	const struct recorder_options *options = recorder->options;
	const uint64_t time_ns = options->recent.is_given ? recent_part_ns(&options->recent)
							  : part_time_ns(&options->parts);

	recorder->schedule.part_ns = time_ns ? now_ns() + time_ns : UINT64_MAX;
	recorder->part_begin_ns = begin_ns;
	recorder->n_part_samples = recorder_n_samples(recorder);
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
					    recorder->events.evlist, &recorder->start.vdsos,
					    &recorder->notes);
	if (err)
		return err;
	struct data_writer *writer = recorder->file.writer;
	if (recorder->file.has_own_builder)
		builder_pace_follow(&recorder->pace, recorder->file.builder.pid);
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
		err = recorder_watch_observers(recorder);
	if (!err)
		err = recording_start_write(&recorder->start);
	if (!err && recorder->has_begun)
		err = recorder_write_window(recorder, WINDOW_RECORD_BEGIN, begin_ns);
	return err ? err : phase_marks_renew(&recorder->phases, writer, begin_ns);
}

int recorder_switch_file(struct recorder *recorder)
{
	int err = drain_up_to_now(&recorder->drain);
	const uint64_t time_ns = recorder_present_ns(&recorder->drain);

	recorder->is_part_wanted = false;
	if (err >= 0)
		err = recording_start_prepare(&recorder->start);
	recorder->observed.goes_on = recorder->options->recent.is_given;
	if (recorder->file.has_own_builder)
		builder_pace_end(&recorder->pace);
	if (err >= 0)
		err = recorder_finish_file(recorder, time_ns);
	recorder->observed.goes_on = false;
	if (err < 0)
		return err;
	recording_observers_destroy(steal_ptr(recorder->observers));
	err = recorder_keep_part(recorder, time_ns);
	if (err)
		return err;
	recorder_schedule_part(recorder, time_ns);
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

int recorder_save_recent(struct recorder *recorder, int *err)
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

const char *recorder_dump(struct recorder *recorder, int *err)
{
	const struct recorder_options *options = recorder->options;

	*err = recorder_switch_file(recorder);
	if (*err < 0)
		return "the recording cannot go on";
	if (recorder_save_recent(recorder, err) ||
	    output_switch_keep(&recorder->parts, &options->parts, options->output))
		return "the file cannot be written";
	return NULL;
}
