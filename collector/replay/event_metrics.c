#include "collector/replay/event_metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool event_metrics_is_sideband(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
}

/* One metric per event; an event of the same name on another PMU or thread shares it. */
static uint32_t find_or_add_metric(struct profile *profile, const struct data_file_event *event)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (strcmp(profile->metrics[i].name, event->name) == 0)
			return i;
	}
	return profile_add_metric(profile, event->name, event->unit);
}

int event_metrics_init(struct event_metrics *metrics, const struct data_file *file,
		       struct profile *profile)
{
	size_t n_events = data_file_n_events(file);

	metrics->metrics = calloc(n_events ? n_events : 1, sizeof(*metrics->metrics));
	if (!metrics->metrics)
		return -ENOMEM;
	metrics->n_metrics = n_events;
	for (size_t i = 0; i < n_events; i++) {
		const struct data_file_event *event = data_file_event(file, i);

		metrics->metrics[i] = NO_METRIC;
		if (event_metrics_is_sideband(&event->attr))
			continue;
		metrics->metrics[i] = find_or_add_metric(profile, event);
		if (metrics->metrics[i] == UINT32_MAX)
			return -ENOMEM;
		if (event->weight.kind == WEIGHT_OFF_CPU)
			profile->metrics[metrics->metrics[i]].is_waits = true;
	}
	return 0;
}

void event_metrics_deinit(struct event_metrics *metrics)
{
	free(metrics->metrics);
}

uint32_t event_metrics_find(const struct event_metrics *metrics, size_t event)
{
	return event < metrics->n_metrics ? metrics->metrics[event] : NO_METRIC;
}
