/*
 * Watches words of a thread's memory with the processor's debug registers: when was each first read
 * or written by the thread in user mode? Each is watched once: the kernel ends the watch at its
 * first touch, so that a word that is used all the time costs nothing.
 */
#ifndef PERF_RINGS_WORD_WATCH_H
#define PERF_RINGS_WORD_WATCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define WORD_WATCH_MAX 4

struct word_watch;

/*
 * Begins to watch @n words of @size bytes (4 or 8), at most WORD_WATCH_MAX. Watches as many as
 * there are registers for, the last ones first. Times are CLOCK_MONOTONIC. -errno: none:
 * -ENOSPC, no register is free; -EACCES or -EPERM: not permitted; -ESRCH: no such thread.
 */
int word_watch_open(pid_t tid, const uint64_t *addrs, size_t n, size_t size,
		    struct word_watch **watch_ret);
void word_watch_close(struct word_watch *watch);
/* Becomes readable when a word is touched. */
int word_watch_fd(const struct word_watch *watch);
/* Which of the words, by their index in @addrs, are watched: a bit each. */
unsigned word_watch_set(const struct word_watch *watch);
/*
 * When the word of an index was touched; 0: not by now. What the thread did before anything the
 * caller has seen of it is known.
 */
uint64_t word_watch_touched(struct word_watch *watch, size_t index);

#endif
