#include "perf/events/event_group.h"

#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/sentence.h"

struct event_member *event_group_add(struct event_group *group)
{
	if (array_reserve_one(group->members, group->n_members))
		return NULL;
	struct event_member *member = &group->members[group->n_members++];
	*member = (struct event_member){ .found = { NULL, 0 } };
	return member;
}

static enum event_error rename_member(struct event_member *member, const char *letters,
				      size_t length)
{
	for (size_t i = 0; i < member->found.n_events; i++) {
		struct event *event = &member->found.events[i];
		if (strcmp(event->name, member->spelled) != 0)
			continue;
		char *name = event_modifiers_join(event->name, letters, length);
		if (!name)
			return EVENT_NO_MEMORY;
		free(event->name);
		event->name = name;
	}
	return EVENT_OK;
}

static size_t drop_group_letters(const char *letters, size_t length, char *kept)
{
	size_t n = 0;
	for (size_t i = 0; i < length; i++)
		if (letters[i] != 'D' && letters[i] != 'S')
			kept[n++] = letters[i];
	return n;
}

enum event_error event_group_modify(struct event_group *group, const char *letters, size_t length)
{
	char *kept = malloc(length + 1);
	if (!kept)
		return EVENT_NO_MEMORY;
	size_t n_kept = drop_group_letters(letters, length, kept);
	enum event_error error = EVENT_OK;
	for (size_t i = 0; i < group->n_members && error == EVENT_OK; i++) {
		struct event_modifiers *modifiers = &group->members[i].modifiers;
		bool was_pinned = modifiers->is_pinned;
		if (!event_modifiers_add(modifiers, letters, length))
			error = EVENT_BAD_MODIFIER;
		/* The kernel pins a group by its leader. */
		if (i > 0)
			modifiers->is_pinned = was_pinned;
		if (error == EVENT_OK && n_kept)
			error = rename_member(&group->members[i], kept, n_kept);
	}
	free(kept);
	return error;
}

/* Two events with one name would be added to one metric. */
static enum event_error check_name(const struct event_list *events, size_t n_before,
				   const char *name, char **error_ret)
{
	for (size_t i = 0; i < n_before; i++)
		if (strcmp(events->events[i].name, name) == 0)
			return event_fail(EVENT_TWICE, error_ret,
					  sentence("The event '%s' is listed twice; to record "
						   "both, give one another name (the term "
						   "name=).",
						   name));
	return EVENT_OK;
}

/* Completes the last event, which is in no group yet. */
static void put_last(struct event_list *events, const struct event_modifiers *modifiers)
{
	struct event *event = &events->events[events->n_events - 1];
	event->leader = events->n_events - 1;
	event_modifiers_apply(modifiers, event);
	if (modifiers->is_pinned)
		event->attr.pinned = 1;
	event->reads_group = modifiers->reads_group;
}

static bool append_moved(struct event_list *events, struct event *event,
			 const struct event_modifiers *modifiers)
{
	struct event *moved = event_list_add(events);
	if (!moved)
		return false;
	*moved = *event;
	*event = (struct event){ .name = NULL };
	put_last(events, modifiers);
	return true;
}

/* Copies the event, with the CPUs of @set, or else with its own CPUs. */
static bool append_copy(struct event_list *events, const struct event *event,
			const struct event_modifiers *modifiers, const struct event *set)
{
	struct event *copy = event_list_add(events);
	if (!copy || !event_copy(copy, event) ||
	    (!copy->cpus && !event_set_cpus(copy, set->cpus, set->n_cpus)))
		return false;
	put_last(events, modifiers);
	return true;
}

enum event_error event_member_append(struct event_member *member, struct event_list *events,
				     char **error_ret)
{
	size_t n_before = events->n_events;
	for (size_t i = 0; i < member->found.n_events; i++) {
		struct event *event = &member->found.events[i];
		enum event_error error = check_name(events, n_before, event->name, error_ret);
		if (error != EVENT_OK)
			return error;
		if (!append_moved(events, event, &member->modifiers))
			return EVENT_NO_MEMORY;
	}
	return EVENT_OK;
}

static bool has_same_cpus(const struct event *a, const struct event *b)
{
	return a->n_cpus == b->n_cpus &&
	       (a->n_cpus == 0 || memcmp(a->cpus, b->cpus, a->n_cpus * sizeof(*a->cpus)) == 0);
}

static void join_last(struct event_list *events, size_t leader)
{
	struct event *event = &events->events[events->n_events - 1];
	bool reads_group = event->reads_group;
	event->leader = leader;
	event->reads_group = false;
	events->events[leader].reads_group |= reads_group;
}

static enum event_error append_everywhere(struct event_group *group, struct event_list *events)
{
	size_t leader = events->n_events;
	for (size_t i = 0; i < group->n_members; i++) {
		struct event_member *member = &group->members[i];
		for (size_t j = 0; j < member->found.n_events; j++) {
			if (!append_moved(events, &member->found.events[j], &member->modifiers))
				return EVENT_NO_MEMORY;
			join_last(events, leader);
		}
	}
	return EVENT_OK;
}

/* One copy of the group, on the CPUs of @set. */
static enum event_error append_set(const struct event_group *group, const struct event *set,
				   struct event_list *events, bool *is_used)
{
	size_t leader = events->n_events;
	for (size_t i = 0; i < group->n_members; i++) {
		const struct event_member *member = &group->members[i];
		for (size_t j = 0; j < member->found.n_events; j++) {
			const struct event *event = &member->found.events[j];
			if (event->cpus && !has_same_cpus(event, set))
				continue;
			if (!append_copy(events, event, &member->modifiers, set))
				return EVENT_NO_MEMORY;
			join_last(events, leader);
			is_used[i] = true;
		}
	}
	return EVENT_OK;
}

/* The events whose CPUs divide the group: those of the leader, or else of any member. */
static const struct event_list *find_sets(const struct event_group *group)
{
	for (size_t i = 0; i < group->n_members; i++)
		if (group->members[i].found.events[0].cpus)
			return &group->members[i].found;
	return NULL;
}

static enum event_error append_sets(const struct event_group *group, const struct event_list *sets,
				    struct event_list *events, char **error_ret)
{
	bool *is_used = calloc(group->n_members, sizeof(*is_used));
	enum event_error error = is_used ? EVENT_OK : EVENT_NO_MEMORY;
	for (size_t i = 0; i < sets->n_events && error == EVENT_OK; i++)
		error = append_set(group, &sets->events[i], events, is_used);
	for (size_t i = 0; i < group->n_members && error == EVENT_OK; i++)
		if (!is_used[i])
			error = event_fail(EVENT_BAD_MODIFIER, error_ret,
					   sentence("The event '%s' counts on other CPUs than the "
						    "first of its group, '%s'.",
						    group->members[i].found.events[0].name,
						    group->members[0].found.events[0].name));
	free(is_used);
	return error;
}

/* A member that is read at the leader's samples cannot have a rate. */
static enum event_error check_rates(const struct event_group *group, char **error_ret)
{
	bool is_read = false;
	for (size_t i = 0; i < group->n_members; i++)
		is_read |= group->members[i].modifiers.reads_group;
	for (size_t i = 1; i < group->n_members && is_read; i++) {
		const struct event *event = &group->members[i].found.events[0];
		if (event->period || event->frequency)
			return event_fail(EVENT_BAD_MODIFIER, error_ret,
					  sentence("The event '%s' has a rate, but its group "
						   "is read (S) only at samples of its first "
						   "event.",
						   event->name));
	}
	return EVENT_OK;
}

static enum event_error check_group(const struct event_group *group,
				    const struct event_list *events, char **error_ret)
{
	const struct event_list *leaders = &group->members[0].found;
	if (leaders->n_events > 1 && !leaders->events[0].cpus)
		return event_fail(EVENT_BAD_MODIFIER, error_ret,
				  sentence("The event '%s' consists of several events and "
					   "cannot be the first of a group.",
					   leaders->events[0].name));
	for (size_t i = 0; i < group->n_members; i++) {
		const char *name = group->members[i].found.events[0].name;
		if (i > 0 && group->members[i].modifiers.is_pinned)
			return event_fail(EVENT_BAD_MODIFIER, error_ret,
					  sentence("The event '%s' cannot be pinned (D) alone: "
						   "pin the first event of the group, which "
						   "pins the whole group.",
						   name));
		enum event_error error = check_name(events, events->n_events, name, error_ret);
		for (size_t j = 0; j < i && error == EVENT_OK; j++)
			error = check_name(&group->members[j].found, 1, name, error_ret);
		if (error != EVENT_OK)
			return error;
	}
	return EVENT_OK;
}

enum event_error event_group_append(struct event_group *group, struct event_list *events,
				    char **error_ret)
{
	enum event_error error = check_group(group, events, error_ret);
	if (error == EVENT_OK)
		error = check_rates(group, error_ret);
	if (error != EVENT_OK)
		return error;
	const struct event_list *sets = find_sets(group);
	return sets ? append_sets(group, sets, events, error_ret)
		    : append_everywhere(group, events);
}

void event_group_deinit(struct event_group *group)
{
	for (size_t i = 0; i < group->n_members; i++) {
		struct event_member *member = &group->members[i];
		events_destroy(member->found.events, member->found.n_events);
		free(member->spelled);
	}
	free(group->members);
}
