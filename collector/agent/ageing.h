/*
 * What becomes of an agent's files as they age: those of a period become one, first of hours, then
 * of days; and the oldest are removed.
 *
 * A period is a multiple of its time since 1970, in UTC. Its files are those that begin in it. They
 * are merged when it has been over for as long as it takes: so the last hour's windows are there
 * one by one, and yesterday's hours.
 */
#ifndef COLLECTOR_AGENT_AGEING_H
#define COLLECTOR_AGENT_AGEING_H

#include "collector/agent/window_folder.h"

#define AGEING_PERIODS_MAX 4

struct ageing {
	uint64_t period_ns[AGEING_PERIODS_MAX]; /* ascending */
	size_t n_periods;
	uint64_t keep_bytes; /* of all files; 0: any */
	uint64_t keep_ns;    /* 0: for ever */
	bool keeps_details;
};

/*
 * The next files that become one at @unix_ns: *@n_ret of them, at least 2, from the one with the
 * returned index on. *@n_ret 0: none do.
 */
size_t ageing_find_group(const struct ageing *ageing, const struct window_list *list,
			 uint64_t unix_ns, size_t *n_ret);
/* Whether the files that become one at @unix_ns leave out what window_merge_options.drops_details
 * says: the last of them has ended an hour ago. */
bool ageing_drops_details(const struct ageing *ageing, const struct window_file *last,
			  uint64_t unix_ns);
/* How many of the oldest files have to be removed, never the last one. */
size_t ageing_count_removed(const struct ageing *ageing, const struct window_list *list,
			    uint64_t unix_ns);

#endif
