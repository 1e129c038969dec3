/* The part of the time that samples are of is read as it was written. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/store/profile_parts.h"

static int read_window(const uint8_t *bytes, size_t size, struct profile **profile_ret)
{
	uint8_t *copy = malloc(size + !size);

	assert_non_null(copy);
	if (size)
		memcpy(copy, bytes, size);
	struct dwarf_reader body = dwarf_reader(copy, size);
	*profile_ret = profile_create();
	assert_non_null(*profile_ret);
	int err = window_part_read(&body, *profile_ret);
	free(copy);
	return err ? err : (int)dwarf_left(&body);
}

static void a_window_is_read_as_it_was_written(void **state)
{
	static const struct time_window windows[] = {
		{ 0, UINT64_MAX },     { 0, 0 },
		{ 1000000, 2000000 },  { 127, 128 },
		{ UINT64_MAX - 1, 1 }, { 5, UINT64_MAX - 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		struct profile *written = profile_create(), *read;
		struct byte_buffer body = { 0 };

		written->info.has_window = true;
		written->info.window = windows[i];
		window_part_write(&body, written);
		assert_int_equal(read_window(body.bytes, body.size, &read), 0);
		assert_true(read->info.has_window);
		assert_int_equal(read->info.window.from_us, windows[i].from_us);
		assert_int_equal(read->info.window.to_us, windows[i].to_us);
		byte_buffer_deinit(&body);
		profile_destroy(written);
		profile_destroy(read);
	}
}

static void a_window_that_was_cut_is_refused(void **state)
{
	static const uint8_t bytes[] = { 0x81, 0x01, 0x82, 0x01 };

	(void)state;
	for (size_t size = 0; size <= sizeof(bytes); size++) {
		struct profile *read;
		int err = read_window(bytes, size, &read);

		assert_int_equal(err, size == sizeof(bytes) ? 0 : -EINVAL);
		profile_destroy(read);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_is_read_as_it_was_written),
		cmocka_unit_test(a_window_that_was_cut_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
