/**
 * Whether a row differs between the runs before and those after, and how exactly that is known: what
 * report/diff/diff_statistics.h and dispersion.h compute and explain, for rows that the page adds up.
 *
 * The costs of a row are one array: weight, samples and squares of the weights, run by run.
 */

import { binomialBothTails, digammaOf, normalDistance, studentBothTails } from "./distributions.js";
import { trigammaInverse, trigammaOf } from "./distributions.js";

const MIN_ROWS = 3; /* that tell what their dispersions have in common */
const MIN_DISPERSION = 1e-4;
const PROBABILITY_STEPS = 1 << 16; /* of probabilities */

/** What the dispersions of rows have in common. @typedef {{degrees: number, scale: number,
 * allDegrees: number}} Prior */
/** Error: the standard deviation of the difference. @typedef {{before: number, after: number,
 * error: number}} Difference */
/** Writes what a row costs. @typedef {(row: number, costs: Float64Array) => void} Fill */

/** Of a part of a run. @param {Float64Array} costs @param {number} run */
function meanWeight(costs, run) {
	return costs[3 * run + 1] ? costs[3 * run] / costs[3 * run + 1] : 0;
}

/** As a weight counts for the variance. @param {Float64Array} costs @param {number} run
 * @param {number} without samples */
function squareWeight(costs, run, without) {
	const samples = costs[3 * run + 1];
	const weight = costs[3 * run];
	const squares = costs[3 * run + 2];
	return !samples ? without : squares > 0 && weight ? squares / weight : weight / samples;
}

/** The draws of the runs: of shares of their costs, or of costs over amounts. */
class Draws {
	/** @param {Uint8Array} sides by run: 1: after @param {Float64Array} whole what the runs cost
	 * @param {number[] | null} amounts what costs are divided by; null: shares are compared
	 * @param {number} minimum of samples that a row needs for a test */
	constructor(sides, whole, amounts, minimum) {
		this.sides = sides;
		this.runs = sides.length;
		this.whole = whole;
		this.amounts = amounts;
		this.minimum = minimum;
		this.all = this.samples(whole);
		this.degrees = Math.max(this.runs - 2, 0);
		/** What costs are divided by, by run. */
		this.divisors = Float64Array.from(sides, (_, run) => (amounts ? amounts[run] : whole[3 * run]));
		this.sums = [0, 0];
		this.divisors.forEach((by, run) => (this.sums[sides[run]] += by));
		/** The part of a side that a run is. */
		this.parts = this.divisors.map((by, run) =>
			(this.sums[sides[run]] > 0 ? by / this.sums[sides[run]] : 0));
		/** Mean weights of the runs' samples, and as they count for the variance. */
		this.means = Float64Array.from(sides, (_, run) => meanWeight(whole, run));
		this.squareWeights = this.means.map((mean, run) => squareWeight(whole, run, mean));
		this.squares = this.means.map((mean, run) => whole[3 * run + 2] || mean * whole[3 * run]);
		/** @type {Prior | null} */
		this.prior = null;
		/** Of the row that standardDistance() was called for last. */
		this.chance = { n: 0, hits: 0, before: 0, after: 0, common: 0, variance: 0, degrees: 0 };
		this.rest = new Float64Array(whole.length);
		this.inner = new Float64Array(whole.length);
	}

	/** @param {Float64Array} costs @param {number} run */
	squareWeight(costs, run) {
		return squareWeight(costs, run, this.squareWeights[run]);
	}

	/** What the runs have beside a row. @param {Float64Array} costs @param {Float64Array} rest that is
	 * filled, and returned */
	outside(costs, rest) {
		for (let run = 0; run < this.runs; run++) {
			const inside = this.squareWeight(costs, run) * costs[3 * run];
			rest[3 * run] = Math.max(this.whole[3 * run] - costs[3 * run], 0);
			rest[3 * run + 1] = Math.max(this.whole[3 * run + 1] - costs[3 * run + 1], 0);
			rest[3 * run + 2] = Math.max(this.squares[run] - inside, 0);
		}
		return rest;
	}

	/** The variance in a run of what is drawn with a value. @param {Float64Array} rest
	 * @param {number} run @param {number} value @param {number} inside square weight */
	varianceInRun(rest, run, value, inside) {
		const by = this.divisors[run];
		if (by <= 0)
			return 0;
		if (this.amounts)
			return (value * inside) / by;
		const share = Math.min(value, 1);
		return (share * (1 - share) *
			((1 - share) * inside + share * this.squareWeight(rest, run))) / by;
	}

	/** @param {Float64Array} costs @param {number} side */
	value(costs, side) {
		let sum = 0;
		for (let run = 0; run < this.runs; run++)
			sum += this.sides[run] === side ? costs[3 * run] : 0;
		return this.sums[side] > 0 ? sum / this.sums[side] : 0;
	}

	/** @param {Float64Array} costs @param {number} [side] -1: both */
	samples(costs, side = -1) {
		let n = 0;
		for (let run = 0; run < this.runs; run++)
			n += side < 0 || this.sides[run] === side ? costs[3 * run + 1] : 0;
		return n;
	}

	/** Pearson's X^2 of the runs about their sides' values, over the degrees of freedom.
	 * @param {Float64Array} costs */
	dispersion(costs) {
		const values = [this.value(costs, 0), this.value(costs, 1)];
		const rest = this.outside(costs, this.rest);
		let sum = 0;
		for (let run = 0; run < this.runs; run++) {
			const value = values[this.sides[run]];
			const by = this.divisors[run];
			const variance = this.varianceInRun(rest, run, value, this.squareWeight(costs, run));
			if (by > 0 && variance > 0)
				sum += (costs[3 * run] / by - value) ** 2 / variance;
		}
		return sum / this.degrees;
	}

	/** Learns from all rows that have samples enough how much runs vary. @param {number} n
	 * @param {Fill} fill */
	fit(n, fill) {
		if (!this.degrees)
			return;
		const least = this.minimum * this.runs;
		const costs = new Float64Array(this.whole.length);
		const dispersions = [];
		for (let row = 0; row < n; row++) {
			fill(row, costs);
			const inside = this.samples(costs);
			if (inside >= least && this.all - inside >= least)
				dispersions.push(this.dispersion(costs));
		}
		this.prior = priorOf(dispersions, this.degrees);
	}

	/** A row's dispersion and its degrees of freedom, moderated. @param {Float64Array} costs */
	moderated(costs) {
		const { prior, degrees } = this;
		if (!prior)
			return { dispersion: 1, known: Infinity };
		const known = Math.min(prior.degrees + degrees, prior.allDegrees);
		const dispersion = prior.degrees === Infinity ? prior.scale
			: (prior.degrees * prior.scale + degrees * this.dispersion(costs)) /
				(prior.degrees + degrees);
		return { dispersion: Math.max(dispersion, 1), known };
	}

	/** Notes what chance does to a row, and returns how many standard deviations its difference is; 0:
	 * chance makes none; NaN: there are too few samples for a test. @param {Float64Array} costs */
	standardDistance(costs) {
		const { chance } = this;
		/* of what is most of the samples, the rest is tested */
		const isMost = !this.amounts && this.samples(costs) > this.all / 2;
		const tested = isMost ? this.outside(costs, this.rest) : costs;
		chance.n = this.samples(tested);
		if (chance.n < this.minimum)
			return NaN;
		const weights = commonWeights(this, tested);
		chance.hits = this.samples(tested, 1);
		chance.before = chance.after = 0;
		for (let run = 0; run < this.runs; run++) {
			const weight = weights.mean * this.means[run];
			const exposure = weight > 0 ? this.divisors[run] / weight : 0;
			if (this.sides[run])
				chance.after += exposure;
			else
				chance.before += exposure;
		}
		chance.common = chance.n / (chance.before + chance.after);
		const rest = this.amounts ? tested : this.outside(tested, this.inner);
		let variance = 0;
		for (let run = 0; run < this.runs; run++)
			variance += this.parts[run] ** 2 * this.varianceInRun(rest, run, chance.common,
				weights.square * this.means[run]);
		const { dispersion, known } = this.moderated(costs);
		chance.variance = variance * dispersion;
		chance.degrees = known;
		const distance = Math.abs(this.value(costs, 1) - this.value(costs, 0));
		return chance.before > 0 && chance.after > 0 && chance.variance > 0
			? distance / Math.sqrt(chance.variance) : 0;
	}

	/** The probability of the difference by chance, of a row with samples enough.
	 * @param {Float64Array} costs */
	test(costs) {
		const t = this.standardDistance(costs);
		if (!t)
			return 1;
		const { n, hits, before, after, common, variance, degrees } = this.chance;
		const perSample = (common * (1 / before + 1 / after)) / variance;
		const exact = binomialBothTails(hits * perSample, n * perSample, after / (before + after));
		/* the normal distribution has less than this out there, so it need not be known */
		return degrees === Infinity && exact >= Math.exp((-t * t) / 2) ? exact
			: Math.max(exact, studentBothTails(t, degrees));
	}

	/** @param {Float64Array} costs @returns {Difference} */
	compare(costs) {
		const { dispersion } = this.moderated(costs);
		const values = [this.value(costs, 0), this.value(costs, 1)];
		const rest = this.outside(costs, this.rest);
		let variance = 0;
		for (let run = 0; run < this.runs; run++)
			variance += this.parts[run] ** 2 * this.varianceInRun(rest, run,
				values[this.sides[run]], this.squareWeight(costs, run));
		return { before: values[0], after: values[1],
			error: Math.sqrt(Math.max(dispersion * variance, 0)) };
	}
}

/** If nothing changed, a row's samples have the same weights in all runs, over the runs' mean.
 * @param {Draws} draws @param {Float64Array} costs */
function commonWeights(draws, costs) {
	let [samples, weights, squares] = [0, 0, 0];
	for (let run = 0; run < draws.runs; run++) {
		const unit = draws.means[run];
		if (!costs[3 * run + 1] || unit <= 0)
			continue;
		samples += costs[3 * run + 1];
		weights += costs[3 * run] / unit;
		squares += (draws.squareWeight(costs, run) * costs[3 * run]) / (unit * unit);
	}
	return { mean: samples > 0 ? weights / samples : 0,
		square: weights > 0 ? squares / weights : 0 };
}

/** @param {number[]} dispersions @param {number} degrees @returns {Prior} */
function priorOf(dispersions, degrees) {
	const n = dispersions.length;
	if (n < MIN_ROWS)
		return { degrees: 0, scale: 0, allDegrees: Infinity };
	const logs = dispersions.map((of) => Math.log(Math.max(of, MIN_DISPERSION)) -
		digammaOf(degrees / 2) + Math.log(degrees / 2));
	const mean = logs.reduce((sum, log) => sum + log / n, 0);
	const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2 / (n - 1), 0) -
		trigammaOf(degrees / 2);
	if (variance <= 0)
		return { degrees: Infinity, scale: Math.exp(mean), allDegrees: degrees * n };
	const known = 2 * trigammaInverse(variance);
	return { degrees: known, allDegrees: degrees * n,
		scale: Math.exp(mean + digammaOf(known / 2) - Math.log(known / 2)) };
}

/** By the probability, in steps: the first place that may have it. @param {Float64Array} sorted */
function placesOf(sorted) {
	const places = new Uint32Array(PROBABILITY_STEPS + 2);
	for (let step = 0, i = 0; step < places.length; step++) {
		while (i < sorted.length && sorted[i] * PROBABILITY_STEPS < step)
			i++;
		places[step] = i;
	}
	return places;
}

/** Where a number is. Those that are equal have the same q. @param {Float64Array} sorted
 * @param {Uint32Array} places @param {number} number */
function placeOf(sorted, places, number) {
	const step = Math.floor(number * PROBABILITY_STEPS);
	let [low, high] = [places[step], Math.min(places[step + 1], sorted.length - 1)];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (sorted[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/** Those below a limit, sorted. @param {Float64Array} p @param {number} limit */
function sortedBelow(p, limit) {
	const below = new Float64Array(p.length);
	let n = 0;
	for (let row = 0; row < p.length; row++) {
		if (p[row] < limit)
			below[n++] = p[row];
	}
	return below.subarray(0, n).sort();
}

/** Adjusts probabilities for a false discovery rate by Benjamini and Hochberg.
 * @param {Float64Array} p NaN: not tested @param {number} n tests, times the factor for those that
 * share samples @param {number} limit from which on the adjusted probability is 1 */
function adjust(p, n, limit) {
	const tests = sortedBelow(p, limit);
	const places = placesOf(tests);
	const q = new Float64Array(tests.length);
	let least = 1;
	for (let i = tests.length - 1; i >= 0; i--)
		q[i] = least = Math.min(least, (tests[i] * n) / (i + 1));
	for (let row = 0; row < p.length; row++) {
		if (p[row] < limit)
			p[row] = q[placeOf(tests, places, p[row])];
		else if (p[row] >= limit)
			p[row] = 1;
	}
}

/** What tests are multiplied by where rows share samples (Benjamini and Yekutieli). @param {number} n */
function harmonic(n) {
	let sum = 0;
	for (let i = 1; i <= n; i++)
		sum += 1 / i;
	return Math.max(sum, 1);
}

/** Tests of rows among each other. */
export class Tests {
	/** @param {{runs: {side: "before" | "after", amount?: number}[], shares: boolean,
	 * samples: number}} facts samples that a row needs for a test
	 * @param {Float64Array} whole what the runs cost */
	constructor(facts, whole) {
		const sides = Uint8Array.from(facts.runs, ({ side }) => Number(side === "after"));
		const amounts = facts.runs.map(({ amount }) => amount ?? 1);
		this.draws = new Draws(sides, whole, facts.shares ? null : amounts, facts.samples);
		/* a share has to move with its cost in a run */
		this.costs = facts.shares ? new Draws(sides, whole, amounts.map(() => 1), facts.samples)
			: null;
	}

	/** @param {Float64Array} costs @returns {Difference} */
	compare(costs) {
		return this.draws.compare(costs);
	}

	/** Of a row that is not adjusted for others. @param {Float64Array} costs */
	test(costs) {
		const p = this.draws.test(costs);
		if (!this.costs)
			return p;
		const share = this.draws.value(costs, 1) - this.draws.value(costs, 0);
		const cost = this.costs.value(costs, 1) - this.costs.value(costs, 0);
		return share * cost > 0 ? Math.max(p, this.costs.test(costs)) : 1;
	}

	/** By row, the adjusted probability of its difference by chance, or NaN for a row that is not
	 * tested; and how large the difference is. @param {number} n rows, all that have samples enough
	 * @param {Fill} fill @param {boolean} shareSamples */
	testAll(n, fill, shareSamples) {
		const costs = new Float64Array(this.draws.whole.length);
		const q = new Float64Array(n); /* standard distances first */
		const distances = new Float64Array(n);
		let tests = 0;
		this.draws.fit(n, fill);
		this.costs?.fit(n, fill);
		for (let row = 0; row < n; row++) {
			fill(row, costs);
			q[row] = this.draws.standardDistance(costs);
			tests += Number(q[row] >= 0);
			distances[row] = Math.abs(this.draws.value(costs, 1) - this.draws.value(costs, 0));
		}
		const factor = shareSamples ? harmonic(tests) : 1;
		/* nearer than this, p is above 1 / factor, and the adjusted one 1 */
		const near = normalDistance(1 / factor);
		for (let row = 0; row < n; row++) {
			if (q[row] <= near) {
				q[row] = 1;
			} else if (q[row] > near) {
				fill(row, costs);
				q[row] = this.test(costs);
			}
		}
		adjust(q, tests * factor, 1 / factor);
		return { q, distances };
	}
}
