// rests.mjs: where small call paths have no times of their own, the nodes for them are in their places,
// and what every other node costs in all is as before.
import assert from "node:assert/strict";
import { shapeOf } from "../../report/html/page/shape.js";
import { sumUp } from "../../report/html/page/costs.js";
import { endsOf } from "../../report/html/page/payload.js";
import { withRests } from "../../report/html/diff/times.js";

const hiding = { kernel: false, inlined: false, recursion: false, modules: [] };
const functions = { name: ["f", "g", "h", "all"], module: ["m", "m", "m", ""],
	kind: ["user", "user", "user", "root"], id: new Int32Array(4).fill(-1), merged: new Int32Array(4) };
const none = new Int32Array(0);

/** all > f > (g > h, h), g */
const parent = Int32Array.of(0, 0, 1, 2, 1, 0);
const func = Int32Array.of(3, 0, 1, 2, 2, 1);
const weight = Float64Array.of(0, 10, 20, 3, 4, 50);
const model = { functions, n: 6, parent, func, end: endsOf(parent), calls: new Map(), costs: [], rows: [],
	tasks: [], cgroups: [], slices: 0, sliceNs: 0 };

/** Rows of one slice. @param {[number, boolean, number][]} of node, whether it is its rest, weight */
function rowsOf(of) {
	const n = of.length;
	return { n, node: Int32Array.from(of, ([node, isRest]) => 2 * node + Number(isRest)),
		slice: new Int32Array(n).fill(1), task: new Int32Array(n), cpu: none, cgroup: none,
		samples: new Float64Array(n).fill(1), weight: Float64Array.from(of, ([, , cost]) => cost),
		squares: null };
}

/** Nodes with what they cost in all, as paths. */
function totals({ model: of, costs }, rows, to) {
	const shape = shapeOf(of, hiding);
	const { total } = sumUp({ ...of, costs: costs[0], rows: rows ? [rows] : [], tasks: [
		{ pid: -1, tid: -1, name: "", thread: "" }], slices: 1, sliceNs: 1 }, shape,
	{ metric: 0, from: 0, to, idle: false, filters: [] });
	const paths = [];
	return Object.fromEntries(Array.from(total, (cost, node) => {
		paths[node] = node ? `${paths[of.parent[node]]}/${of.functions.name[of.func[node]]}` : "";
		return [paths[node], cost];
	}));
}

const compared = { model, costs: [[{ weight, samples: weight, squares: null }]] };
const rows = rowsOf([[0, true, 50], [1, false, 10], [1, true, 7], [2, false, 20]]);
const times = { least: 9, sides: {}, tasks: [], rows: [[rows]] };
const before = totals(compared, null, 0);
const made = withRests(compared, times);
const rest = "[paths with fewer than 9 samples]";

assert.deepEqual(before, { "": 87, "/f": 37, "/f/g": 23, "/f/g/h": 3, "/f/h": 4, "/g": 50 });
assert.deepEqual(totals(made, null, 0), { ...before, [`/f/${rest}`]: 0, [`/${rest}`]: 0 });
assert.deepEqual(Array.from(made.model.parent), [0, 0, 1, 2, 1, 1, 0, 0]);
assert.deepEqual(Array.from(made.model.end), [8, 6, 4, 4, 5, 6, 7, 8]);
assert.deepEqual(totals(made, rows, 1), { "": 87, "/f": 37, "/f/g": 20, "/f/g/h": 0, "/f/h": 0, "/g": 0,
	[`/f/${rest}`]: 7, [`/${rest}`]: 50 });
assert.equal(withRests(compared, { ...times, rows: [[rowsOf([[1, false, 1]])]] }), compared);
