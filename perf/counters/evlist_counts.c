/* Reads the values of counters with read(2), in the read_format that attr_fallback.c sets. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf/counters/evlist.h"
#include "perf/counters/evlist_private.h"

#define FORMAT_LOST (1u << 4) /* include/uapi/linux/perf_event.h of 6.0 */

struct counter_values {
	uint64_t value, time_enabled, time_running, lost;
};

/* value, time_enabled, time_running, id, lost */
static bool take_single(const uint64_t *words, size_t n_words, struct counter_values *ret)
{
	if (n_words < 4)
		return false;
	*ret = (struct counter_values){ words[0], words[1], words[2], n_words > 4 ? words[4] : 0 };
	return true;
}

/* number, time_enabled, time_running, then value, id, lost of each event of the group */
static bool take_of_group(const uint64_t *words, size_t n_words, size_t entry, uint64_t id,
			  struct counter_values *ret)
{
	for (size_t i = 3; i + entry <= n_words; i += entry) {
		if (words[i + 1] != id)
			continue;
		*ret = (struct counter_values){ words[i], words[1], words[2],
						entry > 2 ? words[i + 2] : 0 };
		return true;
	}
	return false;
}

static uint64_t kernel_id(const struct evlist_event *event, size_t counter)
{
	return event->kernel_ids ? event->kernel_ids[counter] : event->ids[counter];
}

/* @words: room for @max_words. */
static bool read_counter(const struct evlist_event *event, size_t counter, uint64_t *words,
			 size_t max_words, struct counter_values *ret)
{
	size_t entry = event->attr.read_format & FORMAT_LOST ? 3 : 2;
	ssize_t n = read(event->fds[counter], words, max_words * sizeof(*words));
	if (n < 0)
		return false;
	size_t n_words = (size_t)n / sizeof(*words);
	return event->attr.read_format & PERF_FORMAT_GROUP
		       ? take_of_group(words, n_words, entry, kernel_id(event, counter), ret)
		       : take_single(words, n_words, ret);
}

/* Sums all counters of an event. false: some counters cannot be read. */
static bool sum_counters(const struct evlist *evlist, size_t event, struct counter_values *sum_ret)
{
	const struct evlist_event *counters = &evlist->events[event];
	size_t max_words = 3 * (evlist->n_events + 2);
	uint64_t *words = calloc(max_words, sizeof(*words));
	bool is_complete = words != NULL;

	*sum_ret = (struct counter_values){
		counters->replaced.value,
		counters->replaced.time_enabled_ns,
		counters->replaced.time_running_ns,
		counters->replaced_lost,
	};
	for (size_t i = 0; i < counters->n_ids && is_complete; i++) {
		struct counter_values values;
		if (counters->fds[i] < 0)
			continue;
		is_complete = read_counter(counters, i, words, max_words, &values);
		if (!is_complete)
			break;
		sum_ret->value += values.value;
		sum_ret->time_enabled += values.time_enabled;
		sum_ret->time_running += values.time_running;
		sum_ret->lost += values.lost;
	}
	free(words);
	return is_complete;
}

void evlist_keep_count(struct evlist_impl *impl, size_t event, size_t place)
{
	struct evlist_event *counters = &impl->evlist.events[event];
	size_t max_words = 3 * (impl->evlist.n_events + 2);
	uint64_t *words = calloc(max_words, sizeof(*words));
	struct counter_values values;

	if (words && read_counter(counters, place, words, max_words, &values)) {
		counters->replaced.value += values.value;
		counters->replaced.time_enabled_ns += values.time_enabled;
		counters->replaced.time_running_ns += values.time_running;
		counters->replaced_lost += values.lost;
	}
	free(words);
}

uint64_t evlist_read_lost(struct evlist *evlist, size_t event, bool *is_known_ret)
{
	const struct evlist_impl *impl = evlist_impl(evlist);
	struct counter_values sum = { 0 };
	*is_known_ret =
		!(impl->request.dropped & 1u << ATTR_LOST) && sum_counters(evlist, event, &sum);
	if (*is_known_ret)
		evlist->events[event].read_lost = sum.lost;
	return sum.lost;
}

static bool counts_on(const struct evlist_impl *impl, const struct evlist_event *event, size_t ring)
{
	for (size_t i = 0; i < event->n_rings && event->n_rings < impl->n_cpus; i++)
		if (event->rings[i] == ring)
			return true;
	return event->n_rings == impl->n_cpus;
}

/*
 * How long tasks ran on the CPUs that the event counts on. Enabled times do not show this: while
 * its task runs on another CPU, a counter is enabled but not running. The sideband event, which
 * needs no hardware counter, runs whenever its task runs on its CPU.
 */
static uint64_t read_task_time(const struct evlist_impl *impl, const struct evlist_event *event)
{
	const struct evlist *evlist = &impl->evlist;
	const struct evlist_event *sideband = &evlist->events[evlist->n_events];
	uint64_t words[6], sum_ns = 0; /* a single event is a group of one */

	for (size_t i = 0; i < sideband->n_ids; i++) {
		struct counter_values values;

		/* The CPUs of the sample rings come first in the sideband's list of CPUs. */
		size_t ring = i % impl->n_sideband_cpus;
		if (ring < impl->n_cpus && counts_on(impl, event, ring) &&
		    read_counter(sideband, i, words, sizeof(words) / sizeof(words[0]), &values))
			sum_ns += values.time_running;
	}
	return sum_ns;
}

void evlist_begin_task_time(struct evlist_impl *impl)
{
	for (size_t e = 0; e < impl->evlist.n_events; e++)
		impl->task_time_begin_ns[e] = read_task_time(impl, &impl->evlist.events[e]);
}

/* Of times that go on, the begin becomes the time until now, and of that the begin. */
void evlist_turn_task_time(struct evlist_impl *impl)
{
	for (size_t e = 0; e < impl->evlist.n_events; e++)
		impl->task_time_begin_ns[e] =
			read_task_time(impl, &impl->evlist.events[e]) - impl->task_time_begin_ns[e];
}

static uint64_t task_time(const struct evlist_impl *impl, size_t event)
{
	const uint64_t begin_ns = impl->task_time_begin_ns[event];

	return impl->is_paused ? begin_ns
			       : read_task_time(impl, &impl->evlist.events[event]) - begin_ns;
}

/*
 * Whether other events may have the event's counter for a part of the time. Software events and
 * tracepoints need no hardware counter, unless an event of their group does. Probes are the only
 * events that are not inherited where others are, and they need none either.
 */
static bool takes_turns(const struct evlist_impl *impl, size_t event)
{
	const struct evlist_event *events = impl->evlist.events;

	if (events[event].attr.inherit != impl->request.inherit)
		return false;
	for (size_t i = 0; i < impl->evlist.n_events; i++)
		if (events[i].leader == events[event].leader &&
		    events[i].attr.type != PERF_TYPE_SOFTWARE &&
		    events[i].attr.type != PERF_TYPE_TRACEPOINT)
			return true;
	return false;
}

int evlist_read_counts(struct evlist *evlist, size_t event, struct evlist_counts *counts_ret)
{
	const struct evlist_impl *impl = evlist_impl(evlist);
	struct evlist_event *counters = &evlist->events[event];
	struct counter_values sum;
	if (!sum_counters(evlist, event, &sum))
		return -EIO;
	*counts_ret = (struct evlist_counts){ .value = sum.value,
					      .time_enabled_ns = sum.time_enabled,
					      .time_running_ns = sum.time_running };
	counters->read = *counts_ret;
	if (impl->target == EVLIST_SYSTEM)
		return 0;
	counts_ret->time_enabled_ns = sum.time_running;
	if (takes_turns(impl, event))
		counts_ret->time_enabled_ns = counters->read_task_time_ns = task_time(impl, event);
	return 0;
}

/* What was read is subtracted from the counts of counters that were replaced, which are added to
 * all later sums. */
void evlist_restart_counts(struct evlist *evlist)
{
	struct evlist_impl *impl = evlist_impl(evlist);

	for (size_t e = 0; e < evlist->n_events; e++) {
		struct evlist_event *event = &evlist->events[e];

		event->replaced.value -= event->read.value;
		event->replaced.time_enabled_ns -= event->read.time_enabled_ns;
		event->replaced.time_running_ns -= event->read.time_running_ns;
		event->replaced_lost -= event->read_lost;
		/* While paused, it is not a begin but the time until then. */
		impl->task_time_begin_ns[e] +=
			impl->is_paused ? -event->read_task_time_ns : event->read_task_time_ns;
		event->read = (struct evlist_counts){ 0 };
		event->read_lost = event->read_task_time_ns = 0;
	}
}
