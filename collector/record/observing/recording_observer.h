/*
 * An observer follows the recorded processes while their records are written, and adds data that
 * the kernel's records lack: files, code, names, rests of stacks. Each is a file in
 * record/observers with a constant of this type, and a row in observer_table.c.
 *
 * Every hook may be NULL. The hooks that return int return 0 or -errno, which ends the recording.
 * All are called by the one thread that records, in this order:
 *
 *	prepare, begin, see_mapping for the mappings that already exist,
 *	rounds: begin_round, see_new_mapping, see_sideband, write_waiting, see_sample, end_round;
 *look between them, look for the last time, write_waiting, finish, advise, describe, destroy
 *
 * Once all have begun, finish and the hooks after it are called even if others failed.
 */
#ifndef COLLECTOR_RECORD_OBSERVING_RECORDING_OBSERVER_H
#define COLLECTOR_RECORD_OBSERVING_RECORDING_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cct/base/int_list.h"
#include "collector/record/observing/observed_mapping.h"
#include "collector/record/observing/recording_notes.h"
#include "collector/record/stacks/stack_output.h"
#include "perf/counters/evlist.h"
#include "perf/records/record.h"
#include "perf/writer/data_writer.h"

struct follow_link; /* collector/record/follow/follow_link.h */

/* The recording, as observers see it. Everything is borrowed, and valid until they are destroyed;
 * fields without a mark are set when they begin. */
struct observed_recording {
	const char *proc;              /* "/proc", but in tests; for prepare, too */
	struct recording_notes *notes; /* for prepare, too */
	bool records_wakers;           /* of waiting threads; for prepare, too */
	struct evlist *evlist;
	struct data_writer *writer;
	struct stack_output *stack_output;
	const struct evlist_event *off_cpu; /* the event that weighs it; NULL: none */
	const struct int_list *tids; /* the threads that were recorded from the begin; NULL: all */
	uint64_t *n_samples;         /* that observers have written */
	bool is_sampling;            /* has begun; set later */
	bool goes_on;          /* what finishes is a part that others will follow in one file */
	bool has_known_clock;  /* times are CLOCK_MONOTONIC */
	bool completes_stacks; /* stacks deeper than the copies in samples are completed */
	int watch_err;   /* why debug registers watch no stacks (stack_access.h); 0: they do */
	bool has_vdso32; /* the vdso of 32-bit processes is recorded already */
	struct follow_link *follow; /* who reads what --follow asks for; NULL: nobody */
};

/* A round of the drain: all samples up to @began_ns are in the rings, and it reads up to @end_ns.
 */
struct observed_round {
	uint64_t began_ns, end_ns;
	bool is_behind; /* the round leaves records in the rings */
};

struct recording_observer {
	const char *name;
	/* Reads the state of the machine before events are opened. Sets *@state, which is NULL
	 * before and is passed to the other hooks; while it is NULL, only begin is called. */
	int (*prepare)(const struct observed_recording *recording, void **state);
	/* Events are open, and the recording can be written to. Leaves NULL in *@state if the
	 * observer is not wanted or not possible. */
	int (*begin)(const struct observed_recording *recording, void **state);
	void (*destroy)(void *state);
	/* A mapping that existed before the recording. @build_id: the file's build ID, which the
	 * hook may fill in. */
	void (*see_mapping)(void *state, const struct observed_mapping *mapping,
			    struct build_id *build_id);
	/* A mapping of the round, before its record. */
	void (*see_new_mapping)(void *state, const struct observed_mapping *mapping);
	/* A record of the round about mappings or processes. */
	int (*see_sideband)(void *state, const struct record *record);
	/* A sample of the round, before it is written. */
	int (*see_sample)(void *state, const struct record *record);
	/* The ends of the rings are fixed. The round may find nothing in them. */
	int (*begin_round)(void *state, const struct observed_round *round);
	/* The records of the round have been seen and written. */
	int (*end_round)(void *state, const struct observed_round *round);
	/* Writes about @max_bytes of the data that it holds back; meanwhile the rings fill. */
	int (*write_waiting)(void *state, size_t max_bytes);
	/* A tenth of a second has passed; or, once the rings are empty for good, @is_last. */
	int (*look)(void *state, bool is_last);
	/* Writes all data that it still has. */
	int (*finish)(void *state);
	/* Becomes readable when a round is wanted; -1: never. */
	int (*wake_fd)(const void *state);
	/* How long the next round may wait; UINT64_MAX: any time. */
	uint64_t (*interval_ns)(const void *state);
	/* Adds notes about missing data, and how the user can avoid that. */
	void (*advise)(const void *state, struct recording_notes *notes);
	/* Adds notes about what the observer did. @is_verbose: with all details. */
	void (*describe)(const void *state, bool is_verbose, struct recording_notes *notes);
};

#endif
