/*
 * Whether a row of a profile differs between runs before and runs after a change, and how exactly
 * that is known. Samples are draws: a row's samples vary by chance in two runs of one program.
 *
 * Two kinds of values are compared. A share is a row's weight over that of its run; its variance is
 * that of a binomial proportion, or with unequal weights that of report/fold/share_error.h, with
 * the squares in each run from the row's samples and from those beside it. A share of more than
 * half is tested by what is beside it, as the counts there are the small ones. A rate is
 * a row's weight over an amount (seconds, requests, runs); the number of its samples has Poisson's
 * distribution. A side of several runs has the sum of their weights over the sum of their totals or
 * amounts.
 *
 * A difference is tested with the variance that both sides would have if they were equal, by
 * Student's distribution. It is never called more certain than by the exact test of two counts
 * (Przyborowski and Wilenski, Biometrika 31, 1940): of a row's samples in all runs, those after the
 * change are binomial draws. So rows with few samples, or sides of unequal size, are not called too
 * often. With two runs on a side or more, the variance grows by the dispersion between runs where
 * that is above 1 (report/diff/dispersion.h).
 */
#ifndef REPORT_DIFF_DIFF_STATISTICS_H
#define REPORT_DIFF_DIFF_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The false discovery rate of rows that are called significant. */
#define DIFF_FALSE_RATE 0.05
/*
 * A row with fewer samples in all runs, or with all samples but so few, is not tested: it would
 * hardly pass, and each test makes the limit of the others stricter. How many samples both sides
 * have together does not depend on how they differ (Bourgon, Gentleman, Huber, PNAS 107, 2010).
 */
#define DIFF_MIN_SAMPLES 8

enum diff_side { DIFF_BEFORE, DIFF_AFTER, N_DIFF_SIDES };
enum diff_kind { DIFF_SHARES, DIFF_RATES };

struct diff_cost {
	uint64_t weight;
	uint64_t samples;
	double squares; /* sum of the samples' w^2; 0: they have equal weights */
};

/* A run as a whole. */
struct diff_run {
	enum diff_side side;
	struct diff_cost cost;
	double amount; /* DIFF_RATES: what weights are divided by, above 0 */
};

struct diff_result {
	double values[N_DIFF_SIDES]; /* 0 for a side without weight */
	double error;                /* of the difference: one standard deviation */
	double p;                    /* probability of such a difference by chance; NAN: not tested
				      */
};

/*
 * Compares @n_rows rows. @costs: row after row, one for each of the @n_runs runs. 0 or -ENOMEM.
 */
int diff_compare(enum diff_kind kind, const struct diff_run *runs, size_t n_runs,
		 const struct diff_cost *costs, size_t n_rows, struct diff_result *results);

/*
 * Adjusts probabilities so that those up to a limit have that false discovery rate (Benjamini and
 * Hochberg, Journal of the Royal Statistical Society B 57, 1995). NAN stays, and does not
 * count as a test. @share_samples: a sample may be in several rows, so that the tests depend on
 * each other in any way; they are then adjusted by more (Benjamini and Yekutieli, Annals of
 * Statistics 29, 2001). 0 or -ENOMEM.
 */
int diff_adjust(double *p, size_t n, bool share_samples);

#endif
