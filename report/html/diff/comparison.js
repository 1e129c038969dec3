/** Reads the data of a comparison; report/html/comparison_columns.h describes the columns. */

/** @import { Costs, Functions, Loss, Model } from "../page/payload.js" */
import { endsOf, parentsOf, Reader, readStrings } from "../page/payload.js";

/** @typedef {"before" | "after"} Side */
/** @typedef {"self" | "total"} Measure */
/**
 * What comparison_page.c writes. Values are weights over divisors; q is null if nothing was tested.
 * @typedef {object} ComparedMetric
 * @property {string} event
 * @property {string} cost the unit of weights
 * @property {string} unit of values; "": none
 * @property {[number, number]} moved functions by self cost and call paths by total cost that moved
 * by more than chance explains
 * @property {{before: number, after: number, error: number, q: number | null,
 * significant: boolean}} total of the runs
 */
/**
 * @typedef {object} Run
 * @property {string} file
 * @property {Side} side
 * @property {number} duration nanoseconds
 * @property {[number, number, number][]} costs by metric: samples, weight, squares of the weights
 * @property {number} [amount] what costs are divided by, unless values are shares
 * @property {[string, number, number][]} [phases] name, start, end: nanoseconds since the run's start
 * @property {Loss[]} [losses] likewise
 */
/**
 * @typedef {object} Comparison
 * @property {string} version
 * @property {"total" | "samples" | "time" | "metric" | "number"} normalize
 * @property {boolean} shares values are shares
 * @property {number} rate the false discovery rate of what is significant
 * @property {number} samples that a row needs for a test
 * @property {number} unevenBits
 * @property {boolean} mergesCopies inlined copies are a part of the function in its table
 * @property {string} [per] what is counted
 * @property {string[]} kinds
 * @property {ComparedMetric[]} metrics
 * @property {Run[]} runs
 */
/** The paths of all runs, and their own costs by metric and run.
 * @typedef {{model: Model, costs: Costs[][]}} Compared */

/** @param {Reader} reader @param {string[]} strings @param {string[]} kinds @returns {Functions} */
function readNamedFunctions(reader, strings, kinds) {
	const n = reader.number();
	const name = Array.from(reader.integers(n), (of) => strings[of]);
	const module = Array.from(reader.integers(n), (of) => strings[of]);
	const kind = Array.from(reader.integers(n), (of) => kinds[of]);
	return { name: [...name, "all"], module: [...module, ""], kind: [...kind, "root"],
		id: new Int32Array(n + 1).fill(-1), merged: new Int32Array(n + 1) };
}

/** Puts a number before a column's. @template {Int32Array | Float64Array} T
 * @param {T} column @param {number} first @returns {T} */
function withFirst(column, first) {
	const longer = /** @type {T} */ (new /** @type {any} */ (column.constructor)(column.length + 1));
	longer.set(column, 1);
	longer[0] = first;
	return longer;
}

/** What paths do not have of a run's cost. @param {Float64Array} column @param {number} all */
function restOf(column, all) {
	return Math.max(all - column.reduce((sum, of) => sum + of, 0), 0);
}

/** @param {Reader} reader @param {number} n @param {Comparison} facts @param {number} metric
 * @param {number} run @returns {Costs} */
function readRunCosts(reader, n, facts, metric, run) {
	const [allSamples, allWeight, allSquares] = facts.runs[run].costs[metric];
	const weight = reader.numbers(n);
	const samples = reader.numbers(n);
	const unit = 2 ** -facts.unevenBits;
	const squares = reader.numbers(n).map((uneven, i) =>
		(samples[i] ? ((weight[i] * weight[i]) / samples[i]) * (1 + uneven * unit) : 0));
	const rest = { weight: restOf(weight, allWeight), samples: restOf(samples, allSamples) };
	const equal = rest.samples ? (rest.weight * rest.weight) / rest.samples : 0;
	return { weight: withFirst(weight, rest.weight), samples: withFirst(samples, rest.samples),
		squares: withFirst(squares, allSquares ? restOf(squares, allSquares) : equal) };
}

/** @param {Uint8Array} bytes @param {Comparison} facts @returns {Compared} */
export function readCompared(bytes, facts) {
	const reader = new Reader(bytes);
	const strings = readStrings(reader);
	const functions = readNamedFunctions(reader, strings, facts.kinds);
	const n = reader.number();
	const parent = parentsOf(withFirst(reader.integers(n), 0));
	const func = withFirst(reader.integers(n), functions.name.length - 1);
	const costs = facts.metrics.map((_, metric) =>
		facts.runs.map((__, run) => readRunCosts(reader, n, facts, metric, run)));
	return { costs, model: { functions, n: n + 1, func, parent, end: endsOf(parent),
		calls: new Map(), costs: [], rows: [], tasks: [], cgroups: [], slices: 0, sliceNs: 0 } };
}
