/** The page of a comparison: a state, and what its parts show of it. */

/** @import { Comparison, Compared, Measure, Side } from "./comparison.js" */
/** @import { Times } from "./times.js" */
/** @import { ChangeLook } from "./change_table.js" */
/** @import { Showing } from "./change_tree.js" */
/** @import { TreeKind } from "./tested_tree.js" */
/** @import { ChangeState } from "./change_state.js" */
/** @import { Filter } from "../page/costs.js" */
/** @import { Model } from "../page/payload.js" */
/** @import { Item } from "../page/trees.js" */
/** @import { PaneLook } from "../page/pane.js" */
import { chip, chipsOf } from "../page/chips.js";
import { readColors } from "../page/colors.js";
import { exactly, matchedCost, toggled } from "../page/costs.js";
import { showCrumbs } from "../page/crumbs.js";
import { byId, element, keepEnds, shown } from "../page/elements.js";
import { Made } from "../page/made.js";
import { Pane } from "../page/pane.js";
import { matchesOf } from "../page/search.js";
import { amount, grouped, nameOf, shorten } from "../page/text.js";
import { Timeline } from "../page/timeline.js";
import { pathOf } from "../page/trees.js";
import { codeOfSides } from "./change_code.js";
import { ChangeTree } from "./change_tree.js";
import { TestedTree } from "./tested_tree.js";
import { CHANGE_COLORS, changeColor, changeText, relativeText, valueText } from "./change_table.js";
import { ChangeTable, RELATIVE_STEPS } from "./change_table.js";
import { firstChangeState, fragmentOfChange, measureOf } from "./change_state.js";
import { readChangeFragment, SIDES } from "./change_state.js";
import { changeSummary, showRuns } from "./runs.js";
import { Selected } from "./selected.js";
import { modelOfSide } from "./times.js";

const NO_TIMES = "There are no timelines: the runs have no times of single samples, --merge-copies or " +
	"--fold-recursion joined call paths, or the samples have no room in a page of this size.";
const ONE_TIME = "There are no timelines: all samples of a run have the same time.";
const STATUSES = { paths: 0, up: 0, sandwich: 0, functions: 0, new: 1, gone: 2 };
const TITLES = { paths: "Call paths", up: "Functions and their callers", sandwich: "Call paths",
	functions: "Functions", new: "New functions", gone: "Functions that are gone" };

export class ChangePage {
	/** It shows nothing before take(). @param {Comparison} facts */
	constructor(facts) {
		this.facts = facts;
		this.compared = /** @type {Compared} */ (/** @type {unknown} */ (null));
		this.isWhole = false;
		/** @type {Times | null} */
		this.times = null;
		/** @type {{side: Side, timeline: Timeline, model: Model}[]} */
		this.timelines = [];
		this.state = firstChangeState();
		this.made = new Made();
		/** @type {Item | null} */
		this.selected = null;
		this.selectedIn = 0; /* pane */
		this.look = /** @type {PaneLook & ChangeLook} */ (/** @type {unknown} */ ({
			functions: null, colors: readColors(CHANGE_COLORS), unit: "", whole: 0,
			all: null, marks: "none", matches: null, flame: false, changes: null,
			shares: facts.shares, chance: false, scale: "absolute" }));
		/** By pane. @type {(PaneLook & ChangeLook)[]} */
		this.looks = [];
		this.panes = ["first", "second"].map((id, i) => this.makePane(byId(id), i));
		this.code = codeOfSides(facts);
		this.fillHead();
	}

	/** Shows these data: of the first picture, or the whole, with tests and what the address says.
	 * @param {Compared} compared @param {boolean} isWhole @param {Times | null} times */
	take(compared, isWhole, times) {
		this.compared = compared;
		this.isWhole = isWhole;
		this.times = times;
		this.made = new Made();
		this.look.functions = compared.model.functions;
		if (isWhole) {
			this.fillProcesses();
			this.makeTimelines();
			this.readAddress();
		} else {
			this.show();
		}
	}

	/** Each has its tree. @param {HTMLElement} host @param {number} i */
	makePane(host, i) {
		const look = Object.create(this.look);
		this.looks.push(look);
		look.paintOf = (/** @type {Item} */ item) => changeColor(item, look);
		look.summary = (/** @type {Item} */ item) => this.summary(item, look.changes);
		return new Pane(host, look, {
			select: (item) => this.select(item, i),
			open: (item) => this.open(item),
			out: () => this.zoomOut(),
			point: (item, narrow) => this.point(item, narrow, i),
		}, ChangeTable);
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

	/** With one process there is nothing to choose. */
	fillProcesses() {
		const { kind, name } = this.look.functions;
		const names = [...new Set(name.filter((_, i) => kind[i] === "process"))].sort();
		byId("processes").hidden = names.length < 2;
		byId("process").append(...names.map((of) => {
			const option = /** @type {HTMLOptionElement} */ (element("option", shorten(of, 80)));
			option.value = of;
			return option;
		}));
	}

	/** One for each side whose samples have several times. */
	makeTimelines() {
		const { times, facts, compared } = this;
		const sides = SIDES.filter((side) => times?.sides[side].slices);
		for (const side of SIDES)
			byId(`timeline-${side}`).hidden = !sides.includes(side);
		byId("timelines").hidden = byId("lane-kinds").hidden = !sides.length;
		if (!sides.length)
			byId("quality-body").append(element("p", times ? ONE_TIME : NO_TIMES));
		if (!times)
			return;
		this.timelines = sides.map((side) => ({ side,
			model: modelOfSide(compared.model, times, facts, side),
			timeline: new Timeline(byId(`timeline-${side}`), this.look.colors,
				this.marksOf(side), {
					brush: (from, to, isDone) => this.brush(side, [from, to], isDone),
					toggle: (filter) => this.toggleFilter(filter),
				}) }));
		byId("coarse").hidden = !times.least;
		byId("coarse").textContent = `Call paths with fewer than ${grouped(times.least)} samples ` +
			"have no times of their own: if a range or a thread is chosen, those below a function " +
			"are one row.";
	}

	/** What marks a side's timeline: losses of all its runs, and the phases of one, as those of several
	 * would be on each other. @param {Side} side */
	marksOf(side) {
		const runs = this.facts.runs.filter((run) => run.side === side);
		const phases = runs.find((run) => run.phases?.length)?.phases ?? [];
		return { phases, gaps: [], losses: runs.flatMap(({ losses }) => losses ?? [])
			.sort((a, b) => a[2] - b[2]) };
	}

	/** To the first side's time; from there to the other's. */
	focusTime() {
		const [first, second] = document.querySelectorAll(
			"#timelines > :not([hidden]) > .histogram canvas");
		const next = document.activeElement === first && second ? second : first;
		/** @type {HTMLElement | undefined} */ (next)?.focus();
	}

	/** @param {Side} side @param {[number, number]} range of slices @param {boolean} isDone */
	brush(side, range, isDone) {
		this.change({ ranges: { ...this.state.ranges, [side]: range } }, !isDone);
	}

	/** @param {Filter} filter */
	toggleFilter(filter) {
		this.change({ filters: toggled(this.state.filters, filter) });
	}

	showTimelines() {
		const { metric, ranges, filters, idle, lanes } = this.state;
		for (const { side, timeline, model } of this.timelines) {
			const [from, to] = ranges[side];
			timeline.show(model, { metric, from, to, idle, filters }, lanes,
				this.facts.metrics[metric].cost);
		}
	}

	readAddress() {
		this.state = readChangeFragment(location.hash.slice(1), this.facts.metrics.length);
		byId("query").value = this.state.query;
		this.show();
	}

	/** What decides about the costs. */
	choice() {
		const { kernel, inlined, recursion, folded, filters, idle, ranges } = this.state;
		return { hiding: { kernel, inlined, recursion, modules: folded }, filters, idle, ranges };
	}

	/** What the filters select. */
	selection() {
		const choice = this.choice();
		return this.made.derive("selection", [choice], () =>
			new Selected(this.compared, this.facts, this.times, choice));
	}

	/** @param {TreeKind} kind @returns {ChangeTree} */
	tree(kind) {
		const { metric, side, only, view } = this.state;
		const func = kind === "callers" || kind === "callees" ? this.state.func : -1;
		/** @type {Showing} */
		const showing = { measure: measureOf(this.state), side, only, status: STATUSES[view] };
		const key = [func, metric, this.isWhole, this.choice()];
		const tested = this.made.derive(`tested ${kind}`, key, () =>
			new TestedTree(this.selection(), kind, func, metric, this.isWhole));
		return this.made.derive(kind, [key, showing], () => new ChangeTree(tested, showing));
	}

	/** @returns {ChangeTree[]} */
	trees() {
		const { view, func } = this.state;
		if (view === "sandwich" && func >= 0 && func < this.look.functions.name.length)
			return [this.tree("callers"), this.tree("callees")];
		return [this.tree(view === "paths" || view === "sandwich" ? "paths"
			: view === "up" ? "up" : "functions")];
	}

	isTable() {
		return ["functions", "new", "gone"].includes(this.state.view);
	}

	show() {
		performance.mark("dendro-show");
		const { state, look, facts } = this;
		look.unit = facts.metrics[state.metric].unit;
		look.matches = matchesOf(look.functions.name, state.query);
		look.flame = state.flame;
		look.chance = state.chance;
		look.scale = state.scale;
		const trees = this.trees();
		const isSandwich = trees.length > 1;
		look.whole = trees[0].values(trees[0].root, "total").after;
		byId("second").hidden = !isSandwich;
		byId("panes").classList.toggle("sandwich", isSandwich);
		byId("first").classList.toggle("listed", this.isTable());
		trees.forEach((tree, i) => this.showTree(tree, i, isSandwich));
		this.showMatched();
		this.showEmptiness(trees[0]);
		this.showTools();
		this.showCode();
		if (this.isWhole)
			this.showScale(trees[0]);
		this.showTimelines();
		performance.measure("dendro-shown", "dendro-show");
	}

	/** The code of the function under the cursor, on both sides. */
	showCode() {
		const { code, metric } = this.state;
		byId("codes").hidden = !code;
		byId("panes").classList.toggle("coded", code !== "");
		for (const of of this.code)
			of.show(code, metric, this.facts.metrics[metric].cost, this.look.functions,
				this.selected?.func ?? 0);
	}

	/** @param {ChangeTree} tree @param {number} i @param {boolean} isSandwich */
	showTree(tree, i, isSandwich) {
		const { state } = this;
		const pane = this.panes[i];
		const top = isSandwich ? tree.root : tree.find(state.zoom);
		const found = isSandwich ? tree.root : tree.find(state.selected);
		const isBelow = pathOf(found).length >= state.zoom.length &&
			state.zoom.every((func, depth) => func === state.selected[depth]);
		const selected = !isSandwich && state.selected.length && isBelow ? found : null;
		this.looks[i].changes = tree;
		this.showTitle(tree, pane.host);
		pane.show(tree.isOfFunction ? tree.tested.kind : TITLES[state.view].toLowerCase(), tree, top,
			selected);
		if (i)
			return;
		this.selected = selected ?? top;
		this.describe(this.selected, tree);
		showCrumbs(byId("crumbs"), this.look.functions, top, (zoom) => this.change({ zoom }));
	}

	/** @param {ChangeTree} tree @param {HTMLElement} host */
	showTitle(tree, host) {
		const { view, func } = this.state;
		const title = /** @type {HTMLElement} */ (host.querySelector(".pane-title"));
		const by = `by ${measureOf(this.state)} cost`;
		title.textContent = tree.isOfFunction
			? `${tree.isUp ? "Callers" : "Callees"} of ${shown(nameOf(this.look.functions, func))} ${by}`
			: `${TITLES[view]} ${by}${this.isWhole ? `: ${grouped(tree.count())}` : ""}`;
		keepEnds([title]);
	}

	/** What all samples with a match on their path cost, each counted once. */
	showMatched() {
		const { matches, shares, unit } = this.look;
		byId("matched").textContent = "";
		if (!matches)
			return;
		const { shape } = this.selection();
		const { runs, whole } = this.selection().of(this.state.metric);
		const tree = this.looks[0].changes;
		const costs = new Float64Array(whole.length);
		runs.forEach(({ total }, run) => (costs[3 * run] = matchedCost(shape, total, matches)));
		const { draws } = tree.tested.tests.total;
		const [before, after] = [draws.value(costs, 0), draws.value(costs, 1)];
		byId("matched").textContent = before || after
			? `${valueText(before, unit, shares)} → ${valueText(after, unit, shares)}` : "none";
	}

	/** Whether filters leave samples out. */
	isPart() {
		const { filters, idle, ranges } = this.state;
		return filters.length > 0 || idle || ranges.before[1] > 0 || ranges.after[1] > 0;
	}

	/** Says why no rows are shown, and what to do. @param {ChangeTree} tree */
	showEmptiness(tree) {
		const { view, only } = this.state;
		const left = this.isPart() ? " of what the filters leave" : "";
		byId("nothing").hidden = !this.isWhole || tree.hasKids(tree.root) || tree.isOfFunction;
		byId("nothing").textContent = only
			? `Nothing${left} moved by more than chance explains. Without Only significant, all is ` +
				"shown."
			: view === "new" ? `No function${left} is new.`
				: view === "gone" ? `No function${left} is gone.`
					: "No sample is left. Undo takes the last filter away, Reset all of them.";
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
		for (const button of document.querySelectorAll("[data-code]"))
			button.setAttribute("aria-pressed",
				String(/** @type {HTMLElement} */ (button).dataset.code === state.code));
		const process = state.filters.find(({ kind }) => kind === "process");
		byId("process").value = process?.value ?? "";
		byId("lanes").value = state.lanes;
		byId("chips").replaceChildren(...chipsOf(state, (change) => this.change(change)),
			...this.rangeChips());
		byId("open-quality").textContent = changeSummary(this.facts, state.metric,
			this.isPart());
	}

	rangeChips() {
		return this.timelines.filter(({ side }) => this.state.ranges[side][1] && this.times)
			.map(({ side }) => {
				const [from, to] = this.state.ranges[side];
				const { sliceNs } = /** @type {Times} */ (this.times).sides[side];
				return chip(`${side}: ${amount(from * sliceNs, "ns")} – ${amount(to * sliceNs, "ns")}`,
					() => this.brush(side, [0, 0], true));
			});
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
		byId("legend").replaceChildren(...(scale === "relative" || tree.largest ? [item] : []));
	}

	/** @param {Item} item @param {ChangeTree} tree */
	summary(item, tree) {
		const { shares, unit } = this.look;
		const values = tree.values(item, tree.showing.measure);
		return `${valueText(values.before, unit, shares)} before, ` +
			`${valueText(values.after, unit, shares)} after, ` +
			`${changeText(values.difference, unit, shares)}, ` +
			(values.isSignificant ? "significant" : "within chance");
	}

	/** The line at the bottom. @param {Item} item @param {ChangeTree} tree @param {number} [narrow] */
	describe(item, tree, narrow = 0) {
		const { functions } = this.look;
		const name = narrow ? `${narrow} frames too narrow to show`
			: shown(nameOf(functions, item.func));
		byId("detail-name").textContent = name;
		byId("detail-name").title = shorten(name, 1000);
		byId("detail-module").textContent = narrow ? "" : shown(functions.module[item.func]);
		keepEnds([byId("detail-name")]);
		const parts = narrow ? []
			: [this.measured(item, tree, "total"), this.measured(item, tree, "self"),
				element("span", functions.kind[item.func])];
		byId("detail-costs").replaceChildren(...parts);
	}

	/** @param {Item} item @param {ChangeTree} tree @param {Measure} measure */
	measured(item, tree, measure) {
		const { shares, unit } = this.look;
		const values = tree.values(item, measure);
		const part = element("span", `${measure} `);
		part.dataset.measure = measure;
		part.append(element("b", valueText(values.before, unit, shares)), " → ",
			element("b", valueText(values.after, unit, shares)));
		if (values.difference)
			part.append(` ${changeText(values.difference, unit, shares)} ` +
				`${changeText(values.error, unit, shares).replace("+", "±")} ` +
				`(${relativeText(values, tree.status(item))})` +
				(values.isSignificant ? ` *, q ${values.q.toPrecision(2)}`
					: Number.isNaN(values.q) ? ", not tested"
						: `, chance: q ${values.q.toPrecision(2)}`));
		return part;
	}

	/** @param {Item | null} item under the pointer @param {number} narrow @param {number} i pane */
	point(item, narrow, i) {
		const at = item ? i : this.selectedIn;
		if (item || this.selected)
			this.describe(/** @type {Item} */ (item ?? this.selected), this.looks[at].changes,
				item ? narrow : 0);
	}

	/** @param {Item} item @param {number} i pane */
	select(item, i) {
		this.selected = item;
		this.selectedIn = i;
		this.describe(item, this.looks[i].changes);
		this.showCode();
		if (i || this.looks[0].changes.isOfFunction)
			return;
		this.state.selected = pathOf(item);
		history.replaceState(history.state, "", `#${fragmentOfChange(this.state)}`);
	}

	/** @param {Item} item */
	open(item) {
		if (this.looks[0].changes.isOfFunction)
			this.change({ func: item.func });
		else
			this.change({ zoom: pathOf(item), selected: pathOf(item) });
	}

	/** @param {ChangeState["view"]} view */
	showView(view) {
		const func = this.selected?.parent || this.looks[0].changes.isOfFunction
			? this.selected?.func ?? -1 : -1;
		this.change(view === "sandwich" ? { view: func < 0 ? "paths" : view, func } : { view });
	}

	/** @param {"focus" | "ignore" | "module"} kind */
	filterSelected(kind) {
		const { functions } = this.look;
		const func = this.selected?.func ?? -1;
		const value = kind === "module" ? functions.module[func] : exactly(functions.name[func] ?? "");
		if (func < 0 || functions.kind[func] === "root" || !value)
			return;
		this.toggleFilter({ kind, value });
	}

	foldModule() {
		const module = this.look.functions.module[this.selected?.func ?? -1];
		if (module && !this.state.folded.includes(module))
			this.change({ folded: [...this.state.folded, module] });
	}

	/** @param {string} name "": all */
	chooseProcess(name) {
		const others = this.state.filters.filter(({ kind }) => kind !== "process");
		this.change({ filters: name ? [...others, { kind: "process", value: name }] : others });
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
		const { graph, table } = this.panes[0];
		const all = this.isTable() ? table.items
			: graph.boxes.filter((box) => !box.narrow).map((box) => box.item);
		const items = all.filter((item) => matches?.[item.func]);
		const at = this.selected ? items.indexOf(this.selected) : -1;
		const next = items[(at + step + items.length) % items.length];
		if (next)
			this.panes[0].choose(next);
	}
}
