/** What keys and buttons do. */

/** @import { Page } from "./page.js" */
import { onOtherColors, readColors } from "./colors.js";
import { copyItem } from "./crumbs.js";
import { byId } from "./elements.js";
import { pressKey, redo, undo } from "./keys.js";
import { csvOf, foldedOf, saveFile, savePng, svgOf } from "./save.js";
import { codeAfter } from "./code.js";
import { firstState, SWITCHES } from "./state.js";

/** @param {Page} page @param {"name" | "path" | "stack"} what */
function copy(page, what) {
	copyItem(page.selected, page.look.functions, what, page.state.view === "down");
}

/** @param {Page} page @param {string} format */
function save(page, format) {
	const { graph } = page.panes[0];
	const { functions } = page.look;
	const name = (page.facts.source ?? "dendro").replace(/^.*\//, "");
	const event = page.facts.metrics[page.state.metric].event;
	if (!graph.tree || !graph.top)
		return;
	if (format === "png")
		savePng(graph, `${name}.png`);
	else if (format === "svg")
		saveFile(`${name}.svg`, new Blob([svgOf(graph, page.look, page.look.whole)],
			{ type: "image/svg+xml" }));
	else if (format === "csv")
		saveFile(`${name}.csv`, new Blob([csvOf(graph.tree, graph.top, functions, event,
			page.look.marks === "none" ? null : page.look.all)],
			{ type: "text/csv" }));
	else
		saveFile(`${name}.folded`, new Blob([foldedOf(page.callTree(), functions)],
			{ type: "text/plain" }));
}

/** @param {Page} page @param {string | undefined} name */
function turn(page, name) {
	const known = SWITCHES.find((of) => of === name);
	if (known)
		page.change({ [known]: !page.state[known] });
}

/** @param {Page} page @param {string} [name] */
function showCode(page, name) {
	page.change({ code: codeAfter(page.state.code, name) });
}

/** @param {Page} page @param {KeyboardEvent} event */
function pressInSearch(page, event) {
	if (event.key === "Enter")
		page.nextMatch(event.shiftKey ? -1 : 1);
	if (event.key !== "Escape")
		return;
	byId("query").value = "";
	page.change({ query: "" });
	page.panes[0].table.focus();
}

/** @param {Page} page @returns {Record<string, () => void>} */
function keysOf(page) {
	return {
		"/": () => byId("query").focus(),
		"?": () => byId("help").showModal(),
		"1": () => page.showView("down"),
		"2": () => page.showView("up"),
		"3": () => page.showView("sandwich"),
		Backspace: () => page.zoomOut(),
		Escape: () => page.zoomOut(),
		H: () => turn(page, "heat"),
		N: () => page.nextMatch(-1),
		U: redo,
		c: () => showCode(page),
		f: () => page.filterSelected("focus"),
		g: () => page.panes[0].canvas.focus(),
		h: () => page.panes[0].table.unfoldHotPath(),
		i: () => turn(page, "inlined"),
		k: () => turn(page, "kernel"),
		l: () => page.timeline.canvas.focus(),
		n: () => page.nextMatch(1),
		q: () => byId("quality").showModal(),
		r: () => turn(page, "recursion"),
		s: () => page.showView("sandwich"),
		t: () => page.panes[0].table.focus(),
		u: undo,
		v: () => turn(page, "flame"),
		x: () => page.filterSelected("ignore"),
	};
}

/** @param {Page} page */
function listenToButtons(page) {
	/** @type {Record<string, () => void>} */
	const actions = {
		"copy-name": () => copy(page, "name"),
		"copy-path": () => copy(page, "path"),
		"copy-stack": () => copy(page, "stack"),
		"open-quality": () => byId("quality").showModal(),
		"open-save": () => byId("save").showModal(),
		"open-help": () => byId("help").showModal(),
		hot: () => page.panes[0].table.unfoldHotPath(),
		focus: () => page.filterSelected("focus"),
		ignore: () => page.filterSelected("ignore"),
		module: () => page.filterSelected("module"),
		fold: () => page.foldModule(),
		undo,
		redo,
		reset: () => page.change(firstState(page.facts.metric)),
	};
	for (const [id, action] of Object.entries(actions))
		byId(id).addEventListener("click", action);
	const groups = /** @type {[string, (data: DOMStringMap) => void][]} */ ([
		["views", ({ view }) => view && page.showView(/** @type {"down"} */ (view))],
		["switches", (data) => turn(page, data.switch)],
		["heat", () => turn(page, "heat")],
		["codes", ({ code }) => code && showCode(page, code)],
		["save", (data) => data.save && save(page, data.save)],
	]);
	for (const [id, action] of groups)
		byId(id).addEventListener("click", (/** @type {any} */ event) => action(event.target.dataset));
}

/** @param {Page} page */
export function listen(page) {
	listenToButtons(page);
	byId("metric").addEventListener("change", () =>
		page.change({ metric: Number(byId("metric").value) }));
	byId("lanes").addEventListener("change", () => page.change({ lanes: byId("lanes").value }));
	byId("query").addEventListener("input", () =>
		page.change({ query: byId("query").value }, true));
	byId("query").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) =>
		pressInSearch(page, event));
	window.addEventListener("popstate", () => page.isWhole && page.readAddress());
	document.addEventListener("keydown", (event) => pressKey(keysOf(page), event));
	onOtherColors(() => {
		Object.assign(page.colors, readColors());
		page.show();
	});
}
