#include "perf/events/event_catalog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

static const struct {
	const char *name, *title;
} kinds[CATALOG_N_KINDS] = {
	[CATALOG_HARDWARE] = { "hardware", "Hardware events" },
	[CATALOG_CACHE] = { "cache", "Cache events" },
	[CATALOG_SOFTWARE] = { "software", "Software events" },
	[CATALOG_RESOURCE] = { "resource", "Resources" },
	[CATALOG_PROCESSOR] = { "processor", "Events of this processor" },
	[CATALOG_PMU] = { "pmu", "Events of the kernel's PMUs" },
	[CATALOG_TRACEPOINT] = { "tracepoint", "Tracepoints" },
	[CATALOG_PROBE] = { "probe", "Function calls" },
	[CATALOG_BREAKPOINT] = { "breakpoint", "Memory accesses" },
};

const char *catalog_kind_name(enum catalog_kind kind)
{
	return kinds[kind].name;
}

const char *catalog_kind_title(enum catalog_kind kind)
{
	return kinds[kind].title;
}

static int add(struct event_catalog *catalog, enum catalog_kind kind, bool is_part,
	       const char *name, const char *aliases, const char *description)
{
	if (array_reserve(catalog->entries, catalog->n_entries, catalog->n_allocated, 1))
		return -ENOMEM;
	struct catalog_entry *entry = &catalog->entries[catalog->n_entries++];
	*entry = (struct catalog_entry){
		.kind = kind,
		.is_part = is_part,
		.is_recordable = true,
		.name = strdup(name),
		.aliases = aliases ? strdup(aliases) : NULL,
		.description = strdup(description ? description : ""),
	};
	return entry->name && entry->description && (entry->aliases || !aliases) ? 0 : -ENOMEM;
}

int event_catalog_add(struct event_catalog *catalog, enum catalog_kind kind, const char *name,
		      const char *aliases, const char *description)
{
	return add(catalog, kind, false, name, aliases, description);
}

int event_catalog_add_spelling(struct event_catalog *catalog, enum catalog_kind kind,
			       const char *spelling, const char *description)
{
	int err = add(catalog, kind, false, spelling, NULL, description);

	if (!err)
		catalog->entries[catalog->n_entries - 1].is_spelling = true;
	return err;
}

int event_catalog_add_part(struct event_catalog *catalog, const char *name, const char *description)
{
	return add(catalog, catalog->entries[catalog->n_entries - 1].kind, true, name, NULL,
		   description);
}

void event_catalog_destroy(struct event_catalog *catalog)
{
	if (!catalog)
		return;
	for (size_t i = 0; i < catalog->n_entries; i++) {
		free(catalog->entries[i].name);
		free(catalog->entries[i].aliases);
		free(catalog->entries[i].description);
		free(catalog->entries[i].note);
	}
	for (int i = 0; i < CATALOG_N_KINDS; i++)
		free(catalog->kinds[i].note);
	free(catalog->entries);
	free(catalog);
}

void event_catalog_offer_all(const struct event_catalog *catalog, struct near_names *near)
{
	for (size_t i = 0; i < catalog->n_entries; i++)
		if (!catalog->entries[i].is_part && !catalog->entries[i].is_spelling)
			near_names_offer(near, catalog->entries[i].name);
}
