/* Computes the sizes of the rings, and smaller ones if memory or the mlock limit is insufficient.
 */
#ifndef PERF_RINGS_RING_SIZE_H
#define PERF_RINGS_RING_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/kernel/limits.h"

struct ring_demand {
	uint64_t asked;     /* bytes per CPU that the user requested, or 0 */
	uint64_t frequency; /* Hz per event, or 0: sampled by a period, so the rate is unknown */
	bool has_switches;  /* sideband has two records for each switch of tasks */
	bool is_read_late;  /* the reader comes by itself, and is to be woken seldom */
	uint32_t stack_size;
	size_t n_events; /* that share a ring */
	size_t n_sample_rings, n_sideband_rings;
	bool is_system_wide; /* all rings may get samples at this rate */
	uint64_t available;  /* bytes of memory; 0: unknown */
};

struct ring_sizes {
	uint64_t samples, sideband; /* bytes per ring, powers of two */
};

void ring_sizes_choose(const struct ring_demand *demand, struct ring_sizes *sizes);
/*
 * How much of each stack to copy, at most @demand->stack_size: as much as lets the largest default
 * ring hold 100 ms of samples, and one thread copy those of all rings, but at least
 * STACK_COPY_LEAST.
 */
uint32_t ring_sizes_choose_stack(const struct ring_demand *demand);
#define STACK_COPY_LEAST 16384
/* The bytes that 100 ms of samples need at the requested rate. */
uint64_t ring_sizes_wanted(const struct ring_demand *demand);
/* One step down: halves one of the two. false: less would hold too few samples. */
bool ring_sizes_shrink(const struct ring_demand *demand, struct ring_sizes *sizes);
/* Whether the mlock limit lets this user map them all, as far as is known beforehand. */
bool ring_sizes_fit(const struct ring_demand *demand, const struct ring_sizes *sizes,
		    const struct perf_limits *limits);
/* MemAvailable of /proc/meminfo in bytes; 0: unknown. */
uint64_t ring_size_memory_available(void);

#endif
