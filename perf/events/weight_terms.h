/* The terms of a tracepoint or probe: "sched:sched_stat_runtime/weight=runtime,unit=ns/". */
#ifndef PERF_EVENTS_WEIGHT_TERMS_H
#define PERF_EVENTS_WEIGHT_TERMS_H

#include <stdbool.h>
#include <stddef.h>

#include "perf/events/event.h"

struct weight_terms {
	char weight[64];  /* empty: none */
	const char *unit; /* a static string; NULL: none */
};

/*
 * Cuts "/TERM,.../" off the end of a name. false, with *@error_ret a sentence (or NULL: no memory):
 * they can't be read.
 */
bool weight_terms_cut(const char *name, size_t *length, struct weight_terms *terms,
		      char **error_ret);
/* A static string: a unit of that name, or NULL. */
const char *weight_terms_find_unit(const char *name, size_t length);

#endif
