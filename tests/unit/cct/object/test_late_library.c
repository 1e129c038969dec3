#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/object/late_library.h"

#define LIBRARY CAPSTONE_LIBRARY /* one that dendro was built with */

static void functions_are_those_of_the_library(void **state)
{
	unsigned (*version)(int *major, int *minor) = NULL;
	const struct late_function functions[] = { { "cs_version", &version } };
	int major = 0, minor = 0;

	(void)state;
	assert_true(late_library_open(LIBRARY, functions, 1));
	const unsigned both = version(&major, &minor);
	assert_int_equal(both, (unsigned)major << 8 | (unsigned)minor);
	assert_true(major >= 4);
}

static void without_library_or_function_there_is_none(void **state)
{
	void (*function)(void) = NULL;
	const struct late_function missing[] = { { "dendro_no_such_function", &function } };

	(void)state;
	assert_false(late_library_open("libdendro-no-such.so.1", NULL, 0));
	assert_false(late_library_open(LIBRARY, missing, 1));
	assert_null(function);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_those_of_the_library),
		cmocka_unit_test(without_library_or_function_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
