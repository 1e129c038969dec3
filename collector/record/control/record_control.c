#include "collector/record/control/record_control.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/numbers.h"

static const struct {
	const char *text;
	enum control_word word;
} words[] = {
	{ "enable", CONTROL_ENABLE }, { "disable", CONTROL_DISABLE },
	{ "stop", CONTROL_STOP },     { "ping", CONTROL_PING },
	{ "evlist", CONTROL_EVLIST }, { "snapshot", CONTROL_SNAPSHOT },
	{ "dump", CONTROL_SNAPSHOT }, { "phase", CONTROL_PHASE },
};
#define N_WORDS (sizeof(words) / sizeof(words[0]))

static int parse_fd(const char *text, int *fd_ret)
{
	uint64_t fd;

	if (numbers_parse(text, INT_MAX, &fd))
		return -EINVAL;
	*fd_ret = (int)fd;
	return 0;
}

int control_choice_parse(char *text, struct control_choice *choice_ret)
{
	struct control_choice choice = { .is_given = true, .fd = -1, .ack_fd = -1 };
	bool is_fifo = strncmp(text, "fifo:", 5) == 0;
	int err = 0;

	if (!is_fifo && strncmp(text, "fd:", 3) != 0)
		return -EINVAL;
	char *second = text + (is_fifo ? 5 : 3);
	const char *first = strsep(&second, ",");
	if (!*first || (second && !*second))
		return -EINVAL;
	if (is_fifo) {
		choice.fifo = first;
		choice.ack_fifo = second;
	} else {
		err = parse_fd(first, &choice.fd);
		if (!err && second)
			err = parse_fd(second, &choice.ack_fd);
	}
	if (!err)
		*choice_ret = choice;
	return err;
}

void record_control_init(struct record_control *control)
{
	*control = (struct record_control){ .fifo.fd = -1, .ack_fifo.fd = -1, .ack_fd = -1 };
	line_channel_init(&control->lines, -1);
}

/* Only descriptors that can be waited for. */
static int check_fd(int fd, struct recording_notes *notes)
{
	struct stat st;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) < 0)
		return recording_notes_explain(notes, -errno,
					       "--control: descriptor %d is not open: the program "
					       "that starts dendro has to leave it open.",
					       fd);
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
		return 0;
	return recording_notes_explain(
		notes, -EINVAL, "--control: descriptor %d is neither a pipe nor a socket.", fd);
}

int record_control_open(struct record_control *control, const struct control_choice *choice,
			struct recording_notes *notes)
{
	int fd = choice->fd, ack_fd = choice->ack_fd, err;

	if (choice->fifo) {
		err = named_fifo_open(&control->fifo, "--control", choice->fifo, notes);
		if (!err && choice->ack_fifo)
			err = named_fifo_open(&control->ack_fifo, "--control", choice->ack_fifo,
					      notes);
		fd = control->fifo.fd;
		ack_fd = control->ack_fifo.fd;
	} else {
		err = check_fd(fd, notes);
		if (!err)
			err = check_fd(ack_fd, notes);
	}
	if (err)
		return err;
	line_channel_init(&control->lines, fd);
	control->ack_fd = ack_fd;
	return 0;
}

void record_control_close(struct record_control *control)
{
	named_fifo_close(&control->fifo);
	named_fifo_close(&control->ack_fifo);
	record_control_init(control);
}

enum control_word control_word_parse(const char *line, const char **argument_ret)
{
	const size_t size = strcspn(line, " \t");
	const char *argument = line + size + strspn(line + size, " \t");

	*argument_ret = argument;
	for (size_t i = 0; i < N_WORDS; i++) {
		if (strlen(words[i].text) == size && strncmp(line, words[i].text, size) == 0)
			return *argument && words[i].word != CONTROL_PHASE ? CONTROL_UNKNOWN
									   : words[i].word;
	}
	return CONTROL_UNKNOWN;
}

/* Whoever does not read the answers must not stop the recording. A pipe that can be written to has
 * room for this many bytes. */
static void put(struct record_control *control, const char *bytes, size_t size)
{
	struct pollfd poll_fd = { control->ack_fd, POLLOUT, 0 };

	if (control->ack_fd < 0)
		return;
	if (poll(&poll_fd, 1, 0) != 1 || !(poll_fd.revents & POLLOUT) ||
	    write(control->ack_fd, bytes, size) != (ssize_t)size)
		control->n_unanswered++;
}

void record_control_answer(struct record_control *control, const char *error)
{
	char text[LINE_CHANNEL_MAX + 128];

	if (!error) {
		put(control, "ack\n", sizeof("ack\n"));
		return;
	}
	int size = snprintf(text, sizeof(text), "error: %s\n", error);
	put(control, text, (size_t)size < sizeof(text) ? (size_t)size + 1 : sizeof(text));
}

void record_control_list(struct record_control *control, const char *line)
{
	char text[LINE_CHANNEL_MAX + 2];
	int size = snprintf(text, sizeof(text), "%.*s\n", LINE_CHANNEL_MAX, line);

	put(control, text, (size_t)size);
}

void record_control_describe(const struct record_control *control, struct recording_notes *notes)
{
	if (control->n_unanswered)
		recording_notes_add(notes, false,
				    "answers to --control that nobody read, and for which there "
				    "was no room: %" PRIu64 ".",
				    control->n_unanswered);
}
