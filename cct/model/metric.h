/* Metrics: what is counted, one per event. A sample adds its period (its weight) to one metric. */
#ifndef CCT_MODEL_METRIC_H
#define CCT_MODEL_METRIC_H

#include <stdbool.h>
#include <stdint.h>

struct metric {
	char *name;       /* "cycles:u"; owned */
	const char *unit; /* "ns", "events", "bytes"; a static string */
	uint64_t samples; /* received */
	uint64_t total;   /* sum of the weights of these samples */
	uint64_t lost;    /* samples the kernel could not deliver */
	/* What the counters said in the end, whatever was sampled. */
	bool has_counted;
	uint64_t counted;
	/* Time that they were to count, and that they did; both 0: not known. */
	uint64_t time_enabled_ns, time_running_ns;
	bool is_scaled; /* weights were multiplied by enabled / running */
};

/* Shared its counter with others, for a part of the time that matters. */
static inline bool metric_is_multiplexed(const struct metric *metric)
{
	return metric->time_running_ns < metric->time_enabled_ns - metric->time_enabled_ns / 200;
}

#endif
