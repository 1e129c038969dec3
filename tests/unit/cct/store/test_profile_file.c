/* What profiles are made of is in the tests of their parts; here is what a whole one needs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cct/store/profile_file.h"

static void a_profile_without_names_is_not_written(void **state)
{
	struct profile *profile = profile_create();
	char *bytes = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&bytes, &size);

	(void)state;
	assert_true(profile && file);
	profile->cct = cct_create(0);
	assert_int_equal(profile_file_write(file, profile), -EINVAL);
	fclose(file);
	assert_int_equal(size, 0);
	free(bytes);
	profile_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_without_names_is_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
