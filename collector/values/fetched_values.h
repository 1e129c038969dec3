/*
 * The values that the kernel fetched at probes, of their samples (perf/events/event_value.h), as
 * rows of call paths below the function that was probed. One thread only.
 */
#ifndef COLLECTOR_VALUES_FETCHED_VALUES_H
#define COLLECTOR_VALUES_FETCHED_VALUES_H

#include "cct/model/profile.h"
#include "collector/paths/sample.h"
#include "report/names/symbolize.h"
#include "report/values/value_text.h"

/* The value of a sample whose event has one. @symbolizer: names functions that pointers lead to. A
 * reason: the kernel could not read it. */
enum debug_reason fetched_value_read(const struct sample *sample, struct symbolizer *symbolizer,
				     struct value_text *text_ret);

struct fetched_values;

/* NULL: out of memory. */
struct fetched_values *fetched_values_create(void);
/* NULL is fine. */
void fetched_values_destroy(struct fetched_values *values);
/* Gives a sample of such an event, whose path has no other value, the row of its value. Texts go to
 * @profile. 0 or -ENOMEM. */
int fetched_values_split(struct fetched_values *values, struct sample *sample,
			 struct profile *profile);

#endif
