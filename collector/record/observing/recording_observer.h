/*
 * What watches the recorded processes while their records go into a recording, and adds to it what
 * the kernel's records lack: files, code, names, rests of stacks. An observer is a file in
 * record/observers with a constant of this type, and a row in observer_table.c.
 *
 * Every hook may be NULL. The hooks that return int return 0 or -errno, which ends the recording.
 *All are called by the one thread that records, in this order:
 *
 *	prepare, begin, see_mapping for what already runs,
 *	rounds: begin_round, see_sideband, write_waiting, see_sample, end_round; look between them,
 *	look for the last time, write_waiting, finish, advise, describe, destroy
 *
 * Once all have begun, finish and the hooks after it are called whatever failed in between.
 */
#ifndef COLLECTOR_RECORD_OBSERVING_RECORDING_OBSERVER_H
#define COLLECTOR_RECORD_OBSERVING_RECORDING_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/record/observing/observed_mapping.h"
#include "collector/record/observing/recording_notes.h"
#include "collector/record/stacks/stack_output.h"
#include "perf/counters/evlist.h"
#include "perf/records/record.h"
#include "perf/writer/data_writer.h"

/* The recording, as observers see it. All is borrowed, and valid until they are destroyed; fields
 * without a mark are set when they begin. */
struct observed_recording {
	const char *proc;              /* "/proc", but in tests; for prepare, too */
	struct recording_notes *notes; /* for prepare, too */
	struct evlist *evlist;
	struct data_writer *writer;
	struct stack_output *stack_output;
	bool has_known_clock;  /* times are CLOCK_MONOTONIC */
	bool completes_stacks; /* what is deeper than the copies of samples is wanted */
	bool has_vdso32;       /* the vdso of 32-bit processes is recorded already */
};

/* A round of the rings: all samples up to @began_ns are in them, and those up to @end_ns are read.
 */
struct observed_round {
	uint64_t began_ns, end_ns;
	bool is_behind; /* records wait that this round does not read */
};

struct recording_observer {
	const char *name;
	/* Takes note of how the machine is before events are opened. *@state is NULL before, and is
	 * what the other hooks get; while it is NULL, only begin is called. */
	int (*prepare)(const struct observed_recording *recording, void **state);
	/* Events are open, and the recording can be written to. NULL in *@state: the recording is
	 * not to have this observer, or can't. */
	int (*begin)(const struct observed_recording *recording, void **state);
	void (*destroy)(void *state);
	/* Memory of a process that was there before. *@build_id: of the file, where it is known. */
	void (*see_mapping)(void *state, const struct observed_mapping *mapping,
			    struct build_id *build_id);
	/* A record of the round: of mappings and processes. */
	int (*see_sideband)(void *state, const struct record *record);
	/* A sample of the round, before it is written. */
	int (*see_sample)(void *state, const struct record *record);
	/* The ends of the rings are fixed. The round may find nothing in them. */
	int (*begin_round)(void *state, const struct observed_round *round);
	/* The records of the round have been seen and written. */
	int (*end_round)(void *state, const struct observed_round *round);
	/* Writes what it keeps back, about @max_bytes of it: this takes time from the rings. */
	int (*write_waiting)(void *state, size_t max_bytes);
	/* A tenth of a second has passed; or, once the rings are empty for good, @is_last. */
	int (*look)(void *state, bool is_last);
	/* Everything that it still has goes into the recording. */
	int (*finish)(void *state);
	/* Becomes readable when a round is wanted; -1: never. */
	int (*wake_fd)(const void *state);
	/* How long the next round may wait; UINT64_MAX: as long as it likes. */
	uint64_t (*interval_ns)(const void *state);
	/* What is missing, and what the user can do about that. */
	void (*advise)(const void *state, struct recording_notes *notes);
	/* What was done. @is_verbose: the user wants to know all of it. */
	void (*describe)(const void *state, bool is_verbose, struct recording_notes *notes);
};

#endif
