/*
 * How long each thread was off the CPU, from the records of its switches. They are read from
 * several rings, so that of a thread's return may come before that of its leaving, when both are
 * in one round of reading.
 */
#ifndef COLLECTOR_RECORD_CONTROL_THREAD_WAITS_H
#define COLLECTOR_RECORD_CONTROL_THREAD_WAITS_H

#include <stdint.h>

#include "cct/base/hash_table.h"

/* All zero is an empty one. Memory is bounded by the threads that exist at one time. */
struct thread_waits {
	struct hash_table threads; /* of struct thread_wait, by tid */
	uint32_t n_ended;          /* slots of threads that have ended */
};

void thread_waits_deinit(struct thread_waits *waits);
/* The thread left the CPU at this time, or came back. The nanoseconds between, once both are known;
 * else 0. Without memory the switch is not noted, and that wait stays unknown. */
uint64_t thread_waits_out(struct thread_waits *waits, int32_t tid, uint64_t time_ns);
uint64_t thread_waits_in(struct thread_waits *waits, int32_t tid, uint64_t time_ns);
void thread_waits_end(struct thread_waits *waits, int32_t tid);

#endif
