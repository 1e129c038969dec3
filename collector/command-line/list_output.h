/* Writes the events that dendro list found, as text or as JSON. */
#ifndef COLLECTOR_COMMAND_LINE_LIST_OUTPUT_H
#define COLLECTOR_COMMAND_LINE_LIST_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "perf/events/event_catalog.h"

struct event_listing {
	const struct event_catalog *catalog;
	const bool *is_selected; /* by entry */
	bool names_all;          /* names events that cannot be recorded, instead of counting */
	bool utf8;               /* the terminal shows UTF-8 */
	unsigned width;          /* at which descriptions are wrapped; 0: they are not */
};

void list_write_text(FILE *out, const struct event_listing *listing);
/* docs/FORMAT.md describes it. */
void list_write_json(FILE *out, const struct event_listing *listing);

#endif
