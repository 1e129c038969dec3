/*
 * What event.c asks of each file that knows a kind of event names: generic ones, raw numbers, those
 * of PMUs, of libpfm4, ...
 */
#ifndef PERF_EVENTS_EVENT_KIND_H
#define PERF_EVENTS_EVENT_KIND_H

#include "cct/text/near_names.h"
#include "perf/events/event_list.h"

struct event_kind {
	/*
	 * Adds what @name stands for to @found: one event, or several that add up to one metric.
	 * The modifiers and the rate behind the name are cut off, /terms/ are part of it; what is
	 * left zero is filled in by event.c: name, exclude_* by the modifiers, unit, leader.
	 * EVENT_UNKNOWN and no sentence: no name of this kind, ask the next.
	 */
	enum event_error (*find)(const struct event_places *places, const char *name,
				 struct event_list *found, char **error_ret);
	/* Offers the names that exist here. NULL: there are none to list. */
	void (*offer_all)(const struct event_places *places, struct near_names *near);
};

#endif
