/*
 * Two threads and what one of them makes of a stream: the reader works on it at all times but while
 * it waits for more bytes, and the visitor looks at it then. So the visitor finds the work between
 * two reads, never in the middle of a step, and waits no longer than the reader works on the bytes
 * of one read.
 *
 *	reader: enter, work, leave, read(), enter, work, ..., leave
 *	visitor: visit, look, end_visit
 *
 * There is one reader and one visitor.
 */
#ifndef PERF_FILE_READ_GATE_H
#define PERF_FILE_READ_GATE_H

#include <pthread.h>
#include <stdbool.h>

struct read_gate {
	pthread_mutex_t lock; /* of whoever is inside */
	pthread_cond_t is_free;
	_Atomic bool has_visitor; /* who waits, or is inside */
};

static inline void read_gate_init(struct read_gate *gate)
{
	pthread_mutex_init(&gate->lock, NULL);
	pthread_cond_init(&gate->is_free, NULL);
	gate->has_visitor = false;
}

static inline void read_gate_deinit(struct read_gate *gate)
{
	pthread_mutex_destroy(&gate->lock);
	pthread_cond_destroy(&gate->is_free);
}

/* The reader waits until no visitor is inside, or waits to be. */
static inline void read_gate_enter(struct read_gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	while (gate->has_visitor)
		pthread_cond_wait(&gate->is_free, &gate->lock);
}

static inline void read_gate_leave(struct read_gate *gate)
{
	pthread_mutex_unlock(&gate->lock);
}

static inline void read_gate_visit(struct read_gate *gate)
{
	gate->has_visitor = true;
	pthread_mutex_lock(&gate->lock);
}

static inline void read_gate_end_visit(struct read_gate *gate)
{
	gate->has_visitor = false;
	pthread_cond_signal(&gate->is_free);
	pthread_mutex_unlock(&gate->lock);
}

#endif
