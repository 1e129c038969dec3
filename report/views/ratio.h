/*
 * Ratios of two metrics, times a factor: instructions per cycle, misses per thousand instructions,
 * time per call; of a row's own cost, or of all below it.
 */
#ifndef REPORT_VIEWS_RATIO_H
#define REPORT_VIEWS_RATIO_H

#include <stdbool.h>

#include "cct/model/profile.h"

struct ratio {
	const char *name;                /* as the user wrote it; borrowed */
	uint32_t numerator, denominator; /* metrics */
	double factor;
};

/*
 * "A/B", "A/B*N", or a name: "ipc", "mpki". A and B are names of @profile's metrics, in which
 * slashes may occur, with or without their modifiers. false: it is none, or an event is missing.
 */
bool ratio_parse(const char *text, const struct profile *profile, struct ratio *ratio_ret);
/* @costs: by metric. false: the denominator is 0. */
bool ratio_of(const struct ratio *ratio, const uint64_t *costs, double *value_ret);

#endif
