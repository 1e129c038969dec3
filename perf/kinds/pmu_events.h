/*
 * Events that sysfs describes: "pmu/terms/", and the names in its PMUs' events/ folders, alone or
 * as a term. perf's grammar (tools/perf/Documentation/perf-record.txt, -e), but a term given twice
 * counts as it was given last, where perf ORs the values.
 */
#ifndef PERF_KINDS_PMU_EVENTS_H
#define PERF_KINDS_PMU_EVENTS_H

#include "perf/events/event_catalog.h"
#include "perf/events/event_kind.h"

extern const struct event_kind pmu_event_kind;

/*
 * "pmu/name/" for the names in the events/ folders, described by their terms; and how the terms of
 * each such PMU are written. 0 or -ENOMEM.
 */
int pmu_events_list(const struct event_places *places, struct event_catalog *catalog);

#endif
