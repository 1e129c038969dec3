/* Cgroups of rows are read as they were written; what cannot be theirs is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cct/store/profile_parts.h"

#define N_ROWS  1000u
#define N_TASKS 3u

static uint32_t cgroup_of(uint32_t row)
{
	return row / 100 % 3;
}

/* A profile with rows of some tasks. */
static struct profile *profile_with_rows(void)
{
	struct profile *profile = profile_create();

	assert_non_null(profile);
	profile->rows = calloc(1, sizeof(*profile->rows));
	assert_non_null(profile->rows);
	profile->rows->tasks = calloc(N_TASKS, sizeof(*profile->rows->tasks));
	profile->rows->n_tasks = N_TASKS;
	for (uint32_t i = 0; i < N_ROWS; i++) {
		const struct sample_row row = { .task = i % N_TASKS };

		assert_int_equal(sample_rows_add(profile->rows, &row), 0);
	}
	return profile;
}

static void write_cgroups(struct byte_buffer *body)
{
	struct profile *profile = profile_with_rows();
	uint32_t number;
	bool is_new;

	assert_int_equal(string_ids_add(&profile->cgroups, "/", &number, &is_new), 0);
	assert_int_equal(string_ids_add(&profile->cgroups, "/b", &number, &is_new), 0);
	for (uint32_t i = 0; i < N_ROWS; i++)
		profile->rows->rows[i].cgroup = cgroup_of(i);
	cgroups_part_write(body, profile);
	assert_false(body->lacks_memory);
	profile_destroy(profile);
}

static void cgroups_of_rows_are_read_as_written(void **state)
{
	struct byte_buffer body = { 0 };
	struct profile *profile = profile_with_rows();

	(void)state;
	write_cgroups(&body);
	struct dwarf_reader reader = dwarf_reader(body.bytes, body.size);
	assert_int_equal(cgroups_part_read(&reader, profile), 0);
	assert_int_equal(dwarf_left(&reader), 0);
	assert_int_equal(profile->cgroups.n_strings, 2);
	assert_string_equal(profile->cgroups.strings[1], "/b");
	for (uint32_t i = 0; i < N_ROWS; i++)
		assert_int_equal(profile->rows->rows[i].cgroup, cgroup_of(i));
	byte_buffer_deinit(&body);
	profile_destroy(profile);
}

static void a_part_that_was_cut_is_refused(void **state)
{
	struct byte_buffer body = { 0 };

	(void)state;
	write_cgroups(&body);
	for (size_t size = 0; size < body.size; size += 1 + size / 10) {
		struct profile *profile = profile_with_rows();
		struct dwarf_reader reader = dwarf_reader(body.bytes, size);

		assert_int_equal(cgroups_part_read(&reader, profile), -EINVAL);
		profile_destroy(profile);
	}
	byte_buffer_deinit(&body);
}

/* Reads the part of a profile with one row, or with none. */
static int read_bytes(const uint8_t *bytes, size_t size, bool has_rows)
{
	struct profile *profile = profile_with_rows();
	struct dwarf_reader reader = dwarf_reader(bytes, size);

	profile->rows->n_rows = 1;
	if (!has_rows) {
		sample_rows_destroy(profile->rows);
		profile->rows = NULL;
	}
	int err = cgroups_part_read(&reader, profile);
	profile_destroy(profile);
	return err;
}

static void cgroups_that_are_not_in_the_list_are_refused(void **state)
{
	(void)state;
	for (uint8_t given = 0; given < 5; given++) {
		struct byte_buffer whole = { 0 };

		byte_buffer_add_unsigned(&whole, 1);
		byte_buffer_add_text(&whole, "/a");
		byte_buffer_add_unsigned(&whole, given);
		assert_int_equal(read_bytes(whole.bytes, whole.size, true),
				 given <= 2 ? 0 : -EINVAL);
		assert_int_equal(read_bytes(whole.bytes, whole.size, false), -EINVAL);
		byte_buffer_deinit(&whole);
	}
}

static void a_path_is_there_once(void **state)
{
	struct byte_buffer body = { 0 };

	(void)state;
	byte_buffer_add_unsigned(&body, 2);
	byte_buffer_add_text(&body, "/a");
	byte_buffer_add_text(&body, "/a");
	byte_buffer_add_unsigned(&body, 0);
	assert_int_equal(read_bytes(body.bytes, body.size, true), -EINVAL);
	byte_buffer_deinit(&body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cgroups_of_rows_are_read_as_written),
		cmocka_unit_test(a_part_that_was_cut_is_refused),
		cmocka_unit_test(cgroups_that_are_not_in_the_list_are_refused),
		cmocka_unit_test(a_path_is_there_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
