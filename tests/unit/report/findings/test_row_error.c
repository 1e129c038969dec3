/* Errors of a view's rows, in 1 000 recordings each of programs whose shares are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/findings/row_error.h"
#include "tests/unit/fixtures/letter_view.h"

#define N_RECORDINGS 1000
#define N_SAMPLES    4000
#define PERIOD       1003009 /* ns: 997 Hz */

static uint64_t random_state;

/* From 0 up to 1 (xorshift64). */
static double draw(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (double)(random_state >> 11) / 0x1p53;
}

static int set_up(void **state)
{
	int err = letter_view_set_up(state);
	const struct letter_view *fixture = *state;

	random_state = 88172645463325252;
	if (err || cct_keep_squares(fixture->profile->cct))
		return -1;
	return profile_add_process(fixture->profile, 10, "prog") == UINT32_MAX;
}

/* The errors of the function f, which m calls. */
static struct share_error error_of(struct letter_view *fixture, enum view_kind kind,
				   enum share_kind share)
{
	const struct view_options options = { .kind = kind, .errors = true };
	const struct view_row *row = letter_view_show(fixture, &options);
	struct share_error error;

	if (kind == VIEW_TREE)
		row = letter_view_descend(letter_view_child(row, "prog"), "mf");
	else
		row = letter_view_child(row, "f");
	assert_non_null(row);
	assert_true(row_error(fixture->view, row, 0, share, &error));
	return error;
}

static void forget_samples(const struct letter_view *fixture)
{
	sample_rows_uncount(fixture->profile->cct, &fixture->profile->quality);
}

enum weights {
	EQUAL,   /* --no-jitter */
	DRAWN,   /* periods are drawn between half the mean and one and a half */
	HEAVIER, /* those, and three times as long in the function */
};

/*
 * The program goes from one function to the other and back much faster than the sampling period: a
 * sample says nothing about the next one, and is in f with such a probability that f's share of the
 * weight is @share.
 */
static void record_alternation(struct letter_view *fixture, double share, enum weights weights)
{
	struct cct *cct = fixture->profile->cct;
	uint32_t inside = letter_view_add_path(fixture, 0, "mf");
	uint32_t outside = letter_view_add_path(fixture, 0, "mg");
	double factor = weights == HEAVIER ? 3 : 1;
	double probability = share / factor / (share / factor + 1 - share);

	forget_samples(fixture);
	for (int i = 0; i < N_SAMPLES; i++) {
		bool is_inside = draw() < probability;
		double weight = weights == EQUAL ? PERIOD : PERIOD * (0.5 + draw());

		cct_add_cost(cct, is_inside ? inside : outside, 0,
			     (uint64_t)(is_inside ? weight * factor : weight));
	}
}

/* How many intervals of 1 000 recordings hold the truth. */
static unsigned count_hits(struct letter_view *fixture, double share, enum weights weights)
{
	unsigned n = 0;

	for (int i = 0; i < N_RECORDINGS; i++) {
		record_alternation(fixture, share, weights);
		struct share_error error = error_of(fixture, VIEW_FUNCTIONS, SHARE_SELF);
		n += error.low <= share && share <= error.high;
	}
	return n;
}

static void intervals_of_95_percent_hold_the_truth_as_often(void **state)
{
	static const double shares[] = { 0.5, 0.1, 0.01 };

	for (int weights = EQUAL; weights <= HEAVIER; weights++) {
		for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
			unsigned n = count_hits(*state, shares[i], (enum weights)weights);

			print_message("share %g, weights %d: %u of %d\n", shares[i], weights, n,
				      N_RECORDINGS);
			assert_in_range(n, 930, 970);
		}
	}
}

static void shares_of_what_was_recorded_whole_have_no_error(void **state)
{
	struct letter_view *fixture = *state;
	struct metric *metric = &fixture->profile->metrics[0];
	struct share_error error;

	record_alternation(fixture, 0.01, EQUAL);
	metric->takes_all = true;
	error = error_of(fixture, VIEW_FUNCTIONS, SHARE_SELF);
	assert_true(error.share > 0);
	assert_true(error.error == 0 && error.low == error.share && error.high == error.share);
	metric->lost = 1;
	assert_true(error_of(fixture, VIEW_TREE, SHARE_TOTAL).error > 0);
	metric->lost = 0;
	metric->is_scaled = true;
	metric->time_enabled_ns = 3;
	metric->time_running_ns = 2;
	assert_true(error_of(fixture, VIEW_TREE, SHARE_TOTAL).error > 0);
}

/*
 * Samples at fixed distances of a program that stays in a function for @phase periods on average,
 * half of the time in f. Returns the run's true share.
 */
static double record_phases(struct letter_view *fixture, double phase)
{
	struct cct *cct = fixture->profile->cct;
	uint32_t nodes[] = { letter_view_add_path(fixture, 0, "mg"),
			     letter_view_add_path(fixture, 0, "mf") };
	double end = 0, next = draw(), inside = 0; /* in periods */
	bool is_inside = draw() < 0.5;

	forget_samples(fixture);
	while (end < N_SAMPLES) {
		double length = fmin(-phase * log(1 - draw()), N_SAMPLES - end);

		end += length;
		inside += is_inside ? length : 0;
		for (; next < end; next++)
			cct_add_cost(cct, nodes[is_inside], 0, PERIOD);
		is_inside = !is_inside;
	}
	return inside / N_SAMPLES;
}

/* The standard deviation of the shares about the truth, over that which the reports have. */
static double measure_errors(struct letter_view *fixture, double phase, unsigned *hits_ret)
{
	double squares = 0, variances = 0;

	*hits_ret = 0;
	for (int i = 0; i < N_RECORDINGS; i++) {
		double truth = record_phases(fixture, phase);
		struct share_error error = error_of(fixture, VIEW_FUNCTIONS, SHARE_SELF);

		squares += (error.share - truth) * (error.share - truth);
		variances += error.error * error.error;
		*hits_ret += error.low <= truth && truth <= error.high;
	}
	return sqrt(squares / variances);
}

/* docs/ACCURACY.md has the figures. */
static void intervals_are_too_wide_for_long_phases(void **state)
{
	static const double phases[] = { 0.1, 1, 10, 100 };
	double last = 1.1;

	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
		unsigned hits;
		double part = measure_errors(*state, phases[i], &hits);

		print_message("phases of %g periods: %.3f of the error, %u of %d\n", phases[i],
			      part, hits, N_RECORDINGS);
		assert_true(part < last);
		assert_true(hits >= 930);
		last = part;
	}
	assert_true(last < 0.2);
}

/* Total cost, trees and flat views have the same samples here. */
static void all_views_have_the_same_errors(void **state)
{
	struct letter_view *fixture = *state;

	record_alternation(fixture, 0.1, HEAVIER);
	struct share_error flat = error_of(fixture, VIEW_FUNCTIONS, SHARE_SELF);
	for (int share = SHARE_SELF; share <= SHARE_TOTAL; share++) {
		struct share_error tree = error_of(fixture, VIEW_TREE, (enum share_kind)share);

		assert_memory_equal(&tree, &flat, sizeof(flat));
	}
	struct share_error total = error_of(fixture, VIEW_FUNCTIONS, SHARE_TOTAL);
	struct share_error graph = error_of(fixture, VIEW_CALLGRAPH, SHARE_SELF);
	assert_memory_equal(&total, &flat, sizeof(flat));
	assert_memory_equal(&graph, &flat, sizeof(flat));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(intervals_of_95_percent_hold_the_truth_as_often,
						set_up, letter_view_tear_down),
		cmocka_unit_test_setup_teardown(shares_of_what_was_recorded_whole_have_no_error,
						set_up, letter_view_tear_down),
		cmocka_unit_test_setup_teardown(intervals_are_too_wide_for_long_phases, set_up,
						letter_view_tear_down),
		cmocka_unit_test_setup_teardown(all_views_have_the_same_errors, set_up,
						letter_view_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
