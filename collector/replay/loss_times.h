/*
 * When samples were lost and events throttled, from the records that say so.
 *
 * A LOST record is written where the ring has room again, and tells how many records found none. So
 * they are lost between the CPU's sample before and the record. LOST_SAMPLES records count the same
 * losses without their times. A THROTTLE record holds an event back until UNTHROTTLE, which the
 * kernel writes when the event's thread runs again or with the next tick, or until the thread
 * exits.
 */
#ifndef COLLECTOR_REPLAY_LOSS_TIMES_H
#define COLLECTOR_REPLAY_LOSS_TIMES_H

#include "cct/time/losses.h"
#include "perf/records/record_fields.h"

#define LOSS_TIMES_OPEN_MAX 1024 /* of further ones only the begin is known */

/* An event that is held back. */
struct open_throttle {
	uint64_t stream_id, start_ns;
	uint32_t cpu;
	int32_t tid; /* with which it ends; -1: it has counters of CPUs, or of the first thread */
};

struct loss_times {
	struct losses *losses; /* borrowed */
	uint64_t *last_ns;     /* by CPU: of its last sample */
	size_t n_cpus;
	struct open_throttle open[LOSS_TIMES_OPEN_MAX];
	size_t n_open;
};

void loss_times_init(struct loss_times *times, struct losses *losses);
void loss_times_deinit(struct loss_times *times);
/* Records of the recording, in the order of time. 0 or -ENOMEM. */
int loss_times_see_sample(struct loss_times *times, const struct record *record);
/* LOST. */
int loss_times_lose(struct loss_times *times, const struct record *record);
int loss_times_throttle(struct loss_times *times, const struct record *record);
int loss_times_unthrottle(struct loss_times *times, const struct record *record);
int loss_times_exit(struct loss_times *times, const struct record *record);
/* No more come; @end_ns: of the last sample. */
int loss_times_end(struct loss_times *times, uint64_t end_ns);

#endif
