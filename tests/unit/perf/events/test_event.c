#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perf/catalog/event_parse.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

struct parsed {
	struct event *events;
	size_t n_events;
	char *error_text;
	enum event_error error;
};

/* Not the PMUs of the machine at hand, which may be several. */
static const struct event_places nowhere = { .sysfs = "/nowhere" };

static struct parsed parse(const char *list)
{
	struct parsed parsed = { 0 };
	parsed.error = event_parse_at(&nowhere, list, &parsed.events, &parsed.n_events,
				      &parsed.error_text);
	return parsed;
}

static void parsed_destroy(struct parsed *parsed)
{
	events_destroy(parsed->events, parsed->n_events);
	free(parsed->error_text);
}

static void generic_names_and_their_aliases_encode_as_perf_does(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
	} cases[] = {
		{ "cycles", PERF_TYPE_HARDWARE, 0 },
		{ "cpu-cycles", PERF_TYPE_HARDWARE, 0 },
		{ "instructions", PERF_TYPE_HARDWARE, 1 },
		{ "cache-references", PERF_TYPE_HARDWARE, 2 },
		{ "cache-misses", PERF_TYPE_HARDWARE, 3 },
		{ "branches", PERF_TYPE_HARDWARE, 4 },
		{ "branch-instructions", PERF_TYPE_HARDWARE, 4 },
		{ "branch-misses", PERF_TYPE_HARDWARE, 5 },
		{ "bus-cycles", PERF_TYPE_HARDWARE, 6 },
		{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, 7 },
		{ "idle-cycles-frontend", PERF_TYPE_HARDWARE, 7 },
		{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, 8 },
		{ "ref-cycles", PERF_TYPE_HARDWARE, 9 },
		{ "cpu-clock", PERF_TYPE_SOFTWARE, 0 },
		{ "task-clock", PERF_TYPE_SOFTWARE, 1 },
		{ "page-faults", PERF_TYPE_SOFTWARE, 2 },
		{ "faults", PERF_TYPE_SOFTWARE, 2 },
		{ "context-switches", PERF_TYPE_SOFTWARE, 3 },
		{ "cs", PERF_TYPE_SOFTWARE, 3 },
		{ "cpu-migrations", PERF_TYPE_SOFTWARE, 4 },
		{ "migrations", PERF_TYPE_SOFTWARE, 4 },
		{ "minor-faults", PERF_TYPE_SOFTWARE, 5 },
		{ "major-faults", PERF_TYPE_SOFTWARE, 6 },
		{ "alignment-faults", PERF_TYPE_SOFTWARE, 7 },
		{ "emulation-faults", PERF_TYPE_SOFTWARE, 8 },
		{ "dummy", PERF_TYPE_SOFTWARE, 9 },
		{ "bpf-output", PERF_TYPE_SOFTWARE, 10 },
		{ "cgroup-switches", PERF_TYPE_SOFTWARE, 11 },
		{ "L1-dcache-loads", PERF_TYPE_HW_CACHE, 0x00000 },
		{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000 },
		{ "l1d-misses", PERF_TYPE_HW_CACHE, 0x10000 },
		{ "l1-d-load-misses", PERF_TYPE_HW_CACHE, 0x10000 },
		{ "L1-dcache-stores", PERF_TYPE_HW_CACHE, 0x00100 },
		{ "L1-dcache-prefetch-misses", PERF_TYPE_HW_CACHE, 0x10200 },
		{ "L1-icache-load-misses", PERF_TYPE_HW_CACHE, 0x10001 },
		{ "LLC-loads", PERF_TYPE_HW_CACHE, 0x00002 },
		{ "llc-store-misses", PERF_TYPE_HW_CACHE, 0x10102 },
		{ "dTLB-load-misses", PERF_TYPE_HW_CACHE, 0x10003 },
		{ "dTLB-stores", PERF_TYPE_HW_CACHE, 0x00103 },
		{ "iTLB-loads", PERF_TYPE_HW_CACHE, 0x00004 },
		{ "iTLB-load-misses", PERF_TYPE_HW_CACHE, 0x10004 },
		{ "branch-loads", PERF_TYPE_HW_CACHE, 0x00005 },
		{ "branch-load-misses", PERF_TYPE_HW_CACHE, 0x10005 },
		{ "node-loads", PERF_TYPE_HW_CACHE, 0x00006 },
		{ "node-store-misses", PERF_TYPE_HW_CACHE, 0x10106 },
		{ "LLC-speculative-read-misses", PERF_TYPE_HW_CACHE, 0x10202 },
		/* As perf 6.1 encodes them. */
		{ "LLC", PERF_TYPE_HW_CACHE, 0x00002 },
		{ "dTLB", PERF_TYPE_HW_CACHE, 0x00003 },
		{ "branch", PERF_TYPE_HW_CACHE, 0x00005 },
		{ "LLC-misses-loads", PERF_TYPE_HW_CACHE, 0x10002 },
		{ "LLC-load-refs", PERF_TYPE_HW_CACHE, 0x00002 },
		{ "L1-data-ops", PERF_TYPE_HW_CACHE, 0x00000 },
		{ "bpc-read-miss", PERF_TYPE_HW_CACHE, 0x10005 },
		{ "Data-TLB-write-Reference", PERF_TYPE_HW_CACHE, 0x00103 },
		{ "idle-cycles-backend", PERF_TYPE_HARDWARE, 8 },
		{ "r1c2", PERF_TYPE_RAW, 0x1c2 },
		{ "rFFff0000FFFF0000", PERF_TYPE_RAW, 0xffff0000ffff0000 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parsed parsed = parse(cases[i].name);
		assert_int_equal(parsed.error, EVENT_OK);
		assert_int_equal(parsed.n_events, 1);
		assert_string_equal(parsed.events[0].name, cases[i].name);
		assert_int_equal(parsed.events[0].attr.type, cases[i].type);
		assert_int_equal(parsed.events[0].attr.config, cases[i].config);
		parsed_destroy(&parsed);
	}
}

static void modifiers_exclude_what_was_not_asked_for(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		unsigned int exclude_user, exclude_kernel, exclude_hv, precise_ip;
	} cases[] = {
		{ "cycles", 0, 0, 0, 0 },       { "cycles:u", 0, 1, 1, 0 },
		{ "cycles:k", 1, 0, 1, 0 },     { "cycles:h", 1, 1, 0, 0 },
		{ "cycles:uk", 0, 0, 1, 0 },    { "cycles:kuh", 0, 0, 0, 0 },
		{ "cycles:p", 0, 0, 0, 1 },     { "cycles:ppp", 0, 0, 0, 3 },
		{ "cycles:upp", 0, 1, 1, 2 },   { "cycles:u:p", 0, 1, 1, 1 },
		{ "cpu-clock:u", 0, 1, 1, 0 },  { "r1c2:k", 1, 0, 1, 0 },
		{ "LLC-loads:uk", 0, 0, 1, 0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parsed parsed = parse(cases[i].name);
		assert_int_equal(parsed.error, EVENT_OK);
		const struct perf_event_attr *attr = &parsed.events[0].attr;
		assert_int_equal(attr->exclude_user, cases[i].exclude_user);
		assert_int_equal(attr->exclude_kernel, cases[i].exclude_kernel);
		assert_int_equal(attr->exclude_hv, cases[i].exclude_hv);
		assert_int_equal(attr->precise_ip, cases[i].precise_ip);
		assert_string_equal(parsed.events[0].name, cases[i].name);
		parsed_destroy(&parsed);
	}
}

static void an_event_may_have_a_rate_of_its_own(void **state)
{
	(void)state;
	static const struct {
		const char *text, *name;
		uint64_t period, frequency;
	} cases[] = {
		{ "cycles@100000", "cycles", 100000, 0 },
		{ "cycles@f99", "cycles", 0, 99 },
		{ "cycles@99Hz", "cycles", 0, 99 },
		{ "cycles@99hz", "cycles", 0, 99 },
		{ "cycles:upp@7", "cycles:upp", 7, 0 },
		{ "cycles@7:upp", "cycles:upp", 7, 0 },
		{ "cycles@9223372036854775807", "cycles", INT64_MAX, 0 },
		{ "cycles@f4294967295", "cycles", 0, UINT32_MAX },
		{ "cycles", "cycles", 0, 0 },
		{ "PERF_COUNT_HW_CPU_CYCLES:period=5", "PERF_COUNT_HW_CPU_CYCLES:period=5", 5, 0 },
		{ "PERF_COUNT_HW_CPU_CYCLES:freq=50:u", "PERF_COUNT_HW_CPU_CYCLES:freq=50:u", 0,
		  50 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parsed parsed = parse(cases[i].text);
		if (parsed.error != EVENT_OK)
			fail_msg("%s: %s", cases[i].text, parsed.error_text);
		assert_string_equal(parsed.events[0].name, cases[i].name);
		assert_int_equal(parsed.events[0].period, cases[i].period);
		assert_int_equal(parsed.events[0].frequency, cases[i].frequency);
		parsed_destroy(&parsed);
	}
}

static void modifiers_say_guest_host_pinned_and_precise_as_can_be(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		unsigned int exclude_guest, exclude_host, pinned, precise_ip;
		bool seeks_precise, reads_group;
	} cases[] = {
		{ "cycles", 1, 0, 0, 0, false, false },
		{ "cycles:G", 0, 1, 0, 0, false, false },
		{ "cycles:H", 1, 0, 0, 0, false, false },
		{ "cycles:GH", 0, 0, 0, 0, false, false },
		{ "cycles:D", 1, 0, 1, 0, false, false },
		{ "cycles:P", 1, 0, 0, 3, true, false },
		{ "cycles:uP", 1, 0, 0, 3, true, false },
		{ "cycles:S", 1, 0, 0, 0, false, true },
		{ "cycles:ppD", 1, 0, 1, 2, false, false },
		{ "r1:GH", 0, 0, 0, 0, false, false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parsed parsed = parse(cases[i].name);
		assert_int_equal(parsed.error, EVENT_OK);
		const struct event *event = &parsed.events[0];
		assert_int_equal(event->attr.exclude_guest, cases[i].exclude_guest);
		assert_int_equal(event->attr.exclude_host, cases[i].exclude_host);
		assert_int_equal(event->attr.pinned, cases[i].pinned);
		assert_int_equal(event->attr.precise_ip, cases[i].precise_ip);
		assert_int_equal(event->seeks_precise, cases[i].seeks_precise);
		assert_int_equal(event->reads_group, cases[i].reads_group);
		parsed_destroy(&parsed);
	}
}

static void groups_have_their_first_as_leader(void **state)
{
	(void)state;
	struct parsed parsed =
		parse("cs,{cycles,instructions:u,r1c2},{faults,migrations@9},cpu-clock");
	static const size_t leaders[] = { 0, 1, 1, 1, 4, 4, 6 };
	assert_int_equal(parsed.n_events, ARRAY_SIZE(leaders));
	for (size_t i = 0; i < ARRAY_SIZE(leaders); i++) {
		assert_int_equal(parsed.events[i].leader, leaders[i]);
		assert_false(parsed.events[i].reads_group);
	}
	assert_int_equal(parsed.events[1].attr.exclude_kernel, 0);
	assert_int_equal(parsed.events[2].attr.exclude_kernel, 1);
	assert_int_equal(parsed.events[5].period, 9);

	/* A further list goes on counting. */
	char *error_text;
	assert_int_equal(event_parse_at(&nowhere, "{minor-faults,major-faults}:S", &parsed.events,
					&parsed.n_events, &error_text),
			 EVENT_OK);
	assert_int_equal(parsed.events[7].leader, 7);
	assert_int_equal(parsed.events[8].leader, 7);
	assert_true(parsed.events[7].reads_group && !parsed.events[8].reads_group);
	parsed_destroy(&parsed);
}

static void modifiers_of_a_group_are_added_to_its_members(void **state)
{
	(void)state;
	static const struct {
		const char *list, *names[2];
		unsigned int exclude_user[2], exclude_kernel[2], precise_ip[2], pinned[2];
		bool reads_group;
	} cases[] = {
		{ "{cycles,cs}:u",
		  { "cycles:u", "cs:u" },
		  { 0, 0 },
		  { 1, 1 },
		  { 0, 0 },
		  { 0, 0 },
		  0 },
		{ "{cycles:k,cs}:uS",
		  { "cycles:ku", "cs:u" },
		  { 0, 0 },
		  { 0, 1 },
		  { 0, 0 },
		  { 0, 0 },
		  1 },
		{ "{cycles:p,cs}:p",
		  { "cycles:pp", "cs:p" },
		  { 0, 0 },
		  { 0, 0 },
		  { 2, 1 },
		  { 0, 0 },
		  0 },
		{ "{cycles,cs}:DS", { "cycles", "cs" }, { 0, 0 }, { 0, 0 }, { 0, 0 }, { 1, 0 }, 1 },
		{ "{cycles,cs:S}",
		  { "cycles", "cs:S" },
		  { 0, 0 },
		  { 0, 0 },
		  { 0, 0 },
		  { 0, 0 },
		  1 },
		{ "{cycles:D,cs}",
		  { "cycles:D", "cs" },
		  { 0, 0 },
		  { 0, 0 },
		  { 0, 0 },
		  { 1, 0 },
		  0 },
		{ "{cycles/name=a/,cs}:k",
		  { "a", "cs:k" },
		  { 1, 1 },
		  { 0, 0 },
		  { 0, 0 },
		  { 0, 0 },
		  0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parsed parsed = parse(cases[i].list);
		if (parsed.error != EVENT_OK)
			fail_msg("%s: %s", cases[i].list, parsed.error_text);
		assert_int_equal(parsed.n_events, 2);
		assert_int_equal(parsed.events[0].reads_group, cases[i].reads_group);
		for (size_t j = 0; j < 2; j++) {
			const struct event *event = &parsed.events[j];
			assert_string_equal(event->name, cases[i].names[j]);
			assert_int_equal(event->leader, 0);
			assert_int_equal(event->attr.exclude_user, cases[i].exclude_user[j]);
			assert_int_equal(event->attr.exclude_kernel, cases[i].exclude_kernel[j]);
			assert_int_equal(event->attr.precise_ip, cases[i].precise_ip[j]);
			assert_int_equal(event->attr.pinned, cases[i].pinned[j]);
		}
		parsed_destroy(&parsed);
	}
}

static void guests_are_left_out_of_hardware_events(void **state)
{
	(void)state;
	struct parsed parsed = parse("cycles,cpu-clock");
	assert_int_equal(parsed.events[0].attr.exclude_guest, 1);
	assert_int_equal(parsed.events[1].attr.exclude_guest, 0);
	parsed_destroy(&parsed);
}

static void a_list_appends_in_order(void **state)
{
	(void)state;
	struct parsed parsed = parse("cpu-clock:u,page-faults,r1c2");
	assert_int_equal(parsed.n_events, 3);
	char *error_text;
	assert_int_equal(event_parse("cs", &parsed.events, &parsed.n_events, &error_text),
			 EVENT_OK);
	assert_int_equal(parsed.n_events, 4);
	assert_string_equal(parsed.events[0].name, "cpu-clock:u");
	assert_string_equal(parsed.events[3].name, "cs");
	parsed_destroy(&parsed);
}

static void a_failing_list_appends_nothing(void **state)
{
	(void)state;
	struct parsed parsed = parse("cpu-clock");
	char *error_text;
	assert_int_equal(
		event_parse("cs,no-such-event", &parsed.events, &parsed.n_events, &error_text),
		EVENT_UNKNOWN);
	free(error_text);
	assert_int_equal(parsed.n_events, 1);
	assert_string_equal(parsed.events[0].name, "cpu-clock");
	parsed_destroy(&parsed);
}

static void errors_name_the_part_and_near_names(void **state)
{
	(void)state;
	static const struct {
		const char *list;
		enum event_error error;
		const char *part, *hint;
	} cases[] = {
		{ "cycels", EVENT_UNKNOWN, "'cycels'", "cycles" },
		{ "cpu-clock,cache-mises:u", EVENT_UNKNOWN, "'cache-mises:u'", "cache-misses" },
		{ "page_fault", EVENT_UNKNOWN, "'page_fault'", "page-faults" },
		{ "l1-dcache-load-mises", EVENT_UNKNOWN, "", "L1-dcache-load-misses" },
		{ "PERF_COUNT_HW_CPU_CYCLS", EVENT_UNKNOWN, "", "PERF_COUNT_HW_CPU_CYCLES" },
		{ "qqqqqqqqqqqqqqqqqqqqqqqq", EVENT_UNKNOWN, "'qqqqqqqqqqqqqqqqqqqqqqqq'",
		  "libpfm4" },
		{ "", EVENT_UNKNOWN, "empty", "" },
		{ "cycles,,cs", EVENT_UNKNOWN, "empty", "" },
		{ "cycles,", EVENT_UNKNOWN, "empty", "" },
		{ "cycles:x", EVENT_BAD_MODIFIER, "'cycles:x'", "kernel" },
		{ "cycles:", EVENT_BAD_MODIFIER, "'cycles:'", "modifier" },
		{ "cycles:pppp", EVENT_BAD_MODIFIER, "'cycles:pppp'", "three p" },
		{ "r1c2:x", EVENT_BAD_MODIFIER, "'r1c2:x'", "modifier" },
		{ "iTLB-stores", EVENT_UNKNOWN, "'iTLB-stores'", "" },
		{ "LLC-", EVENT_UNKNOWN, "'LLC-'", "" },
		{ "LLC-loads-stores", EVENT_UNKNOWN, "", "" },
		{ "LLC-misses-refs", EVENT_UNKNOWN, "", "" },
		{ "LLC-loads-", EVENT_UNKNOWN, "'LLC-loads-'", "LLC-loads" },
		{ "cpu/event=0xc2,umask=1/u", EVENT_NOT_HERE, "umask", "no PMU 'cpu'" },
		{ "cycles@0", EVENT_BAD_MODIFIER, "'cycles@0'", "@100000" },
		{ "cycles@f", EVENT_BAD_MODIFIER, "'cycles@f'", "@f99" },
		{ "cycles@12x", EVENT_BAD_MODIFIER, "'cycles@12x'", "rate" },
		{ "cycles@9223372036854775808", EVENT_BAD_MODIFIER, "", "rate" },
		{ "cycles@f4294967296", EVENT_BAD_MODIFIER, "", "rate" },
		{ "cycles@1@2", EVENT_BAD_MODIFIER, "", "rate" },
		{ "@1000", EVENT_UNKNOWN, "empty", "" },
		{ "cycels@1000", EVENT_UNKNOWN, "'cycels'", "cycles" },
		{ "cycles:Pp", EVENT_BAD_MODIFIER, "", "precise" },
		{ "cycles:W", EVENT_BAD_MODIFIER, "", "modifier" },
		{ "cycles,cs,cycles", EVENT_TWICE, "'cycles'", "name=" },
		{ "{cycles,cycles}", EVENT_TWICE, "'cycles'", "name=" },
		{ "cycles,{cs,cycles}", EVENT_TWICE, "'cycles'", "name=" },
		{ "{cycles,cs", EVENT_UNKNOWN, "'{'", "'}'" },
		{ "cycles,cs}", EVENT_UNKNOWN, "'}'", "'{'" },
		{ "{}", EVENT_UNKNOWN, "empty", "" },
		{ "{cycles,}", EVENT_UNKNOWN, "empty", "" },
		{ "{cycles,{cs}}", EVENT_UNKNOWN, "'{cs'", "" },
		{ "{cycles}u", EVENT_BAD_MODIFIER, "'{cycles}u'", "modifier" },
		{ "{cycles}:x", EVENT_BAD_MODIFIER, "'{cycles}:x'", "modifier" },
		{ "{cycles}:", EVENT_BAD_MODIFIER, "'{cycles}:'", "modifier" },
		{ "{cycles:pp,cs}:pp", EVENT_BAD_MODIFIER, "", "three p" },
		{ "{cycles,cs:D}", EVENT_BAD_MODIFIER, "'cs:D'", "pinned" },
		{ "{cycles@9,cs@9}:S", EVENT_BAD_MODIFIER, "'cs'", "samples of its first event" },
		{ ":u", EVENT_UNKNOWN, "':u'", "" },
		{ "::", EVENT_UNKNOWN, "'::'", "" },
		{ "r12345678123456781", EVENT_UNKNOWN, "", "" },
		{ "PERF_COUNT_HW_CPU_CYCLES:excl=1", EVENT_BAD_MODIFIER, "", "exclusive use" },
		{ "PERF_COUNT_HW_CPU_CYCLES:cpu=0", EVENT_BAD_MODIFIER, "", "with -C" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parsed parsed = parse(cases[i].list);
		if (parsed.error != cases[i].error || !parsed.error_text ||
		    !strstr(parsed.error_text, cases[i].part) ||
		    !strstr(parsed.error_text, cases[i].hint))
			fail_msg("%s: error %d: %s", cases[i].list, parsed.error,
				 parsed.error_text ? parsed.error_text : "no text");
		assert_int_equal(parsed.n_events, 0);
		parsed_destroy(&parsed);
	}
}

static void a_name_without_end_is_refused(void **state)
{
	(void)state;
	char *list = malloc(100001);
	memset(list, 'c', 100000);
	list[100000] = '\0';
	struct parsed parsed = parse(list);
	assert_int_equal(parsed.error, EVENT_UNKNOWN);
	parsed_destroy(&parsed);
	memset(list, ':', 100000);
	parsed = parse(list);
	assert_int_not_equal(parsed.error, EVENT_OK);
	parsed_destroy(&parsed);
	free(list);
}

static void libpfm4_names_take_modifiers_like_the_others(void **state)
{
	(void)state;
	struct parsed parsed = parse("PERF_COUNT_HW_CACHE_L1D:READ:MISS:up");
	if (parsed.error != EVENT_OK)
		fail_msg("%s", parsed.error_text);
	const struct perf_event_attr *attr = &parsed.events[0].attr;
	assert_string_equal(parsed.events[0].name, "PERF_COUNT_HW_CACHE_L1D:READ:MISS:up");
	assert_int_equal(attr->type, PERF_TYPE_HW_CACHE);
	assert_int_equal(attr->config, 0x10000);
	assert_int_equal(attr->exclude_user, 0);
	assert_int_equal(attr->exclude_kernel, 1);
	assert_int_equal(attr->precise_ip, 1);
	assert_int_equal(attr->sample_period, 0);
	parsed_destroy(&parsed);

	parsed = parse("PERF_COUNT_HW_CACHE_L1D:READ:BOGUS");
	assert_int_equal(parsed.error, EVENT_BAD_MODIFIER);
	assert_non_null(strstr(parsed.error_text, "READ"));
	parsed_destroy(&parsed);
}

static void events_of_other_processors_differ_from_unknown_ones(void **state)
{
	(void)state;
	/* No machine is two of these, so one is not here: AMD, Intel; A64FX, X-Gene. libpfm4 knows
	 * the processors of its own architecture. */
	static const char *const names[] = { "RETIRED_INSTRUCTIONS", "INST_RETIRED:ANY_P",
					     "EA_CORE", "L1D_CACHE_LATE_MISS" };
	int n_not_here = 0;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct parsed parsed = parse(names[i]);
		if (parsed.error == EVENT_NOT_HERE) {
			assert_non_null(strstr(parsed.error_text, names[i]));
			n_not_here++;
		}
		parsed_destroy(&parsed);
	}
	assert_true(n_not_here >= 1);
}

static void the_default_is_cycles_or_the_clock(void **state)
{
	(void)state;
	struct event *events = NULL;
	size_t n_events = 0;
	bool is_fallback;
	assert_int_equal(event_default(&events, &n_events, &is_fallback), EVENT_OK);
	assert_true(n_events >= 1);
	assert_string_equal(events[0].name, is_fallback ? "cpu-clock" : "cycles");
	events_destroy(events, n_events);
}

static void clocks_count_nanoseconds(void **state)
{
	(void)state;
	static const struct {
		const char *name, *unit;
	} cases[] = { { "cpu-clock", "ns" },
		      { "task-clock:u", "ns" },
		      { "page-faults", "events" },
		      { "cycles", "events" },
		      { "L1-dcache-loads", "events" } };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parsed parsed = parse(cases[i].name);
		assert_string_equal(event_unit(&parsed.events[0].attr), cases[i].unit);
		parsed_destroy(&parsed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generic_names_and_their_aliases_encode_as_perf_does),
		cmocka_unit_test(modifiers_exclude_what_was_not_asked_for),
		cmocka_unit_test(an_event_may_have_a_rate_of_its_own),
		cmocka_unit_test(modifiers_say_guest_host_pinned_and_precise_as_can_be),
		cmocka_unit_test(groups_have_their_first_as_leader),
		cmocka_unit_test(modifiers_of_a_group_are_added_to_its_members),
		cmocka_unit_test(guests_are_left_out_of_hardware_events),
		cmocka_unit_test(a_list_appends_in_order),
		cmocka_unit_test(a_failing_list_appends_nothing),
		cmocka_unit_test(errors_name_the_part_and_near_names),
		cmocka_unit_test(a_name_without_end_is_refused),
		cmocka_unit_test(libpfm4_names_take_modifiers_like_the_others),
		cmocka_unit_test(events_of_other_processors_differ_from_unknown_ones),
		cmocka_unit_test(the_default_is_cycles_or_the_clock),
		cmocka_unit_test(clocks_count_nanoseconds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
