/*
 * Wakings on all CPUs: the tracepoint sched:sched_waking fires in the thread, or the interrupt,
 * that wakes another thread, so only counters of CPUs see all that wake a thread. Each CPU has a
 * counter with a small ring.
 */
#ifndef PERF_RINGS_WAKING_RINGS_H
#define PERF_RINGS_WAKING_RINGS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where the waker's code ran. */
enum waking_context { WAKING_IN_THREAD, WAKING_IN_INTERRUPT, WAKING_IN_SOFTIRQ };

struct waking {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	pid_t tid;        /* of the thread that is woken */
	pid_t waker_pid,
		waker_tid; /* of the thread that ran; 0: an idle task; -1: it was exiting */
	enum waking_context context;
};

struct waking_rings;

/*
 * @attr: the tracepoint's type and config, filled in by this call as it was opened, also where that
 * fails. @tid_offset: of the woken thread's number in its data, 4 bytes. Nothing is recorded before
 * waking_rings_enable(). 0 or -errno.
 */
int waking_rings_open(struct perf_event_attr *attr, size_t tid_offset, const int *cpus,
		      size_t n_cpus, struct waking_rings **rings_ret);
void waking_rings_close(struct waking_rings *rings);
void waking_rings_enable(struct waking_rings *rings);
/* A descriptor that becomes readable when a ring is half full. */
int waking_rings_fd(const struct waking_rings *rings);
/* Fixes the ends of the rings. */
void waking_rings_begin(struct waking_rings *rings);
/* The next waking before those ends, in order for each CPU. false: no more. */
bool waking_rings_next(struct waking_rings *rings, struct waking *ret);
/* How many the kernel could not deliver. */
uint64_t waking_rings_n_lost(const struct waking_rings *rings);

/* Reads a record of a ring. false: it is not a waking. */
bool waking_decode(const struct perf_event_header *header, size_t tid_offset, struct waking *ret);

#endif
