#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/files/progress.h"

#define MIB (UINT64_C(1) << 20)

static const struct progress_title reading = { .command = "report", .what = "reading" };
static const struct progress_title adding = { "merge", "adding up", "files", NULL };

static void a_line_has_share_rate_and_time_left(void **state)
{
	static const struct {
		const struct progress_title *title;
		uint64_t done, all, ms;
		unsigned width;
		const char *text;
	} cases[] = {
		{ &reading, 50 * MIB, 100 * MIB, 1000, 70,
		  "dendro report: reading 50 % [##########          ] 50 MiB/s, 1 s left" },
		{ &reading, 5 * MIB, 0, 2000, 70, "dendro report: reading, 5.0 MiB, 2.5 MiB/s" },
		{ &reading, 0, 0, 0, 70, "dendro report: reading, 0 B, 0 B/s" },
		{ &reading, 0, 100, 600, 60,
		  "dendro report: reading 0 % [                       ] 0 B/s" },
		{ &adding, 10, 1000, 1000, 40, "dendro merge: adding up 1 % 10 files/s, " },
		{ &adding, 2, 1000, 1000, 70,
		  "dendro merge: adding up 0 % [           ] 2 files/s, 8 min 19 s left" },
		{ &adding, 4, 3, 1000, 60, "dendro merge: adding up 100 % 3 files/s, 0 s left" },
		{ &reading, 50 * MIB, 100 * MIB, 1000, 10, "dendro rep" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[256];

		progress_text(cases[i].title, cases[i].done, cases[i].all, cases[i].ms,
			      cases[i].width, text, sizeof(text));
		print_message("%zu: %s\n", i, text);
		assert_true(strlen(text) <= cases[i].width);
		assert_string_equal(text, cases[i].text);
	}
}

static void work_that_is_not_counted_has_its_time(void **state)
{
	char text[256];

	(void)state;
	assert_string_equal(
		progress_time_text("diff", "writing the page", 12345, 70, text, sizeof(text)),
		"dendro diff: writing the page, 12 s");
	assert_string_equal(progress_time_text("diff", "writing", 0, 10, text, sizeof(text)),
			    "dendro dif");
}

static void without_a_terminal_nothing_is_started(void **state)
{
	struct work_done work = { 0 };

	(void)state;
	if (setenv("TERM", "dumb", 1) == 0)
		assert_null(progress_start(&reading, &work));
	progress_stop(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_share_rate_and_time_left),
		cmocka_unit_test(work_that_is_not_counted_has_its_time),
		cmocka_unit_test(without_a_terminal_nothing_is_started),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
