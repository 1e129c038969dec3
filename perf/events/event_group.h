/* The events of a list that are counted together, {a,b}: checks them and makes one group for each
 * PMU. */
#ifndef PERF_EVENTS_EVENT_GROUP_H
#define PERF_EVENTS_EVENT_GROUP_H

#include "perf/events/event_kind.h"
#include "perf/events/event_spelling.h"

/* One name of the list: one event, or one per PMU. */
struct event_member {
	struct event_list found;
	struct event_modifiers modifiers;
	char *spelled; /* without the rate; owned */
};

struct event_group {
	struct event_member *members; /* the leader first */
	size_t n_members;
};

/* A new member, all zero; NULL: no memory. Valid until the next is added. */
struct event_member *event_group_add(struct event_group *group);
/*
 * Adds modifiers to those of each member and to its name, unless the user chose the name.
 * EVENT_BAD_MODIFIER if event_modifiers_add() fails.
 */
enum event_error event_group_modify(struct event_group *group, const char *letters, size_t length);
/*
 * Moves the events of the group to the end of @events, leaders before their members. On a processor
 * with several PMUs there is one group for each that the leader counts on.
 */
enum event_error event_group_append(struct event_group *group, struct event_list *events,
				    char **error_ret);
/* The same for a name outside of groups: each event is its own leader. */
enum event_error event_member_append(struct event_member *member, struct event_list *events,
				     char **error_ret);
void event_group_deinit(struct event_group *group);

#endif
