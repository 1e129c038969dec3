/*
 * Ratios of two metrics, times a factor: instructions per cycle, misses per thousand instructions,
 * time per call. A ratio is computed from a row's self costs or from its total costs.
 */
#ifndef REPORT_FOLD_RATIO_H
#define REPORT_FOLD_RATIO_H

#include <stdbool.h>

#include "cct/model/profile.h"

struct ratio {
	const char *name;                /* as the user wrote it; borrowed */
	uint32_t numerator, denominator; /* metrics */
	double factor;
};

/*
 * Parses "A/B", "A/B*N", or a named ratio: "ipc", "mpki". A and B are names of @profile's metrics,
 * with or without their modifiers; names may contain slashes. false: @text is not a ratio, or the
 * profile lacks one of its metrics.
 */
bool ratio_parse(const char *text, const struct profile *profile, struct ratio *ratio_ret);
/* Computes a ratio from @costs, one per metric. false: the denominator is 0. */
bool ratio_of(const struct ratio *ratio, const uint64_t *costs, double *value_ret);

#endif
