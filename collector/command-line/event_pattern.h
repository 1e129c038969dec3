/* Which events a PATTERN of dendro list selects. */
#ifndef COLLECTOR_COMMAND_LINE_EVENT_PATTERN_H
#define COLLECTOR_COMMAND_LINE_EVENT_PATTERN_H

#include <stdbool.h>

#include "perf/events/event_catalog.h"

/*
 * @pattern is the name of a kind (hw, cache, tracepoint, ...), a glob over whole names (*, ?, [),
 * or a part of a name. Aliases are names. Case is ignored.
 */
bool event_pattern_matches(const char *pattern, const struct catalog_entry *entry);

#endif
