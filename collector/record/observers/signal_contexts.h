/*
 * Contexts of signals whose handlers run on an alternate stack: the registers and the stack of the
 * interrupted code at the delivery, from the events of evlist->contexts. Most handlers return
 * before a sample is taken in them; only contexts that a sample needs are written into the
 * recording.
 *
 * A reader uses the latest context with the registers that a signal frame restores, which would be
 * a wrong one if a later one were missing. So where contexts were lost, or came too fast and were
 * not read, all earlier ones are declared void.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_SIGNAL_CONTEXTS_H
#define COLLECTOR_RECORD_OBSERVERS_SIGNAL_CONTEXTS_H

#include "collector/record/observing/recording_observer.h"

struct signal_contexts_stats {
	uint64_t n_seen, n_written;
	uint64_t n_pauses; /* how often they came too fast, or were lost */
};

extern const struct recording_observer signal_contexts_observer;

struct signal_contexts;

/* All are borrowed. NULL: out of memory. */
struct signal_contexts *signal_contexts_create(struct evlist *evlist, struct stack_output *output);
void signal_contexts_destroy(struct signal_contexts *contexts);
const struct signal_contexts_stats *signal_contexts_stats(const struct signal_contexts *contexts);

/*
 * A round begins, in which samples up to @end_ns are read; all up to @now_ns are in the rings.
 * Reads the contexts up to @end_ns. 0 or the writer's -errno.
 */
int signal_contexts_begin_round(struct signal_contexts *contexts, uint64_t now_ns, uint64_t end_ns);
/* Called before a sample is written: writes the contexts that it needs. Also called for execs and
 * exits. 0 or the writer's -errno. */
int signal_contexts_see(struct signal_contexts *contexts, const struct record *record);
/* The round's samples have all been seen. 0 or the writer's -errno. */
int signal_contexts_end_round(struct signal_contexts *contexts);

#endif
