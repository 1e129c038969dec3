/*
 * Opens the counters of a CPU again, or of an absent one first. A CPU that goes offline takes the
 * counters of the whole system away from it for good: neither its return nor an ioctl brings them
 * back. Counters of tasks go with their task and are not concerned.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "perf/counters/evlist.h"
#include "perf/counters/evlist_private.h"
#include "perf/counters/evlist_tasks.h"

#define NONE SIZE_MAX

/* A counter that is about to replace that of an event on the CPU. */
struct replacement {
	size_t place; /* in the event's lists; NONE: the event does not count on the CPU */
	int fd;       /* -1: not open */
	uint64_t kernel_id;
};

struct reopening {
	struct evlist_impl *impl;
	int cpu;
	size_t sample_ring, sideband_ring; /* NONE: the CPU has none */
	struct replacement *replacements;  /* by event, then the sideband's */
	struct ring samples, sideband;
};

static size_t find_cpu(const int *cpus, size_t n_cpus, int cpu)
{
	for (size_t i = 0; i < n_cpus; i++)
		if (cpus[i] == cpu)
			return i;
	return NONE;
}

static size_t find_ring(const struct evlist_event *event, size_t ring)
{
	for (size_t i = 0; i < event->n_rings; i++)
		if (event->rings[i] == ring)
			return i;
	return NONE;
}

static int reopening_init(struct reopening *reopening, struct evlist_impl *impl, int cpu)
{
	const struct evlist *evlist = &impl->evlist;
	size_t n = evlist->n_events + 1;

	*reopening = (struct reopening){
		.impl = impl,
		.cpu = cpu,
		.sample_ring = find_cpu(impl->cpus, impl->n_cpus, cpu),
		.sideband_ring = find_cpu(impl->sideband_cpus, impl->n_sideband_cpus, cpu),
		.replacements = calloc(n, sizeof(*reopening->replacements)),
	};
	if (!reopening->replacements)
		return -ENOMEM;
	for (size_t e = 0; e < n; e++) {
		bool is_sideband = e == evlist->n_events;
		size_t ring = is_sideband ? reopening->sideband_ring : reopening->sample_ring;

		reopening->replacements[e] = (struct replacement){
			.place = ring == NONE ? NONE : find_ring(&evlist->events[e], ring),
			.fd = -1,
		};
	}
	return reopening->sideband_ring == NONE ? -ENODEV : 0;
}

static void reopening_deinit(struct reopening *reopening)
{
	size_t n = reopening->impl->evlist.n_events + 1;

	for (size_t e = 0; reopening->replacements && e < n; e++)
		if (reopening->replacements[e].fd >= 0)
			close(reopening->replacements[e].fd);
	free(reopening->replacements);
	ring_unmap(&reopening->samples);
	ring_unmap(&reopening->sideband);
}

static int open_replacements(struct reopening *reopening)
{
	struct evlist *evlist = &reopening->impl->evlist;
	struct replacement *replacements = reopening->replacements;

	for (size_t e = 0; e <= evlist->n_events; e++) {
		size_t leader = evlist->events[e].leader;
		bool is_sideband = e == evlist->n_events;
		bool is_member = !is_sideband && leader != e;

		if (replacements[e].place == NONE)
			continue;
		int err = evlist_open_counter(reopening->impl, &evlist->events[e],
					      is_sideband ? -1 : reopening->impl->tasks[0].tid,
					      reopening->cpu,
					      is_member ? replacements[leader].fd : -1,
					      &replacements[e].fd, &replacements[e].kernel_id);
		if (err)
			return err;
	}
	return 0;
}

/* The counter that owns the CPU's sample ring. */
static int owner_fd(const struct reopening *reopening)
{
	const struct ring_owner *owner = &reopening->impl->ring_owners[reopening->sample_ring];

	return reopening->replacements[owner->event].fd;
}

static int map_rings(struct reopening *reopening)
{
	struct evlist_impl *impl = reopening->impl;
	struct evlist *evlist = &impl->evlist;
	int err = ring_map(&reopening->sideband, reopening->replacements[evlist->n_events].fd,
			   impl->sizes.sideband);

	if (err || reopening->sample_ring == NONE)
		return err;
	err = ring_map(&reopening->samples, owner_fd(reopening), impl->sizes.samples);
	for (size_t e = 0; e < evlist->n_events && !err; e++) {
		int fd = reopening->replacements[e].fd;

		if (fd >= 0 && fd != owner_fd(reopening) &&
		    ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner_fd(reopening)) < 0)
			err = -errno;
	}
	return err;
}

/* The kernel's ids of counters are also the recording's, until a counter is replaced. */
static int reserve_kernel_ids(struct evlist *evlist)
{
	for (size_t e = 0; e <= evlist->n_events; e++) {
		struct evlist_event *event = &evlist->events[e];

		if (event->kernel_ids)
			continue;
		event->kernel_ids = calloc(event->n_ids, sizeof(*event->kernel_ids));
		if (!event->kernel_ids)
			return -ENOMEM;
		memcpy(event->kernel_ids, event->ids, event->n_ids * sizeof(*event->kernel_ids));
	}
	return 0;
}

static void put_ring(struct ring *ring, struct ring *replacement)
{
	ring_unmap(ring);
	*ring = *replacement;
	*replacement = (struct ring){ .page = NULL };
}

static void put_counters(struct reopening *reopening)
{
	struct evlist *evlist = &reopening->impl->evlist;

	for (size_t e = 0; e <= evlist->n_events; e++) {
		struct replacement *replacement = &reopening->replacements[e];
		struct evlist_event *event = &evlist->events[e];

		if (replacement->place == NONE)
			continue;
		evlist_keep_count(reopening->impl, e, replacement->place);
		cleanup_close(&event->fds[replacement->place]); /* out of epoll, too */
		event->fds[replacement->place] = replacement->fd;
		event->kernel_ids[replacement->place] = replacement->kernel_id;
		replacement->fd = -1;
	}
}

static void put_all(struct reopening *reopening)
{
	struct evlist_impl *impl = reopening->impl;
	struct evlist *evlist = &impl->evlist;

	put_counters(reopening);
	put_ring(&evlist->sideband_rings[reopening->sideband_ring], &reopening->sideband);
	if (reopening->sample_ring != NONE) {
		put_ring(&evlist->sample_rings[reopening->sample_ring], &reopening->samples);
		impl->ring_fds[reopening->sample_ring] =
			evlist_sample_fd(impl, 0, reopening->sample_ring);
		evlist_reopen_second_stacks(impl, reopening->sample_ring);
	}
	evlist->has_reopened = true;
}

/* The sideband first, so that no sample lacks the mappings that it needs. */
static int start(struct reopening *reopening)
{
	struct evlist_impl *impl = reopening->impl;
	struct evlist *evlist = &impl->evlist;

	for (size_t e = evlist->n_events + 1; e-- > 0;) {
		size_t place = reopening->replacements[e].place;
		bool is_wanted = e == evlist->n_events || impl->is_enabled;

		if (place != NONE && is_wanted &&
		    ioctl(evlist->events[e].fds[place], PERF_EVENT_IOC_ENABLE, 0) < 0)
			return -errno;
	}
	int err = evlist_watch_counter(impl, evlist->n_events, reopening->sideband_ring);
	if (err || reopening->sample_ring == NONE)
		return err;
	evlist_reopen_contexts(impl, reopening->sample_ring);
	const struct ring_owner *owner = &impl->ring_owners[reopening->sample_ring];
	return evlist_watch_counter(impl, owner->event, owner->place);
}

static bool is_empty(struct ring *ring)
{
	return ring_begin(ring) == 0;
}

static int check_is_read(const struct reopening *reopening)
{
	struct evlist *evlist = &reopening->impl->evlist;
	bool is_read = is_empty(&evlist->sideband_rings[reopening->sideband_ring]) &&
		       (reopening->sample_ring == NONE ||
			is_empty(&evlist->sample_rings[reopening->sample_ring]));

	return is_read ? 0 : -EBUSY;
}

/* Counters of tasks stay, but not the output of second stacks, which is the CPU's. */
static int reopen_output(struct evlist_impl *impl, int cpu)
{
	size_t ring = find_cpu(impl->cpus, impl->n_cpus, cpu);

	if (ring == NONE || !impl->evlist.second_stacks.n_ids)
		return 0;
	if (!is_empty(&impl->evlist.sample_rings[ring]))
		return -EBUSY;
	evlist_reopen_second_stacks(impl, ring);
	return 0;
}

int evlist_reopen_cpu(struct evlist *evlist, int cpu)
{
	struct evlist_impl *impl = evlist_impl(evlist);
	struct reopening reopening;

	if (impl->target != EVLIST_SYSTEM)
		return reopen_output(impl, cpu);
	int err = reopening_init(&reopening, impl, cpu);
	if (!err)
		err = check_is_read(&reopening);
	if (!err)
		err = reserve_kernel_ids(evlist);
	if (!err)
		err = open_replacements(&reopening);
	if (!err)
		err = map_rings(&reopening);
	if (!err) {
		put_all(&reopening);
		err = start(&reopening);
	}
	reopening_deinit(&reopening);
	return err;
}

bool evlist_counts_cpu(const struct evlist *evlist, int cpu)
{
	const struct evlist_impl *impl = (const struct evlist_impl *)evlist;
	const struct evlist_event *sideband = &evlist->events[evlist->n_events];
	size_t at = find_cpu(impl->sideband_cpus, impl->n_sideband_cpus, cpu);
	uint64_t first[6] = { 0 }, second[6] = { 0 }; /* as in evlist_counts.c: enabled is [1] */

	return at != NONE && read(sideband->fds[at], first, sizeof(first)) > 0 &&
	       read(sideband->fds[at], second, sizeof(second)) > 0 && second[1] > first[1];
}

uint64_t evlist_listed_id(const struct evlist *evlist, uint64_t kernel_id)
{
	if (!evlist->has_reopened)
		return kernel_id;
	for (size_t e = 0; e <= evlist->n_events; e++) {
		const struct evlist_event *event = &evlist->events[e];

		for (size_t i = 0; event->kernel_ids && i < event->n_ids; i++)
			if (event->kernel_ids[i] == kernel_id)
				return event->ids[i];
	}
	return kernel_id;
}
