/** What keys and buttons do on the page of a comparison. */

/** @import { ChangePage } from "./change_page.js" */
/** @import { Item } from "../page/trees.js" */
import { codeAfter } from "../page/code.js";
import { onOtherColors } from "../page/colors.js";
import { copyItem } from "../page/crumbs.js";
import { byId } from "../page/elements.js";
import { pressKey, redo, undo } from "../page/keys.js";
import { csvField, itemsBelow, saveFile, savePng, svgOf } from "../page/save.js";
import { firstChangeState, FLAGS } from "./change_state.js";

/** All rows that are shown, with both costs. @param {ChangePage} page @param {Item} top */
function csvOfChanges(page, top) {
	const { changes, functions } = page.looks[0];
	const columns = ["before", "after", "difference", "error", "q", "significant"];
	const measures = /** @type {const} */ (["self", "total"]);
	const lines = [["depth", ...measures.flatMap((of) => columns.map((name) => `${of}_${name}`)),
		"name", "module", "kind", "status", "event"].join()];
	for (const item of itemsBelow(changes, top)) {
		lines.push([item.depth - top.depth, ...measures.flatMap((of) => {
			const values = changes.values(item, of);
			return [values.before, values.after, values.difference, values.error,
				Number.isNaN(values.q) ? "" : values.q, Number(values.isSignificant)];
		}), csvField(functions.name[item.func]), csvField(functions.module[item.func]),
		functions.kind[item.func], ["", "new", "gone"][changes.status(item)],
		csvField(page.facts.metrics[page.state.metric].event)].join());
	}
	return lines.map((line) => `${line}\r\n`).join("");
}

/** @param {ChangePage} page @param {string} format */
function saveChanges(page, format) {
	const { graph } = page.panes[0];
	if (!graph.top)
		return;
	if (format === "png")
		savePng(graph, "changes.png");
	else if (format === "svg")
		saveFile("changes.svg", new Blob([svgOf(graph, page.looks[0], page.look.whole)],
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
	page.panes[0].table.focus();
}

/** @param {ChangePage} page @param {string} name */
function toggle(page, name) {
	const known = FLAGS.find((of) => of === name);
	if (known)
		page.change({ [known]: !page.state[known] });
}

/** Whether the root of the tree is the innermost function. @param {ChangePage} page */
function isUp(page) {
	return page.looks[page.selectedIn].changes.isUp;
}

/** @param {ChangePage} page @returns {Record<string, () => void>} */
function keysOfChanges(page) {
	return {
		"/": () => byId("query").focus(),
		"?": () => byId("help").showModal(),
		"1": () => page.showView("paths"),
		"2": () => page.showView("up"),
		"3": () => page.showView("sandwich"),
		"4": () => page.showView("functions"),
		"5": () => page.showView("new"),
		"6": () => page.showView("gone"),
		Backspace: () => page.zoomOut(),
		Escape: () => page.zoomOut(),
		C: () => page.change({ code: codeAfter(page.state.code) }),
		N: () => page.nextMatch(-1),
		R: () => toggle(page, "recursion"),
		U: redo,
		a: () => page.change({ side: "after" }),
		b: () => page.change({ side: "before" }),
		c: () => toggle(page, "chance"),
		d: () => page.turnMeasure(),
		f: () => page.filterSelected("focus"),
		g: () => page.panes[0].canvas.focus(),
		h: () => page.panes[0].table.unfoldHotPath(),
		i: () => toggle(page, "inlined"),
		k: () => toggle(page, "kernel"),
		l: () => page.focusTime(),
		m: () => page.change({ side: "both" }),
		n: () => page.nextMatch(1),
		o: () => toggle(page, "only"),
		q: () => byId("quality").showModal(),
		r: () => page.change({ scale: page.state.scale === "absolute" ? "relative" : "absolute" }),
		s: () => page.showView("sandwich"),
		t: () => page.panes[0].table.focus(),
		u: undo,
		v: () => toggle(page, "flame"),
		x: () => page.filterSelected("ignore"),
	};
}

/** @param {ChangePage} page */
function listenToChangeButtons(page) {
	/** @type {Record<string, () => void>} */
	const actions = {
		"copy-name": () => copyItem(page.selected, page.look.functions, "name", !isUp(page)),
		"copy-path": () => copyItem(page.selected, page.look.functions, "path", !isUp(page)),
		"open-quality": () => byId("quality").showModal(),
		"open-save": () => byId("save").showModal(),
		"open-help": () => byId("help").showModal(),
		focus: () => page.filterSelected("focus"),
		ignore: () => page.filterSelected("ignore"),
		module: () => page.filterSelected("module"),
		fold: () => page.foldModule(),
		hot: () => page.panes[0].table.unfoldHotPath(),
		undo,
		redo,
		reset: () => page.change(firstChangeState()),
	};
	for (const [id, action] of Object.entries(actions))
		byId(id).addEventListener("click", action);
	document.addEventListener("click", (event) => {
		const target = /** @type {HTMLElement} */ (event.target);
		const { choose, value, turn, code, save: format } = target.dataset;
		if (choose === "view")
			page.showView(/** @type {"paths"} */ (value));
		else if (choose)
			page.change({ [choose]: value });
		else if (turn)
			toggle(page, turn);
		else if (code)
			page.change({ code: codeAfter(page.state.code, code) });
		else if (format)
			saveChanges(page, format);
	});
}

/** @param {ChangePage} page */
export function listenToChanges(page) {
	listenToChangeButtons(page);
	byId("metric").addEventListener("change", () =>
		page.change({ metric: Number(byId("metric").value) }));
	byId("lanes").addEventListener("change", () => page.change({ lanes: byId("lanes").value }));
	byId("process").addEventListener("change", () => page.chooseProcess(byId("process").value));
	byId("query").addEventListener("input", () => page.change({ query: byId("query").value }, true));
	byId("query").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) =>
		pressWhileSearching(page, event));
	window.addEventListener("popstate", () => page.readAddress());
	document.addEventListener("keydown", (event) => pressKey(keysOfChanges(page), event));
	onOtherColors(() => page.recolor());
}
