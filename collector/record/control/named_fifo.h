/* A FIFO that others open by its path: made if nothing is there, and then removed at the end. */
#ifndef COLLECTOR_RECORD_CONTROL_NAMED_FIFO_H
#define COLLECTOR_RECORD_CONTROL_NAMED_FIFO_H

#include <stdbool.h>
#include <sys/types.h>

#include "collector/record/observing/recording_notes.h"

struct named_fifo {
	const char *path; /* borrowed */
	int fd;           /* for reading and writing, does not block; -1: none */
	bool is_ours;     /* it was made here */
	dev_t device;
	ino_t inode;
};

/* Opens the FIFO @path, borrowed, for the command-line option @option, which messages name.
 * -errno: the reason is in @notes; named_fifo_close() is needed all the same. */
int named_fifo_open(struct named_fifo *fifo, const char *option, const char *path,
		    struct recording_notes *notes);
/* Removes the FIFO if it was made here. *@fifo has none then. */
void named_fifo_close(struct named_fifo *fifo);

#endif
