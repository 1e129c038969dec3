/*
 * Threads that wait when time off the CPU begins to be recorded: the switch with which their wait
 * began was not sampled. When sampling begins, all threads are listed, with how often they had been
 * switched, and the first 512 that wait are read, and get a sample. Others that have the same count
 * at the end are read then, with a time after the end of the window: docs/FORMAT.md. Reading does
 * not disturb them (perf/kernel/waiting_thread.h).
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_SILENT_THREADS_H
#define COLLECTOR_RECORD_OBSERVERS_SILENT_THREADS_H

#include "collector/record/live/thread_status.h"
#include "collector/record/observing/recording_observer.h"
#include "perf/kernel/waiting_thread.h"

/* More are left out. */
#define SILENT_THREADS_MAX 8192

extern const struct recording_observer silent_threads_observer;

/* How the threads are looked at. */
struct silent_threads_access {
	int (*status)(const char *proc, pid_t tid, struct thread_status *ret);
	int (*read)(struct waiting_thread_reader *reader, pid_t tid, struct waiting_thread *ret);
	/* Returns how many bytes could be read. */
	size_t (*memory)(pid_t pid, uint64_t addr, void *to, size_t size);
};

struct silent_threads_stats {
	size_t n_silent, n_read; /* never ran; and have a sample */
	size_t n_left_out;       /* beyond SILENT_THREADS_MAX */
	int reader_err;          /* -errno: why none could be read */
};

struct silent_threads;

/* @recording is borrowed. @access: NULL: the machine's. NULL: out of memory. */
struct silent_threads *silent_threads_create(const struct observed_recording *recording,
					     const struct silent_threads_access *access);
void silent_threads_destroy(struct silent_threads *silent);
const struct silent_threads_stats *silent_threads_stats(const struct silent_threads *silent);
/* Sampling begins. 0 or -ENOMEM. */
int silent_threads_list(struct silent_threads *silent);
/* The window is over. 0 or the writer's -errno. */
int silent_threads_write(struct silent_threads *silent);

#endif
