#include "collector/record/control/phase_marks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void phase_marks_init(struct phase_marks *marks)
{
	*marks = (struct phase_marks){ .fifo.fd = -1 };
	line_channel_init(&marks->lines, -1);
}

int phase_marks_open(struct phase_marks *marks, const char *path, struct recording_notes *notes)
{
	int err = named_fifo_open(&marks->fifo, "--phase-fifo", path, notes);

	if (!err)
		line_channel_init(&marks->lines, marks->fifo.fd);
	return err;
}

void phase_marks_close(struct phase_marks *marks)
{
	named_fifo_close(&marks->fifo);
	phase_marks_init(marks);
}

/* The last mark that is written ends the phase, so that it does not get the cost of others. */
int phase_marks_begin(struct phase_marks *marks, struct data_writer *writer, uint64_t time_ns,
		      const char *name)
{
	_Alignas(8) uint8_t bytes[PHASE_RECORD_SIZE_MAX];
	struct phase_record phase = { .time_ns = time_ns };

	marks->n_cut += strlen(name) > PHASE_NAME_MAX;
	snprintf(marks->current, sizeof(marks->current), "%.*s", PHASE_NAME_MAX, name);
	if (marks->n_written == PHASE_MARKS_MAX) {
		marks->n_left_out++;
		return 0;
	}
	if (++marks->n_written < PHASE_MARKS_MAX)
		memcpy(phase.name, marks->current, sizeof(phase.name));
	else
		marks->n_left_out++;
	size_t size = phase_record_encode(&phase, bytes);
	return data_writer_append(writer, bytes, size);
}

bool phase_marks_look(struct phase_marks *marks)
{
	return line_channel_look(&marks->lines);
}

int phase_marks_take_lines(struct phase_marks *marks, struct data_writer *writer, uint64_t time_ns)
{
	const char *line;
	int err = 0;

	while (!err && (line = line_channel_next(&marks->lines)))
		err = phase_marks_begin(marks, writer, time_ns, line);
	return err;
}

int phase_marks_begin_next(struct phase_marks *marks, struct data_writer *writer, uint64_t time_ns)
{
	char name[PHASE_NAME_MAX + 1];

	snprintf(name, sizeof(name), "phase %" PRIu64, ++marks->n_numbered);
	return phase_marks_begin(marks, writer, time_ns, name);
}

int phase_marks_renew(struct phase_marks *marks, struct data_writer *writer, uint64_t time_ns)
{
	char name[PHASE_NAME_MAX + 1];

	marks->n_written = 0;
	memcpy(name, marks->current, sizeof(name));
	return *name ? phase_marks_begin(marks, writer, time_ns, name) : 0;
}

void phase_marks_describe(const struct phase_marks *marks, struct recording_notes *notes)
{
	if (marks->n_cut)
		recording_notes_add(notes, false,
				    "names of phases are cut to %d bytes: %" PRIu64 ".",
				    PHASE_NAME_MAX, marks->n_cut);
	if (marks->n_left_out)
		recording_notes_add(notes, false,
				    "the recording has %d marks of phases, which is the most; "
				    "%" PRIu64 " more were left out.",
				    PHASE_MARKS_MAX - 1, marks->n_left_out);
}
