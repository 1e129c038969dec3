/*
 * Completes, while recording, the stacks that are deeper than the copies of samples.
 *
 * A sample whose copy is full and does not reach the stack's root is walked here, as its reader
 * will; some of the return addresses on its way become guards: their words are watched with the
 * processor's debug registers. Then the rest of the stack is read from the living process and
 * recorded, and so is the time at which each guard is touched. unwind/rules/stack_memory.h explains
 * when a reader may use the rest.
 *
 * This takes a limited part of the recorder's time; stacks that were not read are counted.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_DEEP_STACKS_H
#define COLLECTOR_RECORD_OBSERVERS_DEEP_STACKS_H

#include "collector/attached/stack_misses.h"
#include "collector/record/observing/recording_observer.h"
#include "collector/record/stacks/stack_access.h"

struct deep_stacks_stats {
	uint64_t n_read; /* rests written down */
	uint64_t n_bytes;
	uint64_t n_missed[N_UNREAD_RESTS];
};

extern const struct recording_observer deep_stacks_observer;

struct deep_stacks;

/*
 * @attr: of the samples. @output and @attr are borrowed; with an @access->watch_err the stacks
 * stay cut and are counted. *@stacks_ret is NULL where this machine's stacks can't be completed. 0
 * or -ENOMEM.
 */
int deep_stacks_create(struct stack_output *output, const struct perf_event_attr *attr,
		       const struct stack_access *access, struct deep_stacks **stacks_ret);
void deep_stacks_destroy(struct deep_stacks *stacks);
const struct deep_stacks_stats *deep_stacks_stats(const struct deep_stacks *stacks);

/*
 * A round begins, that reads the rings, whose ends are known by now, up to @end_ns: writes down
 * what was touched until then. 0 or the writer's -errno.
 */
int deep_stacks_begin_round(struct deep_stacks *stacks, uint64_t end_ns);
/* A record of the round: a sample, or sideband. */
void deep_stacks_see(struct deep_stacks *stacks, const struct record *record);
/* The round is over; looks at the threads whose samples need it, unless the recorder is behind. 0
 * or the writer's -errno. */
int deep_stacks_end_round(struct deep_stacks *stacks, bool is_behind);
/* Becomes readable when a guard is touched. */
int deep_stacks_fd(const struct deep_stacks *stacks);
/* How long the next round may wait; UINT64_MAX: as long as it likes. */
uint64_t deep_stacks_interval_ns(const struct deep_stacks *stacks);

#endif
