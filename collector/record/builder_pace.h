/*
 * How far the process that builds a profile is behind the recorder, in bytes that wait for it, and
 * what follows. It runs at idle priority, so that it takes nothing from what is recorded. On a busy
 * machine that is too little; then it gets a usual priority until nothing waits. If that is too
 * little, too, samples go without their stacks for a while: it reads them faster than they come.
 * In between it is favoured over what is recorded, because threads of a usual priority get half of
 * a CPU that is busy.
 *
 * Of one thread.
 */
#ifndef COLLECTOR_RECORD_BUILDER_PACE_H
#define COLLECTOR_RECORD_BUILDER_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/record/observing/recording_notes.h"

struct builder_pace {
	pid_t pid; /* 0: there is none */
	size_t queue_size;
	size_t late_size; /* that waits when the threads get a priority next */
	int usual_nice;
	bool may_idle; /* the system lets it return from idle priority */
	bool is_idle;
	bool leaves_stacks; /* samples go without */
	uint64_t n_hurries; /* times that it got a usual priority */
};

/* @queue_size: of the bytes that may wait for it. @is_watched: somebody waits for what it shows, so
 * it does not get idle priority. */
void builder_pace_init(struct builder_pace *pace, pid_t pid, size_t queue_size, bool is_watched);
/* Another process gets what is recorded from now on. */
void builder_pace_follow(struct builder_pace *pace, pid_t pid);
/* @n_waiting: bytes in the queue. */
void builder_pace_keep(struct builder_pace *pace, size_t n_waiting);
/* The process has got all records that are for it: what waits now is waited for. */
void builder_pace_end(struct builder_pace *pace);
/* @n_left_out: samples that went without their stacks. */
void builder_pace_describe(const struct builder_pace *pace, uint64_t n_left_out,
			   struct recording_notes *notes);

#endif
