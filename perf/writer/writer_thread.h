/* Threads of a writer, and their locks, beside a caller that may be a real-time thread. */
#ifndef PERF_WRITER_WRITER_THREAD_H
#define PERF_WRITER_WRITER_THREAD_H

#include <pthread.h>
#include <sched.h>
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

/* Gives the thread the policy and priority that the caller has, who may have to wait for it: it
 * must not wait for the load then. *@policy: the one it has, SCHED_OTHER at first. */
static inline void writer_thread_share_priority(pthread_t thread, int *policy)
{
	const int own = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
	struct sched_param param;

	if (own != *policy && !sched_getparam(0, &param) &&
	    !pthread_setschedparam(thread, own, &param))
		*policy = own;
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
