/*
 * Time off the CPU. A sample of a switch-out waits here, with the state of its process at that
 * time, until the thread runs again (PERF_RECORD_SWITCH), because only then its weight is known.
 * Time off the CPU without a sample is handed out, too, with the reason.
 *
 * Only the time between the begin and the end of sampling counts; records of switches may come
 * earlier. Threads are numbered as in the kernel: tids of 0 (idle, or outside of this pid
 * namespace) and below are not threads.
 *
 * Memory: one sample per thread at most; few of them pin blocks of the file, the others are copies.
 */
#ifndef COLLECTOR_REPLAY_OFF_CPU_H
#define COLLECTOR_REPLAY_OFF_CPU_H

#include "cct/model/profile.h"
#include "collector/replay/processes.h"

struct off_cpu;

/* Both are borrowed. @begin_ns: when sampling begins; UINT64_MAX: off_cpu_begin() will set it. */
struct off_cpu *off_cpu_create(struct processes *processes, struct profile_quality *quality,
			       uint64_t begin_ns);
void off_cpu_destroy(struct off_cpu *off_cpu);

/*
 * The recording lacks records of switches: a thread is off the CPU up to its next sample, of any
 * event. What is off at the end has no weight.
 */
void off_cpu_end_with_samples(struct off_cpu *off_cpu);

/* Records of a sample's switch were lost about now. */
void off_cpu_lose(struct off_cpu *off_cpu);
void off_cpu_begin(struct off_cpu *off_cpu, uint64_t time_ns);

/*
 * These return 1 when some time off the CPU is over: *@ret is the sample to hand out, its
 * weight filled in; without ->raw.header, event, machine and metric are the caller's to fill in. 0:
 * nothing is over; -ENOMEM.
 */

/* The sample of a switch-out at @time_ns, taken over, also when it fails. */
int off_cpu_hold(struct off_cpu *off_cpu, const struct sample *sample, uint64_t time_ns,
		 struct sample *ret);
/* Whether the thread may have waited since before the begin: no later switch of it is known. */
bool off_cpu_is_silent(const struct off_cpu *off_cpu, const struct thread *thread);
/* The recorder found such a thread waiting: its sample, taken over, counts from the begin on. 0 or
 * -ENOMEM. */
int off_cpu_hold_silent(struct off_cpu *off_cpu, const struct sample *sample);
/* A sample of another event at @time_ns. @thread: NULL: it has not been met. */
int off_cpu_see(struct off_cpu *off_cpu, const struct thread *thread, uint64_t time_ns,
		struct sample *ret);
/* A SWITCH, SWITCH_CPU_WIDE, COMM, FORK or EXIT record, after processes_apply(). */
int off_cpu_apply(struct off_cpu *off_cpu, const struct record *record, struct sample *ret);

/* The thread is woken by @waker, as in a FRAME_WAKER: that ends its wait. */
void off_cpu_wake(struct off_cpu *off_cpu, int32_t tid, uint32_t waker);

/* After the last record: what is still off the CPU at @end_ns. Call until it returns 0. */
int off_cpu_next_at_end(struct off_cpu *off_cpu, uint64_t end_ns, struct sample *ret);

#endif
