/*
 * Copies the records of the rings into a recording, in rounds. Each round writes sideband records,
 * then samples, whose unused stack bytes are cut off while they are copied, then FINISHED_ROUND.
 *
 * After round n a reader may release the records that are not newer than the newest record of round
 * n-1. So every round reads each ring at least that far. If many records wait, a round reads only a
 * slice of time, so that a reader need not hold more than a few MiB
 * (tools/perf/util/ordered-events.c).
 */
#ifndef COLLECTOR_RECORD_DRAIN_H
#define COLLECTOR_RECORD_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "cct/base/int_list.h"
#include "collector/record/control/dump_conditions.h"
#include "collector/record/follow/ring_memory.h"
#include "collector/record/observing/recording_observers.h"
#include "collector/record/second_stacks.h"
#include "perf/counters/evlist.h"
#include "perf/records/record.h"
#include "perf/writer/data_writer.h"

struct drain {
	/* Borrowed. */
	struct evlist *evlist;
	struct data_writer *writer;
	const struct stack_output *stack_output;
	struct recording_observers *observers;
	struct second_stacks *second_stacks; /* NULL: there are none */
	struct ring_memory *memory;          /* read at samples; set by the caller; NULL: none */
	struct record_layout sample_layout, sideband_layout;
	bool has_mixed_layouts; /* sample_layout is only that of the first event */
	bool has_known_clock;   /* times are CLOCK_MONOTONIC */
	uint64_t newest_ns;     /* of all records read */
	bool is_behind;         /* the last round left records in the rings */
	uint64_t read_ns;       /* it has read what is older */
	/* Processes that run, by the records of them; borrowed; NULL: not wanted. Those that have
	 * exited may be among them. */
	struct int_list *live_pids;
	bool leaves_stacks; /* samples go without; the caller sets it between rounds */
	struct dump_conditions *conditions; /* that look at records; borrowed; NULL: none */

	uint64_t n_samples;
	uint64_t n_left_out;      /* samples whose stacks were left out */
	uint64_t n_lost;          /* by LOST records in sample rings */
	uint64_t n_lost_sideband; /* by LOST records in sideband rings */
	/* Changes of the kernel's code, but for programs that list its symbols. */
	uint64_t n_code_changes;
	uint64_t n_throttled;
	uint64_t n_corrupt_rings; /* the content of a ring was corrupt and was discarded */
};

/* All are borrowed. @stack_output: stack records are written to it. @second_stacks may be NULL. */
void drain_init(struct drain *drain, struct evlist *evlist, struct data_writer *writer,
		const struct stack_output *stack_output, struct recording_observers *observers,
		struct second_stacks *second_stacks);
/* 1: read something, there may be more; 0: the rings were empty; -errno of the writer. */
int drain_round(struct drain *drain);
/* Rounds until all that is older than this call has been read. 0 or more: as drain_round(). */
int drain_up_to_now(struct drain *drain);
/* What is read from now on goes into another recording. Both are borrowed. */
void drain_redirect(struct drain *drain, struct data_writer *writer,
		    struct recording_observers *observers);
/* Rounds until the rings are empty; called when the events are disabled. 0 or -errno. */
int drain_all(struct drain *drain);

#endif
