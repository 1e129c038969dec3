/* Threads of a writer, and their locks, beside a caller that may be a real-time thread. */
#ifndef PERF_WRITER_WRITER_THREAD_H
#define PERF_WRITER_WRITER_THREAD_H

#include <pthread.h>
#include <signal.h>

/* Signals belong to the thread that handles them, so they are blocked in this one. 0 or -errno. */
static inline int writer_thread_start(pthread_t *thread, void *(*run)(void *), void *arg)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int err = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -err;
}

/* A lock whose holder has the priority of whoever waits for it. */
static inline void writer_lock_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
}

#endif
