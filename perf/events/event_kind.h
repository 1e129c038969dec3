/*
 * The interface between the event parser and each file that knows a kind of event names: generic
 * names, raw numbers, names of PMUs, of libpfm4, ...
 */
#ifndef PERF_EVENTS_EVENT_KIND_H
#define PERF_EVENTS_EVENT_KIND_H

#include "cct/text/near_names.h"
#include "perf/events/event_list.h"

struct event_kind {
	/*
	 * Adds the events that @name means to @found: one event, or several that add up to one
	 * metric. @name includes /terms/, but not the modifiers and the rate after it. The caller
	 * fills in the fields that stay zero: name, exclude_* by the modifiers, unit, leader.
	 * EVENT_UNKNOWN without a sentence: @name is not of this kind; the caller tries the next
	 * kind.
	 */
	enum event_error (*find)(const struct event_places *places, const char *name,
				 struct event_list *found, char **error_ret);
	/* Adds the names that exist on this machine to a catalog. NULL: this kind has no names to
	 * list. */
	void (*offer_all)(const struct event_places *places, struct near_names *near);
};

#endif
