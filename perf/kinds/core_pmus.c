#include "perf/kinds/core_pmus.h"

#include <string.h>

#include "cct/base/sentence.h"

/* include/uapi/linux/perf_event.h of 5.13: the upper half of a generic event's config. */
#define TYPE_SHIFT 32

bool core_pmus_exist(const struct event_places *places)
{
	struct sysfs_pmus pmus;
	if (sysfs_pmus_load(places->sysfs, &pmus))
		return false;
	bool exist = sysfs_pmus_n_core(&pmus) > 0;
	sysfs_pmus_deinit(&pmus);
	return exist;
}

/* These PMUs write traces to a separate buffer, not samples. */
static bool is_tracer(const char *name)
{
	static const char *const tracers[] = { "intel_pt", "intel_bts", "arm_spe", "cs_etm",
					       "hisi_ptt" };
	for (size_t i = 0; i < sizeof(tracers) / sizeof(tracers[0]); i++)
		if (strncmp(name, tracers[i], strlen(tracers[i])) == 0)
			return true;
	return false;
}

enum event_error core_pmus_check(const struct sysfs_pmu *pmu, const char *name, char **error_ret)
{
	if (is_tracer(pmu->name))
		return event_fail(EVENT_NOT_HERE, error_ret,
				  sentence("The event '%s' cannot be sampled: %s writes traces.",
					   name, pmu->name));
	if (pmu->is_uncore && !pmu->is_core)
		return event_fail(EVENT_NOT_HERE, error_ret,
				  sentence("The event '%s' cannot be sampled: %s is outside of "
					   "the cores (uncore) and counts for all of them, so "
					   "its counts belong to no call path.",
					   name, pmu->name));
	return EVENT_OK;
}

static bool restrict_to(struct event *event, const struct sysfs_pmu *pmu)
{
	return !pmu->cpus || event_set_cpus(event, pmu->cpus, pmu->n_cpus);
}

static bool put_on(struct event *event, const struct event *everywhere, const struct sysfs_pmu *pmu)
{
	*event = *everywhere;
	if (event->attr.type == PERF_TYPE_RAW)
		event->attr.type = pmu->type;
	else
		event->attr.config |= (uint64_t)pmu->type << TYPE_SHIFT;
	return restrict_to(event, pmu);
}

static enum event_error spread(const struct sysfs_pmus *pmus, struct event_list *found)
{
	const struct event everywhere = found->events[found->n_events - 1];
	event_list_cut(found, found->n_events - 1);
	for (size_t i = 0; i < pmus->n_pmus; i++) {
		if (!pmus->pmus[i].is_core)
			continue;
		struct event *event = event_list_add(found);
		if (!event || !put_on(event, &everywhere, &pmus->pmus[i]))
			return EVENT_NO_MEMORY;
	}
	return EVENT_OK;
}

enum event_error core_pmus_spread(const struct event_places *places, struct event_list *found)
{
	uint32_t type = found->events[found->n_events - 1].attr.type;
	if (type != PERF_TYPE_HARDWARE && type != PERF_TYPE_HW_CACHE && type != PERF_TYPE_RAW)
		return EVENT_OK;
	struct sysfs_pmus pmus;
	if (sysfs_pmus_load(places->sysfs, &pmus))
		return EVENT_NO_MEMORY;
	enum event_error error = sysfs_pmus_n_core(&pmus) > 1 ? spread(&pmus, found) : EVENT_OK;
	sysfs_pmus_deinit(&pmus);
	return error;
}

enum event_error core_pmus_restrict(const struct event_places *places, const char *name,
				    struct event *event, char **error_ret)
{
	struct sysfs_pmus pmus;
	if (sysfs_pmus_load(places->sysfs, &pmus))
		return EVENT_NO_MEMORY;
	enum event_error error = EVENT_OK;
	for (size_t i = 0; i < pmus.n_pmus && error == EVENT_OK; i++) {
		const struct sysfs_pmu *pmu = &pmus.pmus[i];
		if (pmu->type != event->attr.type)
			continue;
		error = core_pmus_check(pmu, name, error_ret);
		if (error == EVENT_OK && !restrict_to(event, pmu))
			error = EVENT_NO_MEMORY;
	}
	sysfs_pmus_deinit(&pmus);
	return error;
}
