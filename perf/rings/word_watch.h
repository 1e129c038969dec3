/*
 * Watches words of a thread's memory with the processor's debug registers, to learn when the thread
 * first reads or writes each of them in user mode. Each word is watched once: the kernel ends the
 * watch at the first access, so that a frequently used word costs nothing.
 */
#ifndef PERF_RINGS_WORD_WATCH_H
#define PERF_RINGS_WORD_WATCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define WORD_WATCH_MAX 4

struct word_watch;

/*
 * Begins to watch @n words of @size bytes (4 or 8), at most WORD_WATCH_MAX. Watches as many words
 * as registers are free, the last ones first. Times are CLOCK_MONOTONIC. Returns -errno if no word
 * is watched: -ENOSPC: no register is free; -EACCES or -EPERM: not permitted; -ESRCH: no such
 * thread.
 */
int word_watch_open(pid_t tid, const uint64_t *addrs, size_t n, size_t size,
		    struct word_watch **watch_ret);
void word_watch_close(struct word_watch *watch);
/* A descriptor that becomes readable when a word is accessed. */
int word_watch_fd(const struct word_watch *watch);
/* Which of the words, by their index in @addrs, are watched: a bit each. */
unsigned word_watch_set(const struct word_watch *watch);
/*
 * When the word with that index was accessed; 0: not yet. Every access that the thread made before
 * an event which the caller has already seen is known.
 */
uint64_t word_watch_touched(struct word_watch *watch, size_t index);

#endif
