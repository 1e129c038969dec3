#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "cct/text/maps_line.h"

static bool parse(char *room, size_t size, const char *text, struct maps_line *line)
{
	snprintf(room, size, "%s", text);
	return maps_line_parse(room, line);
}

static void a_line_has_a_range_a_file_and_a_path(void **state)
{
	(void)state;
	struct maps_line line;
	char room[128];

	assert_true(parse(room, sizeof(room),
			  "7f0000001000-7f0000003000 r-xp 00002000 fe:01 1234    /usr/lib/a b.so",
			  &line));
	assert_true(line.start == 0x7f0000001000 && line.end == 0x7f0000003000);
	assert_int_equal(line.pgoff, 0x2000);
	assert_int_equal(line.prot, PROT_READ | PROT_EXEC);
	assert_int_equal(line.flags, MAP_PRIVATE);
	assert_int_equal(line.dev_major, 0xfe);
	assert_int_equal(line.dev_minor, 1);
	assert_int_equal(line.inode, 1234);
	assert_string_equal(line.path, "/usr/lib/a b.so");
}

static void a_newline_in_a_path_is_not_the_end(void **state)
{
	(void)state;
	struct maps_line line;
	char room[128];

	assert_true(parse(room, sizeof(room), "1000-2000 rw-s 00000000 00:05 7 /a\\012b", &line));
	assert_string_equal(line.path, "/a\nb");
	assert_int_equal(line.flags, MAP_SHARED);
	assert_true(parse(room, sizeof(room), "1000-2000 rw-p 00000000 00:00 0 ", &line));
	assert_string_equal(line.path, "");
}

static void lines_that_are_cut_are_refused(void **state)
{
	(void)state;
	const char *const text = "1000-2000 rw-p 00000000 00:05 7 /a";
	struct maps_line line;
	char room[128];

	for (int length = 0; length < 30; length++) {
		snprintf(room, sizeof(room), "%.*s", length, text);
		assert_false(maps_line_parse(room, &line));
	}
	assert_false(parse(room, sizeof(room), "2000-1000 rw-p 00000000 00:05 7 /a", &line));
}

static void this_process_finds_its_mappings(void **state)
{
	(void)state;
	static const char own_data[] = "data";
	struct maps_line line;

	assert_true(maps_line_own((uintptr_t)own_data, &line));
	assert_true((uintptr_t)own_data >= line.start && (uintptr_t)own_data < line.end);
	assert_int_not_equal(line.inode, 0);
	assert_false(maps_line_own(0, &line));
	assert_string_equal(line.path, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_a_range_a_file_and_a_path),
		cmocka_unit_test(a_newline_in_a_path_is_not_the_end),
		cmocka_unit_test(lines_that_are_cut_are_refused),
		cmocka_unit_test(this_process_finds_its_mappings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
