/** Trees that unfold when they are looked at: calls, callers, and both of one function. */

/** @import { Shape } from "./shape.js" */
/** @import { Sums } from "./costs.js" */

/**
 * A row of a tree and a frame of its picture.
 * @typedef {object} Item
 * @property {number} func
 * @property {number} self
 * @property {number} total
 * @property {number} samples inclusive
 * @property {Item | null} parent
 * @property {number} depth of the root 0
 * @property {Item[] | null} kids the costliest first; null: not unfolded yet
 * @property {Int32Array} nodes of the shape
 * @property {Float64Array | null} weights callers: what each node's path costs; null: all of it
 */

/** The rows below one row, by function. */
class Groups {
	/** @param {Item} parent */
	constructor(parent) {
		this.parent = parent;
		/** @type {Map<number, {nodes: number[], weights: number[], self: number, total: number,
		 * samples: number}>} */
		this.byFunction = new Map();
	}

	/** @param {number} func */
	group(func) {
		let group = this.byFunction.get(func);
		if (!group) {
			group = { nodes: [], weights: [], self: 0, total: 0, samples: 0 };
			this.byFunction.set(func, group);
		}
		return group;
	}

	/** @param {boolean} hasWeights @returns {Item[]} */
	items(hasWeights) {
		const items = [];
		for (const [func, group] of this.byFunction) {
			items.push({
				func,
				self: group.self,
				total: group.total,
				samples: group.samples,
				parent: this.parent,
				depth: this.parent.depth + 1,
				kids: null,
				nodes: Int32Array.from(group.nodes),
				weights: hasWeights ? Float64Array.from(group.weights) : null,
			});
		}
		return items.sort((a, b) => b.total - a.total || a.func - b.func);
	}
}

/** @param {number} func @returns {Item} */
function newRoot(func) {
	return { func, self: 0, total: 0, samples: 0, parent: null, depth: 0, kids: null,
		nodes: new Int32Array(0), weights: null };
}

export class Tree {
	/** @param {Shape} shape @param {Sums} sums @param {Item} root @param {boolean} isUp */
	constructor(shape, sums, root, isUp) {
		this.shape = shape;
		this.sums = sums;
		this.root = root;
		this.isUp = isUp;
	}

	/** @param {Item} item */
	kids(item) {
		item.kids ??= this.isUp ? this.callers(item) : this.callees(item);
		return item.kids;
	}

	/** @param {Item} item */
	callees(item) {
		const { func, end } = this.shape;
		const { self, total, samples } = this.sums;
		const groups = new Groups(item);
		for (const node of item.nodes) {
			for (let child = node + 1; child < end[node]; child = end[child]) {
				if (!total[child] && !samples[child])
					continue;
				const group = groups.group(func[child]);
				group.nodes.push(child);
				group.self += self[child];
				group.total += total[child];
				group.samples += samples[child];
			}
		}
		return groups.items(false);
	}

	/** @param {Item} item */
	callers(item) {
		const { func, parent } = this.shape;
		const groups = new Groups(item);
		item.nodes.forEach((node, i) => {
			const above = parent[node];
			const weight = item.weights ? item.weights[i] : 0;
			if (!above || !weight)
				return;
			const group = groups.group(func[above]);
			group.nodes.push(above);
			group.weights.push(weight);
			group.total += weight;
		});
		return groups.items(true);
	}

	/** The item that functions lead to, or the last one there is. @param {number[]} path */
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

/** Functions from below the root to an item. @param {Item} item */
export function pathOf(item) {
	const path = [];
	for (let at = item; at.parent; at = at.parent)
		path.unshift(at.func);
	return path;
}

/** @param {Shape} shape @param {Sums} sums */
export function callTree(shape, sums) {
	const root = newRoot(shape.func[0]);
	root.nodes = Int32Array.of(0);
	root.self = sums.self[0];
	root.total = sums.total[0];
	root.samples = sums.samples[0];
	return new Tree(shape, sums, root, false);
}

/** Functions by their own cost, with their callers below them. @param {Shape} shape
 * @param {Sums} sums */
export function callerTree(shape, sums) {
	const root = newRoot(shape.func[0]);
	const groups = new Groups(root);
	root.total = sums.total[0];
	root.samples = sums.samples[0];
	for (let node = 1; node < shape.n; node++) {
		if (!sums.self[node])
			continue;
		const group = groups.group(shape.func[node]);
		group.nodes.push(node);
		group.weights.push(sums.self[node]);
		group.total += sums.self[node];
		group.self += sums.self[node];
		group.samples += sums.selfSamples[node];
	}
	root.kids = groups.items(true);
	return new Tree(shape, sums, root, true);
}

/** Nodes of the function that are not below another one. @param {Shape} shape
 * @param {number} func */
function outermost(shape, func) {
	const nodes = [];
	for (let node = 0; node < shape.n;) {
		const is = shape.func[node] === func;
		if (is)
			nodes.push(node);
		node = is ? shape.end[node] : node + 1;
	}
	return nodes;
}

/** What a function calls, from its outermost calls on. @param {Shape} shape @param {Sums} sums
 * @param {number} func */
export function calleesOf(shape, sums, func) {
	const root = newRoot(func);
	root.nodes = Int32Array.from(outermost(shape, func));
	for (const node of root.nodes) {
		root.self += sums.self[node];
		root.total += sums.total[node];
		root.samples += sums.samples[node];
	}
	return new Tree(shape, sums, root, false);
}

/** Who calls a function: each sample has the caller of its innermost activation. Direct recursion is
 * the same activation, as in `dendro report --view callgraph`. @param {Shape} shape
 * @param {Sums} sums @param {number} func */
export function callersOf(shape, sums, func) {
	const root = newRoot(func);
	const open = /** @type {number[]} */ ([]);
	const nodes = [];
	const weights = new Map();
	for (let node = 1; node < shape.n; node++) {
		if (shape.func[node] !== func)
			continue;
		root.self += sums.self[node];
		if (shape.func[shape.parent[node]] === func)
			continue;
		while (open.length && shape.end[open[open.length - 1]] <= node)
			open.pop();
		const outer = open[open.length - 1];
		nodes.push(node);
		weights.set(node, sums.total[node]);
		if (outer !== undefined)
			weights.set(outer, weights.get(outer) - sums.total[node]);
		root.total += outer === undefined ? sums.total[node] : 0;
		root.samples += outer === undefined ? sums.samples[node] : 0;
		open.push(node);
	}
	root.nodes = Int32Array.from(nodes);
	root.weights = Float64Array.from(nodes, (node) => weights.get(node));
	return new Tree(shape, sums, root, true);
}

/**
 * @typedef {object} FunctionCost
 * @property {number} func
 * @property {number} self
 * @property {number} total each sample counts once
 */
/** All functions with cost. @param {Shape} shape @param {Sums} sums @param {number} n functions
 * @returns {FunctionCost[]} */
export function functionCosts(shape, sums, n) {
	const self = new Float64Array(n);
	const total = new Float64Array(n);
	const until = new Int32Array(n); /* the end of the function's subtree that is open */
	for (let node = 1; node < shape.n; node++) {
		const func = shape.func[node];
		self[func] += sums.self[node];
		if (node < until[func])
			continue;
		total[func] += sums.total[node];
		until[func] = shape.end[node];
	}
	const costs = [];
	for (let func = 0; func < n; func++) {
		if (total[func])
			costs.push({ func, self: self[func], total: total[func] });
	}
	return costs;
}
