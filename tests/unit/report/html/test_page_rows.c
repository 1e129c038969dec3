/* The slices of time of a page: as many as the timeline has room for, of a round length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/html/page_rows.h"

#define SECOND 1000000ull /* microseconds */

/* The rows of a page of a profile whose second and last sample is at @last. */
static struct page_rows make_rows(uint64_t last)
{
	const struct frame process = { .kind = FRAME_PROCESS };
	const struct row_task task = { .pid = 1, .tid = 1 };
	struct profile *profile = profile_create();
	uint32_t places[2] = { 0, 1 };
	const uint32_t nodes[2] = { 0, 1 };
	const struct page_tree tree = { .places = places };
	struct page_rows rows;
	struct sample_row row = { .weight = 1 };

	profile_add_metric(profile, "cpu-clock", "ns");
	profile_add_thread(profile, 1, profile_add_process(profile, 1, "process"), "thread");
	profile->cct = cct_create(1);
	profile->rows = calloc(1, sizeof(*profile->rows));
	assert_non_null(profile->rows);
	row.node = cct_child(profile->cct, CCT_ROOT, &process);
	assert_int_equal(
		sample_rows_enter_task(profile->rows, &task, "thread", "process", &row.task), 0);
	assert_int_equal(sample_rows_add(profile->rows, &row), 0);
	assert_int_equal(sample_rows_add(profile->rows, &row), 0);
	profile->rows->rows[1].time = last;
	assert_int_equal(page_rows_init(&rows, profile, &tree, nodes), 0);
	profile_destroy(profile);
	return rows;
}

static bool is_round(uint64_t us)
{
	return us <= SECOND        ? SECOND % us == 0
	       : us <= 60 * SECOND ? us % SECOND == 0 && 60 * SECOND % us == 0
				   : us % (60 * SECOND) == 0 && 3600 * SECOND % us == 0;
}

static void slices_are_many_and_a_second_or_more_is_made_of_whole_ones(void **state)
{
	(void)state;
	for (uint64_t last = PAGE_SLICES; last < 100 * 3600 * SECOND; last += last / 7 + 1) {
		struct page_rows rows = make_rows(last);

		assert_in_range(rows.n_slices, PAGE_SLICES / 2, PAGE_SLICES);
		assert_true(is_round(rows.slice_us));
		assert_int_equal(rows.n_slices, last / rows.slice_us + 1);
		assert_int_equal(rows.rows[rows.n - 1].slice, rows.n_slices);
		page_rows_deinit(&rows);
	}
}

static void longer_slices_than_an_hour_are_as_long_as_needed(void **state)
{
	struct page_rows rows = make_rows(10000 * 3600 * SECOND);

	(void)state;
	assert_in_range(rows.n_slices, PAGE_SLICES - 1, PAGE_SLICES);
	page_rows_deinit(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_are_many_and_a_second_or_more_is_made_of_whole_ones),
		cmocka_unit_test(longer_slices_than_an_hour_are_as_long_as_needed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
