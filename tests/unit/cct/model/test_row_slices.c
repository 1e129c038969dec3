/* Rows in slices: sums that lose nothing but the time, in whatever steps they are made. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/model/row_slices.h"

#define N_ROWS   4000
#define N_PLACES 64

static uint64_t seed;

/* xorshift64*, by Marsaglia and Vigna: the same numbers in each run. */
static uint32_t random_below(uint32_t n)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (uint32_t)(seed * 0x2545f4914f6cdd1du >> 40) % n;
}

static struct sample_row make_row(void)
{
	return (struct sample_row){
		.time = random_below(1 << 20),
		.weight = random_below(1000) + (random_below(10) ? 0 : 1ull << 40),
		.run = random_below(3),
		.node = random_below(4),
		.task = random_below(2),
		.cpu = random_below(2),
		.n_guessed = random_below(3),
		.metric = (uint16_t)random_below(2),
		.end = (uint8_t)random_below(2),
		.marks = (uint8_t)random_below(2),
	};
}

static struct sample_rows *make_rows(uint32_t n)
{
	struct sample_rows *rows = calloc(1, sizeof(*rows));

	assert_non_null(rows);
	for (uint32_t i = 0; i < n; i++) {
		const struct sample_row row = make_row();

		assert_int_equal(sample_rows_add(rows, &row), 0);
	}
	return rows;
}

static struct sample_rows *copy(const struct sample_rows *rows)
{
	struct sample_rows *made = calloc(1, sizeof(*made));

	assert_non_null(made);
	for (uint32_t i = 0; i < rows->n_rows; i++)
		assert_int_equal(sample_rows_add(made, &rows->rows[i]), 0);
	return made;
}

static void assert_same(const struct sample_rows *a, const struct sample_rows *b)
{
	assert_int_equal(a->n_rows, b->n_rows);
	assert_int_equal(a->slice_shift, b->slice_shift);
	assert_memory_equal(a->rows, b->rows, a->n_rows * sizeof(*a->rows));
	assert_int_equal(!a->sums, !b->sums);
	if (a->sums)
		assert_memory_equal(a->sums, b->sums, a->n_rows * sizeof(*a->sums));
}

/* What is known of all rows of a run, metric, CPU, task and node. */
struct place {
	uint64_t samples, weight, longest, n_guessed, n_marked;
	unsigned __int128 squares;
};

static void add_to_places(const struct sample_rows *rows, struct place places[N_PLACES])
{
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		const struct sample_row *row = &rows->rows[i];
		const uint64_t samples = sample_rows_samples_of(rows, i);
		const uint64_t longest = rows->sums ? rows->sums[i].longest : row->weight;
		struct place *place =
			&places[row->run << 4 | row->metric << 3 | row->cpu << 2 | row->node];

		place->samples += samples;
		place->weight += row->weight;
		place->n_guessed += row->n_guessed;
		place->n_marked += row->marks ? samples : 0;
		place->longest = longest > place->longest ? longest : place->longest;
		place->squares += rows->sums ? rows->sums[i].squares
					     : (unsigned __int128)row->weight * row->weight;
	}
}

static const struct profile no_intervals;

static void slices_lose_nothing_but_the_time(void **state)
{
	(void)state;
	seed = 11;
	for (unsigned shift = 1; shift <= ROW_SLICE_SHIFT_MAX; shift += 6) {
		struct place before[N_PLACES] = { 0 }, after[N_PLACES] = { 0 };
		struct sample_rows *rows = make_rows(N_ROWS);

		add_to_places(rows, before);
		assert_int_equal(row_slices_make(rows, &no_intervals, shift), 0);
		add_to_places(rows, after);
		assert_memory_equal(before, after, sizeof(before));
		for (uint32_t i = 0; i < rows->n_rows; i++)
			assert_int_equal(rows->rows[i].time & ((1ull << shift) - 1), 0);
		sample_rows_destroy(rows);
	}
}

#define N_PHASES 4 /* of each run, which take all of its time but a part before the first */

static void make_phases(struct profile *profile)
{
	char name[] = "p";

	for (uint32_t run = 0; run < 3; run++) {
		for (uint32_t i = 0; i < N_PHASES; i++) {
			const struct phase phase = { .name = name,
						     .start_ns =
							     1000ull * (77777 + run + 200003 * i),
						     .run = run };

			assert_int_equal(phases_add(&profile->phases, &phase), 0);
		}
	}
	phases_sort(&profile->phases);
}

/* By run; the last one is that of rows before the first phase. */
static void count_phases(const struct profile *profile, uint64_t samples[3][N_PHASES + 1])
{
	memset(samples, 0, 3 * sizeof(*samples));
	for (uint32_t i = 0; i < profile->rows->n_rows; i++) {
		const struct sample_row *row = &profile->rows->rows[i];
		const uint32_t phase = profile_phase_of(profile, row);
		const uint32_t place = phase == PHASE_NONE ? N_PHASES : phase - row->run * N_PHASES;

		samples[row->run][place] += sample_rows_samples_of(profile->rows, i);
	}
}

static void samples_of_different_phases_are_not_added_up(void **state)
{
	(void)state;
	seed = 17;
	for (unsigned shift = 1; shift <= 31; shift += 3) {
		uint64_t before[3][N_PHASES + 1], after[3][N_PHASES + 1];
		struct profile *profile = profile_create();

		assert_non_null(profile);
		profile->rows = make_rows(N_ROWS);
		make_phases(profile);
		count_phases(profile, before);
		assert_int_equal(row_slices_make(profile->rows, profile, shift), 0);
		count_phases(profile, after);
		assert_memory_equal(before, after, sizeof(before));
		assert_true(shift < 20 || profile->rows->n_rows < N_ROWS);
		profile_destroy(profile);
	}
}

static void a_run_is_one_slice_at_most(void **state)
{
	struct sample_rows *rows;

	(void)state;
	seed = 12;
	rows = make_rows(N_ROWS);
	assert_int_equal(row_slices_make(rows, &no_intervals, ROW_SLICE_SHIFT_MAX), 0);
	/* Runs, metrics, CPUs, tasks, nodes, ends and marks. */
	assert_int_equal(rows->n_rows, 3 * 2 * 2 * 2 * 4 * 2 * 2);
	sample_rows_destroy(rows);
}

static void it_does_not_matter_in_how_many_steps_slices_grow(void **state)
{
	(void)state;
	seed = 13;
	for (int trial = 0; trial < 10; trial++) {
		struct sample_rows *rows = make_rows(N_ROWS), *once = copy(rows);
		unsigned shift = 0;

		for (int i = 0; i < 4; i++) {
			shift += random_below(8);
			assert_int_equal(row_slices_make(rows, &no_intervals, shift), 0);
		}
		assert_int_equal(row_slices_make(rows, &no_intervals, 3), 0);
		assert_int_equal(row_slices_make(once, &no_intervals, shift), 0);
		assert_same(rows, once);
		sample_rows_destroy(rows);
		sample_rows_destroy(once);
	}
}

static void the_shortest_slices_that_fit_are_taken(void **state)
{
	(void)state;
	seed = 14;
	for (uint32_t n_max = 400; n_max < N_ROWS; n_max += 400) {
		struct sample_rows *rows = make_rows(N_ROWS), *shorter = copy(rows);

		assert_int_equal(row_slices_fit(rows, &no_intervals, n_max), 0);
		assert_in_range(rows->n_rows, 1, n_max);
		assert_in_range(rows->slice_shift, 1, 20);
		assert_int_equal(row_slices_make(shorter, &no_intervals, rows->slice_shift - 1), 0);
		assert_true(shorter->n_rows > n_max);
		sample_rows_destroy(rows);
		sample_rows_destroy(shorter);
	}
}

static void rows_stay_if_they_fit_and_are_refused_if_they_cannot(void **state)
{
	struct sample_rows *rows;

	(void)state;
	seed = 15;
	rows = make_rows(N_ROWS);
	assert_int_equal(row_slices_fit(rows, &no_intervals, N_ROWS), 0);
	assert_null(rows->sums);
	assert_int_equal(rows->slice_shift, 0);
	assert_int_equal(row_slices_fit(rows, &no_intervals, 100), -E2BIG);
	sample_rows_destroy(rows);
}

static void sorted_rows_are_the_same_from_any_order(void **state)
{
	struct sample_rows *rows, *shuffled;

	(void)state;
	seed = 16;
	rows = make_rows(N_ROWS);
	shuffled = copy(rows);
	for (uint32_t i = N_ROWS - 1; i; i--) {
		const uint32_t other = random_below(i + 1);
		const struct sample_row row = shuffled->rows[i];

		shuffled->rows[i] = shuffled->rows[other];
		shuffled->rows[other] = row;
	}
	assert_int_equal(row_slices_sort(rows), 0);
	assert_int_equal(row_slices_sort(shuffled), 0);
	assert_same(rows, shuffled);
	sample_rows_destroy(rows);
	sample_rows_destroy(shuffled);
}

static void rows_that_go_on_coming_are_the_sums_of_all(void **state)
{
	struct sample_rows *all = make_rows(N_ROWS), *sums = make_rows(0), *from = make_rows(0);

	(void)state;
	for (uint32_t i = 0; i < all->n_rows; i++) {
		assert_int_equal(sample_rows_add(from, &all->rows[i]), 0);
		if (i % 300 && i + 1 < all->n_rows)
			continue;
		assert_int_equal(row_slices_add(sums, &no_intervals, from, 1000), 0);
		assert_int_equal(from->n_rows, 0);
		assert_in_range(sums->n_rows, 1, 1000);
	}
	assert_in_range(sums->slice_shift, 1, ROW_SLICE_SHIFT_MAX - 1);
	assert_int_equal(row_slices_make(all, &no_intervals, sums->slice_shift), 0);
	assert_same(all, sums);
	/* There are more places than that. */
	for (uint32_t i = 0; i < N_ROWS; i++)
		assert_int_equal(sample_rows_add(from, &(struct sample_row){ .node = i % 100 }), 0);
	assert_int_equal(row_slices_add(sums, &no_intervals, from, 10), 0);
	assert_int_equal(sums->slice_shift, ROW_SLICE_SHIFT_MAX);
	assert_in_range(sums->n_rows, 100, 1000);
	sample_rows_destroy(all);
	sample_rows_destroy(sums);
	sample_rows_destroy(from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_lose_nothing_but_the_time),
		cmocka_unit_test(samples_of_different_phases_are_not_added_up),
		cmocka_unit_test(a_run_is_one_slice_at_most),
		cmocka_unit_test(it_does_not_matter_in_how_many_steps_slices_grow),
		cmocka_unit_test(the_shortest_slices_that_fit_are_taken),
		cmocka_unit_test(rows_stay_if_they_fit_and_are_refused_if_they_cannot),
		cmocka_unit_test(sorted_rows_are_the_same_from_any_order),
		cmocka_unit_test(rows_that_go_on_coming_are_the_sums_of_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
