/* Writes what dendro list found: for people, or for programs. */
#ifndef COLLECTOR_COMMAND_LINE_LIST_OUTPUT_H
#define COLLECTOR_COMMAND_LINE_LIST_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "perf/events/event_catalog.h"

struct event_listing {
	const struct event_catalog *catalog;
	const bool *is_selected; /* by entry */
	bool names_all;          /* also what cannot be recorded here, not only how many */
	bool utf8;               /* what the terminal shows */
	unsigned width;          /* long descriptions are wrapped; 0: they are not */
};

void list_write_text(FILE *out, const struct event_listing *listing);
/* docs/FORMAT.md describes it. */
void list_write_json(FILE *out, const struct event_listing *listing);

#endif
