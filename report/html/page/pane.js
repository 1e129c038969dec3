/** A tree twice, in step with each other: as a picture and as a table. */

/** @import { Item, Unfolding } from "./trees.js" */
/** @import { Look } from "./graph.js" */
/** @import { Table, TableLook } from "./table.js" */
import { Graph } from "./graph.js";
import { nameOf, shorten } from "./text.js";

const DIRECTIONS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];

/** @typedef {Look & TableLook & {summary: (item: Item) => string}} PaneLook summary: costs in words */

export class Pane {
	/** @param {HTMLElement} host @param {PaneLook} look
	 * @param {{select: (item: Item) => void, open: (item: Item) => void, out: () => void,
	 * point: (item: Item | null, narrow: number, total: number) => void}} on
	 * @param {typeof Table} TableKind */
	constructor(host, look, on, TableKind) {
		const template = /** @type {HTMLTemplateElement} */ (document.getElementById("pane"));
		host.append(template.content.cloneNode(true));
		this.host = host;
		this.look = look;
		this.on = on;
		this.canvas = /** @type {HTMLCanvasElement} */ (host.querySelector("canvas"));
		const scroller = /** @type {HTMLElement} */ (host.querySelector(".picture"));
		const spacer = /** @type {HTMLElement} */ (host.querySelector(".spacer"));
		const grid = /** @type {HTMLElement} */ (host.querySelector("[role='treegrid']"));
		this.graph = new Graph(this.canvas, scroller, spacer, look);
		this.table = new TableKind(grid, look, {
			select: (item) => this.select(item),
			open: (item) => on.open(item),
		});
		/** @type {Item | null} */
		this.selected = null;
		scroller.addEventListener("scroll", () => this.graph.draw());
		this.canvas.addEventListener("mousemove", (event) => this.move(event));
		this.canvas.addEventListener("mouseleave", () => this.leave());
		this.canvas.addEventListener("click", (event) => this.click(event));
		this.canvas.addEventListener("dblclick", () => this.selected && on.open(this.selected));
		this.canvas.addEventListener("keydown", (event) => this.press(event));
		new ResizeObserver(() => this.resize()).observe(scroller);
	}

	resize() {
		this.graph.resize();
		this.table.draw();
	}

	/** @param {string} label @param {Unfolding} tree @param {Item} top @param {Item | null} selected */
	show(label, tree, top, selected) {
		this.label = label;
		this.selected = selected;
		this.canvas.setAttribute("aria-roledescription", `picture of ${label}`);
		this.table.grid.setAttribute("aria-label", `Table of ${label}`);
		this.graph.show(tree, top, selected);
		this.table.show(tree, top, selected);
		this.describe();
	}

	/** What the picture's cursor is at, for screen readers. */
	describe() {
		const item = this.selected ?? this.graph.top;
		if (!item)
			return;
		const name = shorten(nameOf(this.look.functions, item.func), 200);
		this.canvas.setAttribute("aria-label", `${name}, ${this.look.summary(item)}`);
	}

	/** @param {Item} item */
	select(item) {
		this.selected = item;
		this.graph.select(item);
		this.describe();
		this.on.select(item);
	}

	/** From the picture. @param {Item | null} item */
	choose(item) {
		if (!item)
			return;
		this.table.select(item, true);
		this.select(item);
	}

	/** @param {MouseEvent} event */
	boxAt(event) {
		const bounds = this.canvas.getBoundingClientRect();
		return this.graph.boxAt(event.clientX - bounds.left, event.clientY - bounds.top);
	}

	/** @param {MouseEvent} event */
	move(event) {
		const box = this.boxAt(event);
		this.graph.hover(box);
		this.on.point(box?.item ?? null, box?.narrow ?? 0, box?.total ?? 0);
	}

	leave() {
		this.graph.hover(null);
		this.on.point(null, 0, 0);
	}

	/** @param {MouseEvent} event */
	click(event) {
		const box = this.boxAt(event);
		if (box?.narrow)
			this.on.open(/** @type {Item} */ (box.item.parent));
		else
			this.choose(box?.item ?? null);
	}

	/** @param {KeyboardEvent} event */
	press(event) {
		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (DIRECTIONS.includes(event.key))
			this.choose(this.graph.neighbour(event.key));
		else if (event.key === "Enter" && this.selected)
			this.on.open(this.selected);
		else
			return;
		event.preventDefault();
	}
}
