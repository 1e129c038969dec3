#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cct/base/cleanup.h"
#include "collector/command-line/list_output.h"

enum { WIDTH = 60, N_ENTRIES = 2 };

/* What a machine with hardware counters, but without one of these events, lists. */
static void descriptions_of_missing_events_fit_the_width(void **state)
{
	char loads[] = "LLC-loads", all_levels[] = "last-level cache: loads of all levels above";
	char node[] = "node-loads", memory[] = "memory of the own NUMA node: loads of it";
	struct catalog_entry entries[N_ENTRIES] = {
		{ .kind = CATALOG_CACHE,
		  .name = loads,
		  .description = all_levels,
		  .is_recordable = true },
		{ .kind = CATALOG_CACHE, .name = node, .description = memory },
	};
	struct event_catalog catalog = { .entries = entries, .n_entries = N_ENTRIES };
	const bool is_selected[N_ENTRIES] = { true, true };
	const struct event_listing listing = {
		.catalog = &catalog,
		.is_selected = is_selected,
		.names_all = true,
		.width = WIDTH,
	};
	_cleanup_free_ char *text = NULL;
	size_t size;

	(void)state;
	catalog.kinds[CATALOG_CACHE].is_recordable = true;
	FILE *out = open_memstream(&text, &size);
	list_write_text(out, &listing);
	fclose(out);
	assert_string_equal(text, "Cache events\n"
				  "  LLC-loads   last-level cache: loads of all levels above\n"
				  "  node-loads  (not here) memory of the own NUMA node: loads\n"
				  "              of it\n\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptions_of_missing_events_fit_the_width),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
