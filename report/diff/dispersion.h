/*
 * How much more runs of a program vary than the draws of samples alone explain: Pearson's X^2 of a
 * row over its degrees of freedom (McCullagh and Nelder, Generalized Linear Models, 4.5), which is
 * about 1 where nothing but the draws varies. Few runs give a coarse estimate for each row, so the
 * estimates of all rows are moderated: drawn towards their common mean as far as they do not differ
 * more than chance lets them (Smyth, Statistical Applications in Genetics and Molecular Biology 3,
 * 2004; of dispersions: Lund and others, the same journal, 11, 2012).
 */
#ifndef REPORT_DIFF_DISPERSION_H
#define REPORT_DIFF_DISPERSION_H

#include <stddef.h>

/* What the rows have in common: a dispersion, known as well as if it had these degrees of freedom.
 */
struct dispersion_prior {
	double degrees; /* 0: nothing in common; INFINITY: rows don't differ */
	double scale;
	double all_degrees; /* no row is known better than by all rows' degrees of freedom */
};

/* From the dispersions of @n rows, which have @degrees > 0 of freedom each. */
struct dispersion_prior dispersion_fit(const double *dispersions, size_t n, double degrees);

/* A row's dispersion, moderated, with its degrees of freedom in *@degrees_ret. */
double dispersion_moderate(const struct dispersion_prior *prior, double dispersion, double degrees,
			   double *degrees_ret);

#endif
