/*
 * Writes a profile as a recording of perf with callchains that are unwound already: a file of
 * perf's format, or what perf writes to a pipe where @out cannot be written at other places.
 *
 * Each sample of the profile is one, with its time, CPU and thread. A profile without the samples
 * one by one gives a sample for each path and event, whose period is the whole cost.
 */
#ifndef COLLECTOR_EXCHANGE_PERF_DATA_H
#define COLLECTOR_EXCHANGE_PERF_DATA_H

#include <stdio.h>

#include "cct/model/profile.h"
#include "report/fold/path_options.h"
#include "report/names/symbolize.h"

/* As path_format::write. */
int perf_data_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		    const struct path_options *options);

#endif
