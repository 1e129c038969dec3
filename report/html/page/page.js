/** The page: a state, and what its parts show of it. */

/** @import { Facts, Model } from "./payload.js" */
/** @import { Shape } from "./shape.js" */
/** @import { Filter, Selection, Sums } from "./costs.js" */
/** @import { Item, Tree } from "./trees.js" */
/** @import { State } from "./state.js" */
/** @import { Legend } from "./colors.js" */
import { shapeOf } from "./shape.js";
import { Columns, exactly, matchedCost, sumUp, toggled } from "./costs.js";
import { Made } from "./made.js";
import { callerTree, calleesOf, callersOf, callTree, functionCosts, pathOf } from "./trees.js";
import { outerNodes, sumsWithin } from "./trees.js";
import { amount, counted, errorText, grouped, hasOwnUnit, nameOf, percent, shorten } from "./text.js";
import { firstState, fragmentOf, readFragment } from "./state.js";
import { legendOf, readColors } from "./colors.js";
import { readOnce } from "./payload.js";
import { chip, chipsOf } from "./chips.js";
import { showCrumbs } from "./crumbs.js";
import { matchesOf } from "./search.js";
import { errorsOf, ratioError, shareSum, sumOver } from "./errors.js";
import { byId, element, keepEnds, shown } from "./elements.js";
import { Pane } from "./pane.js";
import { Table } from "./table.js";
import { heatOf } from "./heat.js";
import { Timeline } from "./timeline.js";
import { Code } from "./code.js";
import { qualitySummary, showQuality } from "./quality.js";

export class Page {
	/** @param {Facts} facts */
	constructor(facts) {
		this.facts = facts;
		this.state = firstState(facts.metric);
		this.colors = readColors();
		/** @type {Model | null} */
		this.model = null;
		this.isWhole = false;
		/** @type {Item | null} */
		this.selected = null;
		/** @type {Pane[]} */
		this.panes = [];
		this.matchAt = -1;
		this.made = new Made();
		this.columns = new Columns();
		/** @type {string[]} by function: the name of its colour */
		this.paint = [];
		this.look = /** @type {any} */ ({ functions: null, colors: this.colors, unit: "",
			whole: 0, all: null, marks: null, matches: null, flame: false,
			paintOf: (/** @type {Item} */ item) => this.paint[item.func],
			summary: (/** @type {Item} */ item) => percent(item.total, this.look.whole) });
		this.timeline = new Timeline(byId("timeline"), this.colors, facts, {
			brush: (from, to, isDone) => this.change({ from, to }, !isDone),
			toggle: (filter) => this.toggleFilter(filter),
		});
		this.code = new Code(byId("code-pane"), "", "dendro report --html FILE",
			readOnce("code", []));
		this.fillHead();
	}

	fillHead() {
		const { facts } = this;
		const words = [facts.source, facts.duration && amount(facts.duration, "ns"), facts.host,
			facts.command].filter(Boolean);
		byId("source").textContent = shorten(words.join("  ·  "), 300);
		byId("source").title = shown(words.join("\n"));
		document.title = `${facts.source ?? ""} – dendro`;
		facts.metrics.forEach((metric, i) => {
			const option = /** @type {HTMLOptionElement} */ (element("option", metric.event));
			option.value = String(i);
			option.disabled = !metric.samples;
			byId("metric").append(option);
		});
		const { text, isGood } = qualitySummary(facts);
		byId("open-quality").textContent = text;
		byId("open-quality").classList.toggle("attention", !isGood);
		showQuality(byId("quality-body"), facts);
	}

	/** @param {Model} model @param {boolean} isWhole the first picture has a part of the tree */
	take(model, isWhole) {
		this.model = model;
		this.isWhole = isWhole;
		this.made = new Made();
		this.look.functions = model.functions;
		if (!this.panes.length)
			this.panes = [byId("first"), byId("second")].map((host) => new Pane(host, this.look, {
				select: (item) => this.select(item, host),
				open: (item) => this.open(item, host),
				out: () => this.zoomOut(),
				point: (item, narrow, total) => this.point(item, narrow, total),
			}, Table));
		byId("timeline").hidden = !model.slices;
		const kinds = { process: "Processes", thread: "Threads", cpu: "CPUs", cgroup: "Cgroups" };
		byId("lanes").replaceChildren(...Object.entries(kinds)
			.filter(([kind]) => kind !== "cgroup" || model.cgroups.length)
			.map(([kind, name]) => {
				const option = /** @type {HTMLOptionElement} */ (element("option", name));
				option.value = kind;
				return option;
			}));
		if (isWhole)
			this.readAddress();
		else
			this.show();
	}

	readAddress() {
		const { facts } = this;
		this.state = readFragment(location.hash.slice(1), facts.metric, facts.metrics.length);
		byId("query").value = this.state.query;
		this.show();
	}

	/** @returns {Selection} */
	selection() {
		const { metric, from, to, idle, filters } = this.state;
		const isWhole = this.isWhole;
		return { metric: isWhole ? metric : 0, from, to: isWhole ? to : 0, idle,
			filters: isWhole ? filters : [] };
	}

	/** Computes what the state asks for. */
	compute() {
		const model = /** @type {Model} */ (this.model);
		const { kernel, inlined, recursion, folded } = this.state;
		const hiding = { kernel, inlined, recursion, modules: folded };
		const selection = this.selection();
		const shape = this.made.derive("shape", [hiding], () => shapeOf(model, hiding));
		const sums = this.made.derive("sums", [hiding, selection], () => {
			this.made.forget("down", "up", "callers", "callees");
			return sumUp(model, shape, selection, this.columns);
		});
		return { model, shape, sums, selection, key: [hiding, selection] };
	}

	/** What is shown, from the outermost functions on. */
	callTree() {
		const { shape, sums, key } = this.compute();
		return this.made.derive("down", key, () => callTree(shape, sums));
	}

	/** @param {Shape} shape @param {Sums} sums @param {unknown[]} key @returns {Tree[]} */
	trees(shape, sums, key) {
		const { view, func } = this.state;
		if (view === "up")
			return [this.made.derive("up", key, () => callerTree(shape, sums))];
		if (view === "sandwich" && func >= 0)
			return [this.made.derive("callers", [key, func], () => callersOf(shape, sums, func)),
				this.made.derive("callees", [key, func], () => calleesOf(shape, sums, func))];
		return [this.callTree()];
	}

	show() {
		if (!this.model)
			return;
		performance.mark("dendro-show");
		const { state, facts, look } = this;
		const { model, shape, sums, selection, key } = this.compute();
		const legend = this.made.derive("legend", [state.metric, this.isWhole], () =>
			legendOf(model.functions, functionCosts(shape, sums, model.functions.name.length)));
		this.paint = legend.paint;
		look.unit = facts.metrics[state.metric]?.unit ?? "events";
		look.whole = sums.total[0];
		look.all = shareSum(sums.total[0], sums.samples[0], sums.squares && sums.squares[0]);
		look.marks = this.marks();
		look.matches = matchesOf(model.functions.name, state.query);
		const trees = this.trees(shape, sums, key);
		const isSandwich = trees.length > 1;
		byId("second").hidden = !isSandwich;
		byId("panes").classList.toggle("sandwich", isSandwich);
		trees.forEach((tree, i) => this.showTree(tree, i, isSandwich));
		this.showMatched(shape, sums);
		this.showEmptiness(sums);
		if (model.slices && this.isWhole)
			this.timeline.show(model, selection, state.lanes, look.unit, state.heat);
		byId("heat").hidden = !heatOf(model.slices, model.sliceNs);
		this.showTools(legend);
		this.showCode();
		performance.measure("dendro-shown", "dendro-show");
	}

	/** The code of the function under the cursor. */
	showCode() {
		const { functions, unit } = this.look;
		const { code, metric } = this.state;
		byId("panes").classList.toggle("coded", code !== "");
		this.code.show(code, metric, unit, functions, this.selected?.func ?? 0);
	}

	/** Which errors are shown. @returns {"none" | "few" | "all"} */
	marks() {
		if (this.facts.metrics[this.state.metric]?.exact)
			return "none";
		return this.facts.errors ? "all" : "few";
	}

	/** @param {Tree} tree @param {number} i @param {boolean} isSandwich */
	showTree(tree, i, isSandwich) {
		const { state } = this;
		const pane = this.panes[i];
		const top = isSandwich ? tree.root : tree.find(state.zoom);
		const path = isSandwich ? [] : state.selected;
		const found = path.length ? tree.find(path) : null;
		const isFound = found !== null && pathOf(found).length === path.length;
		const selected = isFound && this.isBelow(found, top) ? found : null;
		const label = tree.isUp ? "callers" : isSandwich ? "callees" : "calls";
		const name = shown(nameOf(this.look.functions, Math.max(state.func, 0)));
		const title = /** @type {HTMLElement} */ (pane.host.querySelector(".pane-title"));
		title.textContent = isSandwich ? `${tree.isUp ? "Callers" : "Callees"} of ${name}` : "";
		keepEnds([title]);
		this.look.flame = state.flame;
		pane.show(label, tree, top, selected);
		if (!i) {
			this.selected = selected ?? top;
			this.describe(this.selected);
			showCrumbs(byId("crumbs"), this.look.functions, top, (zoom) => this.change({ zoom }));
		}
	}

	/** @param {Item} item @param {Item} top */
	isBelow(item, top) {
		for (let at = /** @type {Item | null} */ (item); at; at = at.parent) {
			if (at === top)
				return true;
		}
		return false;
	}

	/** @param {Shape} shape @param {Sums} sums */
	showMatched(shape, sums) {
		const { matches } = this.look;
		byId("matched").textContent = matches
			? percent(matchedCost(shape, sums.total, matches), sums.total[0]) : "";
	}

	/** Says why nothing is shown, and what to do. @param {Sums} sums */
	showEmptiness({ total, self }) {
		const { metrics, selection, quality } = this.facts;
		const { event, samples } = metrics[this.state.metric];
		const others = metrics.some((metric) => metric.samples);
		const where = selection ? ` with ${shorten(selection, 200)}` : "";
		byId("nothing").hidden = total[0] > self[0];
		byId("nothing").textContent = samples
			? "No sample is left. Undo takes the last filter away, Reset all of them."
			: others ? `There are no samples of ${event}${where}. Choose another event above.`
				: `There are no samples of ${event}${where}. ` + (selection || quality.filtered
					? "Select more of the recording."
					: "What runs for some milliseconds has few: record it longer, or sample it " +
						"more often (dendro record -F 10000).");
	}

	/** @param {Legend} legend */
	showTools(legend) {
		const { state } = this;
		byId("metric").value = String(state.metric);
		byId("lanes").value = state.lanes;
		for (const button of document.querySelectorAll("[data-view]"))
			button.setAttribute("aria-pressed",
				String(/** @type {HTMLElement} */ (button).dataset.view === state.view));
		for (const button of document.querySelectorAll("[data-code]"))
			button.setAttribute("aria-pressed",
				String(/** @type {HTMLElement} */ (button).dataset.code === state.code));
		for (const button of document.querySelectorAll("[data-switch]")) {
			const name = /** @type {"kernel"} */ (/** @type {HTMLElement} */ (button).dataset.switch);
			button.setAttribute("aria-pressed", String(state[name]));
		}
		const chips = [...chipsOf(state, (change) => this.change(change)),
			...(state.to ? [chip(`time: ${this.timeline.time(state.from)} – ` +
				this.timeline.time(state.to), () => this.change({ from: 0, to: 0 }))] : []),
		];
		byId("chips").replaceChildren(...chips);
		const named = legend.modules.filter(({ module }) => module);
		byId("legend").replaceChildren(...named.slice(0, 6).map((of) => {
			const item = element("li");
			const button = /** @type {HTMLButtonElement} */ (element("button"));
			button.type = "button";
			button.title = "Only samples with this module on their path";
			button.append(element(`span.paint.${of.paint}`), shorten(of.module, 24));
			button.addEventListener("click", () =>
				this.toggleFilter({ kind: "module", value: of.module }));
			item.append(button);
			return item;
		}));
	}

	/** The line at the bottom. @param {Item} item @param {number} [narrow] @param {number} [total] */
	describe(item, narrow = 0, total = item.total) {
		const { functions, whole, unit } = this.look;
		const model = /** @type {Model} */ (this.model);
		const costs = byId("detail-costs");
		const name = narrow ? `${narrow} frames too narrow to show`
			: shown(nameOf(functions, item.func));
		const call = !narrow && item.nodes.length === 1 && !this.compute().shape.from
			? model.calls.get(item.nodes[0]) : undefined;
		byId("detail-name").textContent = name;
		byId("detail-name").title = shorten(name, 1000);
		byId("detail-module").textContent = narrow ? "" : shown(functions.module[item.func]);
		keepEnds([byId("detail-name")]);
		costs.replaceChildren();
		const hasErrors = !narrow && this.look.marks !== "none";
		const errors = hasErrors ? errorsOf(item, this.look.all) : { self: null, total: null };
		/** @param {"self" | "total"} label @param {number} value */
		const add = (label, value) => {
			const part = element("span", `${label} `);
			const error = value ? errors[label] : null;
			part.append(element("b", percent(value, whole)));
			if (error !== null)
				part.append(` ${errorText(error)}`);
			part.append(` ${amount(value, unit)}`, hasOwnUnit(unit) ? "" : ` ${unit}`);
			part.title = `${grouped(value)} ${unit}`;
			costs.append(part);
		};
		add("total", total);
		if (!narrow) {
			add("self", item.self);
			if (item.samples)
				costs.append(element("span", counted(item.samples, "sample")));
			costs.append(element("span", functions.kind[item.func]));
			costs.append(...this.ratiosOf(item));
			if (call && functions.kind[item.func] === "inline")
				costs.append(element("span", `inlined at ${shown(call)}`));
		}
	}

	/** Ratios of events in an item of a tree of calls. @param {Item} item */
	ratiosOf(item) {
		const { model, shape, selection, key } = this.compute();
		const func = this.state.view === "sandwich" ? this.state.func : -1;
		if (item.origins || !this.isWhole)
			return [];
		const nodes = func < 0 || item.parent ? item.nodes : outerNodes(shape, item.nodes);
		/** @param {number} metric */
		const cost = (metric) => {
			const of = { ...selection, metric };
			const { sums, all } = this.made.derive(`sums of ${metric}`, [key, of, func], () => {
				const every = sumUp(model, shape, of);
				return { sums: func < 0 ? every : sumsWithin(shape, every, func),
					all: sumOver(every, [0]) };
			});
			return { ...sumOver(sums, nodes), all, exact: this.facts.metrics[metric].exact ?? false };
		};
		return this.facts.ratios.map(({ name, numerator, denominator, factor }) => {
			const [above, below] = [cost(numerator), cost(denominator)];
			const value = (above.weight / below.weight) * factor;
			const error = ratioError([above, below]);
			const part = element("span", `${name} ${below.weight ? value.toPrecision(3) : "–"}`);
			if (error)
				part.append(` ±${(value * error).toPrecision(2)}`);
			part.title = "± is one standard error, of events that were sampled each for itself. It " +
				"is less if they were sampled as a group.";
			return part;
		});
	}

	/** @param {Item | null} item under the pointer @param {number} narrow @param {number} total */
	point(item, narrow, total) {
		if (item)
			this.describe(item, narrow, total);
		else if (this.selected)
			this.describe(this.selected);
	}

	/** @param {Item} item @param {HTMLElement} host */
	select(item, host) {
		this.selected = item;
		this.describe(item);
		this.showCode();
		if (host === byId("first") && this.state.view !== "sandwich") {
			this.state.selected = pathOf(item);
			history.replaceState(history.state, "", `#${fragmentOf(this.state, this.facts.metric)}`);
		}
	}

	/** @param {Item} item @param {HTMLElement} host */
	open(item, host) {
		if (this.state.view === "sandwich" && this.state.func >= 0)
			this.change({ func: item.func });
		else if (host === byId("first"))
			this.change({ zoom: pathOf(item), selected: pathOf(item) });
	}

	zoomOut() {
		if (this.state.zoom.length)
			this.change({ zoom: this.state.zoom.slice(0, -1) });
	}

	/** Shows another state. @param {Partial<State>} change @param {boolean} [isPassing] it is
	 * replaced by the next one, and not undone */
	change(change, isPassing) {
		const isOtherTree = change.view !== undefined && change.view !== this.state.view;
		this.state = { ...this.state, ...change };
		if (isOtherTree)
			Object.assign(this.state, { zoom: [], selected: [] });
		const address = `#${fragmentOf(this.state, this.facts.metric)}`;
		if (isPassing)
			history.replaceState(history.state, "", address);
		else
			history.pushState({ step: (history.state?.step ?? 0) + 1 }, "", address);
		this.show();
	}

	/** @param {Filter} filter */
	toggleFilter(filter) {
		this.change({ filters: toggled(this.state.filters, filter) });
	}

	/** @param {"focus" | "ignore" | "module"} kind */
	filterSelected(kind) {
		const func = this.selected?.func ?? 0;
		const { name, module } = this.look.functions;
		const value = kind === "module" ? module[func] : exactly(name[func]);
		if (func && value)
			this.toggleFilter({ kind, value });
	}

	/** @param {"down" | "up" | "sandwich"} view */
	showView(view) {
		const func = view === "sandwich" ? this.selected?.func ?? -1 : this.state.func;
		this.change({ view: view === "sandwich" && !func ? "down" : view, func });
	}

	foldModule() {
		const module = this.selected ? this.look.functions.module[this.selected.func] : "";
		if (module && !this.state.folded.includes(module))
			this.change({ folded: [...this.state.folded, module] });
	}

	/** Goes to the next item in sight whose function matches. @param {number} step */
	nextMatch(step) {
		const { matches } = this.look;
		const { graph } = this.panes[0];
		const boxes = graph.boxes.filter((box) => !box.narrow && matches?.[box.item.func]);
		const at = boxes.findIndex((box) => box.item === this.selected);
		const next = boxes[(at + step + boxes.length) % boxes.length];
		if (next)
			this.panes[0].choose(next.item);
	}
}
