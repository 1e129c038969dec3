#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/system/temporary_file.h"

static void expect_room(int fd)
{
	char bytes[8] = "";

	assert_true(fd >= 0);
	assert_int_equal(temporary_file_write(fd, "abc", 3), 0);
	assert_int_equal(temporary_file_write(fd, "def", 3), 0);
	assert_int_equal(pread(fd, bytes, sizeof(bytes), 0), 6);
	assert_string_equal(bytes, "abcdef");
	close(fd);
}

static void all_bytes_are_written(void **state)
{
	(void)state;
	expect_room(temporary_file_open());
	expect_room(temporary_file_open_small());
}

static void memory_serves_where_the_folder_is_missing(void **state)
{
	(void)state;
	setenv("TMPDIR", "/does/not/exist", 1);
	expect_room(temporary_file_open());
	unsetenv("TMPDIR");
}

static void what_cannot_be_written_is_an_error(void **state)
{
	(void)state;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(temporary_file_write(fd, "abc", 3), -EBADF);
	assert_int_equal(temporary_file_write(fd, "", 0), 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_bytes_are_written),
		cmocka_unit_test(memory_serves_where_the_folder_is_missing),
		cmocka_unit_test(what_cannot_be_written_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
