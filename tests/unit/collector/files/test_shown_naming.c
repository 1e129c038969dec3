#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collector/files/shown_naming.h"
#include "tests/unit/fixtures/letter_profile.h"

static void frames_of_code_are_counted_as_they_get_names(void **state)
{
	struct letter_profile letters;
	struct shown_naming naming;
	struct frame_name name;

	(void)state;
	setenv("TERM", "dumb", 1);
	letter_profile_init(&letters, (const char *[]){ "cycles" }, 1);
	const uint32_t thread = letter_profile_thread(&letters, 1, 1, "p");
	letter_profile_add(&letters, thread, "abc>K", 0, 1, 1);
	letter_profile_add(&letters, thread, "abd", 0, 1, 2);
	shown_naming_start(&naming, "report", letters.symbolizer, NULL);
	assert_int_equal(naming.work.all, 5);
	assert_int_equal(naming.work.done, 0);
	const struct frame first = { .kind = FRAME_USER, .module = letters.user, .offset = 'a' };
	assert_int_equal(symbolizer_name(letters.symbolizer, &first, &name), 0);
	const uint64_t n_first = naming.work.done;
	assert_int_equal(n_first, 1);
	assert_int_equal(symbolizer_expand_all(letters.symbolizer), 0);
	assert_true(naming.work.done >= naming.work.all);
	shown_naming_stop(&naming);
	letter_profile_deinit(&letters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_of_code_are_counted_as_they_get_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
