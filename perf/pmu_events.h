/*
 * Events that sysfs describes: "pmu/terms/", and the names in its PMUs' events/ folders, alone or
 * as a term. perf's grammar (tools/perf/Documentation/perf-record.txt, -e), but a term given twice
 * counts as it was given last, where perf ORs the values.
 */
#ifndef PERF_PMU_EVENTS_H
#define PERF_PMU_EVENTS_H

#include "perf/event_kind.h"

extern const struct event_kind pmu_event_kind;

#endif
