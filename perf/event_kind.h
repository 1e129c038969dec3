/*
 * What event.c asks of each file that knows a kind of event names: generic ones, raw numbers, those
 * of PMUs, of libpfm4, ...
 */
#ifndef PERF_EVENT_KIND_H
#define PERF_EVENT_KIND_H

#include "perf/event.h"
#include "perf/near_names.h"

struct event_list {
	struct event *events;
	size_t n_events;
};

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

/* A new event, all zero; NULL: no memory. Valid until the next is added. */
struct event *event_list_add(struct event_list *list);
/* Takes the list's events beyond @n_events off again. */
void event_list_cut(struct event_list *list, size_t n_events);
/* With copies of all it owns. On failure *@copy may be incomplete, but can be destroyed. */
bool event_copy(struct event *copy, const struct event *event);
/* A list of its own, or not changed on failure. */
bool event_set_cpus(struct event *event, const int *cpus, size_t n_cpus);
/* Takes over the sentence @text. EVENT_NO_MEMORY if it is NULL. */
enum event_error event_fail(enum event_error error, char **error_ret, char *text);

#endif
