/** What is shown of a comparison, as the fragment of the page's address: a link shows the same. */

import { oneOf, readPath } from "../page/state.js";

/**
 * @typedef {object} ChangeState
 * @property {number} metric
 * @property {"paths" | "functions" | "new" | "gone"} view
 * @property {"both" | "before" | "after"} side whose costs are widths
 * @property {"" | "self" | "total"} measure "": that of the view
 * @property {"absolute" | "relative"} scale of colours
 * @property {boolean} chance what chance explains is coloured, too
 * @property {boolean} only rows that are significant
 * @property {boolean} flame the root is at the bottom
 * @property {number[]} zoom functions below the root
 * @property {number[]} selected likewise; the item under the cursor
 * @property {string} query
 */

const CHOICES = /** @type {const} */ ({
	view: ["paths", "functions", "new", "gone"],
	side: ["both", "before", "after"],
	measure: ["", "self", "total"],
	scale: ["absolute", "relative"],
});
const FLAGS = /** @type {const} */ (["chance", "only", "flame"]);

/** @returns {ChangeState} */
export function firstChangeState() {
	return { metric: 0, view: "paths", side: "both", measure: "", scale: "absolute", chance: false,
		only: false, flame: false, zoom: [], selected: [], query: "" };
}

/** @param {ChangeState} state */
export function fragmentOfChange(state) {
	const first = firstChangeState();
	const parts = new URLSearchParams();
	for (const name of FLAGS) {
		if (state[name])
			parts.append("with", name);
	}
	for (const name of /** @type {const} */ (["metric", "view", "side", "measure", "scale",
		"query"])) {
		if (state[name] !== first[name])
			parts.set(name, String(state[name]));
	}
	if (state.zoom.length)
		parts.set("zoom", state.zoom.join("."));
	if (state.selected.length)
		parts.set("at", state.selected.join("."));
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
	state.query = parts.get("query") ?? "";
	state.zoom = readPath(parts.get("zoom"));
	state.selected = readPath(parts.get("at"));
	return state;
}

/** What rows are ranked and coloured by: in trees the cause is found from the total. @param
 * {ChangeState} state @returns {"self" | "total"} */
export function measureOf(state) {
	return state.measure || (state.view === "paths" ? "total" : "self");
}
