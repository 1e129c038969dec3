#include "collector/agent/hang_check.h"

#include "cct/base/clock.h"

/* On a machine whose processors are all busy, a process of low priority gets some time in this. */
#define INTERVAL_NS (30 * NSEC_PER_SEC)
/* The names of a window take a second or two, and some more where programs have all of their debug
 * information. */
#define CPU_MAX_NS (120 * NSEC_PER_SEC)

void hang_check_start(struct hang_check *check, uint64_t now_ns, uint64_t cpu_ns)
{
	*check = (struct hang_check){ now_ns + INTERVAL_NS, cpu_ns, cpu_ns };
}

bool hang_check_hangs(struct hang_check *check, uint64_t now_ns, uint64_t cpu_ns)
{
	if (now_ns < check->next_ns)
		return false;
	const bool hangs =
		cpu_ns == check->last_cpu_ns || cpu_ns - check->first_cpu_ns > CPU_MAX_NS;
	check->next_ns = now_ns + INTERVAL_NS;
	check->last_cpu_ns = cpu_ns;
	return hangs;
}
