/**
 * The tree as it is shown: without kernel functions or inlined ones, with recursion or a module
 * folded. Nodes that are not shown become a part of another node, as in `dendro report`.
 */

/** @import { Model } from "./payload.js" */

/**
 * @typedef {object} Hiding
 * @property {boolean} kernel functions of the kernel become a part of what called them
 * @property {boolean} inlined likewise inlined functions
 * @property {boolean} recursion a recursive call becomes a part of the function's call farther out
 * @property {string[]} modules calls within these are not shown
 */
/**
 * @typedef {object} Shape
 * @property {number} n
 * @property {Int32Array} func
 * @property {Int32Array} parent
 * @property {Int32Array} end
 * @property {Int32Array | null} from by node of the model: the node here; null: the same
 */

/** Nodes by parent and function. */
class NodeTable {
	/** @param {number} n */
	constructor(n) {
		this.mask = (1 << (33 - Math.clz32(2 * n))) - 1;
		this.slots = new Int32Array(this.mask + 1);
		this.parent = new Int32Array(n);
		this.func = new Int32Array(n);
		this.n = 1;
	}

	/** Finds or adds a node. @param {number} parent @param {number} func */
	child(parent, func) {
		let at = Math.imul(parent ^ Math.imul(func, 0x9e3779b1), 0x85ebca6b);
		for (at = (at ^ (at >>> 15)) & this.mask; this.slots[at]; at = (at + 1) & this.mask) {
			const node = this.slots[at];
			if (this.parent[node] === parent && this.func[node] === func)
				return node;
		}
		this.slots[at] = this.n;
		this.parent[this.n] = parent;
		this.func[this.n] = func;
		return this.n++;
	}

	/** The nearest node of the function on the path to a node; -1: none. @param {number} node
	 * @param {number} func */
	activation(node, func) {
		for (; node; node = this.parent[node]) {
			if (this.func[node] === func)
				return node;
		}
		return -1;
	}
}

/** Numbers nodes depth first. @param {NodeTable} table @param {Int32Array} from @returns {Shape} */
function inOrder(table, from) {
	const n = table.n;
	const size = new Int32Array(n).fill(1);
	for (let i = n - 1; i > 0; i--)
		size[table.parent[i]] += size[i];
	const number = new Int32Array(n);
	const next = new Int32Array(n);
	next[0] = 1;
	for (let i = 1; i < n; i++) {
		number[i] = next[table.parent[i]];
		next[table.parent[i]] += size[i];
		next[i] = number[i] + 1;
	}
	const func = new Int32Array(n);
	const parent = new Int32Array(n);
	const end = new Int32Array(n);
	for (let i = 0; i < n; i++) {
		func[number[i]] = table.func[i];
		parent[number[i]] = number[table.parent[i]];
		end[number[i]] = number[i] + size[i];
	}
	return { n, func, parent, end, from: from.map((node) => number[node]) };
}

/** @param {Model} model @param {Hiding} hiding @returns {Shape} */
export function shapeOf(model, hiding) {
	const { n, func, parent, end, functions } = model;
	if (!hiding.kernel && !hiding.inlined && !hiding.recursion && !hiding.modules.length)
		return { n, func, parent, end, from: null };
	const modules = new Set(hiding.modules);
	const isHidden = functions.kind.map((kind, i) =>
		(hiding.kernel && (kind === "kernel" || functions.name[i] === "[kernel]")) ||
		(hiding.inlined && kind === "inline"));
	const isFolded = functions.module.map((module) => module !== "" && modules.has(module));
	const table = new NodeTable(n);
	const from = new Int32Array(n);
	table.func[0] = func[0];
	for (let i = 1; i < n; i++) {
		const of = func[i];
		const above = from[parent[i]];
		const isWithin = isFolded[of] &&
			functions.module[table.func[above]] === functions.module[of];
		const activation = hiding.recursion ? table.activation(above, of) : -1;
		if (isHidden[of] || isWithin)
			from[i] = above;
		else
			from[i] = activation >= 0 ? activation : table.child(above, of);
	}
	return inOrder(table, from);
}
