#include "collector/agent/agent_rate.h"

/* Parts of the limit: from the first on the rate goes down, as far as the second would be taken if
 * all costs were those of samples; below the third it is doubled, which stays below the first. */
#define NEAR_LIMIT 0.8
#define AIM        0.5
#define FAR_BELOW  0.3

/* The part of the limit that is nearest to being passed. */
static double used_part(const struct agent_limits *limits, const struct agent_usage *usage)
{
	const double cpu_percent = 100.0 * (double)usage->cpu_ns / (double)usage->span_ns;
	const double cpu = limits->cpu_percent > 0 ? cpu_percent / limits->cpu_percent : 0;
	const double memory = limits->memory ? (double)usage->memory / (double)limits->memory : 0;

	return cpu > memory ? cpu : memory;
}

uint64_t agent_rate_next(const struct agent_limits *limits, const struct agent_usage *usage,
			 uint64_t asked, uint64_t rate)
{
	const double part = used_part(limits, usage);

	if (part >= NEAR_LIMIT) {
		const uint64_t less = (uint64_t)((double)rate * AIM / part);
		return less ? less : 1;
	}
	if (part >= FAR_BELOW)
		return rate;
	return rate < asked / 2 ? rate * 2 : asked;
}
