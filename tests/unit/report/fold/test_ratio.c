#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/fold/ratio.h"

static struct profile *profile_of(const char *const *names)
{
	struct profile *profile = profile_create();

	assert_non_null(profile);
	for (; *names; names++)
		assert_int_not_equal(profile_add_metric(profile, *names, "events"), UINT32_MAX);
	return profile;
}

static void ratios_name_two_events_and_maybe_a_factor(void **state)
{
	static const char *const events[] = { "cycles:u",       "instructions:u",
					      "cache-misses:u", "cpu/event=0x3c,umask=1/",
					      "call:a/b.so:f",  "cpu-clock",
					      "page-faults:u",  "page-faults:k",
					      "page-faults*2",  NULL };
	static const struct {
		const char *text;
		bool is_ratio;
		uint32_t numerator, denominator;
		double factor;
	} cases[] = {
		{ "instructions:u/cycles:u", true, 1, 0, 1 },
		{ "instructions/cycles", true, 1, 0, 1 },
		{ "ipc", true, 1, 0, 1 },
		{ "mpki", true, 2, 1, 1000 },
		{ "cache-misses/instructions*1000", true, 2, 1, 1000 },
		{ "cycles/instructions*0.5", true, 0, 1, 0.5 },
		{ "cpu-clock/call:a/b.so:f", true, 5, 4, 1 },
		{ "call:a/b.so:f/cpu-clock*2", true, 4, 5, 2 },
		{ "cpu/event=0x3c,umask=1//cycles:u", true, 3, 0, 1 },
		{ "cpu-clock/cpu/event=0x3c,umask=1/", true, 5, 3, 1 },
		{ "cpu-clock/page-faults:k", true, 5, 7, 1 },
		{ "cpu-clock/page-faults*2", true, 5, 8, 1 },
		{ "cpu-clock/page-faults", false, 0, 0, 0 }, /* of which modifiers? */
		{ "instructions", false, 0, 0, 0 },
		{ "instructions/", false, 0, 0, 0 },
		{ "/cycles", false, 0, 0, 0 },
		{ "", false, 0, 0, 0 },
		{ "instructions/branches", false, 0, 0, 0 },
		{ "instructions/cycles*", false, 0, 0, 0 },
		{ "instructions/cycles*x", false, 0, 0, 0 },
		{ "instructions/cycles*0", false, 0, 0, 0 },
		{ "instructions/cycles*-1", false, 0, 0, 0 },
		{ "instructions/cycles*inf", false, 0, 0, 0 },
		{ "instructions/cycles*nan", false, 0, 0, 0 },
	};
	struct profile *profile = profile_of(events);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ratio ratio;
		bool is_ratio = ratio_parse(cases[i].text, profile, &ratio);

		if (is_ratio != cases[i].is_ratio)
			fail_msg("%s", cases[i].text);
		if (!is_ratio)
			continue;
		assert_string_equal(ratio.name, cases[i].text);
		assert_int_equal(ratio.numerator, cases[i].numerator);
		assert_int_equal(ratio.denominator, cases[i].denominator);
		assert_true(ratio.factor == cases[i].factor);
	}
	profile_destroy(profile);
}

static void named_ratios_need_their_events(void **state)
{
	static const char *const events[] = { "cycles", "branches", NULL };
	struct profile *profile = profile_of(events);
	struct ratio ratio;

	(void)state;
	assert_false(ratio_parse("ipc", profile, &ratio));
	assert_false(ratio_parse("mpki", profile, &ratio));
	profile_destroy(profile);
}

static void nothing_is_divided_by_zero(void **state)
{
	const struct ratio ratio = { .numerator = 1, .denominator = 0, .factor = 1000 };
	double value = -1;

	(void)state;
	assert_false(ratio_of(&ratio, (const uint64_t[]){ 0, 5 }, &value));
	assert_false(ratio_of(&ratio, (const uint64_t[]){ 0, 0 }, &value));
	assert_true(ratio_of(&ratio, (const uint64_t[]){ 4, 0 }, &value));
	assert_true(value == 0);
	assert_true(ratio_of(&ratio, (const uint64_t[]){ 4, 2 }, &value));
	assert_true(value == 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ratios_name_two_events_and_maybe_a_factor),
		cmocka_unit_test(named_ratios_need_their_events),
		cmocka_unit_test(nothing_is_divided_by_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
