/* perf's generic names (tools/perf/Documentation/perf-list.txt): hardware, cache, software. */
#ifndef PERF_EVENT_NAMES_H
#define PERF_EVENT_NAMES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "perf/near_names.h"

/* Fills type and config. false: no such name. */
bool event_names_find(const char *name, size_t length, struct perf_event_attr *attr);
void event_names_offer_all(struct near_names *near);

#endif
