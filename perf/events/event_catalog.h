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
	CATALOG_RESOURCE,  /* dendro's own names for what is not counted by the kernel */
	CATALOG_PROCESSOR, /* libpfm4's names for this processor */
	CATALOG_PMU,       /* events that sysfs names */
	CATALOG_TRACEPOINT,
	CATALOG_PROBE,
	CATALOG_BREAKPOINT,
	CATALOG_N_KINDS,
};

struct catalog_entry {
	enum catalog_kind kind;
	bool is_part;       /* a unit mask or field, of the last entry before that is none */
	bool is_recordable; /* what the kind is, unless the machine lacks this one */
	bool is_spelling;   /* not a name, but how such names are written */
	char *name;
	char *aliases;     /* ", "-separated; NULL: none */
	char *description; /* may be empty */
	char *note;        /* why not, where others of its kind can be recorded; NULL: nothing */
};

struct catalog_kind_state {
	bool is_recordable;
	char *note; /* why not, and what helps; or what is restricted; NULL: nothing */
};

struct event_catalog {
	struct catalog_entry *entries; /* kinds may alternate */
	size_t n_entries, n_allocated;
	struct catalog_kind_state kinds[CATALOG_N_KINDS];
};

void event_catalog_destroy(struct event_catalog *catalog);
/* One word, "hardware", and what a heading says, "Hardware events". */
const char *catalog_kind_name(enum catalog_kind kind);
const char *catalog_kind_title(enum catalog_kind kind);
/* Offers all names. */
void event_catalog_offer_all(const struct event_catalog *catalog, struct near_names *near);

/* For those who know names. Copies; @aliases may be NULL. 0 or -ENOMEM. */
int event_catalog_add(struct event_catalog *catalog, enum catalog_kind kind, const char *name,
		      const char *aliases, const char *description);
int event_catalog_add_spelling(struct event_catalog *catalog, enum catalog_kind kind,
			       const char *spelling, const char *description);
int event_catalog_add_part(struct event_catalog *catalog, const char *name,
			   const char *description);

#endif
