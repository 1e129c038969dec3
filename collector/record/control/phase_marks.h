/*
 * Marks the phases of the recorded run: by lines that anybody with permission writes to a FIFO, by
 * SIGUSR1 to the recorder, and by a word of its control (record_control.h). A phase goes on until
 * the next one begins; an empty line ends it.
 *
 * A line's time is between its write and the moment from which FIONREAD of the FIFO is 0. A program
 * that waits for that begins its work in the phase that it has named.
 */
#ifndef COLLECTOR_RECORD_CONTROL_PHASE_MARKS_H
#define COLLECTOR_RECORD_CONTROL_PHASE_MARKS_H

#include <stdint.h>

#include "collector/record/control/line_channel.h"
#include "collector/record/control/named_fifo.h"
#include "collector/record/observing/recording_notes.h"
#include "perf/records/phase_record.h"
#include "perf/writer/data_writer.h"

#define PHASE_MARKS_MAX 10000 /* of a recording; after that none is written */

struct phase_marks {
	struct named_fifo fifo;
	struct line_channel lines;
	uint64_t n_numbered;              /* by signals */
	char current[PHASE_NAME_MAX + 1]; /* "": no phase goes on */
	uint64_t n_written;               /* into the recording at hand */
	uint64_t n_left_out, n_cut;
};

/* All it needs where there is no FIFO. */
void phase_marks_init(struct phase_marks *marks);
/* Opens the FIFO @path, which is made if nothing is there. -errno: the reason is in @notes. */
int phase_marks_open(struct phase_marks *marks, const char *path, struct recording_notes *notes);
/* Removes the FIFO if it was made here. */
void phase_marks_close(struct phase_marks *marks);
/* Are there lines in the FIFO? The time at which they begin phases is to be taken after this call.
 */
bool phase_marks_look(struct phase_marks *marks);
/* Writes the marks of the lines that were found. It does not wait. 0, or -errno of @writer. */
int phase_marks_take_lines(struct phase_marks *marks, struct data_writer *writer, uint64_t time_ns);
/* The phase @name begins; "": none. The same result. */
int phase_marks_begin(struct phase_marks *marks, struct data_writer *writer, uint64_t time_ns,
		      const char *name);
/* The next numbered phase begins. The same result. */
int phase_marks_begin_next(struct phase_marks *marks, struct data_writer *writer, uint64_t time_ns);
/* Another recording begins: the phase that goes on begins in it. The same result. */
int phase_marks_renew(struct phase_marks *marks, struct data_writer *writer, uint64_t time_ns);
/* Adds notes about marks that differ from what was wanted. */
void phase_marks_describe(const struct phase_marks *marks, struct recording_notes *notes);

#endif
