/** The distributions that tests of differences need, as report/diff/distributions.h has them. */

const MAX_STEPS = 10000;
const TINY = 1e-300;
const ACCURACY = 1e-15;
const SERIES_BEGIN = 8; /* from here on the asymptotic series are exact to 1e-11 */
const STIRLING_BEGIN = 12;
const HALF_LOG_OF_CIRCLE = 0.5 * Math.log(2 * Math.PI);
const FRACTION_STEPS = 480; /* at 1; fewer further out, by the square: all digits at 2 with 120 */
const NEARLY_NORMAL = 1e6; /* degrees of freedom */

/** By Stirling's series (Abramowitz and Stegun, 6.1.41). @param {number} x above 0 */
function logGamma(x) {
	let product = 1;
	for (; x < STIRLING_BEGIN; x++)
		product *= x;
	const y = 1 / (x * x);
	const series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y * (1 / 1188 -
		(y * 691) / 360360))))) / x;
	return (x - 0.5) * Math.log(x) - x + HALF_LOG_OF_CIRCLE + series -
		(product === 1 ? 0 : Math.log(product));
}

/** The complement of the error function: by a series, or by a continued fraction (NIST Digital
 * Library of Mathematical Functions, 7.6.2 and 7.9.1). @param {number} x 0 or more */
function complementOfError(x) {
	const factor = Math.exp(-x * x) / Math.sqrt(Math.PI);
	if (x < 2) {
		let term = 2 * x;
		let sum = term;
		for (let n = 1; term > sum * ACCURACY; n++) {
			term *= (2 * x * x) / (2 * n + 1);
			sum += term;
		}
		return 1 - factor * sum;
	}
	let below = 0;
	for (let n = Math.ceil(FRACTION_STEPS / (x * x)) + 5; n > 0; n--)
		below = n / 2 / (x + below);
	return factor / (x + below);
}

/** The continued fraction of the incomplete beta function, by Lentz's method, in which a divisor that
 * is 0 is replaced by a tiny one. @param {number} a
 * @param {number} b @param {number} x */
function betaFraction(a, b, x) {
	let c = 1;
	let d = 1 / ((1 - ((a + b) * x) / (a + 1)) || TINY);
	let result = d;
	for (let i = 1; i < MAX_STEPS; i++) {
		const even = (i * (b - i) * x) / ((a + 2 * i - 1) * (a + 2 * i));
		const odd = (-(a + i) * (a + b + i) * x) / ((a + 2 * i) * (a + 2 * i + 1));
		d = 1 / ((1 + even * d) || TINY);
		c = (1 + even / c) || TINY;
		result *= c * d;
		d = 1 / ((1 + odd * d) || TINY);
		c = (1 + odd / c) || TINY;
		result *= c * d;
		if (Math.abs(c * d - 1) < ACCURACY)
			break;
	}
	return result;
}

/** x^a y^b over the beta function. @param {number} a @param {number} b @param {number} x
 * @param {number} y */
function betaFactor(a, b, x, y) {
	return Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) +
		b * Math.log(y));
}

/** I_x(a, b). @param {number} a @param {number} b @param {number} x @param {number} y 1 - x
 * @param {number} [factor] */
function incompleteBeta(a, b, x, y, factor = betaFactor(a, b, x, y)) {
	if (x <= 0 || y <= 0)
		return x <= 0 ? 0 : 1;
	if (x < (a + 1) / (a + b + 2))
		return (factor * betaFraction(a, b, x)) / a;
	return 1 - (factor * betaFraction(b, a, y)) / b;
}

/** The probability that |t| is as large, of Student's distribution. @param {number} t
 * @param {number} degrees of freedom; Infinity: the normal distribution */
export function studentBothTails(t, degrees) {
	const square = t * t;
	return degrees > NEARLY_NORMAL ? complementOfError(Math.abs(t) / Math.SQRT2)
		: incompleteBeta(degrees / 2, 0.5, degrees / (degrees + square),
			square / (degrees + square));
}

/** A distance from the mean, in standard deviations, within which a normal value is with the rest of a
 * probability, or slightly less. @param {number} probability above 0, at most 1 */
export function normalDistance(probability) {
	let [low, high] = [0, 40];
	while (high - low > 1e-9) {
		const middle = (low + high) / 2;
		if (complementOfError(middle / Math.SQRT2) > probability)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/** @param {number} hits or more @param {number} n @param {number} probability */
function binomialUpperTail(hits, n, probability) {
	return hits <= 0 ? 1 : incompleteBeta(hits, n - hits + 1, probability, 1 - probability);
}

/** The smaller tail near the mean: both together are 1 and the probability of the count itself.
 * @param {number} hits @param {number} n @param {number} probability */
function binomialSmallerTail(hits, n, probability) {
	const rest = n - hits + 1;
	const factor = betaFactor(hits, rest, probability, 1 - probability);
	const more = incompleteBeta(hits, rest, probability, 1 - probability, factor);
	return Math.min(more, 1 - more + factor / (hits * (1 - probability)));
}

/** The probability that a binomial count is as far from its mean: twice the smaller tail, which is known
 * where the mean is not near, as the median is within 1 of it. @param {number} hits
 * @param {number} n draws @param {number} probability of a hit */
export function binomialBothTails(hits, n, probability) {
	const mean = n * probability;
	if (hits > mean + 1)
		return Math.min(1, 2 * binomialUpperTail(hits, n, probability));
	if (hits < mean - 1 || hits <= 0)
		return Math.min(1, 2 * binomialUpperTail(n - hits, n, 1 - probability));
	if (hits >= n)
		return Math.min(1, 2 * binomialUpperTail(hits, n, probability));
	return Math.min(1, 2 * binomialSmallerTail(hits, n, probability));
}

/** The first derivative of log gamma. @param {number} x above 0 */
export function digammaOf(x) {
	let shift = 0;
	for (; x < SERIES_BEGIN; x++)
		shift -= 1 / x;
	const y = 1 / (x * x);
	return shift + Math.log(x) - 0.5 / x -
		y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))));
}

/** The second one. @param {number} x above 0 */
export function trigammaOf(x) {
	let shift = 0;
	for (; x < SERIES_BEGIN; x++)
		shift += 1 / (x * x);
	const y = 1 / (x * x);
	return shift + 1 / x + y / 2 +
		(y / x) * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y * (1 / 30 - (y * 5) / 66))));
}

/** The x of which the second derivative is y. @param {number} y above 0 */
export function trigammaInverse(y) {
	let low = 1 / y;
	let high = (1 + Math.sqrt(1 + 4 * y)) / (2 * y);
	for (let i = 0; i < 200 && high - low > 1e-14 * high; i++) {
		const middle = (low + high) / 2;
		if (trigammaOf(middle) > y)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
