/* Threads of a writer, and their locks, beside a caller that may be a real-time thread. */
#ifndef PERF_WRITER_WRITER_THREAD_H
#define PERF_WRITER_WRITER_THREAD_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

struct writer_thread {
	pthread_t thread;
	_Atomic pid_t tid; /* by writer_thread_begin(); 0: it has not begun */
};

/* Signals belong to the thread that handles them, so they are blocked in this one. 0 or -errno. */
static inline int writer_thread_start(struct writer_thread *thread, void *(*run)(void *), void *arg)
{
	sigset_t all, old;

	thread->tid = 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int err = pthread_create(&thread->thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -err;
}

/* By the thread itself. */
static inline void writer_thread_begin(struct writer_thread *thread)
{
	atomic_store(&thread->tid, gettid());
}

/* Gives the thread the priority that the caller has, who may have to wait for it: it must not wait
 * for the load then. The caller may have got it since the thread was started. */
static inline void writer_thread_share_priority(struct writer_thread *thread)
{
	const pid_t tid = atomic_load(&thread->tid);
	const int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
	struct sched_param param;

	if (!tid || sched_getparam(0, &param))
		return;
	sched_setscheduler(tid, policy, &param);
	setpriority(PRIO_PROCESS, (id_t)tid, getpriority(PRIO_PROCESS, 0));
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
