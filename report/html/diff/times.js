/** Reads when and in which threads call paths had their cost; report/html/comparison_rows.h describes
 * the columns. */

/** @import { Functions, Model, Rows, Task } from "../page/payload.js" */
/** @import { Compared, Comparison, Side } from "./comparison.js" */
import { endsOf, Reader, readStrings } from "../page/payload.js";
import { squaresOf } from "./comparison.js";

/**
 * @typedef {object} Times
 * @property {number} least paths with fewer samples have no times of their own; 0: all have
 * @property {Record<Side, {slices: number, sliceNs: number}>} sides
 * @property {Task[]} tasks of all runs: threads by name
 * @property {Rows[][]} rows by metric and run
 */

/** @param {Reader} reader @param {Comparison} facts @returns {Rows} */
function readRunRows(reader, facts) {
	const n = reader.number();
	const node = reader.rising(n);
	const slice = reader.integers(n);
	const task = reader.integers(n);
	const weight = reader.numbers(n);
	const samples = reader.numbers(n);
	const squares = squaresOf(reader.numbers(n), 2 ** -facts.unevenBits, { weight, samples });
	const none = new Int32Array(0);
	return { n, node, slice, task, cpu: none, cgroup: none, samples, weight, squares };
}

/** @param {Reader} reader @returns {Times["sides"]} */
function readSides(reader) {
	/** @returns {{slices: number, sliceNs: number}} */
	const side = () => ({ slices: reader.number(), sliceNs: reader.number() * 1000 });
	const before = side();
	return { before, after: side() };
}

/** A thread has no number: runs have none in common. @param {Reader} reader @returns {Task[]} */
function readThreads(reader) {
	const strings = readStrings(reader);
	const n = reader.number();
	const processes = reader.integers(n);
	const threads = reader.integers(n);
	return Array.from(processes, (process, i) =>
		({ pid: -1, tid: -1, name: strings[process], thread: strings[threads[i]] }));
}

/** @param {Uint8Array} bytes @param {Comparison} facts @returns {Times | null} null: there are none */
export function readTimes(bytes, facts) {
	if (!bytes.length)
		return null;
	const reader = new Reader(bytes);
	const least = reader.number();
	const sides = readSides(reader);
	const tasks = readThreads(reader);
	const rows = facts.metrics.map(() => facts.runs.map(() => readRunRows(reader, facts)));
	return { least, sides, tasks, rows };
}

/** Adds the function of what is too small. @param {Functions} functions @param {number} least
 * @returns {Functions} */
function withRest(functions, least) {
	const { name, module, kind, id, merged } = functions;
	return { name: [...name, `[paths with fewer than ${least} samples]`], module: [...module, ""],
		kind: [...kind, "marker"], id: Int32Array.of(...id, -1), merged: Int32Array.of(...merged, 0) };
}

/** Nodes with one more below some of them, its last: of what is too small. */
class Rests {
	/** @param {Model} model @param {Uint8Array} hasRest by node */
	constructor(model, hasRest) {
		const n = model.n + hasRest.reduce((sum, has) => sum + has, 0);
		this.parent = new Int32Array(n);
		this.func = new Int32Array(n);
		this.from = new Int32Array(n); /* the number that a node had; -1: of what is too small */
		this.number = new Int32Array(model.n);
		this.rest = new Int32Array(model.n);
		this.n = 0;
		let open = -1; /* the innermost node whose last one may not be there yet */
		for (let node = 0; node <= model.n; node++) {
			for (; open >= 0 && model.end[open] <= node; open = open ? model.parent[open] : -1) {
				if (hasRest[open])
					this.rest[open] = this.add(this.number[open], model.functions.name.length, -1);
			}
			if (node === model.n)
				return;
			this.number[node] = this.add(this.number[model.parent[node]], model.func[node], node);
			open = node;
		}
	}

	/** @param {number} parent @param {number} func @param {number} from */
	add(parent, func, from) {
		this.parent[this.n] = parent;
		this.func[this.n] = func;
		this.from[this.n] = from;
		return this.n++;
	}
}

/** Puts a node for what is too small to have times below each one that has such paths. It costs
 * nothing unless times or threads are chosen. @param {Compared} compared @param {Times} times whose rows
 * have the numbers of these nodes then @returns {Compared} */
export function withRests(compared, times) {
	const { model, costs } = compared;
	const all = times.rows.flat();
	const hasRest = new Uint8Array(model.n);
	for (const { node } of all) {
		for (let i = 0; i < node.length; i++)
			hasRest[node[i] >> 1] |= node[i] & 1;
	}
	const { number, rest, from, parent, func, n } = new Rests(model, hasRest);
	for (const { node } of all) {
		for (let i = 0; i < node.length; i++)
			node[i] = node[i] & 1 ? rest[node[i] >> 1] : number[node[i] >> 1];
	}
	/** @param {Float64Array} column */
	const spread = (column) => {
		const wide = new Float64Array(n);
		for (let i = 0; i < n; i++)
			wide[i] = from[i] < 0 ? 0 : column[from[i]];
		return wide;
	};
	return n === model.n ? compared : {
		costs: costs.map((runs) => runs.map(({ weight, samples, squares }) => ({
			weight: spread(weight), samples: spread(samples),
			squares: squares && spread(squares) }))),
		model: { ...model, n, parent, func, end: endsOf(parent),
			functions: withRest(model.functions, times.least) },
	};
}

/** All runs of a side as one profile, for its timeline. @param {Model} model @param {Times} times
 * @param {Comparison} facts @param {Side} side @returns {Model} */
export function modelOfSide(model, times, facts, side) {
	const rows = times.rows.map((runs) => joined(runs.filter((_, run) =>
		facts.runs[run].side === side)));
	return { ...model, ...times.sides[side], rows, tasks: times.tasks };
}

/** @param {Rows[]} all @returns {Rows} */
function joined(all) {
	/** @template {Int32Array | Float64Array} T @param {T[]} columns @returns {T} */
	const join = (columns) => {
		const n = columns.reduce((sum, { length }) => sum + length, 0);
		const column = new /** @type {any} */ (columns[0].constructor)(n);
		columns.reduce((at, of) => {
			column.set(of, at);
			return at + of.length;
		}, 0);
		return column;
	};
	const names = /** @type {const} */ (["node", "slice", "task", "cpu", "cgroup", "samples", "weight",
		"squares"]);
	return /** @type {Rows} */ ({ n: all.reduce((sum, { n }) => sum + n, 0),
		...Object.fromEntries(names.map((name) => [name,
			join(all.map((rows) => /** @type {Float64Array} */ (rows[name])))])) });
}
