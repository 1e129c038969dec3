/*
 * The PMUs of the processor's cores. Where cores differ (Intel's hybrid processors, big.LITTLE)
 * each kind has its own, and an event is opened on each.
 */
#ifndef PERF_KINDS_CORE_PMUS_H
#define PERF_KINDS_CORE_PMUS_H

#include "perf/events/event_kind.h"
#include "perf/kernel/sysfs_pmu.h"

/* Whether the processor shows any. */
bool core_pmus_exist(const struct event_places *places);
/*
 * Makes of the last event of @found, if it is generic (PERF_TYPE_HARDWARE, _HW_CACHE) or raw, one
 * for each core PMU, where there are several. It owns nothing yet.
 */
enum event_error core_pmus_spread(const struct event_places *places, struct event_list *found);
/* EVENT_NOT_HERE and a sentence about the event @name: this PMU does not sample. */
enum event_error core_pmus_check(const struct sysfs_pmu *pmu, const char *name, char **error_ret);
/* Checks the PMU that an event's type names, and restricts the event to the PMU's CPUs. */
enum event_error core_pmus_restrict(const struct event_places *places, const char *name,
				    struct event *event, char **error_ret);

#endif
