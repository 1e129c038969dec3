#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/formats/callgrind.h"
#include "tests/unit/fixtures/letter_profile.h"

static void expect(struct letter_profile *letters, const char *wanted)
{
	char *text = letter_profile_write(letters, callgrind_write, &(struct path_options){ 0 });

	assert_string_equal(strstr(text, "positions:"), wanted);
	free(text);
	letter_profile_deinit(letters);
}

static void recursion_has_levels_and_each_cost_is_counted_once(void **state)
{
	struct letter_profile letters;

	(void)state;
	letter_profile_init(&letters, (const char *[]){ "cpu-clock" }, 1);
	const uint32_t thread = letter_profile_thread(&letters, 1, 1, "p\n");
	letter_profile_add(&letters, thread, "aba", 0, 5, 0);
	letter_profile_add(&letters, thread, "ab", 0, 2, 0);
	letter_profile_add(&letters, thread, "ab", 0, 1, 0);
	expect(&letters, "positions: line\n"
			 "event: cpu_clock : cpu-clock (ns)\n"
			 "events: cpu_clock\n"
			 "\nob=(1) [processes]\nfl=(1) ?\?\?\nfn=(1) p\\x0a\n"
			 "cob=(2) /bin/prog\ncfn=(2) a\ncalls=3 1\n1 8\n"
			 "\nob=(2)\nfn=(2)\n"
			 "cfn=(3) b\ncalls=3 1\n1 8\n"
			 "\nfn=(3)\n"
			 "1 3\n"
			 "cfn=(4) a'2\ncalls=1 1\n1 5\n"
			 "\nfn=(4)\n"
			 "1 5\n"
			 "\ntotals: 8\n");
}

static void events_are_columns(void **state)
{
	struct letter_profile letters;

	(void)state;
	letter_profile_init(&letters, (const char *[]){ "cycles:u", "faults" }, 2);
	const uint32_t thread = letter_profile_thread(&letters, 1, 1, "p");
	letter_profile_add(&letters, thread, "a>K", 0, 5, 0);
	letter_profile_add(&letters, thread, "a", 1, 7, 0);
	letter_profile_add(&letters, thread, "", 1, 9, 0);
	expect(&letters, "positions: line\n"
			 "event: cycles_u : cycles:u (ns)\nevent: faults : faults (ns)\n"
			 "events: cycles_u faults\n"
			 "\nob=(1) [processes]\nfl=(1) ?\?\?\nfn=(1) p\n"
			 "1 0 9\n"
			 "cob=(2) /bin/prog\ncfn=(2) a\ncalls=2 1\n1 5 7\n"
			 "\nob=(2)\nfn=(2)\n"
			 "1 0 7\n"
			 "cob=(3) [kernel.kallsyms]\ncfn=(3) K\ncalls=1 1\n1 5 0\n"
			 "\nob=(3)\nfn=(3)\n"
			 "1 5 0\n"
			 "\ntotals: 5 16\n");
}

static void a_profile_without_samples_has_totals_of_zero(void **state)
{
	struct letter_profile letters;

	(void)state;
	letter_profile_init(&letters, (const char *[]){ "cycles" }, 1);
	expect(&letters, "positions: line\nevent: cycles : cycles (ns)\nevents: cycles\n"
			 "\ntotals: 0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recursion_has_levels_and_each_cost_is_counted_once),
		cmocka_unit_test(events_are_columns),
		cmocka_unit_test(a_profile_without_samples_has_totals_of_zero),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
