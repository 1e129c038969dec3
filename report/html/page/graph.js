/** A tree as a picture on a canvas: a frame for each item, as wide as its total cost. */

/** @import { Item, Unfolding } from "./trees.js" */
/** @import { Functions } from "./payload.js" */
import { fit, nameOf } from "./text.js";

export const ROW = 19;
const NARROW = 1.5; /* pixels: narrower frames are drawn as one */
const GAP = 0.5;
const TEXT_MARGIN = 4;
const FONT = "12px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";

/**
 * @typedef {object} Box
 * @property {Item} item of narrow ones: the first
 * @property {number} x
 * @property {number} width
 * @property {number} row
 * @property {number} narrow frames drawn as one; 0: the item's own frame
 * @property {number} total
 */
/**
 * @typedef {object} Look
 * @property {Functions} functions
 * @property {(item: Item) => string} paintOf the name of an item's colour
 * @property {Record<string, string>} colors
 * @property {Uint8Array | null} matches by function; null: nothing is searched
 * @property {boolean} flame the root is at the bottom
 */

/** @param {Unfolding} tree @param {Item} top @param {number} width @returns {Box[]} by row, then x */
export function layOut(tree, top, width) {
	/** @type {Box[]} */
	const boxes = [{ item: top, x: 0, width, row: 0, narrow: 0, total: top.total }];
	for (let at = 0; at < boxes.length; at++) {
		const box = boxes[at];
		const cost = tree.width(box.item);
		if (box.narrow || !cost)
			continue;
		const scale = box.width / cost;
		const kids = tree.kids(box.item);
		let x = box.x;
		for (const kid of kids) {
			if (kid.total * scale < NARROW)
				continue;
			boxes.push({ item: kid, x, width: kid.total * scale, row: box.row + 1, narrow: 0,
				total: kid.total });
			x += kid.total * scale;
		}
		const narrow = kids.filter((kid) => kid.total && kid.total * scale < NARROW);
		const total = narrow.reduce((sum, kid) => sum + kid.total, 0);
		if (total * scale >= 1)
			boxes.push({ item: narrow[0], x, width: total * scale, row: box.row + 1,
				narrow: narrow.length, total });
	}
	return boxes;
}

export class Graph {
	/** @param {HTMLCanvasElement} canvas @param {HTMLElement} scroller @param {HTMLElement} spacer
	 * @param {Look} look */
	constructor(canvas, scroller, spacer, look) {
		this.canvas = canvas;
		this.scroller = scroller;
		this.spacer = spacer;
		this.look = look;
		/** @type {Unfolding | null} */
		this.tree = null;
		/** @type {Item | null} */
		this.top = null;
		/** @type {Box[]} */
		this.boxes = [];
		this.rows = 1;
		this.width = 0;
		this.height = 0;
		/** @type {Item | null} */
		this.selected = null;
		/** @type {Box | null} */
		this.hovered = null;
	}

	/** @param {Unfolding} tree @param {Item} top @param {Item | null} selected */
	show(tree, top, selected) {
		if (top !== this.top)
			this.scroller.scrollTop = 0;
		this.tree = tree;
		this.top = top;
		this.selected = selected;
		this.hovered = null;
		this.resize();
	}

	resize() {
		if (!this.tree || !this.top)
			return;
		const scale = window.devicePixelRatio || 1;
		this.width = this.scroller.clientWidth;
		this.height = this.scroller.clientHeight;
		this.canvas.width = Math.max(1, Math.round(this.width * scale));
		this.canvas.height = Math.max(1, Math.round(this.height * scale));
		this.canvas.style.width = `${this.width}px`;
		this.canvas.style.height = `${this.height}px`;
		this.boxes = layOut(this.tree, this.top, this.width);
		this.rows = this.boxes[this.boxes.length - 1].row + 1;
		this.spacer.style.height = `${Math.max(0, this.rows * ROW + 2 - this.height)}px`;
		if (this.look.flame)
			this.scroller.scrollTop = this.scroller.scrollHeight;
		this.draw();
	}

	/** The y of a row in the canvas. @param {number} row */
	y(row) {
		const rows = Math.max(this.rows * ROW + 2, this.height);
		const y = this.look.flame ? rows - (row + 1) * ROW : row * ROW;
		return y - this.scroller.scrollTop;
	}

	draw() {
		const context = this.canvas.getContext("2d");
		if (!context)
			return;
		const scale = window.devicePixelRatio || 1;
		context.setTransform(scale, 0, 0, scale, 0, 0);
		context.fillStyle = this.look.colors.page;
		context.fillRect(0, 0, this.width, this.height);
		context.font = FONT;
		context.textBaseline = "middle";
		for (const box of this.boxes) {
			const y = this.y(box.row);
			if (y > -ROW && y < this.height)
				this.drawBox(context, box, y);
		}
		this.drawOutlines(context);
	}

	/** @param {CanvasRenderingContext2D} context @param {Box} box @param {number} y */
	drawBox(context, box, y) {
		const { colors, matches, functions } = this.look;
		const { func } = box.item;
		const isMatch = !box.narrow && matches !== null && matches[func] === 1;
		const width = Math.max(box.width - GAP, 0.5);
		context.globalAlpha = matches && !isMatch ? 0.38 : 1;
		context.fillStyle = isMatch ? colors.match
			: colors[box.narrow ? "marker" : this.look.paintOf(box.item)];
		context.fillRect(box.x, y, width, ROW - 1);
		if (functions.kind[func] === "inline" && !box.narrow && !isMatch) {
			context.fillStyle = colors.page;
			context.globalAlpha *= 0.45;
			context.fillRect(box.x, y, width, ROW - 1);
		}
		context.globalAlpha = matches && !isMatch ? 0.55 : 1;
		const text = box.narrow ? `${box.narrow} more` : nameOf(functions, func);
		this.drawText(context, text, box, y, isMatch ? colors["match-ink"] : colors.ink);
		context.globalAlpha = 1;
	}

	/** @param {CanvasRenderingContext2D} context @param {string} text @param {Box} box
	 * @param {number} y @param {string} ink */
	drawText(context, text, box, y, ink) {
		const room = box.width - 2 * TEXT_MARGIN;
		if (room < 26)
			return;
		const cut = fit(text, room, context);
		if (cut.length < Math.min(4, text.length))
			return;
		context.fillStyle = ink;
		context.fillText(cut, box.x + TEXT_MARGIN, y + (ROW - 1) / 2 + 0.5);
	}

	/** @param {CanvasRenderingContext2D} context */
	drawOutlines(context) {
		const selected = this.boxOf(this.selected);
		const marks = /** @type {[Box | null, string, number][]} */ ([
			[this.hovered, this.look.colors.ink, 1], [selected, this.look.colors.accent, 2]]);
		for (const [box, color, width] of marks) {
			if (!box)
				continue;
			context.strokeStyle = color;
			context.lineWidth = width;
			context.strokeRect(box.x + width / 2, this.y(box.row) + width / 2,
				Math.max(box.width - GAP - width, 1), ROW - 1 - width);
		}
	}

	/** @param {Item | null} item @returns {Box | null} */
	boxOf(item) {
		return this.boxes.find((box) => box.item === item && !box.narrow) ?? null;
	}

	/** @param {number} x @param {number} y in the canvas @returns {Box | null} */
	boxAt(x, y) {
		return this.boxes.find((box) => x >= box.x && x < box.x + box.width &&
			y >= this.y(box.row) && y < this.y(box.row) + ROW) ?? null;
	}

	/** @param {Box | null} box */
	hover(box) {
		if (box === this.hovered)
			return;
		this.hovered = box;
		this.draw();
	}

	/** @param {Item | null} item */
	select(item) {
		this.selected = item;
		const box = this.boxOf(item);
		if (box) {
			const y = this.y(box.row);
			if (y < 0)
				this.scroller.scrollTop += y;
			else if (y + ROW > this.height)
				this.scroller.scrollTop += y + ROW - this.height;
		}
		this.draw();
	}

	/** The item that a key leads to. @param {string} key @returns {Item | null} */
	neighbour(key) {
		const box = this.boxOf(this.selected) ?? this.boxes[0];
		if (!this.selected || !box)
			return this.top;
		const up = this.look.flame ? "ArrowDown" : "ArrowUp";
		const down = this.look.flame ? "ArrowUp" : "ArrowDown";
		if (key === up)
			return box.item === this.top ? null : box.item.parent;
		if (key === down)
			return this.boxes.find((other) => other.item.parent === box.item && !other.narrow)
				?.item ?? null;
		const row = this.boxes.filter((other) => other.row === box.row && !other.narrow);
		return row[row.indexOf(box) + (key === "ArrowRight" ? 1 : -1)]?.item ?? null;
	}
}
