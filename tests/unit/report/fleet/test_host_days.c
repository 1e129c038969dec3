#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/fleet/host_days.h"

#define N_HOSTS 40
#define N_DAYS  7
#define N_UNITS ((size_t)N_HOSTS * N_DAYS)
#define N_ROWS  200
#define TOTAL   100000000

static uint64_t state_of_noise = 1;

/* From -1 to 1, about as the normal distribution, with the variance 1/3. */
static double noise(void)
{
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		state_of_noise = state_of_noise * 6364136223846793005u + 1442695040888963407u;
		sum += (double)(state_of_noise >> 33) / (double)(1u << 30) - 1;
	}
	return sum / sqrt(3);
}

/* Hosts get the new build on days 1 to 5. */
static void make_units(struct host_day *units, bool at_once)
{
	for (uint32_t i = 0; i < N_UNITS; i++) {
		const uint32_t host = i / N_DAYS, day = i % N_DAYS;

		units[i] = (struct host_day){
			.host = host,
			.day = day,
			.is_after = day >= (at_once ? 3 : 1 + host % 5),
			.cost = { .weight = TOTAL,
				  .samples = TOTAL / 100,
				  .squares = TOTAL * 100. },
		};
	}
}

/* A row of 5 %, with hosts that differ by 20 %, days by 3 %, days of hosts by 1 %. */
static void make_row(const struct host_day *units, double growth, struct diff_cost *costs)
{
	double hosts[N_HOSTS], of_days[N_DAYS];

	for (int i = 0; i < N_HOSTS; i++)
		hosts[i] = 1 + 0.2 * noise();
	for (int i = 0; i < N_DAYS; i++)
		of_days[i] = 1 + 0.03 * noise();
	for (size_t i = 0; i < N_UNITS; i++) {
		const double share = 0.05 * hosts[units[i].host] * of_days[units[i].day] *
				     (1 + 0.01 * noise()) * (units[i].is_after ? 1 + growth : 1);

		costs[i] = (struct diff_cost){ .weight = (uint64_t)(share * TOTAL),
					       .samples = (uint64_t)(share * TOTAL / 100) };
	}
}

static void a_growth_smaller_than_hosts_and_days_differ_is_found(void **state)
{
	static struct host_day units[N_UNITS];
	static struct diff_cost costs[N_UNITS];
	static struct host_days_change changes[N_ROWS];
	struct host_days days;
	int n_small = 0;

	(void)state;
	make_units(units, false);
	assert_int_equal(host_days_init(&days, units, N_UNITS), 0);
	assert_int_equal(days.n_changed, N_HOSTS);
	for (int i = 0; i < N_ROWS; i++) {
		make_row(units, i ? 0 : 0.015, costs);
		host_days_measure(&days, costs, &changes[i]);
	}
	assert_int_equal(host_days_judge(&days, changes, N_ROWS), 0);
	assert_true(changes[0].p < 1e-6);
	assert_true(fabs(changes[0].after / changes[0].before - 1.015) < 0.005);
	/* Those that did not grow have probabilities from 0 to 1, all alike. */
	for (int i = 1; i < N_ROWS; i++)
		n_small += changes[i].p < 0.1;
	assert_in_range(n_small, 5, 40);
	host_days_deinit(&days);
}

/* The new build costs 10 % more, elsewhere: a row's share shrinks, and its cost for each of the
 * requests does not, whether few or many of them are counted. */
static void what_is_the_same_for_each_request_has_not_moved(void **state)
{
	static struct host_day units[N_UNITS];
	static struct diff_cost costs[N_UNITS];
	static struct host_days_change shares[N_ROWS], of_requests[N_ROWS];
	struct host_days days;
	int n_small = 0;

	(void)state;
	make_units(units, false);
	for (size_t i = 0; i < N_UNITS; i++)
		units[i].cost.weight += units[i].is_after ? TOTAL / 10 : 0;
	assert_int_equal(host_days_init(&days, units, N_UNITS), 0);
	for (int i = 0; i < N_ROWS; i++) {
		make_row(units, 0, costs);
		host_days_measure(&days, costs, &shares[i]);
		/* One in a thousand is a sample. */
		for (size_t k = 0; k < N_UNITS; k++)
			units[k].per = (struct diff_cost){ .weight = 2000000,
							   .samples = 2000,
							   .squares = 2000 * 1e6 };
		host_days_measure(&days, costs, &of_requests[i]);
		for (size_t k = 0; k < N_UNITS; k++)
			units[k].per = (struct diff_cost){ 0 };
	}
	assert_int_equal(host_days_judge(&days, shares, N_ROWS), 0);
	assert_int_equal(host_days_judge(&days, of_requests, N_ROWS), 0);
	for (int i = 0; i < N_ROWS; i++) {
		assert_true(shares[i].p < 1e-6);
		assert_true(fabs(of_requests[i].after - 2.5) < 0.2); /* 5 % of 50 */
		n_small += of_requests[i].p < 0.1;
	}
	assert_in_range(n_small, 0, 40);
	/* Requests of which few were counted say less. */
	assert_true(of_requests[0].sampling / (2.5 * 2.5) > shares[0].sampling / (0.05 * 0.05));
	host_days_deinit(&days);
}

static void builds_that_all_hosts_got_at_once_are_not_told_from_days(void **state)
{
	static struct host_day units[N_UNITS];
	struct host_days days;

	(void)state;
	make_units(units, true);
	assert_int_equal(host_days_init(&days, units, N_UNITS), -ENODATA);
	host_days_deinit(&days);
}

static void few_hosts_say_nothing(void **state)
{
	static struct host_day units[N_UNITS];
	struct host_days days;

	(void)state;
	make_units(units, false);
	assert_int_equal(host_days_init(&days, units, 3 * N_DAYS), -ENODATA);
	host_days_deinit(&days);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_growth_smaller_than_hosts_and_days_differ_is_found),
		cmocka_unit_test(what_is_the_same_for_each_request_has_not_moved),
		cmocka_unit_test(builds_that_all_hosts_got_at_once_are_not_told_from_days),
		cmocka_unit_test(few_hosts_say_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
