/* For programs whose processes take turns, with _GNU_SOURCE. */
#ifndef TESTS_WORKLOADS_ONE_PROCESSOR_H
#define TESTS_WORKLOADS_ONE_PROCESSOR_H

#include <sched.h>

/* Inherited by all children. Where it is refused, they may work on processors of other speeds. */
static inline void stay_on_one_processor(void)
{
	int cpu = sched_getcpu();
	cpu_set_t one;

	CPU_ZERO(&one);
	if (cpu < 0)
		return;
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

#endif
