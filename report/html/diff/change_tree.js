/** The trees and tables of a comparison, which unfold, with the changes of their rows. */

/** @import { Measure, Side } from "./comparison.js" */
/** @import { Selected } from "./selected.js" */
/** @import { Difference, Fill } from "./statistics.js" */
/** @import { Item } from "../page/trees.js" */
/** @import { Sums } from "../page/costs.js" */
import { callerTree, calleesOf, callersOf, callTree } from "../page/trees.js";
import { newItem, outerNodes, sumsWithin, Tree } from "../page/trees.js";
import { Tests } from "./statistics.js";

/**
 * Values as dendro diff has them.
 * @typedef {object} Values
 * @property {number} before
 * @property {number} after
 * @property {number} difference
 * @property {number} relative to what was before; NaN: there was nothing
 * @property {number} error standard deviation of the difference
 * @property {number} q adjusted probability of such a difference by chance; NaN: not tested
 * @property {boolean} isSignificant
 */
/** "callers", "callees": of one function. @typedef {"paths" | "up" | "callers" | "callees" |
 * "functions"} TreeKind */
/**
 * What is shown of the rows.
 * @typedef {object} Showing
 * @property {TreeKind} kind
 * @property {number} func of callers and callees
 * @property {number} metric
 * @property {Measure} measure that rows are ranked and coloured by
 * @property {Side | "both"} side whose costs are widths
 * @property {boolean} only rows that are significant, and those above them
 * @property {number} status 1: new rows alone; 2: gone ones; 0: all
 * @property {boolean} isTested whether rows are: not in a first picture, which has not all of them
 */

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
const SURELY = 0.5; /* of what moved below its parent: the hot path goes on */
const CODE = ["user", "inline", "kernel", "marker"];

/** The costs of nodes, as a row's are: weight, samples and squares, run by run. @param {Sums[]} runs
 * @param {Measure} measure */
function runColumns(runs, measure) {
	return runs.flatMap((of) => (measure === "self" ? [of.self, of.selfSamples, of.selfSquares]
		: [of.total, of.samples, of.squares]));
}

/** Adds what nodes cost in each run. @param {Float64Array} costs @param {Sums[]} runs
 * @param {ArrayLike<number>} nodes @param {Measure} measure */
function addNodes(costs, runs, nodes, measure) {
	runColumns(runs, measure).forEach((column, at) => {
		let sum = 0;
		for (let i = 0; column && i < nodes.length; i++)
			sum += column[nodes[i]];
		costs[at] += sum;
	});
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

/** @param {Selected} selected @param {Showing} showing */
function treeOf(selected, { kind, func }) {
	const { shape, sums } = selected;
	switch (kind) {
	case "paths": return callTree(shape, sums);
	case "up": return callerTree(shape, sums);
	case "callers": return callersOf(shape, sums, func);
	case "callees": return calleesOf(shape, sums, func);
	default: return functionTable(selected);
	}
}

export class ChangeTree {
	/** @param {Selected} selected @param {Showing} showing */
	constructor(selected, showing) {
		this.selected = selected;
		this.facts = selected.facts;
		this.showing = showing;
		this.tree = treeOf(selected, showing);
		this.root = this.tree.root;
		this.isUp = this.tree.isUp;
		this.isOfFunction = showing.kind === "callers" || showing.kind === "callees";
		/** Of one function, by metric. @type {Sums[][]} */
		this.within = [];
		const { whole } = selected.of(showing.metric);
		this.tests = { self: new Tests(this.facts, whole), total: new Tests(this.facts, whole) };
		/** @type {Map<Item, Partial<Record<Measure, Values>>>} */
		this.known = new Map();
		/** @type {Set<Item>} */
		this.isPrepared = new Set();
		this.rows = !showing.isTested ? NO_ROWS
			: showing.kind === "paths" ? this.rowsOfNodes() : this.rowsOfItems();
		const empty = new Float64Array(0);
		/** By row that was tested. @type {Record<Measure, Float64Array>} */
		this.q = { self: empty, total: empty };
		this.largest = 0;
		/** How far a row moved, or those below it, and whether one of them is significant. */
		this.moved = new Float64Array(this.rows.n);
		this.isKept = new Uint8Array(this.rows.n);
		this.test();
		this.root.total = this.size(this.root);
	}

	/** What a row costs: weight, samples and squares, run by run. @param {Item} item
	 * @param {Measure} measure @param {number} [metric] */
	costs(item, measure, metric = this.showing.metric) {
		const costs = new Float64Array(3 * this.facts.runs.length);
		this.addItem(costs, item, measure, this.runs(metric));
		return costs;
	}

	/** @param {Float64Array} costs @param {Item} item @param {Measure} measure
	 * @param {Sums[]} runs */
	addItem(costs, item, measure, runs) {
		if (!item.parent && !this.isOfFunction)
			addNodes(costs, runs, [0], measure);
		else if (this.showing.kind === "functions")
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
			sumsWithin(this.selected.shape, sums, this.showing.func));
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
		const isUp = this.showing.kind === "up";
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
		const runs = this.runs(this.showing.metric);
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
				const columns = runColumns(runs, measure);
				return (row, of) => {
					for (let i = 0; i < columns.length; i++)
						of[i] = columns[i]?.[nodes[row]] ?? 0;
				};
			} };
	}

	/** Likewise of a tree that is unfolded for that. @returns {TestedRows} */
	rowsOfItems() {
		const { samples, runs } = this.facts;
		const isTable = this.showing.kind === "functions";
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

	/** Tests all rows that have samples enough, and notes how far they moved. */
	test() {
		const { kind, measure } = this.showing;
		const { n, above, fill } = this.rows;
		const isTree = kind !== "functions";
		const self = this.tests.self.testAll(n, fill("self"), isTree && kind !== "paths");
		const total = this.tests.total.testAll(n, fill("total"), isTree);
		const distances = { self: self.distances, total: total.distances };
		this.q = { self: self.q, total: total.q };
		for (let row = n - 1; row >= 0; row--) {
			const distance = distances[measure][row];
			this.largest = Math.max(this.largest, distance);
			this.isKept[row] |= Number(this.q[measure][row] <= this.facts.rate);
			this.moved[row] = Math.max(this.moved[row], distance, isTree ? distances.self[row] : 0);
			if (above[row] < 0)
				continue;
			this.isKept[above[row]] |= this.isKept[row];
			this.moved[above[row]] = Math.max(this.moved[above[row]], this.moved[row]);
		}
	}

	/** The bottom-up tree ends at the outermost functions. @param {Item} item */
	isRow(item) {
		return this.showing.kind !== "up" || item.depth === 1 ||
			CODE.includes(this.selected.functions.kind[item.func]);
	}

	/** @param {Difference} found @param {number} q @returns {Values} */
	valuesOf({ before, after, error }, q) {
		const difference = after - before;
		return { before, after, difference, relative: before ? difference / before : NaN, error, q,
			isSignificant: q <= this.facts.rate };
	}

	/** What is above all rows: the cost of the runs. @param {Measure} measure @returns {Values} */
	valuesOfRuns(measure) {
		const { whole } = this.selected.of(this.showing.metric);
		const costs = this.costs(this.root, this.showing.kind === "functions" ? "total" : measure);
		const alone = new Tests(this.facts, whole);
		const [q] = alone.testAll(1, (_, of) => of.set(costs), false).q;
		const found = alone.compare(costs);
		return this.facts.shares ? this.valuesOf({ ...found, error: 0 }, NaN)
			: this.valuesOf(found, q);
	}

	/** @param {Item} item @param {Measure} measure @returns {Values} */
	values(item, measure) {
		let known = this.known.get(item);
		if (!known) {
			known = {};
			this.known.set(item, known);
		}
		known[measure] ??= !item.parent && !this.isOfFunction ? this.valuesOfRuns(measure)
			: this.valuesOf(this.tests[measure].compare(this.costs(item, measure)),
				this.q[measure][this.rows.rowOf(item)] ?? NaN);
		return known[measure];
	}

	/** On which sides a row has cost of any event: 0: both; 1: after, it is new; 2: before, it is
	 * gone. @param {Item} item */
	status(item) {
		const has = [false, false];
		for (let metric = 0; metric < this.facts.metrics.length; metric++) {
			const costs = this.costs(item, "total", metric);
			this.facts.runs.forEach(({ side }, run) => {
				has[Number(side === "after")] ||= costs[3 * run] > 0;
			});
		}
		return has[0] === has[1] ? 0 : has[1] ? 1 : 2;
	}

	/** How far a row moved, or those below it: of an untested one by itself. In trees, what a
	 * function costs itself can move without its total. @param {Item} item */
	distance(item) {
		const row = this.rows.rowOf(item);
		if (row >= 0)
			return this.moved[row];
		const own = Math.abs(this.values(item, this.showing.measure).difference);
		return this.showing.kind === "functions" ? own
			: Math.max(own, Math.abs(this.values(item, "self").difference));
	}

	/** How wide a row is. @param {Item} item */
	size(item) {
		const { before, after } = this.values(item, "total");
		const { side } = this.showing;
		return side === "both" ? (before + after) / 2 : side === "before" ? before : after;
	}

	/** Whether a row is shown. @param {Item} item */
	isWanted(item) {
		const { before, after } = this.values(item, "total");
		return (before > 0 || after > 0) && this.isRow(item) &&
			(!this.showing.only || this.isKept[this.rows.rowOf(item)] === 1) &&
			(!this.showing.status || this.status(item) === this.showing.status);
	}

	/** How many call paths are shown, or functions. */
	count() {
		const { kind, only, metric } = this.showing;
		if (kind !== "paths")
			return this.kids(this.root).length;
		return only ? this.isKept.reduce((sum, is) => sum + is, 0) : this.selected.countPaths(metric);
	}

	/** What is widest on both sides comes first, so that frames of either side are in one order.
	 * @param {Item} item @returns {Item[]} */
	kids(item) {
		if (this.isPrepared.has(item))
			return item.kids ?? [];
		this.isPrepared.add(item);
		const kids = this.tree.kids(item).filter((kid) => this.isWanted(kid));
		/** @param {Item} of */
		const both = (of) => this.values(of, "total").before + this.values(of, "total").after;
		kids.sort((a, b) => both(b) - both(a) || a.func - b.func);
		kids.forEach((kid) => (kid.total = this.size(kid)));
		item.kids = kids;
		return kids;
	}

	/** @param {Item} item */
	hasKids(item) {
		return this.kids(item).length > 0;
	}

	/** What moved most comes first. @param {Item} item @returns {Item[]} */
	ranked(item) {
		return [...this.kids(item)].sort((a, b) =>
			this.distance(b) - this.distance(a) || a.func - b.func);
	}

	/** @param {Item} item @returns {Item | null} */
	hottest(item) {
		const first = /** @type {Item | undefined} */ (this.ranked(item)[0]);
		if (!first || this.rows.rowOf(first) < 0)
			return null;
		const isAll = !item.parent && !this.isOfFunction;
		return this.distance(first) && (isAll || this.distance(first) >= SURELY * this.distance(item))
			? first : null;
	}

	/** The run has what is not selected, which is not drawn. @param {Item} item */
	width(item) {
		return item.parent || this.isOfFunction ? item.total
			: this.kids(item).reduce((sum, kid) => sum + kid.total, 0);
	}

	/** The item that functions lead to, or the last one there is. @param {number[]} path
	 * @returns {Item} */
	find(path) {
		let item = this.root;
		for (const func of path) {
			const next = this.kids(item).find((kid) => kid.func === func);
			if (!next)
				return item;
			item = next;
		}
		return item;
	}
}
