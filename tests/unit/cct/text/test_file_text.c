#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/text/file_text.h"

static int file_of(const char *bytes, size_t size)
{
	int fd = memfd_create("text", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	return fd;
}

static void a_text_is_read_from_the_start_of_the_file_and_ends_with_a_nul(void **state)
{
	(void)state;
	struct file_text text = { 0 };
	int fd = file_of("some\nlines\n", 11);

	for (int round = 0; round < 2; round++) {
		assert_int_equal(file_text_read(&text, fd), 0);
		assert_int_equal(text.size, 11);
		assert_string_equal(text.bytes, "some\nlines\n");
	}
	close(fd);
	free(text.bytes);
}

static void an_empty_file_gives_an_empty_text(void **state)
{
	(void)state;
	struct file_text text = { 0 };
	int fd = file_of("", 0);

	assert_int_equal(file_text_read(&text, fd), 0);
	assert_int_equal(text.size, 0);
	assert_string_equal(text.bytes, "");
	close(fd);
	free(text.bytes);
}

static void a_shorter_text_replaces_a_longer_one_in_the_same_memory(void **state)
{
	(void)state;
	const size_t size = 1000003;
	struct file_text text = { 0 };
	char *bytes = malloc(size);
	int fd;

	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)('a' + i % 23);
	fd = file_of(bytes, size);
	assert_int_equal(file_text_read(&text, fd), 0);
	close(fd);
	assert_int_equal(text.size, size);
	assert_memory_equal(text.bytes, bytes, size);
	assert_int_equal(text.bytes[size], 0);

	const char *before = text.bytes;
	fd = file_of("short", 5);
	assert_int_equal(file_text_read(&text, fd), 0);
	close(fd);
	assert_ptr_equal(text.bytes, before);
	assert_string_equal(text.bytes, "short");
	free(bytes);
	free(text.bytes);
}

static void a_file_that_is_too_large_is_refused(void **state)
{
	(void)state;
	struct file_text text = { 0 };

	assert_int_equal(file_text_reserve(&text, (size_t)FILE_TEXT_MAX + 1), -EFBIG);
	assert_int_equal(file_text_reserve(&text, SIZE_MAX), -EFBIG);
	text.size = 10;
	assert_int_equal(file_text_reserve(&text, FILE_TEXT_MAX - 9), -EFBIG);
}

static void a_file_that_cannot_be_read_gives_its_error(void **state)
{
	(void)state;
	struct file_text text = { 0 };

	assert_int_equal(file_text_read(&text, -1), -EBADF);
	free(text.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_read_from_the_start_of_the_file_and_ends_with_a_nul),
		cmocka_unit_test(an_empty_file_gives_an_empty_text),
		cmocka_unit_test(a_shorter_text_replaces_a_longer_one_in_the_same_memory),
		cmocka_unit_test(a_file_that_is_too_large_is_refused),
		cmocka_unit_test(a_file_that_cannot_be_read_gives_its_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
