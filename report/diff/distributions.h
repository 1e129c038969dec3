/* The distributions that tests of differences need: Student's and the binomial one, and the
 * functions by which variances of few runs are moderated. */
#ifndef REPORT_DIFF_DISTRIBUTIONS_H
#define REPORT_DIFF_DISTRIBUTIONS_H

/*
 * The probability that |t| is at least @t or -@t, of Student's distribution with @degrees of
 * freedom, above 0; INFINITY: the normal distribution. By the incomplete beta function's continued
 * fraction (NIST Digital Library of Mathematical Functions, 8.17.22). From 0 to 1.
 */
double student_both_tails(double t, double degrees);

/*
 * The probability that a binomial count of @n draws, which hit with @probability each, is as far
 * from its mean as @hits: twice the smaller tail, at most 1. @hits and @n may be fractions.
 */
double binomial_both_tails(double hits, double n, double probability);

/* The first and second derivative of log gamma at @x > 0 (Abramowitz and Stegun, 6.3.18, 6.4.12).
 */
double digamma_of(double x);
double trigamma_of(double x);
/* The x with trigamma_of(x) == @y, for @y > 0. */
double trigamma_inverse(double y);

#endif
