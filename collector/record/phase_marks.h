/*
 * Marks the phases of the recorded run: by lines that anybody with permission writes to a FIFO, and
 * by SIGUSR1 to the recorder. A phase goes on until the next one begins; an empty line ends it.
 *
 * A line's time is between its write and the moment from which FIONREAD of the FIFO is 0. A program
 * that waits for that begins its work in the phase that it has named.
 */
#ifndef COLLECTOR_RECORD_PHASE_MARKS_H
#define COLLECTOR_RECORD_PHASE_MARKS_H

#include <sys/types.h>

#include "collector/record/drain.h"
#include "collector/record/observing/recording_notes.h"
#include "perf/records/phase_record.h"

#define PHASE_MARKS_MAX 10000 /* of a recording; after that none is written */

struct phase_marks {
	const char *path; /* borrowed */
	int fd;           /* of the FIFO; -1: there is none */
	bool is_ours;     /* the FIFO was made here */
	dev_t device;
	ino_t inode;
	char line[PHASE_NAME_MAX + 1]; /* what was read of a line that has no end yet */
	size_t line_size;
	bool is_line_cut;
	uint64_t n_numbered; /* by signals */
	uint64_t n_written, n_left_out, n_cut;
};

/* All it needs where there is no FIFO. */
void phase_marks_init(struct phase_marks *marks);
/* Opens the FIFO @path, which is made if nothing is there. -errno: the reason is in @notes. */
int phase_marks_open(struct phase_marks *marks, const char *path, struct recording_notes *notes);
/* Removes the FIFO if it was made here. */
void phase_marks_close(struct phase_marks *marks);
/* Writes the marks of the lines that are in the FIFO. It does not wait. 0, or -errno of the
 * recording. */
int phase_marks_take_lines(struct phase_marks *marks, const struct drain *drain);
/* The next numbered phase begins. Likewise. */
int phase_marks_begin_next(struct phase_marks *marks, const struct drain *drain);
/* Adds notes about marks that differ from what was wanted. */
void phase_marks_describe(const struct phase_marks *marks, struct recording_notes *notes);

#endif
