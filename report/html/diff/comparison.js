/** Reads the data of a comparison; report/html/comparison_columns.h describes the columns. */

/** @import { Functions } from "../page/payload.js" */
import { parentsOf, Reader, readStrings } from "../page/payload.js";

/** @typedef {"before" | "after"} Side */
/** @typedef {"self" | "total"} Measure */
/**
 * What comparison_page.c writes. Values are weights over divisors; q is null if nothing was tested.
 * @typedef {object} ComparedMetric
 * @property {string} event
 * @property {string} cost the unit of weights
 * @property {string} unit of values; "": none
 * @property {[number, number]} divisors before and after
 * @property {{before: number, after: number, error: number, q: number | null,
 * significant: boolean}} total of the runs
 */
/**
 * @typedef {object} Run
 * @property {string} file
 * @property {Side} side
 * @property {number} duration nanoseconds
 * @property {[number, number][]} costs samples and weight by metric
 * @property {number} [amount]
 */
/**
 * @typedef {object} Comparison
 * @property {string} version
 * @property {"total" | "samples" | "time" | "metric" | "number"} normalize
 * @property {boolean} shares values are shares
 * @property {number} rate the false discovery rate of what is significant
 * @property {string} [per] what is counted
 * @property {string[]} kinds
 * @property {ComparedMetric[]} metrics
 * @property {Run[]} runs
 */
/** Columns by row. @typedef {{before: Float64Array, after: Float64Array, error: Float32Array,
 * q: Float32Array, significant: Int32Array}} Changes */
/**
 * Rows; the first, which the data do not have, is above all others.
 * @typedef {object} Rows
 * @property {number} n
 * @property {Int32Array} func
 * @property {Int32Array} parent
 * @property {Int32Array} status 0: on both sides; 1: new; 2: gone
 * @property {Record<Measure, Changes>[]} metrics
 */
/** @typedef {{functions: Functions, paths: Rows, table: Rows}} Compared */

/** @param {Reader} reader @param {string[]} strings @param {string[]} kinds @returns {Functions} */
function readNamedFunctions(reader, strings, kinds) {
	const n = reader.number();
	const name = Array.from(reader.integers(n), (of) => strings[of]);
	const module = Array.from(reader.integers(n), (of) => strings[of]);
	const kind = Array.from(reader.integers(n), (of) => kinds[of]);
	return { name: [...name, "all"], module: [...module, ""], kind: [...kind, "root"],
		id: new Int32Array(n + 1).fill(-1), merged: new Int32Array(n + 1) };
}

/** Puts a number before a column's. @template {Int32Array | Float32Array | Float64Array} T
 * @param {T} column @param {number} first @returns {T} */
function withFirst(column, first) {
	const longer = /** @type {T} */ (new /** @type {any} */ (column.constructor)(column.length + 1));
	longer.set(column, 1);
	longer[0] = first;
	return longer;
}

/** What the runs of a side cost. @param {Comparison} facts @param {number} metric
 * @param {Side} side */
function costOfSide(facts, metric, side) {
	return facts.runs.reduce((sum, run) => sum + (run.side === side ? run.costs[metric][1] : 0), 0);
}

/** @param {Reader} reader @param {number} n @param {Comparison} facts @param {number} metric
 * @param {boolean} isAll the row above all others has the cost of the runs
 * @returns {Changes} */
function readChanges(reader, n, facts, metric, isAll) {
	const { total } = facts.metrics[metric];
	const isKnown = isAll && !facts.shares;
	/** @param {Side} side */
	const all = (side) => (isAll ? costOfSide(facts, metric, side) : 0);
	return {
		before: withFirst(reader.numbers(n), all("before")),
		after: withFirst(reader.numbers(n), all("after")),
		error: withFirst(reader.floats(n), isKnown ? total.error : 0),
		q: withFirst(reader.floats(n), isKnown ? total.q ?? NaN : NaN),
		significant: withFirst(reader.integers(n), Number(isKnown && total.significant)),
	};
}

/** @param {Reader} reader @param {Comparison} facts @param {number} root @param {boolean} isTree
 * @returns {Rows} */
function readRowsOf(reader, facts, root, isTree) {
	const n = reader.number();
	const parent = parentsOf(withFirst(reader.integers(n), 0));
	const func = withFirst(reader.integers(n), root);
	const status = withFirst(reader.integers(n), 0);
	const metrics = facts.metrics.map((_, metric) => ({
		self: readChanges(reader, n, facts, metric, !isTree),
		total: readChanges(reader, n, facts, metric, true),
	}));
	return { n: n + 1, func, parent, status, metrics };
}

/** @param {Uint8Array} bytes @param {Comparison} facts @returns {Compared} */
export function readCompared(bytes, facts) {
	const reader = new Reader(bytes);
	const strings = readStrings(reader);
	const functions = readNamedFunctions(reader, strings, facts.kinds);
	const root = functions.name.length - 1;
	const paths = readRowsOf(reader, facts, root, true);
	return { functions, paths, table: readRowsOf(reader, facts, root, false) };
}
