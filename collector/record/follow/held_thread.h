/*
 * The thread that the recorder shares a CPU with, so that it stands still from a sample on until
 * its memory was read: a sample wakes the recorder, which has real-time priority, on that CPU. Of
 * several threads that run at the same time it is one, the same for long, since to move costs more
 * than it gains.
 */
#ifndef COLLECTOR_RECORD_FOLLOW_HELD_THREAD_H
#define COLLECTOR_RECORD_FOLLOW_HELD_THREAD_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct held_thread {
	int32_t tid;      /* 0: none yet */
	uint32_t cpu;     /* where its last sample was */
	unsigned score;   /* of samples; at 0, another thread becomes the one */
	uint32_t own_cpu; /* where the recorder is; UINT32_MAX: anywhere */
	cpu_set_t allowed;
};

/* Before the first sample. */
void held_thread_init(struct held_thread *held);
/* A sample. Whether @held is its thread now, which runs on another CPU than the recorder may. */
bool held_thread_see(struct held_thread *held, int32_t tid, uint32_t cpu);
/* Brings the calling thread and the process @other to that CPU, if they have real-time priority and
 * are allowed to run there. */
void held_thread_join(struct held_thread *held, pid_t other);
/* Both run anywhere again. */
void held_thread_leave(struct held_thread *held, pid_t other);

#endif
