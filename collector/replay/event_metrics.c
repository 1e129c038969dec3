#include "collector/replay/event_metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool event_metrics_is_sideband(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
}

/*
 * Whether each occurrence becomes a sample. Clocks and counters of processors cannot do so: their
 * kernels take a longer period, or hold the event back.
 */
static bool takes_all(const struct data_file_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	const bool is_clock =
		attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						     attr->config == PERF_COUNT_SW_TASK_CLOCK);
	const bool is_counter = attr->type == PERF_TYPE_HARDWARE ||
				attr->type == PERF_TYPE_HW_CACHE || attr->type == PERF_TYPE_RAW;

	return !attr->freq && attr->sample_period == 1 && !is_clock && !is_counter;
}

/* One metric per event; an event of the same name on another PMU or thread shares it. */
static uint32_t find_or_add_metric(struct profile *profile, const struct data_file_event *event)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (strcmp(profile->metrics[i].name, event->name) == 0)
			return i;
	}
	uint32_t metric = profile_add_metric(profile, event->name, event->unit);
	if (metric != UINT32_MAX)
		profile->metrics[metric].takes_all = true;
	return metric;
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
		struct metric *metric = &profile->metrics[metrics->metrics[i]];
		metric->is_waits |= event->weight.kind == WEIGHT_OFF_CPU;
		metric->takes_all &= takes_all(event);
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
