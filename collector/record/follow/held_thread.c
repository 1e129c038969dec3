#include "collector/record/follow/held_thread.h"

/* So many more samples of others end it. */
#define SCORE_MAX 8

void held_thread_init(struct held_thread *held)
{
	*held = (struct held_thread){ .own_cpu = UINT32_MAX };
	if (sched_getaffinity(0, sizeof(held->allowed), &held->allowed))
		CPU_ZERO(&held->allowed);
}

bool held_thread_see(struct held_thread *held, int32_t tid, uint32_t cpu)
{
	if (held->tid != tid && held->score) {
		held->score--;
		return false;
	}
	if (held->tid != tid)
		held->tid = tid;
	else if (held->score < SCORE_MAX)
		held->score++;
	held->cpu = cpu;
	return cpu != held->own_cpu;
}

static void move(const cpu_set_t *cpus, pid_t other)
{
	sched_setaffinity(0, sizeof(*cpus), cpus);
	sched_setaffinity(other, sizeof(*cpus), cpus);
}

void held_thread_join(struct held_thread *held, pid_t other)
{
	cpu_set_t cpus;

	if (held->cpu >= CPU_SETSIZE || !CPU_ISSET(held->cpu, &held->allowed) ||
	    (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) != SCHED_FIFO)
		return;
	held->own_cpu = held->cpu;
	CPU_ZERO(&cpus);
	CPU_SET(held->cpu, &cpus);
	move(&cpus, other);
}

void held_thread_leave(struct held_thread *held, pid_t other)
{
	if (held->own_cpu != UINT32_MAX)
		move(&held->allowed, other);
	held->own_cpu = UINT32_MAX;
}
