/*
 * Lines that others write to the recorder, through a FIFO, a pipe or a socket. A look finds how
 * many bytes are there; only these are read after it, and reading them does not wait. So what a
 * line asks for can be given a time that is after its write, and before its writer finds the
 * channel empty (FIONREAD).
 */
#ifndef COLLECTOR_RECORD_CONTROL_LINE_CHANNEL_H
#define COLLECTOR_RECORD_CONTROL_LINE_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

#define LINE_CHANNEL_MAX 511 /* bytes of a line; a longer one is cut */

struct line_channel {
	int fd;           /* borrowed; -1: there is none */
	bool has_ended;   /* no writer will come any more */
	int n_waiting;    /* bytes that were found and not read */
	char bytes[4096]; /* read, of which [next, n_bytes) are not yet in a line */
	size_t next, n_bytes;
	char line[LINE_CHANNEL_MAX + 1];
	size_t line_size; /* of a line that has no end yet */
};

void line_channel_init(struct line_channel *channel, int fd);
/* Finds what is there now. false: nothing. */
bool line_channel_look(struct line_channel *channel);
/* The next whole line of what was found, without its end, NUL bytes as '?'; valid until the next
 * call. NULL: there are no more. */
const char *line_channel_next(struct line_channel *channel);

#endif
