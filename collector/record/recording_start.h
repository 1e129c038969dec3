/*
 * All that a reader needs before the first sample: what the events count, the code that the kernel
 * lends every process, the processes that run, the kernel's symbols.
 */
#ifndef COLLECTOR_RECORD_RECORDING_START_H
#define COLLECTOR_RECORD_RECORDING_START_H

#include "collector/record/drain.h"
#include "collector/record/observing/recording_notes.h"
#include "collector/record/recorder_options.h"
#include "collector/record/start/kernel_snapshot.h"
#include "collector/record/start/synthesize.h"

struct recording_start {
	/* The caller's: all are borrowed. What is not marked is filled in before the start is
	 * written. */
	const struct recorder_options *options; /* for prepare, too */
	struct recording_notes *notes;          /* for prepare, too */
	struct synthesize_options synthesize;
	struct drain *drain;
	/* Filled in by prepare. */
	struct kernel_snapshot *snapshot;
	bool has_vdso32;
	uint8_t *vdso32;
	size_t vdso32_size;
};

/* Before anything is opened: begins to read the kernel's symbols. 0, or -errno, which the notes
 * explain. */
int recording_start_prepare(struct recording_start *start);
/* Empties the rings on the way. The same errors. */
int recording_start_write(struct recording_start *start);
void recording_start_deinit(struct recording_start *start);

#endif
