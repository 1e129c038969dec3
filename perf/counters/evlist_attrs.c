#include "perf/counters/evlist_attrs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/sentence.h"
#include "perf/counters/attr_fallback.h"
#include "perf/counters/evlist_errors.h"
#include "perf/counters/evlist_notes.h"
#include "perf/counters/evlist_private.h"
#include "perf/events/event_spelling.h"

/*
 * Whether the kernel itself counts the event, one occurrence at a time. The kernel samples such an
 * event at every occurrence if PERF_SAMPLE_PERIOD is set, whatever its period (perf_swevent_event()
 * in kernel/events/core.c).
 */
static bool is_counted_singly(const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return event->probed_path || attr->type == PERF_TYPE_TRACEPOINT ||
	       attr->type == PERF_TYPE_BREAKPOINT ||
	       (attr->type == PERF_TYPE_SOFTWARE && !evlist_is_clock(attr));
}

/* The rate is the event's if it has one, else the user's, else the default of its kind, else the
 * recording's. */
static struct attr_request request_of(const struct evlist_impl *impl, const struct event *event)
{
	struct attr_request request = impl->request;

	if (event->period || event->frequency) {
		request.period = event->period;
		request.frequency = event->frequency;
	} else if (!impl->has_rate && event->default_period) {
		request.period = event->default_period;
		request.frequency = 0;
	}
	/* Inheriting would make forks fail: see perf/kinds/probe_events.h. */
	if (event->probed_path && event->attr.type != PERF_TYPE_TRACEPOINT)
		request.inherit = false;
	request.lacks_periods =
		!request.frequency && request.period > 1 && is_counted_singly(event);
	return request;
}

static uint64_t limit_rate(struct evlist_impl *impl, uint64_t frequency)
{
	uint64_t max = impl->limits.max_sample_rate;
	if (!max || frequency <= max)
		return frequency;
	evlist_note_rate(&impl->evlist, frequency, max);
	return max;
}

/* All events have the fields that any one of them needs, so that their samples have one layout. */
static void add_needs(struct attr_request *request, const struct event *events, size_t n_events)
{
	for (size_t e = 0; e < n_events; e++) {
		request->has_raw |= events[e].attr.type == PERF_TYPE_TRACEPOINT;
		request->has_arguments |= events[e].weight.kind == WEIGHT_ARGUMENT;
		request->reads_groups |= events[e].reads_group;
		request->has_probes |=
			events[e].probed_path && events[e].attr.type == PERF_TYPE_TRACEPOINT;
		request->switches |= events[e].weight.kind == WEIGHT_OFF_CPU;
	}
}

void evlist_init_request(struct evlist_impl *impl, const struct evlist_options *options,
			 const struct event *events)
{
	bool is_command = options->target == EVLIST_COMMAND;
	impl->request = (struct attr_request){
		.period = options->period,
		.stack_size = options->stack_size,
		.inherit = options->target != EVLIST_SYSTEM && !options->no_inherit,
		.samples_on_exec = is_command && !options->start_disabled,
		.sideband_on_exec = is_command,
		.has_cgroups = options->has_cgroups,
		.branch_filter = options->branch_filter,
	};
	add_needs(&impl->request, events, impl->evlist.n_events);
	impl->has_rate = options->has_rate;
	impl->request.frequency = limit_rate(impl, options->frequency);
}

static bool has_jitter(enum evlist_jitter jitter, const struct event *event)
{
	if (event->weight.kind == WEIGHT_OFF_CPU)
		return false; /* every switch is a sample */
	return jitter == JITTER_ALL || jitter == JITTER_ALL_ALIKE ||
	       (jitter == JITTER_CLOCKS && evlist_is_clock(&event->attr));
}

static int init_event(struct evlist_impl *impl, const struct evlist_options *options,
		      const struct event *events, size_t index)
{
	const struct event *from = &events[index];
	struct evlist_event *event = &impl->evlist.events[index];
	struct attr_request request = request_of(impl, from);

	event->filter = from->filter;
	event->is_probe = from->probed_path;
	event->leader = from->leader;
	event->is_counted = from->leader != index && events[from->leader].reads_group;
	const bool has_value = from->value.kind != EVENT_VALUE_NONE;
	if (events[from->leader].reads_group && (from->weight.kind != WEIGHT_PERIOD || has_value))
		return evlist_fail(
			impl, -EINVAL,
			sentence("'%s' takes its %s from its own samples, but in a :S "
				 "group only the leader is sampled. List it outside the group.",
				 from->name, has_value ? "value" : "weight"));
	if (from->frequency)
		request.frequency = limit_rate(impl, from->frequency);
	/* If the period varies, each sample must contain it. */
	event->has_jitter =
		!event->is_counted && !request.lacks_periods && has_jitter(options->jitter, from);
	if (event->is_counted) {
		attr_init_counted(&event->attr, &request, &from->attr);
		event->attr.precise_ip = 0; /* needs a sampling event */
	} else {
		attr_init_sample(&event->attr, &request, &from->attr);
	}
	if (from->seeks_precise && !event->is_counted)
		attr_choose_precise(&impl->opener, &event->attr);
	if (request.branch_filter && !event->is_counted)
		attr_choose_branches(&impl->opener, &event->attr, request.branch_filter);
	event->name = strdup(from->name);
	return event->name ? 0 : -ENOMEM;
}

static bool has_branches(const struct evlist_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK;
}

/* In one sentence that branches are missing, or, where other events have them, one for each. */
static void note_lacking_branches(struct evlist *evlist)
{
	bool some_have = false;

	for (size_t e = 0; e < evlist->n_events; e++)
		some_have |= has_branches(&evlist->events[e]);
	if (!some_have)
		evlist_note(evlist, sentence("No branches are recorded: the processor records them "
					     "with events of its own counters, as far as it, or "
					     "the virtual machine, has both."));
	for (size_t e = 0; e < evlist->n_events && some_have; e++)
		if (!has_branches(&evlist->events[e]) && !evlist->events[e].is_counted)
			evlist_note(evlist, sentence("Samples of '%s' have no branches: the "
						     "processor records none with this event.",
						     evlist->events[e].name));
}

int evlist_init_events(struct evlist_impl *impl, const struct evlist_options *options,
		       const struct event *events)
{
	struct evlist *evlist = &impl->evlist;
	for (size_t e = 0; e < evlist->n_events; e++) {
		int err = init_event(impl, options, events, e);
		if (err)
			return err;
	}
	if (options->branch_filter)
		note_lacking_branches(evlist);
	struct evlist_event *sideband = &evlist->events[evlist->n_events];
	sideband->leader = evlist->n_events;
	attr_init_sideband(&sideband->attr, &impl->request);
	sideband->name = strdup("dummy:u");
	return sideband->name ? 0 : -ENOMEM;
}

static int rename_user_only(struct evlist_event *event)
{
	char *name = event_modifiers_join(event->name, "u", 1);
	if (!name)
		return -ENOMEM;
	free(event->name);
	event->name = name;
	return 0;
}

int evlist_rename_events(struct evlist *evlist, const struct event *events)
{
	int err = 0;
	for (size_t e = 0; e < evlist->n_events && !err; e++)
		if (evlist->events[e].attr.exclude_kernel && !events[e].attr.exclude_kernel)
			err = rename_user_only(&evlist->events[e]);
	return err;
}
