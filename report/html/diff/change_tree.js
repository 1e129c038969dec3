/** The rows of a comparison as a tree that unfolds. */

/** @import { Comparison, Measure, Rows, Side } from "./comparison.js" */
/** @import { Item } from "../page/trees.js" */

/** A row: its cost is how wide it is in the picture. @typedef {Item & {row: number}} Change */
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
 * @property {number} metric
 * @property {Measure} measure that rows are ranked and coloured by
 * @property {Side | "both"} side whose costs are widths
 * @property {boolean} only rows that are significant, and those above them
 * @property {number} status 1: new rows alone; 2: gone ones; 0: all
 */

const SURELY = 0.5; /* of what moved below its parent: the hot path goes on */

export class ChangeTree {
	/** @param {Rows} rows @param {Comparison} facts @param {Showing} showing */
	constructor(rows, facts, showing) {
		this.rows = rows;
		this.divisors = facts.metrics[showing.metric].divisors;
		this.showing = showing;
		this.isUp = false;
		this.wanted = this.choose();
		this.moved = this.findMoved();
		this.largest = this.findLargest();
		this.below = this.listBelow();
		/** @type {Change} */
		this.root = this.item(0, null);
	}

	/** @param {number} row @param {Measure} measure @returns {Values} */
	values(row, measure) {
		const of = this.rows.metrics[this.showing.metric][measure];
		const before = this.divisors[0] ? of.before[row] / this.divisors[0] : 0;
		const after = this.divisors[1] ? of.after[row] / this.divisors[1] : 0;
		const difference = after - before;
		return { before, after, difference, relative: before ? difference / before : NaN,
			error: of.error[row], q: of.q[row], isSignificant: of.significant[row] === 1 };
	}

	/** How far a row moved by the measure. @param {number} row */
	distance(row) {
		return Math.abs(this.values(row, this.showing.measure).difference);
	}

	/** Which rows are shown: those with cost of the event. */
	choose() {
		const { n, parent, status } = this.rows;
		const { only, status: wantedStatus, metric, measure } = this.showing;
		const { significant } = this.rows.metrics[metric][measure];
		const { before, after } = this.rows.metrics[metric].total;
		const wanted = new Uint8Array(n);
		wanted[0] = 1;
		for (let i = n - 1; i > 0; i--) {
			if ((before[i] || after[i]) && (!only || significant[i]) &&
				(!wantedStatus || status[i] === wantedStatus))
				wanted[i] = 1;
			if (wanted[i])
				wanted[parent[i]] = 1;
		}
		return wanted;
	}

	/** By row, how far it moved, or the row below it that moved farthest. */
	findMoved() {
		const { n, parent } = this.rows;
		const isTable = parent.every((above) => above === 0);
		const moved = new Float64Array(n);
		for (let i = n - 1; i > 0; i--) {
			moved[i] = Math.max(moved[i], this.distance(i));
			if (!isTable)
				moved[i] = Math.max(moved[i], Math.abs(this.values(i, "self").difference));
			moved[parent[i]] = Math.max(moved[parent[i]], moved[i]);
		}
		return moved;
	}

	findLargest() {
		let largest = 0;
		for (let i = 1; i < this.rows.n; i++)
			largest = Math.max(largest, this.wanted[i] ? this.distance(i) : 0);
		return largest;
	}

	/** By row, the numbers of those that are shown below it. */
	listBelow() {
		const { n, parent } = this.rows;
		const below = /** @type {Map<number, number[]>} */ (new Map());
		for (let i = 1; i < n; i++) {
			if (!this.wanted[i])
				continue;
			const list = below.get(parent[i]);
			if (list)
				list.push(i);
			else
				below.set(parent[i], [i]);
		}
		return below;
	}

	/** How wide a row is. @param {number} row */
	size(row) {
		const { before, after } = this.values(row, "total");
		const { side } = this.showing;
		return side === "both" ? (before + after) / 2 : side === "before" ? before : after;
	}

	/** @param {number} row @param {Item | null} parent @returns {Change} */
	item(row, parent) {
		return { row, func: this.rows.func[row], self: 0, total: this.size(row), samples: 0,
			selfSamples: 0, squares: null, selfSquares: null, parent,
			depth: parent ? parent.depth + 1 : 0, kids: null, nodes: Int32Array.of(row),
			parts: null };
	}

	/** @param {Item} item */
	rowOf(item) {
		return item.nodes[0];
	}

	/** @param {Item} item */
	hasKids(item) {
		return this.below.has(this.rowOf(item));
	}

	/** What is widest on both sides comes first, so that frames of either side are in one order.
	 * @param {Item} item @returns {Item[]} */
	kids(item) {
		if (!item.kids) {
			const both = this.rows.metrics[this.showing.metric].total;
			/** @param {Item} of */
			const weight = (of) => both.before[this.rowOf(of)] / (this.divisors[0] || 1) +
				both.after[this.rowOf(of)] / (this.divisors[1] || 1);
			item.kids = (this.below.get(this.rowOf(item)) ?? []).map((row) => this.item(row, item));
			item.kids.sort((a, b) => weight(b) - weight(a) || this.rowOf(a) - this.rowOf(b));
		}
		return item.kids;
	}

	/** What moved most comes first. @param {Item} item @returns {Item[]} */
	ranked(item) {
		return [...this.kids(item)].sort((a, b) =>
			this.moved[this.rowOf(b)] - this.moved[this.rowOf(a)] || this.rowOf(a) - this.rowOf(b));
	}

	/** @param {Item} item @returns {Item | null} */
	hottest(item) {
		const first = /** @type {Item | undefined} */ (this.ranked(item)[0]);
		const moved = first ? this.moved[this.rowOf(first)] : 0;
		return first && moved && moved >= SURELY * this.moved[this.rowOf(item)] ? first : null;
	}

	/** The run has what is not selected, which is not drawn. @param {Item} item */
	width(item) {
		return item.parent ? item.total
			: this.kids(item).reduce((sum, kid) => sum + kid.total, 0);
	}

	/** The item that functions lead to, or the last one there is. @param {number[]} path
	 * @returns {Item} */
	find(path) {
		let item = /** @type {Item} */ (this.root);
		for (const func of path) {
			const next = this.kids(item).find((kid) => kid.func === func);
			if (!next)
				return item;
			item = next;
		}
		return item;
	}
}
