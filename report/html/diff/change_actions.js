/** What keys and buttons do on the page of a comparison. */

/** @import { ChangePage } from "./change_page.js" */
/** @import { Item } from "../page/trees.js" */
import { copyItem } from "../page/crumbs.js";
import { byId } from "../page/elements.js";
import { pressKey, redo, undo } from "../page/keys.js";
import { csvField, itemsBelow, saveFile, savePng, svgOf } from "../page/save.js";
import { firstChangeState } from "./change_state.js";

/** All rows that are shown, with both costs. @param {ChangePage} page @param {Item} top */
function csvOfChanges(page, top) {
	const { changes, functions } = page.look;
	const columns = ["before", "after", "difference", "error", "q", "significant"];
	const measures = /** @type {const} */ (["self", "total"]);
	const lines = [["depth", ...measures.flatMap((of) => columns.map((name) => `${of}_${name}`)),
		"name", "module", "kind", "status", "event"].join()];
	for (const item of itemsBelow(changes, top)) {
		const row = changes.rowOf(item);
		lines.push([item.depth - top.depth, ...measures.flatMap((of) => {
			const values = changes.values(row, of);
			return [values.before, values.after, values.difference, values.error,
				Number.isNaN(values.q) ? "" : values.q, Number(values.isSignificant)];
		}), csvField(functions.name[item.func]), csvField(functions.module[item.func]),
		functions.kind[item.func], ["", "new", "gone"][changes.rows.status[row]],
		csvField(page.facts.metrics[page.state.metric].event)].join());
	}
	return lines.map((line) => `${line}\r\n`).join("");
}

/** @param {ChangePage} page @param {string} format */
function saveChanges(page, format) {
	const { graph } = page.pane;
	if (!graph.top)
		return;
	if (format === "png")
		savePng(graph, "changes.png");
	else if (format === "svg")
		saveFile("changes.svg", new Blob([svgOf(graph, page.look, page.look.whole)],
			{ type: "image/svg+xml" }));
	else
		saveFile("changes.csv", new Blob([csvOfChanges(page, graph.top)], { type: "text/csv" }));
}

/** @param {ChangePage} page @param {KeyboardEvent} event */
function pressWhileSearching(page, event) {
	if (event.key === "Enter")
		page.nextMatch(event.shiftKey ? -1 : 1);
	if (event.key !== "Escape")
		return;
	byId("query").value = "";
	page.change({ query: "" });
	page.pane.table.focus();
}

/** @param {ChangePage} page @param {"chance" | "only" | "flame"} name */
function toggle(page, name) {
	page.change({ [name]: !page.state[name] });
}

/** @param {ChangePage} page @returns {Record<string, () => void>} */
function keysOfChanges(page) {
	return {
		"/": () => byId("query").focus(),
		"?": () => byId("help").showModal(),
		"1": () => page.change({ view: "paths" }),
		"2": () => page.change({ view: "functions" }),
		"3": () => page.change({ view: "new" }),
		"4": () => page.change({ view: "gone" }),
		Backspace: () => page.zoomOut(),
		Escape: () => page.zoomOut(),
		N: () => page.nextMatch(-1),
		U: redo,
		a: () => page.change({ side: "after" }),
		b: () => page.change({ side: "before" }),
		c: () => toggle(page, "chance"),
		d: () => page.turnMeasure(),
		g: () => page.pane.canvas.focus(),
		h: () => page.pane.table.unfoldHotPath(),
		m: () => page.change({ side: "both" }),
		n: () => page.nextMatch(1),
		o: () => toggle(page, "only"),
		q: () => byId("quality").showModal(),
		r: () => page.change({ scale: page.state.scale === "absolute" ? "relative" : "absolute" }),
		t: () => page.pane.table.focus(),
		u: undo,
		v: () => toggle(page, "flame"),
	};
}

/** @param {ChangePage} page */
function listenToChangeButtons(page) {
	/** @type {Record<string, () => void>} */
	const actions = {
		"copy-name": () => copyItem(page.selected, page.look.functions, "name", true),
		"copy-path": () => copyItem(page.selected, page.look.functions, "path", true),
		"open-quality": () => byId("quality").showModal(),
		"open-save": () => byId("save").showModal(),
		"open-help": () => byId("help").showModal(),
		hot: () => page.pane.table.unfoldHotPath(),
		undo,
		redo,
		reset: () => page.change(firstChangeState()),
	};
	for (const [id, action] of Object.entries(actions))
		byId(id).addEventListener("click", action);
	document.addEventListener("click", (event) => {
		const target = /** @type {HTMLElement} */ (event.target);
		const { choose, value, turn, save: format } = target.dataset;
		if (choose)
			page.change({ [choose]: value });
		else if (turn)
			toggle(page, /** @type {"only"} */ (turn));
		else if (format)
			saveChanges(page, format);
	});
}

/** @param {ChangePage} page */
export function listenToChanges(page) {
	listenToChangeButtons(page);
	byId("metric").addEventListener("change", () =>
		page.change({ metric: Number(byId("metric").value) }));
	byId("query").addEventListener("input", () => page.change({ query: byId("query").value }, true));
	byId("query").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) =>
		pressWhileSearching(page, event));
	window.addEventListener("popstate", () => page.readAddress());
	document.addEventListener("keydown", (event) => pressKey(keysOfChanges(page), event));
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => page.recolor());
}
