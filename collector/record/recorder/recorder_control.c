/* Obeys the words of --control, and marks phases. */
#include <sys/epoll.h>

#include "collector/record/recorder/recorder_private.h"

static const char *turn_on(struct recorder *recorder, int *err)
{
	if (recorder->is_on)
		return NULL;
	if (!recorder->has_begun) {
		*err = recorder_enable(recorder);
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
					 recorder_present_ns(&recorder->drain), argument);
		return NULL;
	case CONTROL_SNAPSHOT:
		if (recorder->options->parts.is_given) {
			*err = recorder_switch_file(recorder);
			return *err ? "the file cannot be written" : NULL;
		}
		if (recorder->options->recent.is_given)
			return recorder_dump(recorder, err);
		return "the recording is one file, which has all samples";
	case CONTROL_UNKNOWN:
		break;
	}
	return "not a word of dendro: enable, disable, stop, ping, evlist, snapshot, phase NAME";
}

int recorder_take_control(struct recorder *recorder)
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

int recorder_mark_phases(struct recorder *recorder)
{
	struct phase_marks *phases = &recorder->phases;
	struct data_writer *writer = recorder->file.writer;
	int err = 0;

	if (phase_marks_look(phases))
		err = phase_marks_take_lines(phases, writer, recorder_present_ns(&recorder->drain));
	for (; !err && recorder->n_phase_signals; recorder->n_phase_signals--)
		err = phase_marks_begin_next(phases, writer, recorder_present_ns(&recorder->drain));
	return err;
}
