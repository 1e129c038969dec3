#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cct/system/late_library.h"

typedef double of_number(double);

static void functions_are_found(void **state)
{
	of_number *floor_of = NULL, *ceil_of = NULL;
	const struct late_function functions[] = { { "floor", (void *)&floor_of },
						   { "ceil", (void *)&ceil_of } };
	const char *reason;

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(late_library_open("libm.so.6", functions, 2, &reason), 0);
		assert_true(floor_of(1.5) == 1);
		assert_true(ceil_of(1.5) == 2);
	}
}

static void what_is_missing_is_said(void **state)
{
	of_number *function = NULL;
	const struct late_function functions[] = { { "no_such_function", (void *)&function } };
	const char *reason = NULL;

	(void)state;
	assert_int_equal(late_library_open("libnowhere.so.1", functions, 1, &reason), -ELIBACC);
	assert_non_null(strstr(reason, "libnowhere.so.1"));
	assert_int_equal(late_library_open("libm.so.6", functions, 1, &reason), -ELIBACC);
	assert_non_null(strstr(reason, "no_such_function"));
	assert_null(function);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_found),
		cmocka_unit_test(what_is_missing_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
