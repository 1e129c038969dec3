/*
 * Splits a callchain that the kernel recorded at its PERF_CONTEXT_* markers
 * (include/uapi/linux/perf_event.h, enum perf_callchain_context). Addresses stay as they were: leaf
 * first, return addresses; a zero at the end of either part is left out.
 */
#ifndef KERNEL_MERGE_CALLCHAIN_H
#define KERNEL_MERGE_CALLCHAIN_H

#include <stddef.h>
#include <stdint.h>

struct callchain {
	const uint64_t *kernel; /* borrowed */
	size_t n_kernel;
	const uint64_t *user; /* walked by the kernel along frame pointers; borrowed */
	size_t n_user;
	size_t n_other; /* entries of hypervisor and guest contexts, left out */
};

/* @cpu_mode: PERF_RECORD_MISC_KERNEL or _USER; names entries before the first marker. */
void callchain_split(const uint64_t *ips, size_t n_ips, uint16_t cpu_mode, struct callchain *ret);

#endif
