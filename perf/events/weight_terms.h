/* The terms of a tracepoint or probe: "sched:sched_stat_runtime/weight=runtime,unit=ns/". Only
 * probes have "value=p->kind". */
#ifndef PERF_EVENTS_WEIGHT_TERMS_H
#define PERF_EVENTS_WEIGHT_TERMS_H

#include <stdbool.h>
#include <stddef.h>

#include "perf/events/event.h"

struct weight_terms {
	char weight[EVENT_EXPRESSION_MAX + 1], value[EVENT_EXPRESSION_MAX + 1]; /* empty: none */
	const char *unit; /* a static string; NULL: none */
};

/*
 * Removes "/TERM,.../" from the end of a name. false if the terms are malformed; *@error_ret is
 * then a sentence (NULL if memory is exhausted).
 */
bool weight_terms_cut(const char *name, size_t *length, struct weight_terms *terms,
		      char **error_ret);
/* The unit of that name, a static string, or NULL. */
const char *weight_terms_find_unit(const char *name, size_t length);

#endif
