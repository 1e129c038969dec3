/* Metrics: what is counted, one per event. A sample adds its period (its weight) to one metric. */
#ifndef CCT_MODEL_METRIC_H
#define CCT_MODEL_METRIC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct metric {
	char *name;       /* "cycles:u"; owned */
	char *unit;       /* "ns", "events", "bytes"; owned */
	uint64_t samples; /* received */
	uint64_t total;   /* sum of the weights of these samples */
	uint64_t lost;    /* samples the kernel could not deliver */
	/* The final value of the counters, independent of the samples. */
	bool has_counted;
	uint64_t counted;
	/*
	 * The time for which the event was enabled, and for which it had a counter; both 0: not
	 * known.
	 */
	uint64_t time_enabled_ns, time_running_ns;
	bool is_scaled; /* weights were multiplied by enabled / running */
	bool is_waits;  /* each sample is a wait, which weighs its time; all of them are recorded */
	bool takes_all; /* a sample was to be taken of each occurrence */
};

static inline void metric_deinit(struct metric *metric)
{
	free(metric->name);
	free(metric->unit);
}

/* Whether the event lacked a counter for more than 0.5 % of the time. */
static inline bool metric_is_multiplexed(const struct metric *metric)
{
	return metric->time_running_ns < metric->time_enabled_ns - metric->time_enabled_ns / 200;
}

/* Whether the samples are all occurrences, so that shares of them have no error of sampling. */
static inline bool metric_is_exact(const struct metric *metric)
{
	return (metric->takes_all || metric->is_waits) && !metric->is_scaled && !metric->lost;
}

/* Beyond this factor, the event ran too short a time to estimate the rest. */
#define METRIC_MAX_SCALE 1000000u

static inline bool metric_can_be_scaled(const struct metric *metric)
{
	return metric_is_multiplexed(metric) && metric->time_running_ns &&
	       metric->time_enabled_ns / metric->time_running_ns <= METRIC_MAX_SCALE;
}

/* An estimate of what a weight had been if the event had had a counter all the time. */
static inline uint64_t metric_scale(const struct metric *metric, uint64_t weight)
{
	const unsigned __int128 product = (unsigned __int128)weight * metric->time_enabled_ns;

	return (uint64_t)((product + metric->time_running_ns / 2) / metric->time_running_ns);
}

#endif
