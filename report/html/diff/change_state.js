/** What is shown of a comparison, as the fragment of the page's address: a link shows the same. */

/** @import { Filter } from "../page/costs.js" */
/** @import { Ranges } from "./selected.js" */
import { CODES, oneOf, readFilters, readPath, readRange, writeFilters } from "../page/state.js";

/**
 * @typedef {object} ChangeState
 * @property {number} metric
 * @property {"paths" | "up" | "sandwich" | "functions" | "new" | "gone"} view
 * @property {number} func of the sandwich; -1: none
 * @property {"both" | "before" | "after"} side whose costs are widths
 * @property {"" | "self" | "total"} measure "": that of the view
 * @property {"absolute" | "relative"} scale of colours
 * @property {boolean} chance what chance explains is coloured, too
 * @property {boolean} only rows that are significant
 * @property {boolean} flame the root is at the bottom
 * @property {boolean} kernel is hidden
 * @property {boolean} inlined are hidden
 * @property {boolean} idle tasks are hidden
 * @property {boolean} recursion is folded
 * @property {string[]} folded modules
 * @property {Filter[]} filters
 * @property {Ranges} ranges of time
 * @property {"process" | "thread"} lanes
 * @property {"" | "lines" | "instructions"} code of the selected function
 * @property {number[]} zoom functions below the root
 * @property {number[]} selected likewise; the item under the cursor
 * @property {string} query
 */

const CHOICES = /** @type {const} */ ({
	view: ["paths", "up", "sandwich", "functions", "new", "gone"],
	side: ["both", "before", "after"],
	measure: ["", "self", "total"],
	scale: ["absolute", "relative"],
	lanes: ["process", "thread"],
	code: CODES,
});
export const SIDES = /** @type {const} */ (["before", "after"]);
export const FLAGS = /** @type {const} */ (["chance", "only", "flame", "kernel", "inlined", "idle",
	"recursion"]);

/** @returns {ChangeState} */
export function firstChangeState() {
	return { metric: 0, view: "paths", func: -1, side: "both", measure: "", scale: "absolute",
		chance: false, only: false, flame: false, kernel: false, inlined: false, idle: false,
		recursion: false, folded: [], filters: [], ranges: { before: [0, 0], after: [0, 0] },
		lanes: "process", code: "", zoom: [], selected: [], query: "" };
}

/** @param {ChangeState} state */
export function fragmentOfChange(state) {
	const first = firstChangeState();
	const parts = new URLSearchParams();
	for (const name of FLAGS) {
		if (state[name])
			parts.append("with", name);
	}
	for (const name of /** @type {const} */ (["metric", "view", "func", "side", "measure",
		"scale", "lanes", "code", "query"])) {
		if (state[name] !== first[name])
			parts.set(name, String(state[name]));
	}
	for (const side of SIDES) {
		if (state.ranges[side][1])
			parts.set(side, state.ranges[side].join("-"));
	}
	if (state.zoom.length)
		parts.set("zoom", state.zoom.join("."));
	if (state.selected.length)
		parts.set("at", state.selected.join("."));
	writeFilters(parts, state);
	return parts.toString();
}

/** @param {string} fragment without "#" @param {number} metrics @returns {ChangeState} */
export function readChangeFragment(fragment, metrics) {
	const parts = new URLSearchParams(fragment);
	const state = firstChangeState();
	const metric = Number(parts.get("metric") ?? 0);
	for (const name of FLAGS)
		state[name] = parts.getAll("with").includes(name);
	state.metric = Number.isInteger(metric) && metric >= 0 && metric < metrics ? metric : 0;
	state.view = oneOf(CHOICES.view, parts.get("view"), state.view);
	state.side = oneOf(CHOICES.side, parts.get("side"), state.side);
	state.measure = oneOf(CHOICES.measure, parts.get("measure"), state.measure);
	state.scale = oneOf(CHOICES.scale, parts.get("scale"), state.scale);
	state.lanes = oneOf(CHOICES.lanes, parts.get("lanes"), state.lanes);
	state.code = oneOf(CHOICES.code, parts.get("code"), state.code);
	for (const side of SIDES)
		state.ranges[side] = readRange(parts.get(side));
	state.query = parts.get("query") ?? "";
	state.zoom = readPath(parts.get("zoom"));
	state.selected = readPath(parts.get("at"));
	state.func = readPath(parts.get("func"))[0] ?? -1;
	return Object.assign(state, readFilters(parts));
}

/** What rows are ranked and coloured by: in trees the cause is found from the total. @param
 * {ChangeState} state @returns {"self" | "total"} */
export function measureOf(state) {
	const isTree = ["paths", "up", "sandwich"].includes(state.view);
	return state.measure || (isTree ? "total" : "self");
}
