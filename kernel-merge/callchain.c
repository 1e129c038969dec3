/* A callchain is one array. A PERF_CONTEXT_* entry states the context of the addresses after it. */
#include "kernel-merge/callchain.h"

#include <linux/perf_event.h>
#include <stdbool.h>

static bool is_context(uint64_t ip)
{
	return ip >= (uint64_t)PERF_CONTEXT_MAX;
}

static size_t run_length(const uint64_t *ips, size_t n_ips)
{
	size_t n = 0;

	while (n < n_ips && !is_context(ips[n]))
		n++;
	return n;
}

/* Frame pointers end with a caller at address 0, which old kernels record. @n: of at least one
 * address, the leaf, which may be anything. */
static size_t without_end(const uint64_t *ips, size_t n)
{
	while (n > 1 && !ips[n - 1])
		n--;
	return n;
}

static uint64_t context_of_mode(uint16_t cpu_mode)
{
	switch (cpu_mode) {
	case PERF_RECORD_MISC_KERNEL:
		return (uint64_t)PERF_CONTEXT_KERNEL;
	case PERF_RECORD_MISC_USER:
		return (uint64_t)PERF_CONTEXT_USER;
	default:
		return (uint64_t)PERF_CONTEXT_MAX;
	}
}

void callchain_split(const uint64_t *ips, size_t n_ips, uint16_t cpu_mode, struct callchain *ret)
{
	uint64_t context = context_of_mode(cpu_mode);

	*ret = (struct callchain){ 0 };
	for (size_t i = 0; i < n_ips;) {
		if (is_context(ips[i])) {
			context = ips[i++];
			continue;
		}
		size_t n = run_length(ips + i, n_ips - i);

		/*
		 * A second run of one context belongs to another stack than the first, so it is
		 * only counted.
		 */
		if (context == (uint64_t)PERF_CONTEXT_KERNEL && !ret->n_kernel) {
			ret->kernel = ips + i;
			ret->n_kernel = without_end(ips + i, n);
		} else if (context == (uint64_t)PERF_CONTEXT_USER && !ret->n_user) {
			ret->user = ips + i;
			ret->n_user = without_end(ips + i, n);
		} else {
			ret->n_other += n;
		}
		i += n;
	}
}
