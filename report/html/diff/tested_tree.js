/** The trees and tables of a comparison, which unfold, with the costs of their rows in each run, and the
 * tests of their differences. What of it is shown changes none of these. */

/** @import { Measure } from "./comparison.js" */
/** @import { Selected } from "./selected.js" */
/** @import { Fill } from "./statistics.js" */
/** @import { Item } from "../page/trees.js" */
/** @import { Sums } from "../page/costs.js" */
import { callerTree, calleesOf, callersOf, callTree } from "../page/trees.js";
import { newItem, outerNodes, sumsWithin, Tree } from "../page/trees.js";
import { Tests } from "./statistics.js";

/** "callers", "callees": of one function. @typedef {"paths" | "up" | "callers" | "callees" |
 * "functions"} TreeKind */
/**
 * Rows that have samples enough for a test, each after the one above it.
 * @typedef {object} TestedRows
 * @property {number} n
 * @property {(item: Item) => number} rowOf -1: it is not tested
 * @property {Int32Array} above by row; -1: none is
 * @property {(measure: Measure) => Fill} fill
 */

/** @type {TestedRows} */
const NO_ROWS = { n: 0, rowOf: () => -1, above: new Int32Array(0), fill: () => () => {} };
const CODE = ["user", "inline", "kernel", "marker"];

/** The costs of nodes, as a row's are: weight, samples and squares, run by run.
 * @typedef {(Float64Array | null)[]} Columns */
/** @type {WeakMap<Sums[], Record<Measure, Columns>>} */
const knownColumns = new WeakMap();

/** @param {Sums[]} runs @param {Measure} measure */
function runColumns(runs, measure) {
	let known = knownColumns.get(runs);
	if (!known) {
		known = { self: runs.flatMap((of) => [of.self, of.selfSamples, of.selfSquares]),
			total: runs.flatMap((of) => [of.total, of.samples, of.squares]) };
		knownColumns.set(runs, known);
	}
	return known[measure];
}

/** Adds what nodes cost in each run. @param {Float64Array} costs @param {Sums[]} runs
 * @param {ArrayLike<number>} nodes @param {Measure} measure */
function addNodes(costs, runs, nodes, measure) {
	const columns = runColumns(runs, measure);
	for (let at = 0; at < columns.length; at++) {
		const column = columns[at];
		for (let i = 0; column && i < nodes.length; i++)
			costs[at] += column[nodes[i]];
	}
}

/** By function the number of its row in the table. Copies of inlined functions have that of the
 * function, if they are merged. @param {Selected} selected */
function tableRows({ functions, facts }) {
	const rows = Int32Array.from(functions.name, (_, i) => i);
	if (!facts.mergesCopies)
		return rows;
	/** @param {number} i */
	const key = (i) => `${functions.module[i]}\n${functions.name[i]}`;
	const known = new Map();
	functions.kind.forEach((kind, i) => {
		if (kind === "user" || kind === "kernel")
			known.set(key(i), i);
	});
	return rows.map((i) => (functions.kind[i] === "inline" ? known.get(key(i)) ?? i : i));
}

/** A table of functions as a tree. @param {Selected} selected @returns {Tree} */
function functionTable(selected) {
	const { shape, sums } = selected;
	const rows = tableRows(selected);
	const nodes = /** @type {Map<number, number[]>} */ (new Map());
	for (let node = 1; node < shape.n; node++) {
		const row = rows[shape.func[node]];
		const of = nodes.get(row);
		if (of)
			of.push(node);
		else
			nodes.set(row, [node]);
	}
	const root = newItem(shape.func[0], null, false);
	root.kids = [...nodes].map(([func, of]) => {
		const item = newItem(func, root, false);
		item.nodes = Int32Array.from(of);
		item.kids = [];
		return item;
	});
	const self = { weight: sums.self, samples: sums.selfSamples, squares: null };
	const total = { weight: sums.total, samples: sums.samples, squares: null };
	return new Tree(shape, self, total, root, false);
}

/** @param {Selected} selected @param {TreeKind} kind @param {number} func */
function treeOf(selected, kind, func) {
	const { shape, sums } = selected;
	switch (kind) {
	case "paths": return callTree(shape, sums);
	case "up": return callerTree(shape, sums);
	case "callers": return callersOf(shape, sums, func);
	case "callees": return calleesOf(shape, sums, func);
	default: return functionTable(selected);
	}
}

export class TestedTree {
	/** @param {Selected} selected @param {TreeKind} kind @param {number} func of callers and callees
	 * @param {number} metric @param {boolean} isTested whether rows are: not in a first picture, which
	 * has not all of them */
	constructor(selected, kind, func, metric, isTested) {
		this.selected = selected;
		this.facts = selected.facts;
		this.kind = kind;
		this.func = func;
		this.metric = metric;
		this.tree = treeOf(selected, kind, func);
		this.root = this.tree.root;
		this.isUp = this.tree.isUp;
		this.isOfFunction = kind === "callers" || kind === "callees";
		/** Of one function, by metric. @type {Sums[][]} */
		this.within = [];
		const { whole } = selected.of(metric);
		this.tests = { self: new Tests(this.facts, whole), total: new Tests(this.facts, whole) };
		this.rows = !isTested ? NO_ROWS : kind === "paths" ? this.rowsOfNodes() : this.rowsOfItems();
		const { n, fill } = this.rows;
		const isTree = kind !== "functions";
		/** By row that was tested: q, and how far it moved. */
		this.results = {
			self: this.tests.self.testAll(n, fill("self"), isTree && kind !== "paths"),
			total: this.tests.total.testAll(n, fill("total"), isTree),
		};
	}

	/** What a row costs: weight, samples and squares, run by run. @param {Item} item
	 * @param {Measure} measure @param {number} [metric] */
	costs(item, measure, metric = this.metric) {
		const costs = new Float64Array(3 * this.facts.runs.length);
		this.addItem(costs, item, measure, this.runs(metric));
		return costs;
	}

	/** @param {Float64Array} costs @param {Item} item @param {Measure} measure
	 * @param {Sums[]} runs */
	addItem(costs, item, measure, runs) {
		if (!item.parent && !this.isOfFunction)
			addNodes(costs, runs, [0], measure);
		else if (this.kind === "functions")
			this.addFunction(costs, runs, item, measure);
		else if (this.isUp)
			this.addCallers(costs, runs, item, measure);
		else
			this.addCalls(costs, runs, item, measure);
	}

	/** What the nodes of the tree cost in each run. @param {number} metric @returns {Sums[]} */
	runs(metric) {
		const { runs } = this.selected.of(metric);
		if (!this.isOfFunction)
			return runs;
		this.within[metric] ??= runs.map((sums) =>
			sumsWithin(this.selected.shape, sums, this.func));
		return this.within[metric];
	}

	/** @param {Float64Array} costs @param {Sums[]} runs @param {Item} item @param {Measure} measure */
	addCalls(costs, runs, item, measure) {
		const isAll = this.isOfFunction && !item.parent && measure === "total";
		const nodes = isAll ? outerNodes(this.selected.shape, item.nodes) : item.nodes;
		addNodes(costs, runs, nodes, measure);
	}

	/** A sample counts once in a function's total. @param {Float64Array} costs @param {Sums[]} runs
	 * @param {Item} item @param {Measure} measure */
	addFunction(costs, runs, item, measure) {
		const { shape, functions } = this.selected;
		const isSelf = measure === "self" || !CODE.includes(functions.kind[item.func]);
		let until = 0;
		const nodes = isSelf ? item.nodes : item.nodes.filter((node) => {
			const isOuter = node >= until;
			until = isOuter ? shape.end[node] : until;
			return isOuter;
		});
		addNodes(costs, runs, nodes, isSelf ? "self" : "total");
	}

	/** Callers have what their callee cost, and no cost of their own there. @param {Float64Array} costs
	 * @param {Sums[]} runs @param {Item} item @param {Measure} measure */
	addCallers(costs, runs, item, measure) {
		const isUp = this.kind === "up";
		if (measure === "self" && !isUp && !item.parent)
			this.addSelf(costs, runs, item.func);
		else if (measure === "total" || (isUp && item.depth === 1))
			addNodes(costs, runs, item.origins ?? item.nodes, isUp ? "self" : "total");
	}

	/** @param {Float64Array} costs @param {Sums[]} runs @param {number} func */
	addSelf(costs, runs, func) {
		const { shape } = this.selected;
		addNodes(costs, runs, Int32Array.from(shape.func.keys()).filter((node) =>
			shape.func[node] === func), "self");
	}

	/** Whether costs have samples enough for a test. @param {Float64Array} costs */
	isEnough(costs) {
		return this.tests.total.draws.samples(costs) >= this.facts.samples;
	}

	/** Call paths that have samples enough for a test: all above them have. @returns {TestedRows} */
	rowsOfNodes() {
		const { shape, sums } = this.selected;
		const runs = this.runs(this.metric);
		const rows = new Int32Array(shape.n).fill(-1);
		const nodes = /** @type {number[]} */ ([]);
		for (let node = 1; node < shape.n; node++) {
			if (sums.samples[node] < this.facts.samples)
				continue;
			let samples = 0;
			for (const of of runs)
				samples += of.samples[node];
			if (samples < this.facts.samples)
				continue;
			rows[node] = nodes.length;
			nodes.push(node);
		}
		return { n: nodes.length, rowOf: (item) => rows[item.nodes[0]],
			above: Int32Array.from(nodes, (node) => rows[shape.parent[node]]),
			fill: (measure) => {
				const columns = runColumns(runs, measure).map((column) =>
					column ?? new Float64Array(shape.n));
				return (row, of) => {
					for (let i = 0; i < columns.length; i++)
						of[i] = columns[i][nodes[row]];
				};
			} };
	}

	/** Likewise of a tree that is unfolded for that. @returns {TestedRows} */
	rowsOfItems() {
		const { samples, runs } = this.facts;
		const isTable = this.kind === "functions";
		const rows = /** @type {Map<Item, number>} */ (new Map());
		const costs = { self: /** @type {number[]} */ ([]), total: /** @type {number[]} */ ([]) };
		const above = [];
		const stack = [this.root];
		for (let item; (item = stack.pop());) {
			const isRow = item.parent || this.isOfFunction;
			const total = this.costs(item, "total");
			if (isRow && !this.isEnough(total))
				continue;
			if (isRow) {
				rows.set(item, rows.size);
				costs.total.push(...total);
				costs.self.push(...this.costs(item, "self"));
				above.push(item.parent ? rows.get(item.parent) ?? -1 : -1);
			}
			for (const kid of this.tree.kids(item)) {
				if ((isTable || kid.samples >= samples) && this.isRow(kid))
					stack.push(kid);
			}
		}
		return { n: rows.size, rowOf: (item) => rows.get(item) ?? -1, above: Int32Array.from(above),
			fill: (measure) => (row, of) => {
				for (let i = 0; i < of.length; i++)
					of[i] = costs[measure][3 * runs.length * row + i];
			} };
	}

	/** The bottom-up tree ends at the outermost functions. @param {Item} item */
	isRow(item) {
		return this.kind !== "up" || item.depth === 1 ||
			CODE.includes(this.selected.functions.kind[item.func]);
	}
}
