#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collector/exchange/path_formats.h"
#include "tests/unit/fixtures/letter_profile.h"

/* Three threads and two events; one thread has none of the second. */
static void make_up(struct letter_profile *letters)
{
	uint32_t threads[3];

	letter_profile_init(letters, (const char *[]){ "cpu-clock", "task-clock" }, 2);
	for (int i = 0; i < 3; i++)
		threads[i] = letter_profile_thread(letters, 7, 7 + i, "p");
	for (uint64_t i = 0; i < 30; i++)
		letter_profile_add(letters, threads[i % 3], i % 2 ? "abc>K" : "aab",
				   i % 5 == 0 && i % 3, 1000 + i, 10 * i);
}

static void each_format_counts_what_it_writes_to_the_end(void **state)
{
	(void)state;
	for (const struct path_format *format = path_formats; format->name; format++) {
		struct work_done work = { 0 };
		const struct path_options options = { .work = &work };
		struct letter_profile letters;
		FILE *out = tmpfile();

		if (format->is_for_compilers || (format->lacks && format->lacks()))
			continue;
		print_message("%s\n", format->name);
		make_up(&letters);
		assert_int_equal(format->write(out, letters.profile, letters.symbolizer, &options),
				 0);
		assert_true(work.all > 0);
		assert_int_equal(work.done, work.all);
		fclose(out);
		letter_profile_deinit(&letters);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_format_counts_what_it_writes_to_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
