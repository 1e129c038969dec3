/* The metrics of a recording's events. */
#ifndef COLLECTOR_REPLAY_EVENT_METRICS_H
#define COLLECTOR_REPLAY_EVENT_METRICS_H

#include "cct/model/profile.h"
#include "perf/file/data_file.h"

#define NO_METRIC UINT32_MAX

/* All zeros: no events. */
struct event_metrics {
	uint32_t *metrics; /* by event of the file: an index into the profile's, or NO_METRIC */
	size_t n_metrics;
};

/* Adds a metric for each name among the events: events of one name, on several PMUs or threads,
 * share it. Once all events are known. 0 or -ENOMEM. */
int event_metrics_init(struct event_metrics *metrics, const struct data_file *file,
		       struct profile *profile);
void event_metrics_deinit(struct event_metrics *metrics);
/* The metric of an event, by its index; NO_METRIC: it has none, or there is no such event. */
uint32_t event_metrics_find(const struct event_metrics *metrics, size_t event);
/* A dummy event, which exists only for the records of its ring, has no metric. */
bool event_metrics_is_sideband(const struct perf_event_attr *attr);

#endif
