/* What the words of dendro list select. */
#ifndef COLLECTOR_COMMAND_LINE_EVENT_PATTERN_H
#define COLLECTOR_COMMAND_LINE_EVENT_PATTERN_H

#include <stdbool.h>

#include "perf/events/event_catalog.h"

/*
 * A kind's name (hw, cache, tracepoint, ...), a glob over whole names (*, ?, [), or a part of a
 * name; aliases are names. Case does not matter.
 */
bool event_pattern_matches(const char *pattern, const struct catalog_entry *entry);

#endif
