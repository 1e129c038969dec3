/* A list of event names by kind, with a line of description for each. */
#ifndef PERF_EVENTS_EVENT_CATALOG_H
#define PERF_EVENTS_EVENT_CATALOG_H

#include <stdbool.h>
#include <stddef.h>

#include "cct/text/near_names.h"

enum catalog_kind {
	CATALOG_HARDWARE, /* perf's generic names */
	CATALOG_CACHE,
	CATALOG_SOFTWARE,
	CATALOG_RESOURCE,  /* dendro's names for resources that need several events or are not
			      counted by the kernel */
	CATALOG_PROCESSOR, /* libpfm4's names for this processor */
	CATALOG_PMU,       /* events that sysfs names */
	CATALOG_TRACEPOINT,
	CATALOG_PROBE,
	CATALOG_BREAKPOINT,
	CATALOG_N_KINDS,
};

struct catalog_entry {
	enum catalog_kind kind;
	bool is_part;       /* a unit mask or field of the last entry that is not a part */
	bool is_recordable; /* as its kind, unless the machine lacks this event */
	bool is_spelling;   /* not a name, but how such names are written */
	char *name;
	char *aliases;     /* ", "-separated; NULL: none */
	char *description; /* may be empty */
	char *note;        /* why it cannot be recorded although others of its kind can; or NULL */
};

struct catalog_kind_state {
	bool is_recordable;
	char *note; /* why it cannot be recorded and the remedy, or its restriction; or NULL */
};

struct event_catalog {
	struct catalog_entry *entries; /* kinds may alternate */
	size_t n_entries, n_allocated;
	struct catalog_kind_state kinds[CATALOG_N_KINDS];
};

void event_catalog_destroy(struct event_catalog *catalog);
/* A kind as one word, "hardware", and as a heading, "Hardware events". */
const char *catalog_kind_name(enum catalog_kind kind);
const char *catalog_kind_title(enum catalog_kind kind);
/* Offers all names. */
void event_catalog_offer_all(const struct event_catalog *catalog, struct near_names *near);

/* Adds an entry; to be called by the event kinds. Copies its arguments; @aliases may be NULL. 0 or
 * -ENOMEM. */
int event_catalog_add(struct event_catalog *catalog, enum catalog_kind kind, const char *name,
		      const char *aliases, const char *description);
int event_catalog_add_spelling(struct event_catalog *catalog, enum catalog_kind kind,
			       const char *spelling, const char *description);
int event_catalog_add_part(struct event_catalog *catalog, const char *name,
			   const char *description);

#endif
