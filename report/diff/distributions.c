#include "report/diff/distributions.h"

#include <math.h>

#define MAX_STEPS    10000
#define TINY         1e-300
#define ACCURACY     1e-15
#define SERIES_BEGIN 8.0 /* from here on the asymptotic series are exact to 1e-11 */

static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

static double away_from_zero(double x)
{
	return fabs(x) < TINY ? TINY : x;
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), result = d;

	for (int i = 1; i < MAX_STEPS; i++) {
		double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
		double odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1));

		d = 1 / away_from_zero(1 + even * d);
		c = away_from_zero(1 + even / c);
		result *= c * d;
		d = 1 / away_from_zero(1 + odd * d);
		c = away_from_zero(1 + odd / c);
		result *= c * d;
		if (fabs(c * d - 1) < ACCURACY)
			break;
	}
	return result;
}

/* The regularized incomplete beta function I_x(a, b); @y is 1 - @x. */
static double incomplete_beta(double a, double b, double x, double y)
{
	double factor;

	if (x <= 0 || y <= 0)
		return x <= 0 ? 0 : 1;
	factor = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(y));
	if (x < (a + 1) / (a + b + 2))
		return factor * beta_fraction(a, b, x) / a;
	return 1 - factor * beta_fraction(b, a, y) / b;
}

double student_both_tails(double t, double degrees)
{
	double square = t * t;

	if (degrees > 1e6)
		return erfc(fabs(t) / M_SQRT2);
	return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + square),
			       square / (degrees + square));
}

/* The probability of @hits or more. */
static double binomial_upper_tail(double hits, double n, double probability)
{
	return hits <= 0 ? 1 : incomplete_beta(hits, n - hits + 1, probability, 1 - probability);
}

double binomial_both_tails(double hits, double n, double probability)
{
	double more = binomial_upper_tail(hits, n, probability);
	double fewer = binomial_upper_tail(n - hits, n, 1 - probability);

	return fmin(1, 2 * fmin(more, fewer));
}

double digamma_of(double x)
{
	double shift = 0;

	while (x < SERIES_BEGIN)
		shift -= 1 / x++;
	double y = 1 / (x * x);
	return shift + log(x) - 0.5 / x -
	       y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y / 132))));
}

double trigamma_of(double x)
{
	double shift = 0;

	while (x < SERIES_BEGIN) {
		shift += 1 / (x * x);
		x++;
	}
	double y = 1 / (x * x);
	return shift + 1 / x + y / 2 +
	       y / x * (1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42 - y * (1.0 / 30 - y * 5 / 66))));
}

double trigamma_inverse(double y)
{
	/* trigamma_of(x) falls, and is between 1/x and 1/x + 1/x^2. */
	double low = 1 / y, high = (1 + sqrt(1 + 4 * y)) / (2 * y);

	for (int i = 0; i < 200 && high - low > 1e-14 * high; i++) {
		double middle = (low + high) / 2;

		if (trigamma_of(middle) > y)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
