/* The events of a profile, and what else the header of a recording of perf has. Texts are escaped
 * as for a terminal. */
#ifndef COLLECTOR_EXCHANGE_PERF_EVENTS_H
#define COLLECTOR_EXCHANGE_PERF_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "cct/model/profile.h"
#include "perf/writer/data_writer.h"

#define PERF_EVENTS_FEATURES 7 /* at most */

struct perf_events {
	/* Of each metric of the profile, by its index; one without a name if there are none. */
	struct perf_event_attr *attrs;
	uint64_t *ids;
	struct data_writer_event *events; /* with names on the heap */
	size_t n_events;
	struct data_writer_feature features[PERF_EVENTS_FEATURES];
	size_t n_features;
};

/* @fields: what samples have beside the fields of all, PERF_SAMPLE_*. 0 or -ENOMEM; it may be
 * deinitialized in any case. */
int perf_events_init(struct perf_events *events, const struct profile *profile, uint64_t fields);
void perf_events_deinit(struct perf_events *events);

#endif
