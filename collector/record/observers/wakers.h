/*
 * By whom waiting threads are woken (--waker): reads the wakings of all CPUs, keeps those of
 * recorded threads, and writes them as waking records (docs/FORMAT.md). Of other processes only the
 * number and the name of a waker are recorded.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_WAKERS_H
#define COLLECTOR_RECORD_OBSERVERS_WAKERS_H

#include "collector/record/observing/recording_observer.h"
#include "perf/rings/waking_rings.h"

extern const struct recording_observer wakers_observer;

struct wakers_stats {
	uint64_t n_written, n_left_out; /* of recorded threads, and of others */
	uint64_t n_dropped;             /* too many at once */
};

struct wakers;

/* @recording is borrowed. @rings, which may be NULL, is taken over, if this does not fail. NULL:
 * out of memory. */
struct wakers *wakers_create(const struct observed_recording *recording,
			     struct waking_rings *rings);
void wakers_destroy(struct wakers *wakers);
const struct wakers_stats *wakers_stats(const struct wakers *wakers);
/* The hooks of the observer; wakers_take() is called for each waking in the rings when a round
 * begins. 0 or -errno. */
int wakers_begin(struct wakers *wakers);
int wakers_take(struct wakers *wakers, const struct waking *waking);
int wakers_begin_round(struct wakers *wakers, const struct observed_round *round);
int wakers_see_sideband(struct wakers *wakers, const struct record *record);
int wakers_end_round(struct wakers *wakers);
/* Writes all that is left. */
int wakers_finish(struct wakers *wakers);

#endif
