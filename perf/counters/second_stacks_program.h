/*
 * A BPF program that the kernel runs before it writes a sample. Where the sampled thread has left a
 * stack for another, it writes the memory of the stack that was left, as a record of
 * PERF_COUNT_SW_BPF_OUTPUT with struct second_stack_bytes as raw data.
 *
 * A thread has left its stack
 * - if the stack pointer is on its alternate signal stack: a signal's frame there has the stack
 *   pointer that was interrupted (arch/x86/include/asm/sigframe.h);
 * - if it, or what was interrupted, runs on the scheduler's stack of a thread of Go (m.g0) for a
 *   goroutine (m.curg), which has saved its stack pointer (g.sched.sp): see runtime2.go.
 *
 * What the process has in its memory is not trusted: wrong values lead to memory that no walk uses.
 */
#ifndef PERF_COUNTERS_SECOND_STACKS_PROGRAM_H
#define PERF_COUNTERS_SECOND_STACKS_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "perf/counters/follow_program.h"
#include "perf/kernel/stack_watch.h"
#include "perf/kernel/task_fields.h"

#define SECOND_STACK_PAGE      4096u
#define SECOND_STACK_PAGES_MAX 15 /* a record has less than 64 KiB */

/* The raw data of a record: this, then whole pages from the one with @start on, as far as they are
 * in memory and not beyond @end. */
struct second_stack_bytes {
	uint64_t sample_sp; /* of the sample that follows */
	uint64_t start;     /* the stack pointer with which the stack was left */
	uint64_t end;       /* of the stack; UINT64_MAX: not known */
	uint64_t is_saved;  /* 1: a function of Go's runtime saved @start; 0: a signal */
};

/* How many pages of a second stack are read at most, for samples with copies of @stack_size bytes.
 */
size_t second_stacks_pages(uint32_t stack_size);
/*
 * @fields: NULL: no second stacks are looked for, nor is @watch asked. @watch: checks each sample
 * first; NULL: none. @follow: which rules the program follows; NULL: none. @events_map: a map of
 * PERF_COUNT_SW_BPF_OUTPUT events by CPU. @buffers_map: an array of second_stacks_buffer_size()
 * bytes by CPU. The program's file descriptor; or -errno, and in @reason_ret, of BPF_REASON_MAX
 * bytes, why the kernel refuses it, if it has said so.
 */
int second_stacks_load(const struct task_fields *fields, uint32_t stack_size,
		       const struct stack_watch *watch, const struct follow_maps *follow,
		       int events_map, int buffers_map, char *reason_ret);
size_t second_stacks_buffer_size(void);

#endif
