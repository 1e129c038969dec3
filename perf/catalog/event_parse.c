#include "perf/catalog/event_parse.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cct/base/sentence.h"
#include "perf/events/event_group.h"
#include "perf/events/event_kind.h"
#include "perf/events/event_spelling.h"
#include "perf/kinds/breakpoint_event.h"
#include "perf/kinds/core_pmus.h"
#include "perf/kinds/event_names.h"
#include "perf/kinds/event_shorthands.h"
#include "perf/kinds/off_cpu_event.h"
#include "perf/kinds/pfm/pfm_names.h"
#include "perf/kinds/pmu_events.h"
#include "perf/kinds/tracepoint.h"
#include "perf/kinds/uprobe.h"
#include "perf/kinds/usdt.h"

/* The kinds of event names. Each is tried in this order. */
static const struct event_kind *const kinds[] = {
	&breakpoint_event_kind, &generic_event_kind,           &shorthand_event_kind,
	&raw_event_kind,        &off_cpu_event_kind,           &uprobe_event_kind,
	&usdt_event_kind,       &tracepoint_event_kind,        &pmu_event_kind,
	&pfm_event_kind,        &hidden_tracepoint_event_kind, &perf_usdt_event_kind,
};

static const struct event_places here = { .sysfs = "/sys" };

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static enum event_error ask_kinds(const struct event_places *places, const char *name,
				  struct event_list *found, char **error_ret)
{
	for (size_t i = 0; i < N_KINDS; i++) {
		enum event_error error = kinds[i]->find(places, name, found, error_ret);
		if (error == EVENT_OK)
			return EVENT_OK;
		event_list_cut(found, 0);
		if (error != EVENT_UNKNOWN || *error_ret)
			return error;
	}
	return EVENT_UNKNOWN;
}

static bool is_name(const struct event_places *places, const char *text, size_t length)
{
	struct event_list found = { NULL, 0 };
	char *name = strndup(text, length), *error_text = NULL;
	bool is_found = name && ask_kinds(places, name, &found, &error_text) == EVENT_OK;
	events_destroy(found.events, found.n_events);
	free(error_text);
	free(name);
	return is_found;
}

static enum event_error explain_bad_rate(const char *name, char **error_ret)
{
	return event_fail(EVENT_BAD_MODIFIER, error_ret,
			  sentence("The event '%s' has an invalid rate: @100000 takes one "
				   "sample every 100000 events, @f99 takes 99 samples per "
				   "second.",
				   name));
}

/* @name: without modifiers; @whole: the text to quote in the message. */
static enum event_error explain_unknown(const struct event_places *places, const char *name,
					const char *whole, char **error_ret)
{
	/* The user meant the name before the first '@' or ':'; the text after it is not a valid
	 * rate or modifier. */
	size_t at = strcspn(name, "@"), colon = strcspn(name, ":");
	if (name[colon] && is_name(places, name, colon))
		return event_modifiers_explain(whole, error_ret);
	if (name[at] && is_name(places, name, at))
		return explain_bad_rate(whole, error_ret);

	struct near_names near;
	near_names_init(&near, name, strlen(name));
	for (size_t i = 0; i < N_KINDS; i++)
		if (kinds[i]->offer_all)
			kinds[i]->offer_all(places, &near);
	char *question = near_names_question(&near);
	if (!question)
		return EVENT_NO_MEMORY;
	enum event_error error =
		event_fail(EVENT_UNKNOWN, error_ret,
			   sentence("Unknown event '%s'%s%s", whole,
				    question[0] ? question
						: ": it is not a generic name, not an event of "
						  "this machine's PMUs or tracepoints, and not "
						  "a name that libpfm4 knows here",
				    question[0] ? "" : "."));
	free(question);
	return error;
}

/*
 * Letters that look like modifiers may be part of a name: the unit mask of an event may be an 'S'.
 * So the whole text is tried as a name, too. The first attempt has the better error message.
 */
static enum event_error find_either(const struct event_places *places,
				    struct event_spelling *spelling, struct event_list *found,
				    char **error_ret)
{
	if (spelling->has_rest)
		return event_modifiers_explain(spelling->whole, error_ret);
	enum event_error error = ask_kinds(places, spelling->name, found, error_ret);
	if (error == EVENT_OK || error == EVENT_NO_MEMORY)
		return error;
	char *other_text = NULL;
	if (strcmp(spelling->name, spelling->whole) != 0 &&
	    ask_kinds(places, spelling->whole, found, &other_text) == EVENT_OK) {
		free(*error_ret);
		*error_ret = NULL;
		spelling->modifiers = (struct event_modifiers){ .precise_ip = 0 };
		return EVENT_OK;
	}
	free(other_text);
	if (*error_ret)
		return error;
	return explain_unknown(places, spelling->name, spelling->whole, error_ret);
}

/* Addresses in a guest cannot be symbolized here. */
static void leave_out_guests(struct event *event)
{
	struct perf_event_attr *attr = &event->attr;
	if (!event->probed_path && attr->type != PERF_TYPE_SOFTWARE &&
	    attr->type != PERF_TYPE_TRACEPOINT && attr->type != PERF_TYPE_BREAKPOINT &&
	    !attr->exclude_host)
		attr->exclude_guest = 1;
}

static enum event_error complete(struct event *event, const struct event_spelling *spelling,
				 char **error_ret)
{
	if (!event->name)
		event->name = strdup(spelling->whole);
	if (!event->name)
		return EVENT_NO_MEMORY;
	if (spelling->period || spelling->frequency) {
		if (event->period || event->frequency)
			return event_fail(EVENT_BAD_MODIFIER, error_ret,
					  sentence("The event '%s' has two rates, one of them "
						   "after an '@'.",
						   spelling->whole));
		event->period = spelling->period;
		event->frequency = spelling->frequency;
	}
	leave_out_guests(event);
	if (!event->unit)
		event->unit = event_unit(&event->attr);
	return EVENT_OK;
}

static enum event_error fail_empty(char **error_ret)
{
	return event_fail(EVENT_UNKNOWN, error_ret,
			  sentence("The list of events has an empty name."));
}

/* Reads one event of the list, and advances past it. */
static enum event_error read_event(const struct event_places *places, const char **list,
				   struct event_member *member, char **error_ret)
{
	size_t length = event_spelling_length(*list);
	struct event_spelling spelling;
	if (length == 0)
		return fail_empty(error_ret);
	if (!event_spelling_read(*list, length, &spelling))
		return EVENT_NO_MEMORY;
	enum event_error error = spelling.name[0]
					 ? find_either(places, &spelling, &member->found, error_ret)
					 : fail_empty(error_ret);
	for (size_t i = 0; i < member->found.n_events && error == EVENT_OK; i++)
		error = complete(&member->found.events[i], &spelling, error_ret);
	member->modifiers = spelling.modifiers;
	member->spelled = spelling.whole;
	spelling.whole = NULL;
	event_spelling_deinit(&spelling);
	*list += length;
	return error;
}

/* "{a,b:u}:S": modifiers after the group are added to those of each member. */
static enum event_error read_members(const struct event_places *places, const char **list,
				     struct event_group *group, char **error_ret)
{
	do {
		(*list)++; /* '{' or ',' */
		struct event_member *member = event_group_add(group);
		if (!member)
			return EVENT_NO_MEMORY;
		enum event_error error = read_event(places, list, member, error_ret);
		if (error != EVENT_OK)
			return error;
	} while (**list == ',');
	if (**list != '}')
		return event_fail(EVENT_UNKNOWN, error_ret,
				  sentence("A group of events has a '{' and no '}'."));
	(*list)++;
	return EVENT_OK;
}

static enum event_error read_group(const struct event_places *places, const char **list,
				   struct event_group *group, char **error_ret)
{
	const char *begin = *list;
	enum event_error error = read_members(places, list, group, error_ret);
	size_t length = strcspn(*list, ",");
	if (error != EVENT_OK || length == 0)
		return error;
	error = EVENT_BAD_MODIFIER;
	if (**list == ':')
		error = event_group_modify(group, *list + 1, length - 1);
	*list += length;
	if (error != EVENT_BAD_MODIFIER)
		return error;
	char *text = strndup(begin, *list - begin);
	if (!text)
		return EVENT_NO_MEMORY;
	error = event_modifiers_explain(text, error_ret);
	free(text);
	return error;
}

static enum event_error read_item(const struct event_places *places, const char **list,
				  struct event_list *events, char **error_ret)
{
	struct event_group group = { NULL, 0 };
	enum event_error error = EVENT_NO_MEMORY;
	if (**list == '{') {
		error = read_group(places, list, &group, error_ret);
		if (error == EVENT_OK)
			error = event_group_append(&group, events, error_ret);
	} else {
		struct event_member *member = event_group_add(&group);
		if (member)
			error = read_event(places, list, member, error_ret);
		if (error == EVENT_OK)
			error = event_member_append(member, events, error_ret);
	}
	event_group_deinit(&group);
	return error;
}

enum event_error event_parse_at(const struct event_places *places, const char *list,
				struct event **events, size_t *n_events, char **error_ret)
{
	*error_ret = NULL;
	struct event_list all = { *events, *n_events };
	enum event_error error;
	for (;;) {
		error = read_item(places, &list, &all, error_ret);
		if (error != EVENT_OK || *list != ',')
			break;
		list++;
	}
	if (error == EVENT_OK && *list)
		error = event_fail(EVENT_UNKNOWN, error_ret,
				   sentence("The list of events has a '}' without '{'."));
	if (error != EVENT_OK)
		event_list_cut(&all, *n_events);
	*events = all.events;
	*n_events = all.n_events;
	return error;
}

enum event_error event_parse(const char *list, struct event **events, size_t *n_events,
			     char **error_ret)
{
	return event_parse_at(&here, list, events, n_events, error_ret);
}

/* User mode only, so that kernel.perf_event_paranoid does not hide the PMU. */
static bool has_pmu(void)
{
	struct perf_event_attr attr = {
		.size = PERF_ATTR_SIZE_VER0,
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sample_period = UINT32_MAX, /* sampling needs the PMU's interrupt */
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd >= 0) {
		close(fd);
		return true;
	}
	/* A denial does not show whether the PMU exists; sysfs does. */
	return (errno == EACCES || errno == EPERM) && core_pmus_exist(&here);
}

enum event_error event_default(struct event **events, size_t *n_events, bool *is_fallback_ret)
{
	bool is_fallback = !has_pmu();
	char *error_text;
	enum event_error error =
		event_parse(is_fallback ? "cpu-clock" : "cycles", events, n_events, &error_text);
	free(error_text);
	if (error == EVENT_OK)
		*is_fallback_ret = is_fallback;
	return error;
}
