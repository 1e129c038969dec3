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
 * @property {number} selfSamples
 * @property {number | null} squares inclusive, of the samples' weights; null: not known
 * @property {number | null} selfSquares
 * @property {Item | null} parent
 * @property {number} depth of the root 0
 * @property {Item[] | null} kids the costliest first; null: not unfolded yet
 * @property {Int32Array} nodes of the shape
 * @property {Int32Array | null} origins callers: by node, the one whose cost it has; null: its own
 */
/**
 * What a picture and a table need of a tree.
 * @typedef {object} Unfolding
 * @property {Item} root
 * @property {boolean} isUp the root's children are innermost functions
 * @property {(item: Item) => boolean} hasKids
 * @property {(item: Item) => Item[]} kids in the order of the picture
 * @property {(item: Item) => Item[]} ranked likewise in that of the table
 * @property {(item: Item) => Item | null} hottest where the hot path goes on; null: it ends here
 * @property {(item: Item) => number} width what an item's children share in the picture
 */
/** By node. @typedef {{weight: Float64Array, samples: Float64Array, squares: Float64Array | null}}
 * NodeCosts */

/** @param {number} func @param {Item | null} parent @param {boolean} hasSquares @returns {Item} */
export function newItem(func, parent, hasSquares) {
	const squares = hasSquares ? 0 : null;
	return { func, self: 0, total: 0, samples: 0, selfSamples: 0, squares, selfSquares: squares,
		parent, depth: parent ? parent.depth + 1 : 0, kids: null, nodes: new Int32Array(0),
		origins: null };
}

/** @param {Sums} sums @returns {NodeCosts} */
function selfOf({ self, selfSamples, selfSquares }) {
	return { weight: self, samples: selfSamples, squares: selfSquares };
}

/** @param {Sums} sums @returns {NodeCosts} */
function totalOf({ total, samples, squares }) {
	return { weight: total, samples, squares };
}

/** @param {Item} item @param {NodeCosts} costs @param {number} node */
function addSelf(item, { weight, samples, squares }, node) {
	item.self += weight[node];
	item.selfSamples += samples[node];
	if (item.selfSquares !== null && squares)
		item.selfSquares += squares[node];
}

/** @param {Item} item @param {NodeCosts} costs @param {number} node */
function addTotal(item, { weight, samples, squares }, node) {
	item.total += weight[node];
	item.samples += samples[node];
	if (item.squares !== null && squares)
		item.squares += squares[node];
}

/** The rows below one row, by function. */
class Groups {
	/** @param {Item} parent */
	constructor(parent) {
		this.parent = parent;
		/** @type {Map<number, {item: Item, nodes: number[], origins: number[]}>} */
		this.byFunction = new Map();
	}

	/** The item of a function, which gets another node. @param {number} func @param {number} node
	 * @param {number} [origin] */
	add(func, node, origin) {
		let group = this.byFunction.get(func);
		if (!group) {
			const hasSquares = this.parent.squares !== null;
			group = { item: newItem(func, this.parent, hasSquares), nodes: [], origins: [] };
			this.byFunction.set(func, group);
		}
		group.nodes.push(node);
		if (origin !== undefined)
			group.origins.push(origin);
		return group.item;
	}

	/** @returns {Item[]} */
	items() {
		const items = [];
		for (const { item, nodes, origins } of this.byFunction.values()) {
			item.nodes = Int32Array.from(nodes);
			item.origins = origins.length ? Int32Array.from(origins) : null;
			items.push(item);
		}
		return items.sort((a, b) => b.total - a.total || a.func - b.func);
	}
}

const HOT_SHARE = 0.5; /* of its parent: the hot path goes on */

export class Tree {
	/** @param {Shape} shape @param {NodeCosts} self @param {NodeCosts} total of callers: what goes from
	 * an origin to its callers @param {Item} root @param {boolean} isUp
	 * @param {number} [only] the function whose activations the tree is of; -1: any */
	constructor(shape, self, total, root, isUp, only = -1) {
		this.shape = shape;
		this.self = self;
		this.total = total;
		this.root = root;
		this.isUp = isUp;
		this.only = only;
	}

	/** @param {Item} item */
	kids(item) {
		item.kids ??= this.isUp ? this.callers(item) : this.callees(item);
		return item.kids;
	}

	/** @param {Item} item */
	hasKids(item) {
		if (this.isUp)
			return item.nodes.some((node) => this.shape.parent[node] !== 0);
		return item.total > item.self;
	}

	/** @param {Item} item */
	ranked(item) {
		return this.kids(item);
	}

	/** Whether it is the root of all, and not a function. @param {Item} item */
	isAll(item) {
		return !item.parent && item.func === this.shape.func[0];
	}

	/** From all it goes on to what costs most. @param {Item} item @returns {Item | null} */
	hottest(item) {
		const first = /** @type {Item | undefined} */ (this.kids(item)[0]);
		return first?.total && (this.isAll(item) || first.total >= HOT_SHARE * item.total)
			? first : null;
	}

	/** The root has what is not selected, which is not drawn. @param {Item} item */
	width(item) {
		return this.isAll(item) && !this.isUp ? item.total - item.self : item.total;
	}

	/** @param {Item} item */
	callees(item) {
		const { func, end } = this.shape;
		const { weight, samples } = this.total;
		const groups = new Groups(item);
		for (const node of item.nodes) {
			for (let child = node + 1; child < end[node]; child = end[child]) {
				if ((!weight[child] && !samples[child]) || func[child] === this.only)
					continue;
				const kid = groups.add(func[child], child);
				addSelf(kid, this.self, child);
				addTotal(kid, this.total, child);
			}
		}
		return groups.items();
	}

	/** @param {Item} item */
	callers(item) {
		const { func, parent } = this.shape;
		const groups = new Groups(item);
		item.nodes.forEach((node, i) => {
			const above = parent[node];
			const origin = item.origins?.[i] ?? node;
			if (above && this.total.weight[origin])
				addTotal(groups.add(func[above], above, origin), this.total, origin);
		});
		return groups.items();
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
	const root = newItem(shape.func[0], null, sums.squares !== null);
	root.nodes = Int32Array.of(0);
	const [self, total] = [selfOf(sums), totalOf(sums)];
	addSelf(root, self, 0);
	addTotal(root, total, 0);
	return new Tree(shape, self, total, root, false);
}

/** Functions by their own cost, with their callers below them. @param {Shape} shape
 * @param {Sums} sums */
export function callerTree(shape, sums) {
	const root = newItem(shape.func[0], null, sums.squares !== null);
	const groups = new Groups(root);
	const self = selfOf(sums);
	addTotal(root, totalOf(sums), 0);
	for (let node = 1; node < shape.n; node++) {
		if (!sums.self[node])
			continue;
		const item = groups.add(shape.func[node], node, node);
		addSelf(item, self, node);
		addTotal(item, self, node);
	}
	root.kids = groups.items();
	return new Tree(shape, self, self, root, true);
}

/** The nodes of which no one is called by another directly: their inclusive costs add up.
 * @param {Shape} shape @param {Int32Array} nodes of one function */
export function outerNodes({ func, parent }, nodes) {
	return nodes.filter((node) => func[parent[node]] !== func[node]);
}

/** Takes what is below inner activations of a function from what is above them, up to the next
 * activation. @param {Shape} shape @param {Float64Array} total @param {number} func */
function withinActivations({ func: funcs, parent, n }, total, func) {
	const within = Float64Array.from(total);
	for (let node = 1; node < n; node++) {
		if (funcs[node] !== func || funcs[parent[node]] === func)
			continue;
		let above = parent[node];
		while (above && funcs[above] !== func)
			above = parent[above];
		for (let at = parent[node]; above && (at >= above || funcs[at] === func); at = parent[at])
			within[at] -= total[node];
	}
	return within;
}

/** Costs of nodes below a function that belong to its innermost activation. @param {Shape} shape
 * @param {Sums} sums @param {number} func @returns {Sums} */
export function sumsWithin(shape, sums, func) {
	return { ...sums, total: withinActivations(shape, sums.total, func),
		samples: withinActivations(shape, sums.samples, func),
		squares: sums.squares && withinActivations(shape, sums.squares, func) };
}

/** What a function calls, or who calls it: each sample has the callees and the caller of its innermost
 * activation. Direct recursion is the same activation, as in `dendro report --view callgraph`.
 * @param {Shape} shape @param {Sums} sums @param {number} func @param {boolean} isUp callers */
function activations(shape, sums, func, isUp) {
	const root = newItem(func, null, sums.squares !== null);
	const self = selfOf(sums);
	const total = totalOf(sumsWithin(shape, sums, func));
	const nodes = Int32Array.from(shape.func.keys()).filter((node) => shape.func[node] === func);
	const outer = outerNodes(shape, nodes);
	nodes.forEach((node) => addSelf(root, self, node));
	outer.forEach((node) => addTotal(root, total, node));
	root.nodes = isUp ? outer : nodes;
	root.origins = isUp ? outer : null;
	return new Tree(shape, self, total, root, isUp, isUp ? -1 : func);
}

/** @param {Shape} shape @param {Sums} sums @param {number} func */
export function calleesOf(shape, sums, func) {
	return activations(shape, sums, func, false);
}

/** @param {Shape} shape @param {Sums} sums @param {number} func */
export function callersOf(shape, sums, func) {
	return activations(shape, sums, func, true);
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
