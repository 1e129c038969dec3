/* Packed rows are read as they were added, samples and sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cct/encoding/packed_rows.h"

#define N_ROWS 2000

/* A clock of two tasks on two processors, with some rows of which nothing is usual. */
static struct sample_row make_row(uint32_t i)
{
	struct sample_row row = {
		.time = 1003ull * i,
		.weight = 1003000,
		.run = 7,
		.node = i % 300,
		.task = i / 50 % 2,
		.cpu = i / 1000,
	};

	if (i % 250 == 0)
		row = (struct sample_row){
			.time = i % 500 ? UINT64_MAX - i : 0,
			.weight = UINT64_MAX - i,
			.run = 7,
			.node = UINT32_MAX - i,
			.task = UINT32_MAX,
			.cgroup = UINT32_MAX - 1,
			.cpu = UINT32_MAX,
			.n_guessed = UINT32_MAX,
			.metric = UINT16_MAX,
			.end = N_ROW_ENDS - 1,
			.marks = 3,
		};
	return row;
}

static void assert_same(const struct sample_row *a, const struct sample_row *b)
{
	assert_true(a->time == b->time && a->weight == b->weight && a->run == b->run &&
		    a->node == b->node && a->task == b->task && a->cgroup == b->cgroup &&
		    a->cpu == b->cpu && a->n_guessed == b->n_guessed && a->metric == b->metric &&
		    a->end == b->end && a->marks == b->marks);
}

static void rows_are_read_as_they_were_added(void **state)
{
	struct packed_run packed = { .bytes = NULL };
	struct sample_rows rows = { .n_rows = 0 };

	(void)state;
	for (uint32_t i = 0; i < N_ROWS; i++) {
		const struct sample_row row = make_row(i);

		assert_int_equal(packed_rows_add(&packed, &row, NULL, 1), 0);
	}
	assert_true(packed.size < N_ROWS * 6);
	assert_int_equal(packed_rows_read(&packed, 7, &rows), 0);
	assert_int_equal(rows.n_rows, N_ROWS);
	assert_null(rows.sums);
	for (uint32_t i = 0; i < N_ROWS; i++) {
		const struct sample_row row = make_row(i);

		assert_same(&rows.rows[i], &row);
	}
	sample_rows_deinit(&rows);
	free(packed.bytes);
}

static void samples_among_sums_are_sums_of_one(void **state)
{
	const struct sample_row row = { .time = 5, .weight = 30, .run = 1 };
	const struct row_sum sum = { ((unsigned __int128)3 << 64) + 9, 4, 20 };
	struct packed_run packed = { .slice_shift = 3 };
	struct sample_rows rows = { .n_rows = 0 };

	(void)state;
	assert_int_equal(packed_rows_add(&packed, &row, NULL, 1), 0);
	assert_int_equal(packed_rows_add(&packed, &row, &sum, 1), 0);
	assert_int_equal(packed_rows_read(&packed, 1, &rows), 0);
	assert_int_equal(rows.n_rows, 2);
	assert_int_equal(rows.slice_shift, 3);
	assert_true(rows.sums[0].samples == 1 && rows.sums[0].longest == 30 &&
		    rows.sums[0].squares == 900);
	assert_true(rows.sums[1].samples == 4 && rows.sums[1].longest == 20 &&
		    rows.sums[1].squares == sum.squares);
	sample_rows_deinit(&rows);
	free(packed.bytes);
}

static void a_run_without_rows_has_none(void **state)
{
	const struct packed_run packed = { .bytes = NULL };
	struct sample_rows rows = { .n_rows = 0 };

	(void)state;
	assert_int_equal(packed_rows_read(&packed, 0, &rows), 0);
	assert_int_equal(rows.n_rows, 0);
	sample_rows_deinit(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_read_as_they_were_added),
		cmocka_unit_test(samples_among_sums_are_sums_of_one),
		cmocka_unit_test(a_run_without_rows_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
