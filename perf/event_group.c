#include "perf/event_group.h"

#include <stdlib.h>
#include <string.h>

#include "perf/sentence.h"

struct event_member *event_group_add(struct event_group *group)
{
	struct event_member *grown =
		reallocarray(group->members, group->n_members + 1, sizeof(*group->members));
	if (!grown)
		return NULL;
	group->members = grown;
	struct event_member *member = &grown[group->n_members++];
	*member = (struct event_member){ .found = { NULL, 0 } };
	return member;
}

bool event_group_modify(struct event_group *group, const char *letters, size_t length)
{
	struct event_modifiers *leaders = &group->members[0].modifiers;
	for (size_t i = 0; i < group->n_members; i++) {
		struct event_modifiers *modifiers = &group->members[i].modifiers;
		bool was_pinned = modifiers->is_pinned;
		if (!event_modifiers_add(modifiers, letters, length))
			return false;
		/* The kernel pins a group by its leader. */
		if (modifiers != leaders)
			modifiers->is_pinned = was_pinned;
	}
	return true;
}

/* Two of one name would be added up to one metric. */
static enum event_error check_name(const struct event_list *events, size_t n_before,
				   const char *name, char **error_ret)
{
	for (size_t i = 0; i < n_before; i++)
		if (strcmp(events->events[i].name, name) == 0)
			return event_fail(EVENT_TWICE, error_ret,
					  sentence("The event '%s' is there twice; to have both, "
						   "give one a name of its own (the term name=).",
						   name));
	return EVENT_OK;
}

/* A copy restricted to the CPUs of @set, if it has any. */
static bool append_copy(struct event_list *events, const struct event *event,
			const struct event_modifiers *modifiers, const struct event *set)
{
	struct event *copy = event_list_add(events);
	if (!copy)
		return false;
	*copy = *event;
	copy->cpus = NULL;
	bool has_strings = event_own_strings(copy);
	copy->leader = events->n_events - 1;
	const struct event *source = event->cpus || !set ? event : set;
	bool has_cpus = !source->cpus || event_set_cpus(copy, source->cpus, source->n_cpus);
	event_modifiers_apply(modifiers, copy);
	copy->attr.pinned |= modifiers->is_pinned;
	copy->reads_group = modifiers->reads_group;
	return has_strings && has_cpus;
}

enum event_error event_member_append(struct event_member *member, struct event_list *events,
				     char **error_ret)
{
	size_t n_before = events->n_events;
	for (size_t i = 0; i < member->found.n_events; i++) {
		const struct event *event = &member->found.events[i];
		enum event_error error = check_name(events, n_before, event->name, error_ret);
		if (error != EVENT_OK)
			return error;
		if (!append_copy(events, event, &member->modifiers, NULL))
			return EVENT_NO_MEMORY;
	}
	return EVENT_OK;
}

static bool has_same_cpus(const struct event *a, const struct event *b)
{
	return a->n_cpus == b->n_cpus &&
	       (a->n_cpus == 0 || memcmp(a->cpus, b->cpus, a->n_cpus * sizeof(*a->cpus)) == 0);
}

/* An event with @set's CPUs, or with no CPUs of its own. */
static bool fits(const struct event *event, const struct event *set)
{
	return !event->cpus || !set || has_same_cpus(event, set);
}

/* One copy of the group, on the CPUs of @set, or (NULL) on all. */
static enum event_error append_set(const struct event_group *group, const struct event *set,
				   struct event_list *events, bool *is_used)
{
	size_t leader = events->n_events;
	for (size_t i = 0; i < group->n_members; i++) {
		const struct event_member *member = &group->members[i];
		for (size_t j = 0; j < member->found.n_events; j++) {
			if (!fits(&member->found.events[j], set))
				continue;
			if (!append_copy(events, &member->found.events[j], &member->modifiers, set))
				return EVENT_NO_MEMORY;
			struct event *copy = &events->events[events->n_events - 1];
			events->events[leader].reads_group |= copy->reads_group;
			copy->reads_group = events->events[leader].reads_group &&
					    leader == events->n_events - 1;
			copy->leader = leader;
			is_used[i] = true;
		}
	}
	return EVENT_OK;
}

/* The events whose CPUs divide the group: the leader's, else those of any member. */
static const struct event_list *find_sets(const struct event_group *group)
{
	for (size_t i = 0; i < group->n_members; i++)
		if (group->members[i].found.events[0].cpus)
			return &group->members[i].found;
	return NULL;
}

static enum event_error append_sets(const struct event_group *group, struct event_list *events,
				    bool *is_used)
{
	const struct event_list *sets = find_sets(group);
	if (!sets)
		return append_set(group, NULL, events, is_used);
	enum event_error error = EVENT_OK;
	for (size_t i = 0; i < sets->n_events && error == EVENT_OK; i++)
		error = append_set(group, &sets->events[i], events, is_used);
	return error;
}

static enum event_error check_group(const struct event_group *group,
				    const struct event_list *events, char **error_ret)
{
	const struct event_list *leaders = &group->members[0].found;
	if (leaders->n_events > 1 && !leaders->events[0].cpus)
		return event_fail(EVENT_BAD_MODIFIER, error_ret,
				  sentence("The event '%s' stands for several and can't be the "
					   "first of a group.",
					   leaders->events[0].name));
	for (size_t i = 0; i < group->n_members; i++) {
		const char *name = group->members[i].found.events[0].name;
		if (i > 0 && group->members[i].modifiers.is_pinned)
			return event_fail(EVENT_BAD_MODIFIER, error_ret,
					  sentence("The event '%s' can't be pinned (D) alone: the "
						   "first of a group is pinned, and all with it.",
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
	if (error != EVENT_OK)
		return error;
	bool *is_used = calloc(group->n_members, sizeof(*is_used));
	if (!is_used)
		return EVENT_NO_MEMORY;
	error = append_sets(group, events, is_used);
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

void event_group_deinit(struct event_group *group)
{
	for (size_t i = 0; i < group->n_members; i++)
		events_destroy(group->members[i].found.events, group->members[i].found.n_events);
	free(group->members);
}
