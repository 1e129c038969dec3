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

/** What paths do not have of a run's cost. @param {Float64Array} column of them, after 0
 * @param {number} all */
function restOf(column, all) {
	let sum = 0;
	for (let i = 1; i < column.length; i++)
		sum += column[i];
	return Math.max(all - sum, 0);
}

/** Makes squares of how uneven the weights are. @param {Float64Array} column @param {number} unit
 * @param {{weight: Float64Array, samples: Float64Array}} costs */
export function squaresOf(column, unit, { weight, samples }) {
	for (let i = 0; i < column.length; i++)
		column[i] = samples[i] ? ((weight[i] * weight[i]) / samples[i]) * (1 + column[i] * unit) : 0;
	return column;
}

/** @param {Reader} reader @param {number} n @param {Comparison} facts @param {number} metric
 * @param {number} run @returns {Costs} */
function readRunCosts(reader, n, facts, metric, run) {
	const [allSamples, allWeight, allSquares] = facts.runs[run].costs[metric];
	const weight = reader.numbers(n, 1);
	const samples = reader.numbers(n, 1);
	const squares = squaresOf(reader.numbers(n, 1), 2 ** -facts.unevenBits, { weight, samples });
	weight[0] = restOf(weight, allWeight);
	samples[0] = restOf(samples, allSamples);
	const equal = samples[0] ? (weight[0] * weight[0]) / samples[0] : 0;
	squares[0] = allSquares ? restOf(squares, allSquares) : equal;
	return { weight, samples, squares };
}

/** @param {Uint8Array} bytes @param {Comparison} facts @returns {Compared} */
export function readCompared(bytes, facts) {
	const reader = new Reader(bytes);
	const strings = readStrings(reader);
	const functions = readNamedFunctions(reader, strings, facts.kinds);
	const n = reader.number();
	const parent = parentsOf(reader.integers(n, 1));
	const func = reader.integers(n, 1);
	func[0] = functions.name.length - 1;
	const costs = facts.metrics.map((_, metric) =>
		facts.runs.map((__, run) => readRunCosts(reader, n, facts, metric, run)));
	return { costs, model: { functions, n: n + 1, func, parent, end: endsOf(parent),
		calls: new Map(), costs: [], rows: [], tasks: [], cgroups: [], slices: 0, sliceNs: 0 } };
}
