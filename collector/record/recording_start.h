/*
 * Writes the records that a reader needs before the first sample: what the events count, the vdso,
 * the processes that run already, and the kernel's symbols.
 */
#ifndef COLLECTOR_RECORD_RECORDING_START_H
#define COLLECTOR_RECORD_RECORDING_START_H

#include "collector/record/drain.h"
#include "collector/record/observing/recording_notes.h"
#include "collector/record/recorder_options.h"
#include "collector/record/start/kernel_snapshot.h"
#include "collector/record/start/synthesize.h"
#include "collector/record/start/vdso_images.h"

struct recording_start {
	/* Set by the caller, and borrowed. Fields without a mark are needed only by
	 * recording_start_write(). */
	const struct recorder_options *options; /* for prepare, too */
	struct recording_notes *notes;          /* for prepare, too */
	struct synthesize_options synthesize;
	pid_t command_pid; /* 0: no command is recorded */
	struct drain *drain;
	/* Filled in by prepare. */
	struct kernel_snapshot_options kernel;
	struct kernel_snapshot *snapshot;
	struct vdso_images vdsos;
	/* Of a recording of several files: the kernel's code at the last one, and how much had
	 * changed by then (n_changes()). */
	struct kernel_code_text code;
	uint64_t n_code_changes;
};

/* Begins to read the kernel's symbols; called before anything is opened. 0, or -errno, which the
 * notes explain. */
int recording_start_prepare(struct recording_start *start);
/* Also empties the rings now and then, if there are no samples in them so far. The same errors. */
int recording_start_write(struct recording_start *start);
/* At the end; recording_start_write() leaves what the next file can use. */
void recording_start_deinit(struct recording_start *start);

#endif
