/*
 * What others tell the recorder while it records (--control): lines of one word, and its argument,
 * each of which is answered. The words and the answer "ack" are those of perf record
 * (tools/perf/util/evlist.c, evlist__ctlfd_process), so that programs that control perf control
 * dendro; as there, an answer ends with a newline and a NUL. What cannot be done is answered by a
 * line that begins with "error: ", where perf answers "ack".
 */
#ifndef COLLECTOR_RECORD_CONTROL_RECORD_CONTROL_H
#define COLLECTOR_RECORD_CONTROL_RECORD_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/record/control/line_channel.h"
#include "collector/record/control/named_fifo.h"
#include "collector/record/observing/recording_notes.h"

/* Where the words come from, and where answers go. */
struct control_choice {
	bool is_given;
	const char *fifo, *ack_fifo; /* borrowed; NULL: none */
	int fd, ack_fd;              /* where there is no fifo; -1: none */
};

enum control_word {
	CONTROL_ENABLE,   /* samples begin */
	CONTROL_DISABLE,  /* they end, and may begin again */
	CONTROL_STOP,     /* the recording ends */
	CONTROL_PING,     /* nothing but the answer */
	CONTROL_EVLIST,   /* the answer has the names of the events before "ack" */
	CONTROL_SNAPSHOT, /* what was recorded until now is written */
	CONTROL_PHASE,    /* a phase begins; the argument is its name, "" ends it */
	CONTROL_UNKNOWN,
};

struct record_control {
	struct line_channel lines;
	struct named_fifo fifo, ack_fifo; /* without: the descriptors of the choice */
	int ack_fd;                       /* -1: none */
	uint64_t n_unanswered;            /* answers that the reader left no room for */
};

/* Parses "fd:N[,ACK]" and "fifo:PATH[,PATH]" by changing @text, into which the choice points. 0 or
 * -EINVAL. */
int control_choice_parse(char *text, struct control_choice *choice_ret);

/* All it needs where nothing controls. */
void record_control_init(struct record_control *control);
/* FIFOs are made where nothing is at their paths. -errno: the reason is in @notes. */
int record_control_open(struct record_control *control, const struct control_choice *choice,
			struct recording_notes *notes);
/* Removes the FIFOs that were made here. */
void record_control_close(struct record_control *control);

/* The word of a line. *@argument_ret: what follows it after blanks, in the line. A word that takes
 * no argument and has one is unknown. */
enum control_word control_word_parse(const char *line, const char **argument_ret);

/* Answers a word: "ack", or "error: " and @error. Before an ack: record_control_list(). */
void record_control_answer(struct record_control *control, const char *error);
/* A line of the answer that record_control_answer() will end. */
void record_control_list(struct record_control *control, const char *line);
void record_control_describe(const struct record_control *control, struct recording_notes *notes);

#endif
