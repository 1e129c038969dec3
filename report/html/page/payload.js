/**
 * Reads the blocks of data in the page; report/html/page_columns.h describes their columns.
 *
 * Nodes are numbered depth first: a subtree is a range of numbers, and a parent's number is below
 * its children's.
 */

/** A kind that the first picture alone has: what is below a node and too small for it. */
export const REST = 255;

/**
 * @typedef {object} Metric
 * @property {string} event
 * @property {string} unit
 * @property {number} samples
 * @property {number} total
 * @property {number} lost
 * @property {number} [counted]
 * @property {number} [running] share of the time for which the event had a counter
 * @property {boolean} waits each sample is a wait
 * @property {boolean} exact each occurrence was recorded: no share has an error
 * @property {boolean} scaled
 */
/**
 * @typedef {object} Quality
 * @property {number} used
 * @property {number} received
 * @property {number} lost
 * @property {number} throttled
 * @property {number} filtered
 * @property {number} complete
 * @property {[number, string][]} paths
 * @property {[number, string, string?][]} ends
 * @property {[number, string][]} warnings
 * @property {string} [truncated]
 * @property {string} [notDecoded]
 */
/** When samples were lost (kind 0) or events throttled (1). CPU -1: not known.
 * @typedef {[kind: number, cpu: number, start: number, end: number, count: number]} Loss */
/**
 * What page_facts.c writes. Times are nanoseconds since the start of the recording.
 * @typedef {object} Facts
 * @property {string} version
 * @property {number} metric the one that is shown first
 * @property {boolean} errors all shares are to have their errors
 * @property {string} grouping
 * @property {string[]} kinds
 * @property {[number, number, number][]} gaps CPU, start, end
 * @property {Loss[]} losses by start
 * @property {string} [source]
 * @property {string} [command]
 * @property {string} [host]
 * @property {string} [kernel]
 * @property {string} [arch]
 * @property {string} [cpu]
 * @property {number} [cpus]
 * @property {number} [duration]
 * @property {number} [date] nanoseconds since 1970
 * @property {Metric[]} metrics
 * @property {{name: string, numerator: number, denominator: number, factor: number}[]} ratios
 * @property {string} [selection]
 * @property {Quality} quality
 * @property {[string, number, number][]} phases name, start, end
 * @property {{module: string, lacks: string, problem: string, cost: number}[]} missing
 * @property {string} [packages] a command
 * @property {string[]} advice
 */
/** Without cost a line or an instruction ends after its text.
 * @typedef {[file: number, line: number, text: string | null, self?: number[],
 * total?: number[]]} CodeLine */
/** @typedef {[address: string, text: string, place: string, self?: number[],
 * total?: number[]]} CodeInstruction */
/**
 * What page_code.c writes. Costs are by metric.
 * @typedef {object} CodeFunction
 * @property {string} [file] of a comparison
 * @property {string} name
 * @property {string} module
 * @property {string} kind
 * @property {string} [problem] why there are no instructions
 * @property {[null, number[], number[]]} costs self and total
 * @property {[path: string, doubt?: string][]} files
 * @property {CodeLine[]} lines
 * @property {number} linesLeftOut
 * @property {boolean} cut instructions without cost are left out
 * @property {number} instructionsLeftOut
 * @property {CodeInstruction[]} instructions
 */
/**
 * @typedef {object} Functions
 * @property {string[]} name
 * @property {string[]} module
 * @property {string[]} kind "user", "kernel", ..., "rest"
 * @property {Int32Array} id of a process or thread; -1: none
 * @property {Int32Array} merged processes or threads
 */
/** @typedef {{name: string, pid: number, tid: number, thread: string}} Task */
/**
 * Rows of one metric: columns of equal length.
 * @typedef {object} Rows
 * @property {number} n
 * @property {Int32Array} node
 * @property {Int32Array} slice and 1; 0: without time
 * @property {Int32Array} task
 * @property {Int32Array} cpu and 1; 0: not known
 * @property {Int32Array} cgroup and 1; 0: not known
 * @property {Float64Array} samples
 * @property {Float64Array} weight
 * @property {Float64Array | null} squares of the samples' weights
 */
/** Exclusive, by node. @typedef {{samples: Float64Array, weight: Float64Array,
 * squares: Float64Array | null}} Costs */
/**
 * @typedef {object} Model
 * @property {Functions} functions
 * @property {number} n nodes
 * @property {Int32Array} func
 * @property {Int32Array} parent of the root 0
 * @property {Int32Array} end the number after the last node below
 * @property {Map<number, string>} calls where an inlined function was called
 * @property {Costs[]} costs by metric
 * @property {Rows[]} rows by metric; empty: none
 * @property {Task[]} tasks
 * @property {string[]} cgroups
 * @property {number} slices
 * @property {number} sliceNs
 */

export class Reader {
	/** @param {Uint8Array} bytes */
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	number() {
		let byte = this.bytes[this.at++];
		let value = byte & 127;
		for (let scale = 128; byte & 128; scale *= 128) {
			byte = this.bytes[this.at++];
			value += (byte & 127) * scale;
		}
		return value;
	}

	/** A column: the lowest bytes of all numbers, then the next ones, ... @param {number} n
	 * @param {number} [first] zeros before them */
	integers(n, first = 0) {
		const column = new Int32Array(first + n);
		const planes = this.number();
		for (let plane = 0; plane < planes; plane++) {
			const bytes = this.bytes.subarray(this.at, this.at += n);
			for (let i = 0; i < n; i++)
				column[first + i] |= bytes[i] << (8 * plane);
		}
		return column;
	}

	/** A column of numbers of any size. Three bytes of each at a time are an integer, which is faster.
	 * @param {number} n @param {number} [first] zeros before them */
	numbers(n, first = 0) {
		const column = new Float64Array(first + n);
		const none = new Uint8Array(n);
		for (let planes = this.number(), scale = 1; planes > 0; planes -= 3, scale *= 2 ** 24) {
			const [low, middle, high] = [0, 1, 2].map((plane) => (plane < planes
				? this.bytes.subarray(this.at, this.at += n) : none));
			for (let i = 0; i < n; i++)
				column[first + i] += (low[i] | (middle[i] << 8) | (high[i] << 16)) * scale;
		}
		return column;
	}

	/** Sums of squares: their lower halves, and the upper ones. @param {number} n */
	squares(n) {
		const low = this.numbers(n);
		const high = this.numbers(n);
		return low.map((of, i) => of + high[i] * 2 ** 64);
	}

	/** A column of differences. @param {number} n */
	rising(n) {
		const column = this.integers(n);
		for (let i = 1; i < n; i++)
			column[i] += column[i - 1];
		return column;
	}
}

/** @param {Reader} reader */
export function readStrings(reader) {
	const sizes = reader.integers(reader.number());
	const decoder = new TextDecoder();
	const strings = [];
	for (const size of sizes) {
		strings.push(decoder.decode(reader.bytes.subarray(reader.at, reader.at + size)));
		reader.at += size;
	}
	return strings;
}

/**
 * @param {Reader} reader @param {string[]} strings @param {string[]} kinds
 * @returns {Functions}
 */
function readFunctions(reader, strings, kinds) {
	const n = reader.number();
	const name = Array.from(reader.integers(n), (id) => strings[id]);
	const module = Array.from(reader.integers(n), (id) => strings[id]);
	const kind = Array.from(reader.integers(n), (id) => (id === REST ? "rest" : kinds[id]));
	const id = reader.integers(n).map((plusOne) => plusOne - 1);
	return { name, module, kind, id, merged: reader.integers(n) };
}

/** Parents of nodes in the order of a walk, of the first one 0. @param {Int32Array} ups levels up
 * from the node before, and 1 */
export function parentsOf(ups) {
	const parent = new Int32Array(ups.length);
	for (let i = 1; i < ups.length; i++) {
		let above = i - 1;
		for (let up = ups[i]; up > 0; up--)
			above = parent[above];
		parent[i] = above;
	}
	return parent;
}

/** By node, the number after the last node below it. @param {Int32Array} parent */
export function endsOf(parent) {
	const end = new Int32Array(parent.length);
	for (let i = parent.length - 1; i >= 0; i--) {
		end[i] = Math.max(end[i], i + 1);
		end[parent[i]] = Math.max(end[parent[i]], end[i]);
	}
	return end;
}

/** @param {Reader} reader @param {string[]} strings */
function readNodes(reader, strings) {
	const n = reader.number();
	const ups = reader.integers(n);
	const func = reader.integers(n);
	const parent = parentsOf(ups);
	const end = endsOf(parent);
	const calls = new Map();
	const nodes = reader.rising(reader.number());
	const files = reader.integers(nodes.length);
	const lines = reader.integers(nodes.length);
	nodes.forEach((node, i) => calls.set(node, `${strings[files[i]]}:${lines[i]}`));
	return { n, func, parent, end, calls };
}

/** @param {Reader} reader @param {number} n nodes
 * @returns {{hasSquares: boolean, costs: (Costs | null)[]}} null: in the rows */
function readCosts(reader, n) {
	const hasSquares = reader.number() === 1;
	const costs = [];
	for (let metrics = reader.number(); metrics > 0; metrics--) {
		if (!reader.number()) {
			costs.push(null);
			continue;
		}
		costs.push({ samples: reader.numbers(n), weight: reader.numbers(n),
			squares: hasSquares ? reader.squares(n) : null });
	}
	return { hasSquares, costs };
}

/** @param {Reader} reader @param {string[]} strings @returns {Task[]} */
function readTasks(reader, strings) {
	return Array.from({ length: reader.number() }, () => {
		const pid = reader.number() - 1;
		const tid = reader.number() - 1;
		return { pid, tid, name: strings[reader.number()], thread: strings[reader.number()] };
	});
}

/** The rows of one metric. @param {Rows} all @param {Int32Array} metric @param {number} which */
function rowsOf(all, metric, which) {
	const at = /** @type {number[]} */ ([]);
	for (let i = 0; i < all.n; i++) {
		if (metric[i] === which)
			at.push(i);
	}
	if (at.length === all.n)
		return all;
	/** @template {Int32Array | Float64Array} T @param {T} from @param {T} to */
	const pick = (from, to) => {
		at.forEach((row, i) => (to[i] = from[row]));
		return to;
	};
	const n = at.length;
	return {
		n,
		node: pick(all.node, new Int32Array(n)),
		slice: pick(all.slice, new Int32Array(n)),
		task: pick(all.task, new Int32Array(n)),
		cpu: pick(all.cpu, new Int32Array(n)),
		cgroup: pick(all.cgroup, new Int32Array(n)),
		samples: pick(all.samples, new Float64Array(n)),
		weight: pick(all.weight, new Float64Array(n)),
		squares: all.squares && pick(all.squares, new Float64Array(n)),
	};
}

/** @param {Reader} reader @param {string[]} strings @param {number} metrics
 * @param {boolean} hasSquares */
function readRows(reader, strings, metrics, hasSquares) {
	const n = reader.number();
	if (!n)
		return { rows: [], tasks: [], cgroups: [], slices: 0, sliceNs: 0 };
	const slices = reader.number();
	const sliceNs = reader.number() * 1000;
	const tasks = readTasks(reader, strings);
	const cgroups = Array.from({ length: reader.number() }, () => strings[reader.number()]);
	const node = reader.rising(n);
	const metric = reader.integers(n);
	const slice = reader.integers(n);
	const task = reader.integers(n);
	const cpu = reader.integers(n);
	const cgroup = reader.integers(n);
	const samples = reader.numbers(n);
	const weight = reader.numbers(n);
	const squares = hasSquares ? reader.squares(n) : null;
	/** @type {Rows} */
	const all = { n, node, slice, task, cpu, cgroup, samples, weight, squares };
	const rows = Array.from({ length: metrics }, (_, which) => rowsOf(all, metric, which));
	return { rows, tasks, cgroups, slices, sliceNs };
}

/** @param {Rows} rows @param {number} n nodes @returns {Costs} */
function addUp(rows, n) {
	const squares = rows.squares && new Float64Array(n);
	const costs = { samples: new Float64Array(n), weight: new Float64Array(n), squares };
	for (let i = 0; i < rows.n; i++) {
		costs.samples[rows.node[i]] += rows.samples[i];
		costs.weight[rows.node[i]] += rows.weight[i];
		if (squares && rows.squares)
			squares[rows.node[i]] += rows.squares[i];
	}
	return costs;
}

/** @param {Uint8Array} bytes @param {string[]} kinds @returns {Model} */
export function readModel(bytes, kinds) {
	const reader = new Reader(bytes);
	const strings = readStrings(reader);
	const functions = readFunctions(reader, strings, kinds);
	const nodes = readNodes(reader, strings);
	const { hasSquares, costs } = readCosts(reader, nodes.n);
	const rows = readRows(reader, strings, costs.length, hasSquares);
	return {
		functions,
		...nodes,
		...rows,
		costs: costs.map((of, metric) => of ?? addUp(rows.rows[metric], nodes.n)),
	};
}

const FIRST_DIGIT = 40;
const LESS = 60; /* stands for no digit, as it would begin a tag: */
const FOR_LESS = 125;

/** The texts of a block's elements. @param {string} id */
function textsOf(id) {
	const texts = [];
	let element = document.getElementById(id);
	do
		texts.push(element?.textContent ?? "");
	while ((element = /** @type {HTMLElement?} */ (element?.nextElementSibling ?? null)) &&
		element.getAttribute("type") === "more");
	return texts;
}

/** Base 85, as report/html/page_block.h has it. @param {string} text @returns {Uint8Array} */
function decodeDigits(text) {
	const left = text.length % 5;
	const size = (text.length - left) / 5 * 4 + Math.max(left - 1, 0);
	const bytes = new Uint8Array(size + 3); /* whole groups */
	for (let from = 0, to = 0; from < text.length; from += 5, to += 4) {
		let group = 0;
		for (let i = from; i < from + 5; i++) {
			const code = i < text.length ? text.charCodeAt(i) : FIRST_DIGIT + 84;
			group = group * 85 + (code === FOR_LESS ? LESS : code) - FIRST_DIGIT;
		}
		bytes[to] = group >>> 24;
		bytes[to + 1] = group >>> 16;
		bytes[to + 2] = group >>> 8;
		bytes[to + 3] = group;
	}
	return bytes.subarray(0, size);
}

/** One array of several. @param {Uint8Array[]} parts */
function oneArray(parts) {
	const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
	let at = 0;
	for (const part of parts) {
		all.set(part, at);
		at += part.length;
	}
	return all;
}

/**
 * The bytes of a block. Those of a Blob or a Response would go through another process.
 * @param {string} id @returns {Promise<Uint8Array>}
 */
export async function readBlock(id) {
	const packed = textsOf(id).map(decodeDigits).filter((bytes) => bytes.length);
	/** @type {Uint8Array[]} */
	const parts = [];
	if (!packed.length)
		return oneArray(parts);
	const { readable, writable } = new DecompressionStream("deflate-raw");
	const writer = writable.getWriter();
	for (const bytes of packed)
		writer.write(/** @type {BufferSource} */ (bytes));
	writer.close();
	const reader = readable.getReader();
	for (let read; !(read = await reader.read()).done;)
		parts.push(read.value);
	return oneArray(parts);
}

/** @param {string} id @returns {Promise<any>} */
export async function readJson(id) {
	return JSON.parse(new TextDecoder().decode(await readBlock(id)));
}

/** The same if the page has the block. @template T @param {string} id @param {T} otherwise
 * @returns {() => Promise<T>} reads it once */
export function readOnce(id, otherwise) {
	/** @type {Promise<T> | null} */
	let reading = null;
	return () => (reading ??= document.getElementById(id)?.textContent ? readJson(id)
		: Promise.resolve(otherwise));
}
