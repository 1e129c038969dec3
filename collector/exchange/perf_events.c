#include "collector/exchange/perf_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "perf/file/feature_bytes.h"
#include "perf/kinds/event_names.h"

/* tools/perf/util/header.h */
enum {
	HEADER_HOSTNAME = 3,
	HEADER_OSRELEASE = 4,
	HEADER_VERSION = 5,
	HEADER_ARCH = 6,
	HEADER_NRCPUS = 7,
	HEADER_CPUDESC = 8,
	HEADER_CMDLINE = 11,
};

/* Readers of older kernels' files refuse larger ones, and no newer field is used. */
#define ATTR_SIZE 128

/* An event whose number a profile does not have gets an unused raw one, so that events differ. */
static struct perf_event_attr make_attr(const char *name, uint32_t metric, uint64_t fields)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_RAW, .config = metric };

	event_names_find_generic(name, strcspn(name, ":"), &attr);
	attr.size = ATTR_SIZE;
	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			   PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | fields;
	attr.sample_id_all = true;
	attr.inherit = true;
	attr.mmap = attr.mmap2 = attr.build_id = attr.comm = attr.task = attr.ksymbol = true;
	return attr;
}

static int add_events(struct perf_events *events, const struct profile *profile, uint64_t fields)
{
	const uint32_t n = profile->n_metrics;
	bool lacks_memory = false;

	events->n_events = n ? n : 1;
	events->attrs = calloc(events->n_events, sizeof(*events->attrs));
	events->ids = calloc(events->n_events, sizeof(*events->ids));
	events->events = calloc(events->n_events, sizeof(*events->events));
	if (!events->attrs || !events->ids || !events->events)
		return -ENOMEM;
	for (uint32_t i = 0; i < events->n_events; i++) {
		const char *name = n ? profile->metrics[i].name : "";

		events->attrs[i] = make_attr(name, i, fields);
		events->ids[i] = i + 1;
		events->events[i] = (struct data_writer_event){ .attr = &events->attrs[i],
								.name = printable_copy(name),
								.ids = &events->ids[i],
								.n_ids = 1 };
		lacks_memory |= !events->events[i].name;
	}
	return lacks_memory ? -ENOMEM : 0;
}

/* Takes over @bytes. */
static int add_feature(struct perf_events *events, uint32_t number, struct feature_bytes *bytes)
{
	if (bytes->failed) {
		free(bytes->start);
		return -ENOMEM;
	}
	events->features[events->n_features++] = (struct data_writer_feature){
		.number = number, .bytes = bytes->start, .size = bytes->size
	};
	return 0;
}

static int add_text(struct perf_events *events, uint32_t number, const char *text)
{
	struct feature_bytes bytes = { 0 };

	if (!text)
		return 0;
	_cleanup_free_ char *shown = printable_copy(text);
	if (!shown)
		return -ENOMEM;
	if (number == HEADER_CMDLINE)
		feature_bytes_add_u32(&bytes, 1); /* argument: the whole */
	feature_bytes_add_string(&bytes, shown);
	return add_feature(events, number, &bytes);
}

static int add_cpus(struct perf_events *events, uint32_t n_cpus)
{
	struct feature_bytes bytes = { 0 };

	if (!n_cpus)
		return 0;
	feature_bytes_add_u32(&bytes, n_cpus);
	feature_bytes_add_u32(&bytes, n_cpus);
	return add_feature(events, HEADER_NRCPUS, &bytes);
}

int perf_events_init(struct perf_events *events, const struct profile *profile, uint64_t fields)
{
	const struct profile_info *info = &profile->info;
	int err = add_events(events, profile, fields);

	if (!err)
		err = add_text(events, HEADER_HOSTNAME, info->hostname);
	if (!err)
		err = add_text(events, HEADER_OSRELEASE, info->os_release);
	if (!err)
		err = add_text(events, HEADER_VERSION, info->tool_version);
	if (!err)
		err = add_text(events, HEADER_ARCH, info->arch);
	if (!err)
		err = add_cpus(events, info->n_cpus);
	if (!err)
		err = add_text(events, HEADER_CPUDESC, info->cpu);
	return err ? err : add_text(events, HEADER_CMDLINE, info->command_line);
}

void perf_events_deinit(struct perf_events *events)
{
	for (size_t i = 0; events->events && i < events->n_events; i++)
		free((void *)events->events[i].name);
	free(events->attrs);
	free(events->ids);
	free(events->events);
	for (size_t i = 0; i < events->n_features; i++)
		free((void *)events->features[i].bytes);
}
