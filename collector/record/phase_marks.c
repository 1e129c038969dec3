#include "collector/record/phase_marks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"

/* Whoever may write to the FIFO can also take lines out of it. */
#define FIFO_MODE 0600

void phase_marks_init(struct phase_marks *marks)
{
	*marks = (struct phase_marks){ .fd = -1 };
}

static int refuse(const struct phase_marks *marks, struct recording_notes *notes, int err)
{
	return recording_notes_explain(notes, err, "--phase-fifo: cannot open '%s': %s.",
				       marks->path, strerror(-err));
}

static int refuse_file(const struct phase_marks *marks, struct recording_notes *notes)
{
	return recording_notes_explain(
		notes, -EEXIST, "--phase-fifo: '%s' exists, and is not a FIFO.", marks->path);
}

/* The recorder is a writer, too: others may come and go without an end of file. */
static int open_fifo(struct phase_marks *marks, struct recording_notes *notes)
{
	struct stat st;

	marks->fd = open(marks->path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (marks->fd < 0 || fstat(marks->fd, &st) < 0)
		return refuse(marks, notes, -errno);
	if (!S_ISFIFO(st.st_mode))
		return refuse_file(marks, notes);
	marks->device = st.st_dev;
	marks->inode = st.st_ino;
	return 0;
}

int phase_marks_open(struct phase_marks *marks, const char *path, struct recording_notes *notes)
{
	struct stat st;

	marks->path = path;
	marks->is_ours = mkfifo(path, FIFO_MODE) == 0;
	if (!marks->is_ours && errno != EEXIST)
		return refuse(marks, notes, -errno);
	/* What is not a FIFO is not even opened. */
	if (stat(path, &st) < 0)
		return refuse(marks, notes, -errno);
	return S_ISFIFO(st.st_mode) ? open_fifo(marks, notes) : refuse_file(marks, notes);
}

void phase_marks_close(struct phase_marks *marks)
{
	struct stat st;

	if (marks->is_ours && stat(marks->path, &st) == 0 && st.st_dev == marks->device &&
	    st.st_ino == marks->inode)
		unlink(marks->path);
	cleanup_close(&marks->fd);
	phase_marks_init(marks);
}

static uint64_t present_ns(const struct drain *drain)
{
	return drain->has_known_clock ? now_ns() : drain->newest_ns;
}

/* The last mark that is written ends the phase, so that it does not get the cost of others. */
static int write_mark(struct phase_marks *marks, const struct drain *drain, uint64_t time_ns,
		      const char *name)
{
	_Alignas(8) uint8_t bytes[PHASE_RECORD_SIZE_MAX];
	struct phase_record phase = { .time_ns = time_ns };

	if (marks->n_written == PHASE_MARKS_MAX) {
		marks->n_left_out++;
		return 0;
	}
	if (++marks->n_written < PHASE_MARKS_MAX)
		snprintf(phase.name, sizeof(phase.name), "%s", name);
	else
		marks->n_left_out++;
	size_t size = phase_record_encode(&phase, bytes);
	return data_writer_append(drain->writer, bytes, size);
}

static void add_to_line(struct phase_marks *marks, char byte)
{
	if (marks->line_size < PHASE_NAME_MAX)
		marks->line[marks->line_size++] = byte ? byte : '?';
	else
		marks->is_line_cut = true;
}

static int end_line(struct phase_marks *marks, const struct drain *drain, uint64_t time_ns)
{
	marks->line[marks->line_size] = '\0';
	marks->n_cut += marks->is_line_cut;
	marks->is_line_cut = false;
	marks->line_size = 0;
	return write_mark(marks, drain, time_ns, marks->line);
}

static int take_bytes(struct phase_marks *marks, const struct drain *drain, uint64_t time_ns,
		      const char *bytes, size_t n_bytes)
{
	int err = 0;

	for (size_t i = 0; i < n_bytes && !err; i++) {
		if (bytes[i] == '\n')
			err = end_line(marks, drain, time_ns);
		else
			add_to_line(marks, bytes[i]);
	}
	return err;
}

int phase_marks_take_lines(struct phase_marks *marks, const struct drain *drain)
{
	char bytes[4096];
	int n_waiting, err = 0;

	/* The time is that of a moment at which all these bytes were there and none was read. */
	if (marks->fd < 0 || ioctl(marks->fd, FIONREAD, &n_waiting) < 0)
		return 0;
	const uint64_t time_ns = present_ns(drain);
	while (n_waiting > 0 && !err) {
		const size_t wanted =
			(size_t)n_waiting < sizeof(bytes) ? (size_t)n_waiting : sizeof(bytes);
		ssize_t n = read(marks->fd, bytes, wanted);

		if (n <= 0)
			return 0;
		n_waiting -= (int)n;
		err = take_bytes(marks, drain, time_ns, bytes, (size_t)n);
	}
	return err;
}

int phase_marks_begin_next(struct phase_marks *marks, const struct drain *drain)
{
	char name[PHASE_NAME_MAX + 1];

	snprintf(name, sizeof(name), "phase %" PRIu64, ++marks->n_numbered);
	return write_mark(marks, drain, present_ns(drain), name);
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
