/*
 * Where the running kernel has two fields of its struct task_struct, which no ABI fixes.
 *
 * A BPF program copies the structure of the calling thread, and its values are known: it has just
 * set its alternate stack, and knows its thread pointer.
 */
#ifndef PERF_KERNEL_TASK_FIELDS_H
#define PERF_KERNEL_TASK_FIELDS_H

#include <stdint.h>

struct task_fields {
	uint32_t alternate_stack; /* sas_ss_sp, then sas_ss_size */
	uint32_t thread_pointer;  /* thread.fsbase */
};

/* 0 or -errno; -ENOENT: not found; -EOPNOTSUPP: not of this architecture. */
int task_fields_find(struct task_fields *fields_ret);

#endif
