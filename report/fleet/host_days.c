#include "report/fleet/host_days.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "report/diff/dispersion.h"
#include "report/diff/distributions.h"

#define ROUNDS_MAX 500
#define EXACT      1e-12 /* of the largest value */
/* The part of the new build's days that has to be left when hosts and days are taken out. */
#define POWER_MIN 1e-3

static uint32_t group_of(const struct host_day *unit, bool by_host)
{
	return by_host ? unit->host : unit->day;
}

/* Takes the means of hosts, or of days, out of the values. Returns the largest one. */
static double take_means(struct host_days *days, bool by_host, double *values)
{
	const size_t n_groups = by_host ? days->n_hosts : days->n_days;
	double largest = 0;

	memset(days->of_groups, 0, n_groups * sizeof(*days->of_groups));
	memset(days->n_of_groups, 0, n_groups * sizeof(*days->n_of_groups));
	for (size_t i = 0; i < days->n; i++) {
		days->of_groups[group_of(&days->units[i], by_host)] += values[i];
		days->n_of_groups[group_of(&days->units[i], by_host)]++;
	}
	for (size_t i = 0; i < n_groups; i++) {
		if (days->n_of_groups[i])
			days->of_groups[i] /= days->n_of_groups[i];
		largest = fmax(largest, fabs(days->of_groups[i]));
	}
	for (size_t i = 0; i < days->n; i++)
		values[i] -= days->of_groups[group_of(&days->units[i], by_host)];
	return largest;
}

/* Takes out of the values what hosts and days explain, by turns until nothing is left of it. */
static void take_hosts_and_days(struct host_days *days, double *values)
{
	double scale = 0;

	for (size_t i = 0; i < days->n; i++)
		scale = fmax(scale, fabs(values[i]));
	for (int round = 0; round < ROUNDS_MAX; round++) {
		take_means(days, true, values);
		if (take_means(days, false, values) <= EXACT * scale)
			break;
	}
}

/* How many hosts have had both builds. 0 or -ENOMEM. */
static int count_changed(struct host_days *days)
{
	_cleanup_free_ uint8_t *sides = calloc(days->n_hosts + 1, 1);

	if (!sides)
		return -ENOMEM;
	for (size_t i = 0; i < days->n; i++)
		sides[days->units[i].host] |= (uint8_t)(1 << days->units[i].is_after);
	for (size_t i = 0; i < days->n_hosts; i++)
		days->n_changed += sides[i] == 3;
	return 0;
}

static int make_room(struct host_days *days)
{
	const size_t n_groups = days->n_hosts > days->n_days ? days->n_hosts : days->n_days;

	days->design = calloc(days->n + 1, sizeof(*days->design));
	days->values = calloc(days->n + 1, sizeof(*days->values));
	days->of_groups = calloc(n_groups + 1, sizeof(*days->of_groups));
	days->n_of_groups = calloc(n_groups + 1, sizeof(*days->n_of_groups));
	return days->design && days->values && days->of_groups && days->n_of_groups ? 0 : -ENOMEM;
}

int host_days_init(struct host_days *days, const struct host_day *units, size_t n)
{
	size_t n_after = 0;

	*days = (struct host_days){ .units = units, .n = n };
	for (size_t i = 0; i < n; i++) {
		days->n_hosts = units[i].host >= days->n_hosts ? units[i].host + 1 : days->n_hosts;
		days->n_days = units[i].day >= days->n_days ? units[i].day + 1 : days->n_days;
		n_after += units[i].is_after;
	}
	int err = make_room(days);
	if (!err)
		err = count_changed(days);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		days->design[i] = units[i].is_after;
	take_hosts_and_days(days, days->design);
	for (size_t i = 0; i < n; i++)
		days->power += days->design[i] * days->design[i];
	const bool tells = days->power > POWER_MIN * (double)n_after;
	return tells && days->n_changed >= HOST_DAYS_MIN_HOSTS ? 0 : -ENODATA;
}

void host_days_deinit(struct host_days *days)
{
	free(days->design);
	free(days->values);
	free(days->of_groups);
	free(days->n_of_groups);
}

static double ratio_of(const struct host_day *unit, const struct diff_cost *cost)
{
	const struct diff_cost *divisor = unit->per.weight ? &unit->per : &unit->cost;

	return (double)cost->weight / (double)divisor->weight;
}

/* The variance of a sum of weights, divided by its square. */
static double relative_variance(const struct diff_cost *cost)
{
	const double weight = (double)cost->weight;

	return cost->squares > 0 ? cost->squares / (weight * weight)
	       : cost->samples   ? 1 / (double)cost->samples
				 : 0;
}

/*
 * Of a ratio, by drawing samples, with equal weights inside and outside. Of a share, as
 * report/diff/diff_statistics.h has it. Else, the row's samples and the divisor's samples are
 * drawn apart, and the row has its part of the service's.
 */
static double sampling_variance(const struct host_day *unit, double ratio)
{
	const double of_service = relative_variance(&unit->cost);

	if (!unit->per.weight)
		return ratio * (1 - fmin(ratio, 1)) * of_service;
	const double whole = ratio_of(unit, &unit->cost);
	return ratio * whole * of_service + ratio * ratio * relative_variance(&unit->per);
}

/* The sum over hosts of the squares of what their days say about the difference. */
static double clustered_squares(struct host_days *days, double difference)
{
	double sum = 0;

	memset(days->of_groups, 0, days->n_hosts * sizeof(*days->of_groups));
	for (size_t i = 0; i < days->n; i++)
		days->of_groups[days->units[i].host] +=
			days->design[i] * (days->values[i] - difference * days->design[i]);
	for (size_t i = 0; i < days->n_hosts; i++)
		sum += days->of_groups[i] * days->of_groups[i];
	return sum;
}

void host_days_measure(struct host_days *days, const struct diff_cost *costs,
		       struct host_days_change *change_ret)
{
	const double n_hosts = (double)days->n_changed, squared = days->power * days->power;
	struct host_days_change change = { .p = NAN };
	double difference = 0, sum_after = 0, mean = 0;
	size_t n_after = 0;

	for (size_t i = 0; i < days->n; i++) {
		days->values[i] = ratio_of(&days->units[i], &costs[i]);
		difference += days->design[i] * days->values[i];
		mean += days->values[i] / (double)days->n;
		change.n_samples += costs[i].samples;
		n_after += days->units[i].is_after;
		sum_after += days->units[i].is_after ? days->values[i] : 0;
	}
	for (size_t i = 0; i < days->n; i++)
		change.sampling += days->design[i] * days->design[i] *
				   sampling_variance(&days->units[i], mean) / squared;
	difference /= days->power;
	take_hosts_and_days(days, days->values);
	change.variance = clustered_squares(days, difference) / squared * n_hosts / (n_hosts - 1);
	change.after = sum_after / (double)n_after;
	change.before = change.after - difference;
	*change_ret = change;
}

static bool is_tested(const struct host_days_change *change)
{
	return change->n_samples >= DIFF_MIN_SAMPLES && change->sampling > 0;
}

int host_days_judge(const struct host_days *days, struct host_days_change *changes, size_t n)
{
	const double degrees = (double)(days->n_changed - 1);
	_cleanup_free_ double *dispersions = calloc(n + 1, sizeof(*dispersions));
	size_t n_tested = 0;

	if (!dispersions)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (is_tested(&changes[i]))
			dispersions[n_tested++] = changes[i].variance / changes[i].sampling;
	}
	const struct dispersion_prior prior = dispersion_fit(dispersions, n_tested, degrees);
	for (size_t i = 0; i < n; i++) {
		struct host_days_change *change = &changes[i];
		double known;

		if (!is_tested(change))
			continue;
		const double dispersion = dispersion_moderate(
			&prior, change->variance / change->sampling, degrees, &known);
		change->variance = fmax(dispersion, 1) * change->sampling;
		change->p = student_both_tails(
			(change->after - change->before) / sqrt(change->variance), known);
	}
	return 0;
}
