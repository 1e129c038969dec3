/** What is shown of a tree of a comparison: which rows, how wide they are, and how far they moved. */

/** @import { Measure, Side } from "./comparison.js" */
/** @import { Difference } from "./statistics.js" */
/** @import { TestedTree } from "./tested_tree.js" */
/** @import { Item } from "../page/trees.js" */
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
/**
 * What is shown of the rows.
 * @typedef {object} Showing
 * @property {Measure} measure that rows are ranked and coloured by
 * @property {Side | "both"} side whose costs are widths
 * @property {boolean} only rows that are significant, and those above them
 * @property {number} status 1: new rows alone; 2: gone ones; 0: all
 */

const SURELY = 0.5; /* of what moved below its parent: the hot path goes on */

export class ChangeTree {
	/** @param {TestedTree} tested whose items are this tree's from now on @param {Showing} showing */
	constructor(tested, showing) {
		this.tested = tested;
		this.facts = tested.facts;
		this.showing = showing;
		this.tree = tested.tree;
		this.root = this.tree.root;
		this.isUp = this.tree.isUp;
		this.isOfFunction = tested.isOfFunction;
		/** @type {Map<Item, Partial<Record<Measure, Values>>>} */
		this.known = new Map();
		/** @type {Map<Item, Item[]>} */
		this.shown = new Map();
		this.largest = 0;
		/** How far a row moved, or those below it, and whether one of them is significant. */
		this.moved = new Float64Array(tested.rows.n);
		this.isKept = new Uint8Array(tested.rows.n);
		this.findMoves();
		this.root.total = this.size(this.root);
	}

	findMoves() {
		const { measure } = this.showing;
		const { rows: { n, above }, results, kind } = this.tested;
		for (let row = n - 1; row >= 0; row--) {
			const distance = results[measure].distances[row];
			this.largest = Math.max(this.largest, distance);
			this.isKept[row] |= Number(results[measure].q[row] <= this.facts.rate);
			this.moved[row] = Math.max(this.moved[row], distance,
				kind === "functions" ? 0 : results.self.distances[row]);
			if (above[row] < 0)
				continue;
			this.isKept[above[row]] |= this.isKept[row];
			this.moved[above[row]] = Math.max(this.moved[above[row]], this.moved[row]);
		}
	}

	/** @param {Difference} found @param {number} q @returns {Values} */
	valuesOf({ before, after, error }, q) {
		const difference = after - before;
		return { before, after, difference, relative: before ? difference / before : NaN, error, q,
			isSignificant: q <= this.facts.rate };
	}

	/** What is above all rows: the cost of the runs. @param {Measure} measure @returns {Values} */
	valuesOfRuns(measure) {
		const { whole } = this.tested.selected.of(this.tested.metric);
		const costs = this.tested.costs(this.root, this.tested.kind === "functions" ? "total" : measure);
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
			: this.valuesOf(this.tested.tests[measure].compare(this.tested.costs(item, measure)),
				this.tested.results[measure].q[this.tested.rows.rowOf(item)] ?? NaN);
		return known[measure];
	}

	/** On which sides a row has cost of any event: 0: both; 1: after, it is new; 2: before, it is
	 * gone. @param {Item} item */
	status(item) {
		const has = [false, false];
		for (let metric = 0; metric < this.facts.metrics.length; metric++) {
			const costs = this.tested.costs(item, "total", metric);
			this.facts.runs.forEach(({ side }, run) => {
				has[Number(side === "after")] ||= costs[3 * run] > 0;
			});
		}
		return has[0] === has[1] ? 0 : has[1] ? 1 : 2;
	}

	/** How far a row moved, or those below it: of an untested one by itself. In trees, what a
	 * function costs itself can move without its total. @param {Item} item */
	distance(item) {
		const row = this.tested.rows.rowOf(item);
		if (row >= 0)
			return this.moved[row];
		const own = Math.abs(this.values(item, this.showing.measure).difference);
		return this.tested.kind === "functions" ? own
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
		return (before > 0 || after > 0) && this.tested.isRow(item) &&
			(!this.showing.only || this.isKept[this.tested.rows.rowOf(item)] === 1) &&
			(!this.showing.status || this.status(item) === this.showing.status);
	}

	/** How many call paths are shown, or functions. */
	count() {
		const { kind, selected, metric } = this.tested;
		if (kind !== "paths")
			return this.kids(this.root).length;
		return this.showing.only ? this.isKept.reduce((sum, is) => sum + is, 0)
			: selected.countPaths(metric);
	}

	/** What is widest on both sides comes first, so that frames of either side are in one order.
	 * @param {Item} item @returns {Item[]} */
	kids(item) {
		const known = this.shown.get(item);
		if (known)
			return known;
		const kids = this.tree.kids(item).filter((kid) => this.isWanted(kid));
		/** @param {Item} of */
		const both = (of) => this.values(of, "total").before + this.values(of, "total").after;
		kids.sort((a, b) => both(b) - both(a) || a.func - b.func);
		kids.forEach((kid) => (kid.total = this.size(kid)));
		this.shown.set(item, kids);
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
		if (!first || this.tested.rows.rowOf(first) < 0)
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
