#include "report/diff/dispersion.h"

#include <math.h>

#include "report/diff/distributions.h"

#define MIN_ROWS 3
/* The logarithm of a dispersion that is 0 by chance would decide alone. */
#define MIN_DISPERSION 1e-4

static double centred_log(double dispersion, double degrees)
{
	double bounded = dispersion > MIN_DISPERSION ? dispersion : MIN_DISPERSION;

	return log(bounded) - digamma_of(degrees / 2) + log(degrees / 2);
}

struct dispersion_prior dispersion_fit(const double *dispersions, size_t n, double degrees)
{
	struct dispersion_prior prior = { .all_degrees = degrees * (double)n };
	double mean = 0, variance = 0;

	if (n < MIN_ROWS)
		return (struct dispersion_prior){ .all_degrees = INFINITY };
	for (size_t i = 0; i < n; i++)
		mean += centred_log(dispersions[i], degrees) / (double)n;
	for (size_t i = 0; i < n; i++) {
		double difference = centred_log(dispersions[i], degrees) - mean;

		variance += difference * difference / (double)(n - 1);
	}
	variance -= trigamma_of(degrees / 2);
	prior.degrees = variance > 0 ? 2 * trigamma_inverse(variance) : INFINITY;
	prior.scale = exp(mean);
	if (variance > 0)
		prior.scale *= exp(digamma_of(prior.degrees / 2) - log(prior.degrees / 2));
	return prior;
}

double dispersion_moderate(const struct dispersion_prior *prior, double dispersion, double degrees,
			   double *degrees_ret)
{
	*degrees_ret = fmin(prior->degrees + degrees, prior->all_degrees);
	if (isinf(prior->degrees))
		return prior->scale;
	return (prior->degrees * prior->scale + degrees * dispersion) / (prior->degrees + degrees);
}
