/** Costs of nodes: of the samples that filters select, exclusive and inclusive. */

/** @import { Costs, Model, Rows } from "./payload.js" */
/** @import { Shape } from "./shape.js" */
import { expression } from "./search.js";

/**
 * A condition that samples meet. "process", "thread", "cpu", "cgroup": who they are of; "module":
 * has it on the path; "focus", "ignore": a regular expression for functions on the path, or "=" and a
 * name, of which the first characters matter.
 * @typedef {{kind: string, value: string}} Filter
 */
/**
 * @typedef {object} Selection
 * @property {number} metric
 * @property {number} from slice
 * @property {number} to the slice after the last; 0: all times
 * @property {boolean} idle without the idle tasks
 * @property {Filter[]} filters
 */
/**
 * @typedef {object} Sums
 * @property {Float64Array} self by node of the shape
 * @property {Float64Array} total
 * @property {Float64Array} samples inclusive
 * @property {Float64Array} selfSamples
 * @property {Float64Array | null} squares inclusive, of the samples' weights; null: not known
 * @property {Float64Array | null} selfSquares
 */

/** Columns that are filled again for each selection, for new memory costs more than filling it. What was
 * made of the last ones has their new values afterwards. */
export class Columns {
	constructor() {
		/** @type {Map<string, Float64Array>} */
		this.known = new Map();
	}

	/** A column of zeros. @param {string} name @param {number} n */
	zeros(name, n) {
		const known = this.known.get(name);
		if (known && known.length >= n)
			return known.subarray(0, n).fill(0);
		const column = new Float64Array(n);
		this.known.set(name, column);
		return column;
	}
}

/** The name of a process's or thread's filter, without a number if that is not known.
 * @param {Model} model @param {number} task @param {string} kind */
export function taskKey(model, task, kind) {
	const { name, pid, tid, thread } = model.tasks[task];
	const [of, id] = kind === "thread" ? [thread, tid] : [name, pid];
	return id < 0 ? of : `${of}/${id}`;
}

/** @param {Model} model @param {string} kind @param {Filter[]} filters */
function allowedTasks(model, kind, filters) {
	const keys = new Set(filters.filter((filter) => filter.kind === kind).map(({ value }) => value));
	if (!keys.size)
		return null;
	return Uint8Array.from(model.tasks, (_, task) => Number(keys.has(taskKey(model, task, kind))));
}

/** By number and 1, as in the rows. @param {() => string[]} names @param {Filter[]} filters
 * @param {string} kind */
function allowedNumbers(names, filters, kind) {
	const keys = new Set(filters.filter((filter) => filter.kind === kind).map(({ value }) => value));
	return keys.size ? Uint8Array.from(["", ...names()], (name) => Number(keys.has(name))) : null;
}

/** Whether each row passes the filters of processes, CPUs, ...; null: all do. @param {Model} model
 * @param {Rows} rows @param {Filter[]} filters @returns {Uint8Array | null} */
export function rowsWanted(model, rows, filters) {
	const cpus = () => Array.from({ length: 1 + rows.cpu.reduce((a, b) => Math.max(a, b), 0) },
		(_, cpu) => String(cpu));
	const tests = /** @type {[Int32Array, Uint8Array | null][]} */ ([
		[rows.task, allowedTasks(model, "process", filters)],
		[rows.task, allowedTasks(model, "thread", filters)],
		[rows.cpu, allowedNumbers(cpus, filters, "cpu")],
		[rows.cgroup, allowedNumbers(() => model.cgroups, filters, "cgroup")],
	]);
	/** @type {Uint8Array | null} */
	let wanted = null;
	for (const [column, allowed] of tests) {
		if (!allowed)
			continue;
		wanted ??= new Uint8Array(rows.n).fill(1);
		for (let i = 0; i < rows.n; i++)
			wanted[i] &= allowed[column[i]];
	}
	return wanted;
}

/** Rows have weights as they were received. @param {Costs} costs @param {number} scale */
function scaleCosts({ weight, squares }, scale) {
	if (Math.abs(scale - 1) <= 1e-9)
		return;
	for (let i = 0; i < weight.length; i++) {
		weight[i] *= scale;
		if (squares)
			squares[i] *= scale * scale;
	}
}

/** @param {Float64Array} column */
function sumOfColumn(column) {
	let sum = 0;
	for (let i = 0; i < column.length; i++)
		sum += column[i];
	return sum;
}

/** By what weights of rows are multiplied, as these were counted. @type {WeakMap<Rows, number>} */
const scales = new WeakMap();

/** @param {Rows} rows @param {Costs} all */
function scaleOf(rows, all) {
	let scale = scales.get(rows);
	if (scale === undefined) {
		const sum = sumOfColumn(rows.weight);
		scale = sum ? sumOfColumn(all.weight) / sum : 1;
		scales.set(rows, scale);
	}
	return scale;
}

/** What the rows that are wanted cost, by node of the model. @param {Model} model
 * @param {Selection} selection @param {Columns} columns @returns {Costs} */
function costsOfRows(model, selection, columns) {
	const rows = model.rows[selection.metric];
	const weight = columns.zeros("weight", model.n);
	const samples = columns.zeros("samples", model.n);
	const squares = rows.squares && columns.zeros("squares", model.n);
	const wanted = rowsWanted(model, rows, selection.filters);
	const first = selection.to ? selection.from + 1 : 0;
	const last = selection.to || model.slices + 1;
	for (let i = 0; i < rows.n; i++) {
		if (rows.slice[i] < first || rows.slice[i] > last || (wanted && !wanted[i]))
			continue;
		weight[rows.node[i]] += rows.weight[i];
		samples[rows.node[i]] += rows.samples[i];
		if (squares && rows.squares)
			squares[rows.node[i]] += rows.squares[i];
	}
	const costs = { weight, samples, squares };
	scaleCosts(costs, scaleOf(rows, model.costs[selection.metric]));
	return costs;
}

/** Whether the selection depends on rows. @param {Selection} selection */
export function needsRows(selection) {
	const ofRows = ["process", "thread", "cpu", "cgroup"];
	return selection.to > 0 || selection.filters.some(({ kind }) => ofRows.includes(kind));
}

/** The filters with another one, or without it. @param {Filter[]} filters @param {Filter} filter */
export function toggled(filters, filter) {
	const others = filters.filter(({ kind, value }) => kind !== filter.kind || value !== filter.value);
	return others.length === filters.length ? [...others, filter] : others;
}

const NAME_LENGTH = 1000;

/** A condition on the function with a name. @param {string} name */
export function exactly(name) {
	return `=${name.slice(0, NAME_LENGTH)}`;
}

/** Which functions meet a condition. @param {Model} model @param {Filter} filter */
function functionsOf(model, filter) {
	const { name, module } = model.functions;
	if (filter.kind === "module")
		return Uint8Array.from(module, (of) => Number(of === filter.value));
	if (filter.value.startsWith("="))
		return Uint8Array.from(name, (of) => Number(exactly(of) === filter.value));
	const pattern = expression(filter.value);
	return Uint8Array.from(name, (of) => Number(pattern.test(of)));
}

/** @param {Costs} costs */
function columnsOf({ weight, samples, squares }) {
	return squares ? [weight, samples, squares] : [weight, samples];
}

/** Moves what paths do not meet the conditions to the root. @param {Model} model
 * @param {Selection} selection @param {Costs} costs */
function selectPaths(model, selection, costs) {
	const filters = selection.filters
		.filter(({ kind }) => ["module", "focus", "ignore"].includes(kind)).slice(0, 30);
	if (!filters.length)
		return;
	const bits = new Int32Array(model.functions.name.length);
	let wanted = 0;
	filters.forEach((filter, bit) => {
		functionsOf(model, filter).forEach((is, func) => (bits[func] |= is << bit));
		wanted |= Number(filter.kind !== "ignore") << bit;
	});
	const met = new Int32Array(model.n);
	const columns = columnsOf(costs);
	for (let i = 1; i < model.n; i++) {
		met[i] = met[model.parent[i]] | bits[model.func[i]];
		if (met[i] === wanted)
			continue;
		for (const column of columns) {
			column[0] += column[i];
			column[i] = 0;
		}
	}
}

/** @param {Model} model @param {Costs} costs */
function dropIdle(model, costs) {
	const { kind, id, name } = model.functions;
	for (let i = 1; i < model.n; i = model.end[i]) {
		const func = model.func[i];
		if (kind[func] !== "process" || !(id[func] === 0 || /^swapper(\/|$)/.test(name[func])))
			continue;
		for (const column of columnsOf(costs))
			column.fill(0, i, model.end[i]);
	}
}

/** @param {Float64Array} self @param {Shape} shape @param {Float64Array} total of as many zeros */
function inclusive(self, shape, total) {
	total.set(self);
	for (let i = shape.n - 1; i > 0; i--)
		total[shape.parent[i]] += total[i];
	return total;
}

/** Adds up what became one node. @param {Float64Array} costs by node of the model
 * @param {Int32Array} from by node of the model that of the shape @param {Float64Array} moved zeros */
function moveCosts(costs, from, moved) {
	for (let i = 0; i < costs.length; i++)
		moved[from[i]] += costs[i];
	return moved;
}

/** @param {Model} model @param {Selection} selection @param {Columns} columns @returns {Costs} */
function selectedCosts(model, selection, columns) {
	const all = model.costs[selection.metric];
	if (model.rows.length && needsRows(selection))
		return costsOfRows(model, selection, columns);
	if (!selection.idle && !selection.filters.length)
		return all;
	/** @param {string} name @param {Float64Array} column */
	const copy = (name, column) => {
		const own = columns.zeros(name, column.length);
		own.set(column);
		return own;
	};
	return { weight: copy("weight", all.weight), samples: copy("samples", all.samples),
		squares: all.squares && copy("squares", all.squares) };
}

/** @param {Model} model @param {Shape} shape @param {Selection} selection
 * @param {Columns} [columns] that sums are in @returns {Sums} */
export function sumUp(model, shape, selection, columns = new Columns()) {
	const costs = selectedCosts(model, selection, columns);
	const { from } = shape;
	if (selection.idle)
		dropIdle(model, costs);
	selectPaths(model, selection, costs);
	/** @param {string} name @param {Float64Array} column */
	const ofShape = (name, column) => (from
		? moveCosts(column, from, columns.zeros(`${name} of the shape`, shape.n)) : column);
	/** @param {string} name @param {Float64Array} column */
	const total = (name, column) => inclusive(column, shape, columns.zeros(`total ${name}`, shape.n));
	const self = ofShape("weight", costs.weight);
	const selfSamples = ofShape("samples", costs.samples);
	const selfSquares = costs.squares && ofShape("squares", costs.squares);
	return {
		self,
		selfSamples,
		selfSquares,
		total: total("weight", self),
		samples: total("samples", selfSamples),
		squares: selfSquares && total("squares", selfSquares),
	};
}

/** The cost of all samples with such a function on their path, each counted once.
 * @param {Shape} shape @param {Float64Array} total @param {Uint8Array} matches by function */
export function matchedCost(shape, total, matches) {
	let sum = 0;
	for (let i = 1; i < shape.n;) {
		const is = matches[shape.func[i]];
		sum += is ? total[i] : 0;
		i = is ? shape.end[i] : i + 1;
	}
	return sum;
}
