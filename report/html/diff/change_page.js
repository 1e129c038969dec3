/** The page of a comparison: a state, and what its parts show of it. */

/** @import { Comparison, Compared, Measure } from "./comparison.js" */
/** @import { ChangeLook } from "./change_table.js" */
/** @import { ChangeState } from "./change_state.js" */
/** @import { Item } from "../page/trees.js" */
/** @import { PaneLook } from "../page/pane.js" */
import { readColors } from "../page/colors.js";
import { showCrumbs } from "../page/crumbs.js";
import { byId, element, shown } from "../page/elements.js";
import { Pane } from "../page/pane.js";
import { matchesOf } from "../page/search.js";
import { grouped, nameOf, shorten } from "../page/text.js";
import { pathOf } from "../page/trees.js";
import { ChangeTree } from "./change_tree.js";
import { CHANGE_COLORS, changeColor, changeText, relativeText, valueText } from "./change_table.js";
import { ChangeTable, RELATIVE_STEPS } from "./change_table.js";
import { firstChangeState, fragmentOfChange, measureOf, readChangeFragment } from "./change_state.js";
import { changeSummary, showRuns } from "./runs.js";

const STATUSES = { paths: 0, functions: 0, new: 1, gone: 2 };
const TITLES = { paths: "Call paths", functions: "Functions", new: "New functions",
	gone: "Functions that are gone" };

export class ChangePage {
	/** @param {Comparison} facts @param {Compared} compared */
	constructor(facts, compared) {
		this.facts = facts;
		this.compared = compared;
		this.state = firstChangeState();
		/** @type {Item | null} */
		this.selected = null;
		this.made = { key: "", tree: this.makeTree() };
		this.look = /** @type {PaneLook & ChangeLook} */ (/** @type {unknown} */ ({
			functions: compared.functions, colors: readColors(CHANGE_COLORS), unit: "", whole: 0,
			all: null, marks: "none", matches: null, flame: false, changes: this.made.tree,
			shares: facts.shares, chance: false, scale: "absolute",
			paintOf: (/** @type {Item} */ item) => changeColor(item, this.look),
			summary: (/** @type {Item} */ item) => this.summary(item) }));
		this.pane = new Pane(byId("first"), this.look, {
			select: (item) => this.select(item),
			open: (item) => this.change({ zoom: pathOf(item), selected: pathOf(item) }),
			out: () => this.zoomOut(),
			point: (item, narrow) => this.point(item, narrow),
		}, ChangeTable);
		this.fillHead();
	}

	fillHead() {
		const { facts } = this;
		/** @param {string} side */
		const files = (side) => facts.runs.filter((run) => run.side === side)
			.map(({ file }) => file);
		const text = `${files("before").join(", ")}  →  ${files("after").join(", ")}`;
		byId("source").textContent = shorten(text, 300);
		byId("source").title = shown(text);
		document.title = `${shorten(text, 200)} – dendro diff`;
		facts.metrics.forEach(({ event }, i) => {
			const option = /** @type {HTMLOptionElement} */ (element("option", event));
			option.value = String(i);
			byId("metric").append(option);
		});
		showRuns(byId("quality-body"), facts);
	}

	readAddress() {
		this.state = readChangeFragment(location.hash.slice(1), this.facts.metrics.length);
		byId("query").value = this.state.query;
		this.show();
	}

	/** @returns {ChangeTree} */
	makeTree() {
		const { metric, view, side, only } = this.state;
		const rows = view === "paths" ? this.compared.paths : this.compared.table;
		return new ChangeTree(rows, this.facts, { metric, measure: measureOf(this.state), side, only,
			status: STATUSES[view] });
	}

	/** The tree that the state asks for, which is made anew only if that has changed. */
	tree() {
		const { metric, view, side, only } = this.state;
		const key = [metric, view, side, only, measureOf(this.state)].join();
		if (key !== this.made.key)
			this.made = { key, tree: this.makeTree() };
		return this.made.tree;
	}

	show() {
		const { state, look, facts } = this;
		const tree = this.tree();
		const top = tree.find(state.zoom);
		const found = tree.find(state.selected);
		const isBelow = pathOf(found).length >= state.zoom.length &&
			state.zoom.every((func, i) => func === state.selected[i]);
		const selected = state.selected.length && isBelow ? found : null;
		look.changes = tree;
		look.unit = facts.metrics[state.metric].unit;
		look.whole = tree.root.total;
		look.matches = matchesOf(look.functions.name, state.query);
		look.flame = state.flame;
		look.chance = state.chance;
		look.scale = state.scale;
		byId("first").classList.toggle("listed", state.view !== "paths");
		this.showTitle(tree);
		this.pane.show(TITLES[state.view].toLowerCase(), tree, top, selected);
		this.selected = selected ?? top;
		this.describe(this.selected);
		showCrumbs(byId("crumbs"), look.functions, top, (zoom) => this.change({ zoom }));
		this.showMatched();
		this.showTools();
		this.showScale(tree);
	}

	/** @param {ChangeTree} tree */
	showTitle(tree) {
		const { view } = this.state;
		const n = tree.wanted.reduce((sum, is) => sum + is, 0) - 1;
		const title = /** @type {HTMLElement} */ (byId("first").querySelector(".pane-title"));
		title.textContent = `${TITLES[view]} by ${measureOf(this.state)} cost: ${grouped(n)}`;
	}

	showMatched() {
		const { matches } = this.look;
		const { rows, wanted } = this.tree();
		let n = 0;
		for (let i = 1; matches && i < rows.n; i++)
			n += wanted[i] & matches[rows.func[i]];
		byId("matched").textContent = matches ? grouped(n) : "";
	}

	showTools() {
		const { state } = this;
		byId("metric").value = String(state.metric);
		const chosen = { view: state.view, side: state.side, measure: measureOf(this.state),
			scale: state.scale };
		for (const button of document.querySelectorAll("[data-choose]")) {
			const { choose, value } = /** @type {HTMLElement} */ (button).dataset;
			button.setAttribute("aria-pressed",
				String(chosen[/** @type {"view"} */ (choose)] === value));
		}
		for (const button of document.querySelectorAll("[data-turn]")) {
			const { turn } = /** @type {HTMLElement} */ (button).dataset;
			button.setAttribute("aria-pressed", String(state[/** @type {"only"} */ (turn)]));
		}
		byId("open-quality").textContent = changeSummary(this.compared, state.metric);
	}

	/** What colours mean. @param {ChangeTree} tree */
	showScale(tree) {
		const { shares, unit } = this.look;
		const { scale } = this.state;
		const factor = RELATIVE_STEPS[RELATIVE_STEPS.length - 1];
		const ends = scale === "relative" ? [`1/${factor} or gone`, `${factor} times or new`]
			: [changeText(-tree.largest, unit, shares), changeText(tree.largest, unit, shares)];
		const item = element("li");
		item.append(`${ends[0]} `, ...CHANGE_COLORS.map((name) => element(`span.paint.${name}`)),
			` ${ends[1]}`);
		byId("legend").replaceChildren(item);
	}

	/** @param {Item} item */
	summary(item) {
		const { changes, shares, unit } = this.look;
		const values = changes.values(changes.rowOf(item), changes.showing.measure);
		return `${valueText(values.before, unit, shares)} before, ` +
			`${valueText(values.after, unit, shares)} after, ` +
			`${changeText(values.difference, unit, shares)}, ` +
			(values.isSignificant ? "significant" : "within chance");
	}

	/** The line at the bottom. @param {Item} item @param {number} [narrow] */
	describe(item, narrow = 0) {
		const { functions } = this.look;
		const name = narrow ? `${narrow} frames too narrow to show`
			: shown(nameOf(functions, item.func));
		byId("detail-name").textContent = name;
		byId("detail-name").title = shorten(name, 1000);
		byId("detail-module").textContent = narrow ? "" : shown(functions.module[item.func]);
		const parts = narrow ? []
			: [this.measured(item, "total"), this.measured(item, "self"),
				element("span", functions.kind[item.func])];
		byId("detail-costs").replaceChildren(...parts);
	}

	/** @param {Item} item @param {Measure} measure */
	measured(item, measure) {
		const { changes, shares, unit } = this.look;
		const row = changes.rowOf(item);
		const values = changes.values(row, measure);
		const part = element("span", `${measure} `);
		part.dataset.measure = measure;
		part.append(element("b", valueText(values.before, unit, shares)), " → ",
			element("b", valueText(values.after, unit, shares)));
		if (values.difference)
			part.append(` ${changeText(values.difference, unit, shares)} ` +
				`${changeText(values.error, unit, shares).replace("+", "±")} ` +
				`(${relativeText(values, changes.rows.status[row])})` +
				(values.isSignificant ? ` *, q ${values.q.toPrecision(2)}`
					: Number.isNaN(values.q) ? ", not tested"
						: `, chance: q ${values.q.toPrecision(2)}`));
		return part;
	}

	/** @param {Item | null} item under the pointer @param {number} narrow */
	point(item, narrow) {
		if (item)
			this.describe(item, narrow);
		else if (this.selected)
			this.describe(this.selected);
	}

	/** @param {Item} item */
	select(item) {
		this.selected = item;
		this.describe(item);
		this.state.selected = pathOf(item);
		history.replaceState(history.state, "", `#${fragmentOfChange(this.state)}`);
	}

	zoomOut() {
		if (this.state.zoom.length)
			this.change({ zoom: this.state.zoom.slice(0, -1) });
	}

	turnMeasure() {
		this.change({ measure: measureOf(this.state) === "self" ? "total" : "self" });
	}

	recolor() {
		Object.assign(this.look.colors, readColors(CHANGE_COLORS));
		this.show();
	}

	/** Shows another state. @param {Partial<ChangeState>} change @param {boolean} [isPassing] it is
	 * replaced by the next one, and not undone */
	change(change, isPassing) {
		const isOtherTree = change.view !== undefined && change.view !== this.state.view;
		this.state = { ...this.state, ...change };
		if (isOtherTree)
			Object.assign(this.state, { zoom: [], selected: [] });
		const address = `#${fragmentOfChange(this.state)}`;
		if (isPassing)
			history.replaceState(history.state, "", address);
		else
			history.pushState({ step: (history.state?.step ?? 0) + 1 }, "", address);
		this.show();
	}

	/** Goes to the next item whose function matches: of a picture, or of a table. @param {number}
	 * step */
	nextMatch(step) {
		const { matches } = this.look;
		const { graph, table } = this.pane;
		const all = this.state.view === "paths" ? graph.boxes.filter((box) => !box.narrow)
			.map((box) => box.item) : table.items;
		const items = all.filter((item) => matches?.[item.func]);
		const at = this.selected ? items.indexOf(this.selected) : -1;
		const next = items[(at + step + items.length) % items.length];
		if (next)
			this.pane.choose(next);
	}
}
