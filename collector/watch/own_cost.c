#include "collector/watch/own_cost.h"

#include <sys/resource.h>
#include <time.h>

#include "cct/base/clock.h"

static uint64_t read_clock(clockid_t clock)
{
	struct timespec time;

	return clock_gettime(clock, &time)
		       ? 0
		       : (uint64_t)time.tv_sec * NSEC_PER_SEC + (uint64_t)time.tv_nsec;
}

/* Of processes that have ended. */
static uint64_t read_children(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_CHILDREN, &usage))
		return 0;
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NSEC_PER_SEC +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NSEC_PER_USEC;
}

static uint64_t read_cpu(const struct own_cost *cost)
{
	const pid_t others[] = { cost->recorder, cost->builder };
	uint64_t cpu_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID) + read_children();
	clockid_t clock;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (others[i] && !clock_getcpuclockid(others[i], &clock))
			cpu_ns += read_clock(clock);
	}
	return cpu_ns;
}

void own_cost_init(struct own_cost *cost, pid_t recorder, pid_t builder)
{
	*cost = (struct own_cost){ .recorder = recorder, .builder = builder };
	cost->cpu_ns = read_cpu(cost);
	cost->now_ns = now_ns();
}

double own_cost_percent(struct own_cost *cost)
{
	const struct own_cost last = *cost;

	cost->cpu_ns = read_cpu(cost);
	cost->now_ns = now_ns();
	if (cost->cpu_ns <= last.cpu_ns || cost->now_ns <= last.now_ns)
		return 0;
	return 100.0 * (double)(cost->cpu_ns - last.cpu_ns) / (double)(cost->now_ns - last.now_ns);
}

uint64_t own_cost_of_thread_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
