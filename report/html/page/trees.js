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
 * @property {Part[] | null} parts callers: of each node what its path has; null: all of it
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
/**
 * What samples add up to.
 * @typedef {object} Part
 * @property {number} weight
 * @property {number} samples
 * @property {number} squares
 * @property {number} node whose cost it is: its own, or of what it is on the path of
 * @property {number[] | null} inner nodes below whose cost is no part of it
 */

/** @param {number} func @param {Item | null} parent @param {boolean} hasSquares @returns {Item} */
export function newItem(func, parent, hasSquares) {
	const squares = hasSquares ? 0 : null;
	return { func, self: 0, total: 0, samples: 0, selfSamples: 0, squares, selfSquares: squares,
		parent, depth: parent ? parent.depth + 1 : 0, kids: null, nodes: new Int32Array(0),
		parts: null };
}

/** @param {Sums} sums @param {number} node @returns {Part} */
function selfOf(sums, node) {
	return { weight: sums.self[node], samples: sums.selfSamples[node],
		squares: sums.selfSquares?.[node] ?? 0, node, inner: null };
}

/** @param {Sums} sums @param {number} node @returns {Part} */
function totalOf(sums, node) {
	return { weight: sums.total[node], samples: sums.samples[node],
		squares: sums.squares?.[node] ?? 0, node, inner: null };
}

/** @param {Item} item @param {Part} part */
function addSelf(item, part) {
	item.self += part.weight;
	item.selfSamples += part.samples;
	if (item.selfSquares !== null)
		item.selfSquares += part.squares;
}

/** @param {Item} item @param {Part} part */
function addTotal(item, part) {
	item.total += part.weight;
	item.samples += part.samples;
	if (item.squares !== null)
		item.squares += part.squares;
}

/** The rows below one row, by function. */
class Groups {
	/** @param {Item} parent */
	constructor(parent) {
		this.parent = parent;
		/** @type {Map<number, {item: Item, nodes: number[], parts: Part[]}>} */
		this.byFunction = new Map();
	}

	/** The item of a function, which gets another node. @param {number} func @param {number} node
	 * @param {Part} [part] */
	add(func, node, part) {
		let group = this.byFunction.get(func);
		if (!group) {
			const hasSquares = this.parent.squares !== null;
			group = { item: newItem(func, this.parent, hasSquares), nodes: [], parts: [] };
			this.byFunction.set(func, group);
		}
		group.nodes.push(node);
		if (part)
			group.parts.push(part);
		return group.item;
	}

	/** @returns {Item[]} */
	items() {
		const items = [];
		for (const { item, nodes, parts } of this.byFunction.values()) {
			item.nodes = Int32Array.from(nodes);
			item.parts = parts.length ? parts : null;
			items.push(item);
		}
		return items.sort((a, b) => b.total - a.total || a.func - b.func);
	}
}

const HOT_SHARE = 0.5; /* of its parent: the hot path goes on */

export class Tree {
	/** @param {Shape} shape @param {Sums} sums @param {Item} root @param {boolean} isUp
	 * @param {number} [only] the function whose activations the tree is of; -1: any */
	constructor(shape, sums, root, isUp, only = -1) {
		this.shape = shape;
		this.sums = sums;
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

	/** @param {Item} item @returns {Item | null} */
	hottest(item) {
		const first = /** @type {Item | undefined} */ (this.kids(item)[0]);
		return first && first.total >= HOT_SHARE * item.total ? first : null;
	}

	/** The root has what is not selected, which is not drawn. @param {Item} item */
	width(item) {
		return !item.parent && !this.isUp && item.nodes.length === 1 && item.nodes[0] === 0
			? item.total - item.self : item.total;
	}

	/** @param {Item} item */
	callees(item) {
		const { func, end } = this.shape;
		const { total, samples } = this.sums;
		const groups = new Groups(item);
		for (const node of item.nodes) {
			for (let child = node + 1; child < end[node]; child = end[child]) {
				if ((!total[child] && !samples[child]) || func[child] === this.only)
					continue;
				const kid = groups.add(func[child], child);
				addSelf(kid, selfOf(this.sums, child));
				addTotal(kid, totalOf(this.sums, child));
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
			const part = item.parts?.[i];
			if (above && part?.weight)
				addTotal(groups.add(func[above], above, part), part);
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
	addSelf(root, selfOf(sums, 0));
	addTotal(root, totalOf(sums, 0));
	return new Tree(shape, sums, root, false);
}

/** Functions by their own cost, with their callers below them. @param {Shape} shape
 * @param {Sums} sums */
export function callerTree(shape, sums) {
	const root = newItem(shape.func[0], null, sums.squares !== null);
	const groups = new Groups(root);
	addTotal(root, totalOf(sums, 0));
	for (let node = 1; node < shape.n; node++) {
		if (!sums.self[node])
			continue;
		const part = selfOf(sums, node);
		const item = groups.add(shape.func[node], node, part);
		addSelf(item, part);
		addTotal(item, part);
	}
	root.kids = groups.items();
	return new Tree(shape, sums, root, true);
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

/** What a function calls: each sample has the callees of its innermost activation, as in callersOf().
 * @param {Shape} shape @param {Sums} all @param {number} func */
export function calleesOf(shape, all, func) {
	const sums = sumsWithin(shape, all, func);
	const root = newItem(func, null, sums.squares !== null);
	const nodes = [];
	for (let node = 1; node < shape.n; node++) {
		if (shape.func[node] !== func)
			continue;
		nodes.push(node);
		addSelf(root, selfOf(sums, node));
	}
	root.nodes = Int32Array.from(nodes);
	for (const node of outerNodes(shape, root.nodes))
		addTotal(root, totalOf(sums, node));
	return new Tree(shape, sums, root, false, func);
}

/** Who calls a function: each sample has the caller of its innermost activation. Direct recursion is
 * the same activation, as in `dendro report --view callgraph`. @param {Shape} shape
 * @param {Sums} sums @param {number} func */
export function callersOf(shape, sums, func) {
	const root = newItem(func, null, sums.squares !== null);
	const open = /** @type {{node: number, part: Part}[]} */ ([]);
	const nodes = [];
	const parts = [];
	for (let node = 1; node < shape.n; node++) {
		if (shape.func[node] !== func)
			continue;
		addSelf(root, selfOf(sums, node));
		if (shape.func[shape.parent[node]] === func)
			continue;
		while (open.length && shape.end[open[open.length - 1].node] <= node)
			open.pop();
		const outer = open[open.length - 1]?.part;
		const part = totalOf(sums, node);
		nodes.push(node);
		parts.push(part);
		open.push({ node, part });
		if (outer) {
			outer.weight -= part.weight;
			outer.samples -= part.samples;
			outer.squares -= part.squares;
			(outer.inner ??= []).push(node);
		} else {
			addTotal(root, part);
		}
	}
	root.nodes = Int32Array.from(nodes);
	root.parts = parts;
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
