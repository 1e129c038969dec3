#include "perf/rings/ring_size.h"

#include <stdio.h>
#include <unistd.h>

#define KIB 1024ull
#define MIB (1024 * KIB)

#define DEFAULT_MIN      (1 * MIB)
#define DEFAULT_MAX      (64 * MIB)
#define KERNEL_MAX       (1024 * MIB) /* perf_mmap() refuses 4 GiB */
#define SHRUNK_MIN       (32 * KIB)
#define SIDEBAND_DEFAULT (1 * MIB)
/* With two records, of some 56 bytes, for each switch of tasks. */
#define SIDEBAND_SWITCHES (4 * MIB)
#define SIDEBAND_MIN      (64 * KIB)
/* A reader that comes once a second has not to be woken before where a CPU starts some hundred
 * programs in that time; all such rings together take so much. */
#define SIDEBAND_LATE     (4 * MIB)
#define SIDEBAND_LATE_ALL (16 * MIB)
/* Samples per second assumed where the user gave a period. */
#define ASSUMED_RATE 10000
/* Of a sample, without its stack: registers, callchain, the rest. */
#define SAMPLE_REST 512
/* Ring time to bridge while the reader is not scheduled. */
#define BRIDGED_PER_SECOND 10
#define MIN_SAMPLES        8
/* Whole copies that one thread can read from rings and write elsewhere, once or twice. */
#define READ_PER_SECOND (4096 * MIB)
#define FEWEST_SAMPLES  3 /* when the mlock limit leaves no choice */
/* All rings together may take this part of the memory. */
#define MEMORY_PART 8

static uint64_t power_of_two_from(uint64_t size)
{
	uint64_t power = sysconf(_SC_PAGESIZE);
	while (power < size && power < KERNEL_MAX)
		power *= 2;
	return power;
}

static uint64_t sample_size(const struct ring_demand *demand)
{
	return (uint64_t)demand->stack_size + SAMPLE_REST;
}

static uint64_t least(const struct ring_demand *demand)
{
	uint64_t size = power_of_two_from(FEWEST_SAMPLES * sample_size(demand));
	return size > SHRUNK_MIN ? size : SHRUNK_MIN;
}

uint64_t ring_sizes_wanted(const struct ring_demand *demand)
{
	uint64_t rate = demand->frequency ? demand->frequency : ASSUMED_RATE;
	uint64_t n_events = demand->n_events ? demand->n_events : 1;
	uint64_t wanted;
	if (__builtin_mul_overflow(rate, sample_size(demand), &wanted) ||
	    __builtin_mul_overflow(wanted, n_events, &wanted))
		return UINT64_MAX;
	return wanted / BRIDGED_PER_SECOND;
}

/* Whether rings are too small for 100 ms of whole copies, or one thread for those of all rings. */
static bool is_too_much(const struct ring_demand *demand)
{
	const uint64_t wanted = ring_sizes_wanted(demand);
	const uint64_t n_rings = demand->is_system_wide ? demand->n_sample_rings : 0;

	return wanted > DEFAULT_MAX ||
	       (n_rings && wanted > READ_PER_SECOND / BRIDGED_PER_SECOND / n_rings);
}

uint32_t ring_sizes_choose_stack(const struct ring_demand *demand)
{
	static const uint32_t smaller[] = { 2 * STACK_COPY_LEAST, STACK_COPY_LEAST };
	struct ring_demand chosen = *demand;

	for (size_t i = 0; i < sizeof(smaller) / sizeof(smaller[0]) && demand->frequency; i++) {
		if (smaller[i] < chosen.stack_size && is_too_much(&chosen))
			chosen.stack_size = smaller[i];
	}
	return chosen.stack_size;
}

static uint64_t default_size(const struct ring_demand *demand, uint64_t sideband, uint64_t floor)
{
	uint64_t wanted = ring_sizes_wanted(demand);
	uint64_t size = wanted > DEFAULT_MAX ? DEFAULT_MAX : power_of_two_from(wanted);
	if (size < DEFAULT_MIN)
		size = DEFAULT_MIN;
	uint64_t permitted = demand->available ? demand->available / MEMORY_PART : UINT64_MAX;
	while (size > floor &&
	       demand->n_sample_rings * size + demand->n_sideband_rings * sideband > permitted)
		size /= 2;
	return size;
}

static uint64_t sideband_size(const struct ring_demand *demand)
{
	uint64_t size = demand->has_switches ? SIDEBAND_SWITCHES : SIDEBAND_DEFAULT;

	while (demand->is_read_late && size < SIDEBAND_LATE &&
	       2 * size * demand->n_sideband_rings <= SIDEBAND_LATE_ALL)
		size *= 2;
	return size;
}

void ring_sizes_choose(const struct ring_demand *demand, struct ring_sizes *sizes)
{
	uint64_t floor = power_of_two_from(MIN_SAMPLES * sample_size(demand));
	sizes->sideband = sideband_size(demand);
	sizes->samples = demand->asked ? power_of_two_from(demand->asked)
				       : default_size(demand, sizes->sideband, floor);
	if (sizes->samples < floor)
		sizes->samples = floor;
}

bool ring_sizes_shrink(const struct ring_demand *demand, struct ring_sizes *sizes)
{
	uint64_t minimum = least(demand);
	bool can_shrink_samples = sizes->samples > minimum;
	bool can_shrink_sideband = sizes->sideband > SIDEBAND_MIN;
	if (can_shrink_samples && (sizes->samples > sizes->sideband || !can_shrink_sideband))
		sizes->samples /= 2;
	else if (can_shrink_sideband)
		sizes->sideband /= 2;
	else
		return false;
	return true;
}

bool ring_sizes_fit(const struct ring_demand *demand, const struct ring_sizes *sizes,
		    const struct perf_limits *limits)
{
	if (limits->has_cap_ipc_lock || limits->paranoid < 0)
		return true;
	/* kernel/events/core.c, perf_mmap(): a budget per user that grows with the CPUs; what
	 * exceeds it counts against RLIMIT_MEMLOCK. */
	uint64_t page_size = sysconf(_SC_PAGESIZE);
	uint64_t needed = demand->n_sample_rings * (sizes->samples + page_size) +
			  demand->n_sideband_rings * (sizes->sideband + page_size);
	uint64_t permitted = limits->mlock_bytes * limits->n_cpus;
	return needed <= permitted || needed - permitted <= limits->rlimit_memlock;
}

uint64_t ring_size_memory_available(void)
{
	FILE *meminfo = fopen("/proc/meminfo", "re");
	if (!meminfo)
		return 0;
	char line[128];
	unsigned long long kib = 0;
	while (fgets(line, sizeof(line), meminfo))
		if (sscanf(line, "MemAvailable: %llu", &kib) == 1)
			break;
	fclose(meminfo);
	return kib * KIB;
}
