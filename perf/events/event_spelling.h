/* One event of a list as the user spelled it: NAME[/TERMS/][:MODIFIERS][@RATE]. */
#ifndef PERF_EVENTS_EVENT_SPELLING_H
#define PERF_EVENTS_EVENT_SPELLING_H

#include "perf/events/event_kind.h"

struct event_modifiers {
	bool user, kernel, hypervisor; /* none: all of them */
	bool guest, host;              /* none: the host alone, where the PMU tells them apart */
	bool seeks_precise;
	bool is_pinned;
	bool reads_group;
	unsigned int precise_ip;
};

struct event_spelling {
	char *name;  /* without modifiers and rate, with terms; owned */
	char *whole; /* without the rate; owned */
	/* Something is left behind the terms that is neither. */
	bool has_rest;
	struct event_modifiers modifiers;
	uint64_t period, frequency; /* both 0: no rate */
};

/* Up to the ',' or '}' behind the event; what terms and paths contain does not end it. */
size_t event_spelling_length(const char *list);
bool event_spelling_read(const char *text, size_t length, struct event_spelling *spelling);
void event_spelling_deinit(struct event_spelling *spelling);

/* Adds letters to what there is. false: one is no modifier, or they contradict each other. */
bool event_modifiers_add(struct event_modifiers *modifiers, const char *letters, size_t length);
/* "cycles" + "u" -> "cycles:u", "cycles:p" -> "cycles:pu", "cpu/event=1/" -> "cpu/event=1/u". Heap;
 * NULL without memory. */
char *event_modifiers_join(const char *name, const char *letters, size_t length);
/* EVENT_BAD_MODIFIER, and why. */
enum event_error event_modifiers_explain(const char *name, char **error_ret);
void event_modifiers_apply(const struct event_modifiers *modifiers, struct event *event);

#endif
