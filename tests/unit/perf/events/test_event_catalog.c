#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "collector/command-line/event_pattern.h"
#include "collector/command-line/list_output.h"
#include "perf/catalog/catalog_fill.h"
#include "perf/kinds/pmu_events.h"
#include "tests/unit/fixtures/sysfs_tree.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static struct event_catalog *catalog_here(bool with_parts)
{
	struct perf_limits limits;

	limits_read(&limits);
	struct event_catalog *catalog = catalog_fill_create(&limits, with_parts);
	assert_non_null(catalog);
	return catalog;
}

static const struct catalog_entry *find(const struct event_catalog *catalog, const char *name)
{
	for (size_t i = 0; i < catalog->n_entries; i++)
		if (strcmp(catalog->entries[i].name, name) == 0)
			return &catalog->entries[i];
	fail_msg("%s is not listed", name);
	return NULL;
}

static void an_event_is_listed_once_with_its_other_names(void **state)
{
	(void)state;
	static const struct {
		const char *name, *aliases;
		enum catalog_kind kind;
	} cases[] = {
		{ "cycles", "cpu-cycles", CATALOG_HARDWARE },
		{ "stalled-cycles-backend", "idle-cycles-backend", CATALOG_HARDWARE },
		{ "page-faults", "faults", CATALOG_SOFTWARE },
		{ "cpu-clock", NULL, CATALOG_SOFTWARE },
		{ "dTLB-store-misses", NULL, CATALOG_CACHE },
	};
	struct event_catalog *catalog = catalog_here(false);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct catalog_entry *entry = find(catalog, cases[i].name);

		assert_int_equal(entry->kind, cases[i].kind);
		if (cases[i].aliases)
			assert_string_equal(entry->aliases, cases[i].aliases);
		else
			assert_null(entry->aliases);
	}
	for (size_t i = 0; i < catalog->n_entries; i++) {
		assert_string_not_equal(catalog->entries[i].name, "cpu-cycles");
		assert_false(catalog->entries[i].is_part);
	}
	event_catalog_destroy(catalog);
}

static void every_generic_name_has_a_description(void **state)
{
	(void)state;
	struct event_catalog *catalog = catalog_here(false);

	for (size_t i = 0; i < catalog->n_entries; i++) {
		const struct catalog_entry *entry = &catalog->entries[i];

		if (entry->kind <= CATALOG_RESOURCE && !*entry->description)
			fail_msg("%s has none", entry->name);
	}
	event_catalog_destroy(catalog);
}

static void what_cannot_be_recorded_has_a_reason(void **state)
{
	(void)state;
	struct event_catalog *catalog = catalog_here(false);

	for (size_t i = 0; i < catalog->n_entries; i++) {
		enum catalog_kind kind = catalog->entries[i].kind;

		if (!catalog->kinds[kind].is_recordable) {
			assert_false(catalog->entries[i].is_recordable);
			assert_non_null(catalog->kinds[kind].note);
		}
	}
	event_catalog_destroy(catalog);
}

static void patterns_are_parts_globs_or_kinds(void **state)
{
	(void)state;
	static char faults[] = "page-faults", aliases[] = "faults, pf",
		    tracepoint[] = "sched:switch";
	static const struct catalog_entry software = { .kind = CATALOG_SOFTWARE,
						       .name = faults,
						       .aliases = aliases },
					  traced = { .kind = CATALOG_TRACEPOINT,
						     .name = tracepoint };
	static const struct {
		const char *pattern;
		bool software, traced;
	} cases[] = {
		{ "fault", true, false },    { "PAGE", true, false },
		{ "fault*", true, false }, /* by an alias */
		{ "p?", true, false },       { "page", true, false },
		{ "page?", false, false },   { "p[ab]ge-*", true, false },
		{ "sw", true, false }, /* a kind, no part of "switch" */
		{ "software", true, false }, { "Tracepoints", false, true },
		{ "sched:*", false, true },  { "faults, pf", false, false },
		{ "", true, true },          { "[", false, false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(event_pattern_matches(cases[i].pattern, &software),
				 cases[i].software);
		assert_int_equal(event_pattern_matches(cases[i].pattern, &traced), cases[i].traced);
	}
}

struct written {
	char *text;
	size_t size;
};

static struct written write_listing(void (*write)(FILE *, const struct event_listing *),
				    struct event_catalog *catalog, unsigned width)
{
	bool is_selected[16];
	struct written written;
	const struct event_listing listing = { .catalog = catalog,
					       .is_selected = is_selected,
					       .names_all = true,
					       .utf8 = true,
					       .width = width };
	FILE *out = open_memstream(&written.text, &written.size);

	assert_non_null(out);
	assert_true(catalog->n_entries <= ARRAY_SIZE(is_selected));
	memset(is_selected, true, sizeof(is_selected));
	write(out, &listing);
	fclose(out);
	return written;
}

static struct event_catalog *small_catalog(void)
{
	struct event_catalog *catalog = calloc(1, sizeof(*catalog));

	assert_non_null(catalog);
	assert_int_equal(event_catalog_add(catalog, CATALOG_PMU, "evil\x1b[2J\n", NULL,
					   "one \x07two\nthree \"four\""),
			 0);
	assert_int_equal(event_catalog_add_part(catalog, "part", "of it"), 0);
	assert_int_equal(event_catalog_add(catalog, CATALOG_SOFTWARE, "good", "fine, nice", ""), 0);
	catalog->kinds[CATALOG_PMU].is_recordable = true;
	catalog->kinds[CATALOG_SOFTWARE].note = strdup("It is not permitted.");
	catalog->entries[2].is_recordable = false;
	return catalog;
}

static void what_the_machine_names_cannot_harm_a_terminal(void **state)
{
	(void)state;
	struct event_catalog *catalog = small_catalog();
	struct written written = write_listing(list_write_text, catalog, 0);

	assert_non_null(strstr(written.text, "  evil\\x1b[2J\\x0a  one \\x07two\\x0athree "));
	assert_non_null(strstr(written.text, "\n    part"));
	assert_non_null(strstr(written.text, "Not here: Software events (1)\n  It is not "
					     "permitted.\n  good, fine, nice\n"));
	for (size_t i = 0; i < written.size; i++)
		assert_true(written.text[i] == '\n' || written.text[i] >= ' ');
	free(written.text);
	event_catalog_destroy(catalog);
}

static void json_keeps_parts_and_aliases_apart(void **state)
{
	(void)state;
	struct event_catalog *catalog = small_catalog();
	struct written written = write_listing(list_write_json, catalog, 0);

	assert_non_null(strstr(written.text, "{\"kind\":\"pmu\",\"name\":\"evil\\u001b[2J\\u000a\","
					     "\"aliases\":[],"));
	assert_non_null(
		strstr(written.text, "\"parts\":[{\"name\":\"part\",\"description\":\"of it\"}]}"));
	assert_non_null(strstr(written.text,
			       "\"aliases\":[\"fine\",\"nice\"],\"description\":\"\","
			       "\"recordable\":false,\"spelling\":false,\"parts\":[]}"));
	free(written.text);
	event_catalog_destroy(catalog);
}

static void long_words_and_narrow_terminals_end(void **state)
{
	(void)state;
	for (unsigned width = 1; width < 90; width += 11) {
		struct event_catalog *catalog = small_catalog();
		char word[300];

		memset(word, 'w', sizeof(word) - 1);
		word[sizeof(word) - 1] = '\0';
		assert_int_equal(event_catalog_add(catalog, CATALOG_PMU, word, word, word), 0);
		assert_int_equal(event_catalog_add(catalog, CATALOG_PMU, "x", NULL, "a  b "), 0);
		struct written written = write_listing(list_write_text, catalog, width);
		assert_non_null(strstr(written.text, word));
		free(written.text);
		event_catalog_destroy(catalog);
	}
}

static void pmus_are_listed_with_their_events_and_terms(void **state)
{
	(void)state;
	static const struct sysfs_file files[] = {
		{ "cpu/type", "4\n" },
		{ "cpu/format/umask", "config:8-15\n" },
		{ "cpu/format/event", "config:0-7\n" },
		{ "cpu/events/slots", "event=0x0,umask=0x4\n" },
		{ "cpu/events/evil\x1b[2J", "event=1" },
		{ "cpu/events/cycles", "event=0x3c\n" },
		{ "cpu/events/cycles.scale", "2\n" },
		{ "quiet/type", "9\n" },
		{ "quiet/format/event", "config:0-7\n" },
		{ "broken/type", "-1" },
		{ "broken/events/x", "event=1" },
	};
	static const struct {
		const char *name, *description;
		bool is_spelling;
	} expected[] = {
		{ "cpu/TERM=VALUE,.../", "terms: event, umask", true },
		{ "cpu/cycles/", "event=0x3c", false },
		{ "cpu/slots/", "event=0x0,umask=0x4", false },
	};
	char *root = sysfs_tree_create(files, ARRAY_SIZE(files));
	const struct event_places places = { .sysfs = root };
	struct event_catalog *catalog = calloc(1, sizeof(*catalog));

	assert_non_null(catalog);
	assert_int_equal(pmu_events_list(&places, catalog), 0);
	assert_int_equal(catalog->n_entries, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_int_equal(catalog->entries[i].kind, CATALOG_PMU);
		assert_string_equal(catalog->entries[i].name, expected[i].name);
		assert_string_equal(catalog->entries[i].description, expected[i].description);
		assert_int_equal(catalog->entries[i].is_spelling, expected[i].is_spelling);
	}
	event_catalog_destroy(catalog);
	sysfs_tree_destroy(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_is_listed_once_with_its_other_names),
		cmocka_unit_test(every_generic_name_has_a_description),
		cmocka_unit_test(what_cannot_be_recorded_has_a_reason),
		cmocka_unit_test(pmus_are_listed_with_their_events_and_terms),
		cmocka_unit_test(patterns_are_parts_globs_or_kinds),
		cmocka_unit_test(what_the_machine_names_cannot_harm_a_terminal),
		cmocka_unit_test(json_keeps_parts_and_aliases_apart),
		cmocka_unit_test(long_words_and_narrow_terminals_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
