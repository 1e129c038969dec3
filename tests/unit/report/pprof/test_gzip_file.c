#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "report/pprof/gzip_file.h"

#define N_LINES 100000

static void what_is_written_can_be_expanded(void **state)
{
	FILE *out = tmpfile(), *file = gzip_file_open(out);
	char line[32], expected[32];

	(void)state;
	assert_non_null(out);
	assert_non_null(file);
	for (int i = 0; i < N_LINES; i++)
		fprintf(file, "line %d\n", i);
	assert_int_equal(fclose(file), 0);
	rewind(out);
	gzFile expanded = gzdopen(dup(fileno(out)), "r");
	assert_non_null(expanded);
	for (int i = 0; i < N_LINES; i++) {
		snprintf(expected, sizeof(expected), "line %d\n", i);
		assert_non_null(gzgets(expanded, line, sizeof(line)));
		assert_string_equal(line, expected);
	}
	assert_null(gzgets(expanded, line, sizeof(line)));
	gzclose(expanded);
	fclose(out);
}

static void a_full_disk_is_an_error(void **state)
{
	FILE *out = fopen("/dev/full", "w"), *file = out ? gzip_file_open(out) : NULL;

	(void)state;
	if (!out)
		skip();
	assert_non_null(file);
	fputs("text", file);
	assert_int_equal(fclose(file), EOF);
	assert_int_equal(errno, ENOSPC);
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_can_be_expanded),
		cmocka_unit_test(a_full_disk_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
