#include "perf/counters/evlist_rings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/sentence.h"
#include "cct/system/cpu_list.h"
#include "perf/counters/evlist_notes.h"
#include "perf/counters/evlist_private.h"
#include "perf/rings/ring_size.h"

static int append_cpu(struct evlist_impl *impl, int cpu)
{
	if (evlist_has_cpu(impl->sideband_cpus, impl->n_sideband_cpus, cpu))
		return 0;
	if (array_reserve_one(impl->sideband_cpus, impl->n_sideband_cpus))
		return -ENOMEM;
	impl->sideband_cpus[impl->n_sideband_cpus++] = cpu;
	return 0;
}

/* Sets no CPU if the file cannot be read. */
static int read_online_cpus(int **cpus_ret, size_t *n_cpus_ret)
{
	char text[4096] = "";
	FILE *file = fopen("/sys/devices/system/cpu/online", "re");
	if (file) {
		if (!fgets(text, sizeof(text), file))
			text[0] = '\0';
		fclose(file);
	}
	int err = cpu_list_parse(text, cpus_ret, n_cpus_ret);
	return err == -EINVAL ? cpu_list_parse("", cpus_ret, n_cpus_ret) : err;
}

/*
 * The CPUs of the recording, all other online CPUs, and absent ones: a process may map a library on
 * a CPU that is not recorded, and be sampled on one that is.
 */
static int choose_sideband_cpus(struct evlist_impl *impl)
{
	for (size_t i = 0; i < impl->n_cpus; i++) {
		int err =
			evlist_is_absent(impl, impl->cpus[i]) ? 0 : append_cpu(impl, impl->cpus[i]);
		if (err)
			return err;
	}
	int *online;
	size_t n_online;
	int err = read_online_cpus(&online, &n_online);
	if (err)
		return err;
	for (size_t i = 0; i < n_online && !err; i++)
		err = evlist_is_absent(impl, online[i]) ? 0 : append_cpu(impl, online[i]);
	for (size_t i = 0; i < impl->n_absent_cpus && !err; i++)
		err = append_cpu(impl, impl->absent_cpus[i]);
	free(online);
	return err;
}

int evlist_init_rings(struct evlist_impl *impl, const struct event *events)
{
	struct evlist *evlist = &impl->evlist;
	int err = choose_sideband_cpus(impl);
	if (err)
		return err;
	evlist->ring_cpus = calloc(impl->n_cpus, sizeof(*evlist->ring_cpus));
	impl->ring_fds = calloc(impl->n_cpus, sizeof(*impl->ring_fds));
	impl->task_time_begin_ns = calloc(evlist->n_events, sizeof(*impl->task_time_begin_ns));
	evlist->sample_rings = calloc(impl->n_cpus, sizeof(*evlist->sample_rings));
	evlist->sideband_rings = calloc(impl->n_sideband_cpus, sizeof(*evlist->sideband_rings));
	evlist->context_rings = calloc(impl->n_cpus, sizeof(*evlist->context_rings));
	if (!evlist->ring_cpus || !impl->ring_fds || !impl->task_time_begin_ns ||
	    !evlist->sample_rings || !evlist->sideband_rings || !evlist->context_rings)
		return -ENOMEM;
	memcpy(evlist->ring_cpus, impl->cpus, impl->n_cpus * sizeof(*impl->cpus));
	evlist->n_sample_rings = impl->n_cpus;
	evlist->n_sideband_rings = impl->n_sideband_cpus;
	return evlist_choose_rings(impl, events);
}

/* The sampling rate in Hz; 0: an event is sampled by a period, so its rate is unknown. */
static uint64_t expected_frequency(const struct evlist *evlist)
{
	uint64_t highest = 0;
	for (size_t e = 0; e < evlist->n_events; e++) {
		const struct evlist_event *event = &evlist->events[e];
		if (event->is_counted)
			continue;
		if (!event->attr.freq)
			return 0;
		if (event->attr.sample_freq > highest)
			highest = event->attr.sample_freq;
	}
	return highest;
}

/* Rings of CPUs that have counters now. */
static size_t count_mapped(const struct evlist_impl *impl, const int *cpus, size_t n_cpus)
{
	size_t n = 0;
	for (size_t i = 0; i < n_cpus; i++)
		n += !evlist_is_absent(impl, cpus[i]);
	return n;
}

/* Rings have the layout of the first event's samples; all events copy the same part of a stack. */
static void choose_stack(struct evlist_impl *impl)
{
	struct evlist *evlist = &impl->evlist;
	uint32_t size = ring_sizes_choose_stack(&impl->demand);

	impl->demand.stack_size = size;
	for (size_t e = 0; e < evlist->n_events; e++) {
		struct perf_event_attr *attr = &evlist->events[e].attr;

		if (attr->sample_stack_user > size)
			attr->sample_stack_user = size;
	}
}

void evlist_choose_ring_sizes(struct evlist_impl *impl, const struct evlist_options *options)
{
	struct evlist *evlist = &impl->evlist;
	impl->demand = (struct ring_demand){
		.asked = options->ring_size,
		.frequency = expected_frequency(evlist),
		.has_switches = impl->request.switches,
		.is_read_late = impl->wake == EVLIST_WAKE_LATE,
		.stack_size = options->stack_size,
		.n_events = evlist->n_events,
		.n_sample_rings = count_mapped(impl, impl->cpus, impl->n_cpus),
		.n_sideband_rings = count_mapped(impl, impl->sideband_cpus, impl->n_sideband_cpus),
		.is_system_wide = options->target == EVLIST_SYSTEM && !options->cgroup_fd,
		.available = ring_size_memory_available(),
	};
	/* Rings that would hold 100 ms of larger copies bridge more time. */
	ring_sizes_choose(&impl->demand, &impl->sizes);
	if (options->may_copy_less)
		choose_stack(impl);
	uint64_t size = impl->sizes.samples;
	if (!options->ring_size && impl->demand.frequency &&
	    size < ring_sizes_wanted(&impl->demand))
		evlist_note(evlist,
			    sentence("Rings of %llu MiB per CPU hold less than 100 ms of "
				     "samples at this rate and stack size; samples may be lost.",
				     (unsigned long long)size >> 20));
	else if (options->ring_size && size > options->ring_size && size / 2 >= options->ring_size)
		evlist_note(evlist,
			    sentence("Rings of %llu KiB per CPU are the smallest that hold 8 "
				     "samples; they are used instead of the requested size.",
				     (unsigned long long)size >> 10));
}
