/*
 * What signals interrupt, while their handlers run on a stack of their own: registers and stack at
 * the moment of delivery, from the events of evlist->contexts. Most are over before any sample sees
 * their handler; only those that a sample needs go into the recording.
 *
 * A reader takes the latest context with the registers that a signal's frame restores, so none may
 * be missing in between: where some were lost, or came faster than they should be taken, all before
 * are declared void.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_SIGNAL_CONTEXTS_H
#define COLLECTOR_RECORD_OBSERVERS_SIGNAL_CONTEXTS_H

#include "collector/record/observing/recording_observer.h"

struct signal_contexts_stats {
	uint64_t n_seen, n_written;
	uint64_t n_pauses; /* times they came too fast, or were lost */
};

extern const struct recording_observer signal_contexts_observer;

struct signal_contexts;

/* All are borrowed. NULL: out of memory. */
struct signal_contexts *signal_contexts_create(struct evlist *evlist, struct stack_output *output);
void signal_contexts_destroy(struct signal_contexts *contexts);
const struct signal_contexts_stats *signal_contexts_stats(const struct signal_contexts *contexts);

/*
 * A round begins, in which all samples up to @now_ns are read, but only up to @end_ns: takes the
 * contexts until then. 0 or the writer's -errno.
 */
int signal_contexts_begin_round(struct signal_contexts *contexts, uint64_t now_ns, uint64_t end_ns);
/* Before a sample is written: writes what it needs. Other records: execs and exits. 0 or the
 * writer's -errno. */
int signal_contexts_see(struct signal_contexts *contexts, const struct record *record);
/* The round's samples have all been seen. 0 or the writer's -errno. */
int signal_contexts_end_round(struct signal_contexts *contexts);

#endif
