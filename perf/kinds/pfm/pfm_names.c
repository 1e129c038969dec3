#include "perf/kinds/pfm/pfm_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cct/base/sentence.h"
#include "perf/events/event_spelling.h"
#include "perf/kinds/core_pmus.h"
#include "perf/kinds/pfm/pfm_library.h"

#define MAX_TOLD 3 /* other processors that have the event */

static bool get_pmu(const struct pfm_library *pfm, pfm_pmu_t pmu, pfm_pmu_info_t *info)
{
	*info = (pfm_pmu_info_t){ .size = sizeof(*info) };
	return pfm->pfm_get_pmu_info(pmu, info) == PFM_SUCCESS;
}

static bool get_event(const struct pfm_library *pfm, int index, pfm_event_info_t *info)
{
	*info = (pfm_event_info_t){ .size = sizeof(*info) };
	return pfm->pfm_get_event_info(index, PFM_OS_PERF_EVENT_EXT, info) == PFM_SUCCESS;
}

static void offer_events(const struct pfm_library *pfm, struct near_names *near,
			 const pfm_pmu_info_t *pmu)
{
	pfm_event_info_t event;
	for (int i = pmu->first_event; i != -1; i = pfm->pfm_get_event_next(i))
		if (get_event(pfm, i, &event))
			near_names_offer(near, event.name);
}

/* "pmu::EVENT:UMASK" -> EVENT. */
static const char *base_name(const char *name, size_t *length_ret)
{
	const char *pmu_end = strstr(name, "::");
	const char *base = pmu_end ? pmu_end + 2 : name;
	*length_ret = strcspn(base, ":");
	return base;
}

/* Comparing without the unit masks and the PMU finds more similar names. */
static void offer_all(const struct event_places *places, struct near_names *near)
{
	struct pfm_library pfm_library, *pfm = &pfm_library;
	const char *reason;

	(void)places;
	if (pfm_library_open(pfm, &reason))
		return;
	const struct near_names whole = *near;
	near->wanted = base_name(whole.wanted, &near->wanted_length);
	pfm_pmu_info_t pmu;
	int i;
	pfm_for_all_pmus(i) if (get_pmu(pfm, i, &pmu) && pmu.is_present)
		offer_events(pfm, near, &pmu);
	near->wanted = whole.wanted;
	near->wanted_length = whole.wanted_length;
}

static bool pmu_has_event(const struct pfm_library *pfm, const pfm_pmu_info_t *pmu,
			  const char *name, size_t length)
{
	pfm_event_info_t event;
	for (int i = pmu->first_event; i != -1; i = pfm->pfm_get_event_next(i))
		if (get_event(pfm, i, &event) && strlen(event.name) == length &&
		    strncasecmp(event.name, name, length) == 0)
			return true;
	return false;
}

/* "pmu::EVENT" names this PMU; without "pmu::" any PMU matches. */
static bool is_meant(const pfm_pmu_info_t *pmu, const char *name)
{
	const char *end = strstr(name, "::");
	return !end || (strlen(pmu->name) == (size_t)(end - name) &&
			strncasecmp(pmu->name, name, end - name) == 0);
}

/* The sentence for an event that libpfm4 knows on other processors only. */
static enum event_error explain_not_found(const struct pfm_library *pfm, const char *name,
					  char **error_ret)
{
	char where[160] = "";
	size_t length, n = 0, used = 0;
	const char *base = base_name(name, &length);
	pfm_pmu_info_t pmu;
	int i;
	pfm_for_all_pmus(i)
	{
		if (!get_pmu(pfm, i, &pmu) || pmu.is_present || !is_meant(&pmu, name) ||
		    !pmu_has_event(pfm, &pmu, base, length))
			continue;
		if (n++ < MAX_TOLD && used + strlen(pmu.name) + 3 < sizeof(where))
			used += snprintf(where + used, sizeof(where) - used, "%s%s",
					 used ? ", " : "", pmu.name);
	}
	if (n == 0)
		return EVENT_UNKNOWN;
	if (n > MAX_TOLD)
		return event_fail(EVENT_NOT_HERE, error_ret,
				  sentence("The event '%s' exists on %s and %zu more PMUs, not "
					   "on this processor.",
					   name, where, n - MAX_TOLD));
	return event_fail(
		EVENT_NOT_HERE, error_ret,
		sentence("The event '%s' exists on %s, not on this processor.", name, where));
}

/* Up to 6 unit masks, ", "-separated. */
static void list_unit_masks(const struct pfm_library *pfm, const pfm_event_info_t *event,
			    char *text, size_t size)
{
	size_t length = 0, n = 0;
	for (int i = 0; i < event->nattrs && n < 6; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };
		if (pfm->pfm_get_event_attr_info(event->idx, i, PFM_OS_PERF_EVENT_EXT, &attr) !=
			    PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK || length + strlen(attr.name) + 3 > size)
			continue;
		length +=
			snprintf(text + length, size - length, "%s%s", n++ ? ", " : "", attr.name);
	}
}

/* The sentence for an event that exists while its unit mask or another part does not. */
static enum event_error explain_bad_part(const struct pfm_library *pfm, const char *name,
					 int pfm_error, char **error_ret)
{
	char event_name[NEAR_NAME_SIZE], masks[256] = "";
	size_t length;
	const char *base = base_name(name, &length);
	snprintf(event_name, sizeof(event_name), "%.*s", (int)(base - name + length), name);
	pfm_event_info_t event;
	int index = pfm->pfm_find_event(event_name);
	if (index >= 0 && get_event(pfm, index, &event))
		list_unit_masks(pfm, &event, masks, sizeof(masks));

	bool is_about_masks = pfm_error == PFM_ERR_UMASK || pfm_error == PFM_ERR_ATTR;
	if (is_about_masks && !masks[0])
		return event_modifiers_explain(name, error_ret);
	*error_ret = sentence(
		"The event '%s' cannot be encoded: %s%s%s.", name, pfm->pfm_strerror(pfm_error),
		is_about_masks ? "; its unit masks are " : "", is_about_masks ? masks : "");
	return *error_ret ? EVENT_BAD_MODIFIER : EVENT_NO_MEMORY;
}

static void keep_event_fields(const struct perf_event_attr *encoded, struct event *event)
{
	event->attr = (struct perf_event_attr){
		.type = encoded->type,
		.config = encoded->config,
		.config1 = encoded->config1,
		.config2 = encoded->config2,
		.exclude_user = encoded->exclude_user,
		.exclude_kernel = encoded->exclude_kernel,
		.exclude_hv = encoded->exclude_hv,
		.exclude_host = encoded->exclude_host,
		.exclude_guest = encoded->exclude_guest,
		.precise_ip = encoded->precise_ip,
		.pinned = encoded->pinned,
	};
	if (encoded->freq)
		event->frequency = encoded->sample_freq;
	else
		event->period = encoded->sample_period;
}

static enum event_error check_event(const char *name, const struct perf_event_attr *attr, int cpu,
				    char **error_ret)
{
	if (attr->type == PERF_TYPE_TRACEPOINT)
		return event_fail(EVENT_UNKNOWN, error_ret,
				  sentence("The event '%s' is a tracepoint; libpfm4's names "
					   "are used for counters and software events only.",
					   name));
	if (attr->exclusive)
		return event_fail(EVENT_BAD_MODIFIER, error_ret,
				  sentence("The event '%s' requests exclusive use of the counters, "
					   "but several events share them: leave 'excl' out.",
					   name));
	if (cpu >= 0)
		return event_fail(EVENT_BAD_MODIFIER, error_ret,
				  sentence("The event '%s' names a CPU: leave 'cpu' out, and "
					   "choose CPUs with -C.",
					   name));
	return EVENT_OK;
}

/* *@pfm_error_ret: PFM_SUCCESS if an event was added, or the reason of the failure. */
static enum event_error add_encoded(const struct pfm_library *pfm, const char *name,
				    struct event_list *found, int *pfm_error_ret, char **error_ret)
{
	struct perf_event_attr encoded = { .size = sizeof(encoded) };
	pfm_perf_encode_arg_t arg = { .size = sizeof(arg), .attr = &encoded, .cpu = -1 };
	*pfm_error_ret = pfm->pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3 | PFM_PLMH,
							PFM_OS_PERF_EVENT_EXT, &arg);
	if (*pfm_error_ret != PFM_SUCCESS)
		return EVENT_OK;
	enum event_error error = check_event(name, &encoded, arg.cpu, error_ret);
	if (error != EVENT_OK)
		return error;
	struct event *event = event_list_add(found);
	if (!event)
		return EVENT_NO_MEMORY;
	keep_event_fields(&encoded, event);
	return EVENT_OK;
}

static bool is_new(const struct event_list *found)
{
	const struct event *last = &found->events[found->n_events - 1];
	for (const struct event *event = found->events; event < last; event++)
		if (event->attr.type == last->attr.type)
			return false;
	return true;
}

/* On a hybrid processor libpfm4 finds the name on the first PMU; it counts on the others, too. */
static enum event_error add_other_cores(const struct pfm_library *pfm, const char *name,
					struct event_list *found, char **error_ret)
{
	pfm_pmu_info_t pmu;
	int i, pfm_error;
	pfm_for_all_pmus(i)
	{
		if (!get_pmu(pfm, i, &pmu) || !pmu.is_present || pmu.type != PFM_PMU_TYPE_CORE)
			continue;
		size_t n_before = found->n_events;
		char *full_name = sentence("%s::%s", pmu.name, name);
		if (!full_name)
			return EVENT_NO_MEMORY;
		enum event_error error = add_encoded(pfm, full_name, found, &pfm_error, error_ret);
		free(full_name);
		if (error != EVENT_OK)
			return error;
		if (found->n_events > n_before && !is_new(found))
			event_list_cut(found, n_before);
	}
	return EVENT_OK;
}

static enum event_error complete(const struct pfm_library *pfm, const struct event_places *places,
				 const char *name, struct event_list *found, char **error_ret)
{
	enum event_error error = EVENT_OK;
	if (found->events[0].attr.type > PERF_TYPE_BREAKPOINT ||
	    found->events[0].attr.type == PERF_TYPE_RAW) {
		if (!strstr(name, "::"))
			error = add_other_cores(pfm, name, found, error_ret);
		for (size_t i = 0; i < found->n_events && error == EVENT_OK; i++)
			error = core_pmus_restrict(places, name, &found->events[i], error_ret);
		return error;
	}
	return core_pmus_spread(places, found);
}

static enum event_error find(const struct event_places *places, const char *name,
			     struct event_list *found, char **error_ret)
{
	struct pfm_library pfm_library, *pfm = &pfm_library;
	const char *reason;

	if (strchr(name, '/'))
		return EVENT_UNKNOWN;
	if (pfm_library_open(pfm, &reason))
		return event_fail(EVENT_UNKNOWN, error_ret,
				  sentence("The event '%s' is not known without libpfm4, which "
					   "cannot be loaded: %s.",
					   name, reason));
	int pfm_error;
	enum event_error error = add_encoded(pfm, name, found, &pfm_error, error_ret);
	if (error != EVENT_OK)
		return error;
	if (pfm_error == PFM_SUCCESS)
		return complete(pfm, places, name, found, error_ret);
	if (pfm_error == PFM_ERR_NOTFOUND)
		return explain_not_found(pfm, name, error_ret);
	if (pfm_error == PFM_ERR_NOMEM)
		return EVENT_NO_MEMORY;
	return explain_bad_part(pfm, name, pfm_error, error_ret);
}

const struct event_kind pfm_event_kind = { find, offer_all };

/* Other PMUs are left out: the kernel's generic events are listed elsewhere, and PMUs outside of
 * the cores cannot sample. */
static bool is_core(const pfm_pmu_info_t *pmu)
{
	return pmu->is_present && pmu->type == PFM_PMU_TYPE_CORE;
}

static size_t count_cores(const struct pfm_library *pfm)
{
	pfm_pmu_info_t pmu;
	size_t n = 0;
	int i;

	pfm_for_all_pmus(i)
	{
		if (get_pmu(pfm, i, &pmu) && is_core(&pmu))
			n++;
	}
	return n;
}

static int list_masks(const struct pfm_library *pfm, struct event_catalog *catalog,
		      const pfm_event_info_t *event)
{
	int err = 0;

	for (int i = 0; i < event->nattrs && !err; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };
		if (pfm->pfm_get_event_attr_info(event->idx, i, PFM_OS_PERF_EVENT_EXT, &attr) ==
			    PFM_SUCCESS &&
		    attr.type == PFM_ATTR_UMASK)
			err = event_catalog_add_part(catalog, attr.name, attr.desc);
	}
	return err;
}

/* @prefix: the PMU's name if it is needed to distinguish events, else NULL. */
static int list_events(const struct pfm_library *pfm, struct event_catalog *catalog,
		       const pfm_pmu_info_t *pmu, const char *prefix, bool with_parts)
{
	pfm_event_info_t event;
	int err = 0;

	for (int i = pmu->first_event; i != -1 && !err; i = pfm->pfm_get_event_next(i)) {
		if (!get_event(pfm, i, &event))
			continue;
		char name[NEAR_NAME_SIZE];
		snprintf(name, sizeof(name), "%s%s%s", prefix ? prefix : "", prefix ? "::" : "",
			 event.name);
		err = event_catalog_add(catalog, CATALOG_PROCESSOR, name, event.equiv, event.desc);
		if (!err && with_parts)
			err = list_masks(pfm, catalog, &event);
	}
	return err;
}

int pfm_names_list(struct event_catalog *catalog, bool with_parts)
{
	struct pfm_library pfm_library, *pfm = &pfm_library;
	const char *reason;

	if (pfm_library_open(pfm, &reason))
		return 0;
	bool is_one_of_many = count_cores(pfm) > 1;
	pfm_pmu_info_t pmu;
	int i, err = 0;

	pfm_for_all_pmus(i)
	{
		if (!err && get_pmu(pfm, i, &pmu) && is_core(&pmu))
			err = list_events(pfm, catalog, &pmu, is_one_of_many ? pmu.name : NULL,
					  with_parts);
	}
	return err;
}
