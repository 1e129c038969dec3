/** What is shown, as the fragment of the page's address: a link shows the same. */

/** @import { Filter } from "./costs.js" */

/**
 * @typedef {object} State
 * @property {number} metric
 * @property {"down" | "up" | "sandwich"} view
 * @property {boolean} flame the root is at the bottom
 * @property {number[]} zoom functions below the root
 * @property {number[]} selected likewise; the item under the cursor
 * @property {number} func of the sandwich; -1: none
 * @property {string} query
 * @property {number} from slice
 * @property {number} to the slice after the last; 0: all times
 * @property {boolean} kernel is hidden
 * @property {boolean} inlined are hidden
 * @property {boolean} idle tasks are hidden
 * @property {boolean} recursion is folded
 * @property {boolean} heat the time is a heat map
 * @property {string[]} folded modules
 * @property {Filter[]} filters
 * @property {"process" | "thread" | "cpu" | "cgroup"} lanes
 * @property {"" | "lines" | "instructions"} code of the selected function
 */

const KINDS = ["process", "thread", "cpu", "cgroup", "module", "focus", "ignore"];
const VIEWS = /** @type {const} */ (["down", "up", "sandwich"]);
const LANE_KINDS = /** @type {const} */ (["process", "thread", "cpu", "cgroup"]);
export const CODES = /** @type {const} */ (["", "lines", "instructions"]);
export const SWITCHES = /** @type {const} */ (["flame", "kernel", "inlined", "idle", "recursion",
	"heat"]);

/** @param {number} metric @returns {State} */
export function firstState(metric) {
	return { metric, view: "down", flame: false, zoom: [], selected: [], func: -1, query: "",
		from: 0, to: 0, kernel: false, inlined: false, idle: false, recursion: false,
		heat: false, folded: [], filters: [], lanes: "process", code: "" };
}

/** @param {State} state @param {number} metric the first one */
export function fragmentOf(state, metric) {
	const parts = new URLSearchParams();
	const first = firstState(metric);
	for (const name of SWITCHES) {
		if (state[name])
			parts.append("with", name);
	}
	for (const name of /** @type {const} */ (["metric", "view", "func", "query", "lanes",
		"code"])) {
		if (state[name] !== first[name])
			parts.set(name, String(state[name]));
	}
	if (state.zoom.length)
		parts.set("zoom", state.zoom.join("."));
	if (state.selected.length)
		parts.set("at", state.selected.join("."));
	if (state.to)
		parts.set("time", `${state.from}-${state.to}`);
	writeFilters(parts, state);
	return parts.toString();
}

/** @param {URLSearchParams} parts @param {{folded: string[], filters: Filter[]}} state */
export function writeFilters(parts, { folded, filters }) {
	for (const module of folded)
		parts.append("fold", module);
	for (const { kind, value } of filters)
		parts.append(kind, value);
}

/** @param {URLSearchParams} parts @returns {{folded: string[], filters: Filter[]}} */
export function readFilters(parts) {
	return { folded: parts.getAll("fold"), filters: KINDS.flatMap((kind) =>
		parts.getAll(kind).map((value) => ({ kind, value }))) };
}

/** @param {string | null} text */
export function readPath(text) {
	return text ? text.split(".").map(Number).filter((n) => Number.isInteger(n) && n >= 0) : [];
}

/** A range of slices. @param {string | null} text @returns {[number, number]} 0 and 0: all */
export function readRange(text) {
	const [, from, to] = /^(\d{1,6})-(\d{1,6})$/.exec(text ?? "") ?? [];
	return Number(from) < Number(to) ? [Number(from), Number(to)] : [0, 0];
}

/** @template T @param {readonly T[]} known @param {unknown} word @param {T} otherwise */
export function oneOf(known, word, otherwise) {
	return known.find((of) => of === word) ?? otherwise;
}

/** @param {string} fragment without "#" @param {number} metric the first one
 * @param {number} metrics @returns {State} */
export function readFragment(fragment, metric, metrics) {
	const parts = new URLSearchParams(fragment);
	const state = firstState(metric);
	const chosen = Number(parts.get("metric") ?? metric);
	for (const name of SWITCHES)
		state[name] = parts.getAll("with").includes(name);
	state.metric = Number.isInteger(chosen) && chosen >= 0 && chosen < metrics ? chosen : metric;
	state.view = oneOf(VIEWS, parts.get("view"), state.view);
	state.lanes = oneOf(LANE_KINDS, parts.get("lanes"), state.lanes);
	state.code = oneOf(CODES, parts.get("code"), state.code);
	state.func = readPath(parts.get("func"))[0] ?? -1;
	state.query = parts.get("query") ?? "";
	state.zoom = readPath(parts.get("zoom"));
	state.selected = readPath(parts.get("at"));
	[state.from, state.to] = readRange(parts.get("time"));
	return Object.assign(state, readFilters(parts));
}
