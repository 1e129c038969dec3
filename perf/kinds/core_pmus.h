/*
 * The PMUs of the processor's cores. Where cores differ (Intel's hybrid processors, big.LITTLE)
 * each kind has its own, and an event is opened on each.
 */
#ifndef PERF_KINDS_CORE_PMUS_H
#define PERF_KINDS_CORE_PMUS_H

#include "perf/events/event_kind.h"
#include "perf/kernel/sysfs_pmu.h"

/* Whether the machine has any core PMU. */
bool core_pmus_exist(const struct event_places *places);
/*
 * Replaces the last event of @found, if it is generic (PERF_TYPE_HARDWARE, _HW_CACHE) or raw, by
 * one event for each core PMU, if there are several. The event must not own anything yet.
 */
enum event_error core_pmus_spread(const struct event_places *places, struct event_list *found);
/* Returns EVENT_NOT_HERE, with a sentence that this PMU cannot sample the event @name. */
enum event_error core_pmus_check(const struct sysfs_pmu *pmu, const char *name, char **error_ret);
/* Checks the PMU that an event's type names, and restricts the event to the PMU's CPUs. */
enum event_error core_pmus_restrict(const struct event_places *places, const char *name,
				    struct event *event, char **error_ret);

#endif
