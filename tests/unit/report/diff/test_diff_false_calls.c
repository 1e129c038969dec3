#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/diff/diff_statistics.h"

/* Programs whose samples are drawn, with known shares. */
#define N_FUNCTIONS 120
#define MAX_ROWS    (2 * N_FUNCTIONS)
#define MAX_RUNS    6
#define N_TRIALS    1000

struct draws {
	size_t n_runs, n_before;
	unsigned samples[MAX_RUNS];
	double spread;       /* of the functions' shares between runs, of one program */
	unsigned max_period; /* functions have samples of weights from 1 to this */
	enum diff_kind kind;
	uint64_t random;
	struct diff_cost costs[MAX_ROWS * MAX_RUNS];
	struct diff_run runs[MAX_RUNS];
};

static double draw_uniform(struct draws *draws)
{
	draws->random ^= draws->random << 13;
	draws->random ^= draws->random >> 7;
	draws->random ^= draws->random << 17;
	return (double)(draws->random >> 11) / 9007199254740992.0;
}

static double draw_normal(struct draws *draws)
{
	double radius = sqrt(-2 * log(1 - draw_uniform(draws)));

	return radius * cos(2 * M_PI * draw_uniform(draws));
}

static void draw_run(struct draws *draws, size_t run)
{
	double sums[N_FUNCTIONS], sum = 0;

	for (size_t i = 0; i < N_FUNCTIONS; i++) {
		sum += exp(draws->spread * draw_normal(draws)) / (double)(i + 1);
		sums[i] = sum;
	}
	draws->runs[run] =
		(struct diff_run){ .side = run < draws->n_before ? DIFF_BEFORE : DIFF_AFTER,
				   .amount = 1 };
	for (unsigned n = 0; n < draws->samples[run]; n++) {
		double at = draw_uniform(draws) * sum;
		size_t low = 0, high = N_FUNCTIONS - 1;

		while (low < high) {
			size_t middle = (low + high) / 2;

			low = sums[middle] <= at ? middle + 1 : low;
			high = sums[middle] <= at ? high : middle;
		}
		struct diff_cost *cost = &draws->costs[low * draws->n_runs + run];
		uint64_t weight = 1 + low * 7 % draws->max_period;
		cost->samples++;
		cost->weight += weight;
		draws->runs[run].cost.samples++;
		draws->runs[run].cost.weight += weight;
		cost->squares += (double)(weight * weight);
		draws->runs[run].cost.squares += (double)(weight * weight);
	}
}

/* Adds rows with the totals of 2, 4, 8, ... functions, which are siblings in a tree. */
static size_t add_totals(struct draws *draws)
{
	size_t n = N_FUNCTIONS;

	for (size_t size = 2; size < N_FUNCTIONS; size *= 2) {
		for (size_t i = 0; i + size <= N_FUNCTIONS; i += size, n++) {
			for (size_t k = 0; k < size * draws->n_runs; k++) {
				const struct diff_cost *from = &draws->costs[i * draws->n_runs + k];
				struct diff_cost *to =
					&draws->costs[n * draws->n_runs + k % draws->n_runs];

				to->weight += from->weight;
				to->samples += from->samples;
				to->squares += from->squares;
			}
		}
	}
	return n;
}

static bool is_any_called(struct draws *draws, bool in_tree)
{
	struct diff_result results[MAX_ROWS];
	double p[MAX_ROWS];
	size_t n = N_FUNCTIONS;

	memset(draws->costs, 0, sizeof(draws->costs));
	for (size_t i = 0; i < draws->n_runs; i++)
		draw_run(draws, i);
	if (in_tree)
		n = add_totals(draws);
	assert_int_equal(
		diff_compare(draws->kind, draws->runs, draws->n_runs, draws->costs, n, results), 0);
	for (size_t i = 0; i < n; i++)
		p[i] = results[i].p;
	assert_int_equal(diff_adjust(p, n, in_tree), 0);
	for (size_t i = 0; i < n; i++) {
		if (p[i] <= DIFF_FALSE_RATE)
			return true;
	}
	return false;
}

/* Of equal programs, a row is called in 5 % of the trials, and in three standard deviations of such
 * a count more at most. */
static void check_equal_programs(bool in_tree)
{
	static const struct draws cases[] = {
		{ .n_runs = 2, .n_before = 1, .samples = { 2000, 2000 }, .max_period = 1 },
		{ .n_runs = 2, .n_before = 1, .samples = { 300, 3000 }, .max_period = 1 },
		{ .n_runs = 2, .n_before = 1, .samples = { 2000, 1000 }, .max_period = 50 },
		{ .n_runs = 2,
		  .n_before = 1,
		  .samples = { 800, 800 },
		  .max_period = 9,
		  .kind = DIFF_RATES },
		{ .n_runs = 6,
		  .n_before = 3,
		  .samples = { 700, 700, 700, 700, 700, 700 },
		  .max_period = 1 },
		{ .n_runs = 6,
		  .n_before = 3,
		  .samples = { 700, 700, 700, 700, 700, 700 },
		  .max_period = 1,
		  .spread = 0.3 },
		{ .n_runs = 5,
		  .n_before = 3,
		  .samples = { 400, 1500, 800, 800, 600 },
		  .max_period = 1,
		  .spread = 0.2 },
		{ .n_runs = 3, .n_before = 2, .samples = { 1000, 1000, 1000 }, .max_period = 1 },
	};
	const double most = DIFF_FALSE_RATE * N_TRIALS +
			    3 * sqrt(DIFF_FALSE_RATE * (1 - DIFF_FALSE_RATE) * N_TRIALS);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct draws draws = cases[i];
		unsigned n_called = 0;

		draws.random = 88172645463325252u + i;
		for (unsigned trial = 0; trial < N_TRIALS; trial++)
			n_called += is_any_called(&draws, in_tree);
		print_message("case %zu: %u of %d trials\n", i, n_called, N_TRIALS);
		assert_true(n_called <= most);
	}
}

static void equal_programs_are_called_different_rarely(void **state)
{
	(void)state;
	check_equal_programs(false);
}

static void trees_of_equal_programs_are_called_different_rarely(void **state)
{
	(void)state;
	check_equal_programs(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_programs_are_called_different_rarely),
		cmocka_unit_test(trees_of_equal_programs_are_called_different_rarely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
