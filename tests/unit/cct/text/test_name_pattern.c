#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/text/name_pattern.h"

static void a_pattern_is_a_name_or_a_glob(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool matches;
	} cases[] = {
		{ "bash", "bash", true },
		{ "bash", "bashful", false },
		{ "ba*", "bash", true },
		{ "*sh", "bash", true },
		{ "b?sh", "bash", true },
		{ "b[ai]sh", "bish", true },
		{ "ba*", "zsh", false },
		{ "[kernel]", "[kernel]", true },
		{ "*", "", true },
		{ "", "bash", false },
		{ "cpu-*", "cpu-clock", true },
		{ "kworker/*", "kworker/0:1", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(name_pattern_matches(cases[i].pattern, cases[i].name),
				 cases[i].matches);
		assert_int_equal(name_patterns_match(&cases[i].pattern, 1, cases[i].name),
				 cases[i].matches);
	}
	assert_false(name_patterns_match(NULL, 0, "bash"));
}

static void a_thread_s_name_is_compared_as_far_as_the_kernel_keeps_it(void **state)
{
	static const struct {
		const char *pattern, *comm;
		bool matches;
	} cases[] = {
		{ "chromium-headless-shell", "chromium-headle", true },
		{ "chromium-headless-*", "chromium-headle", true },
		{ "chromium-headle", "chromium-headle", true },
		{ "chromium*", "chromium-headle", true },
		{ "chromium-headle*x", "chromium-headle", true },
		{ "chromium-head*x", "chromium-headle", false },
		{ "chromium-browser-x", "chromium-headle", false },
		{ "bashful", "bash", false },
		{ "kworker/1:1H-kblockd", "kworker/1:1H-kblockd", true },
		{ "kworker/1:1H-kblocks", "kworker/1:1H-kblockd", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(name_pattern_matches_comm(cases[i].pattern, cases[i].comm),
				 cases[i].matches);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pattern_is_a_name_or_a_glob),
		cmocka_unit_test(a_thread_s_name_is_compared_as_far_as_the_kernel_keeps_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
