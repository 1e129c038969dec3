/* One event of a list as the user spelled it: NAME[/TERMS/][:MODIFIERS][@RATE]. */
#ifndef PERF_EVENTS_EVENT_SPELLING_H
#define PERF_EVENTS_EVENT_SPELLING_H

#include "perf/events/event_kind.h"

struct event_modifiers {
	bool user, kernel, hypervisor; /* none of them set: all levels */
	bool guest, host;              /* neither: host only, if the PMU distinguishes them */
	bool seeks_precise;
	bool is_pinned;
	bool reads_group;
	unsigned int precise_ip;
};

struct event_spelling {
	char *name;  /* without modifiers and rate, with terms; owned */
	char *whole; /* without the rate; owned */
	/* The text after the terms is neither modifiers nor a rate. */
	bool has_rest;
	struct event_modifiers modifiers;
	uint64_t period, frequency; /* both 0: no rate */
};

/* The length up to the ',' or '}' after the event. Such characters in terms and paths do not end
 * it. */
size_t event_spelling_length(const char *list);
bool event_spelling_read(const char *text, size_t length, struct event_spelling *spelling);
void event_spelling_deinit(struct event_spelling *spelling);

/* Adds letters to the modifiers. false: a letter is not a modifier, or the letters contradict each
 * other. */
bool event_modifiers_add(struct event_modifiers *modifiers, const char *letters, size_t length);
/* "cycles" + "u" -> "cycles:u", "cycles:p" -> "cycles:pu", "cpu/event=1/" -> "cpu/event=1/u". Heap;
 * NULL without memory. */
char *event_modifiers_join(const char *name, const char *letters, size_t length);
/* Returns EVENT_BAD_MODIFIER, with a sentence that explains the modifiers. */
enum event_error event_modifiers_explain(const char *name, char **error_ret);
void event_modifiers_apply(const struct event_modifiers *modifiers, struct event *event);

#endif
