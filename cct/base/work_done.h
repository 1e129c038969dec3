/*
 * How far a long work has come: one thread works and writes, another one reads and shows it.
 * Writing is one store, so that it costs nothing.
 */
#ifndef CCT_BASE_WORK_DONE_H
#define CCT_BASE_WORK_DONE_H

#include <stdatomic.h>
#include <stdint.h>

/* All zero is work that has not begun. */
struct work_done {
	_Atomic uint64_t done, all; /* bytes, or things; all 0: nobody knows how many there are */
};

static inline void work_done_set(struct work_done *work, uint64_t done)
{
	atomic_store_explicit(&work->done, done, memory_order_relaxed);
}

static inline void work_done_add(struct work_done *work, uint64_t more)
{
	work_done_set(work, atomic_load_explicit(&work->done, memory_order_relaxed) + more);
}

static inline void work_done_expect(struct work_done *work, uint64_t all)
{
	atomic_store_explicit(&work->all, all, memory_order_relaxed);
}

#endif
