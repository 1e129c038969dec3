/* Metrics: what is counted, one per event. A sample adds its period (its weight) to one metric. */
#ifndef CCT_METRIC_H
#define CCT_METRIC_H

#include <stdint.h>

struct metric {
	char *name;       /* "cycles:u"; owned */
	const char *unit; /* "ns", "events", "bytes"; a static string */
	uint64_t samples; /* received */
	uint64_t total;   /* sum of the weights of these samples */
	uint64_t lost;    /* samples the kernel could not deliver */
};

#endif
