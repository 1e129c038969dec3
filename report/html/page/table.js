/** A tree as a table that unfolds (role treegrid), of which only the rows in sight are elements. */

/** @import { Item, Unfolding } from "./trees.js" */
/** @import { Functions } from "./payload.js" */
/** @import { ShareSum } from "./errors.js" */
import { element, keepEnds } from "./elements.js";
import { errorsOf, FEW_SAMPLES } from "./errors.js";
import { amount, errorText, nameOf, percent, shorten } from "./text.js";

const ROW_HEIGHT = 22;
const SPARE = 8;
const INDENT = 10; /* pixels of a level, and if rows are deep: */
const LEAST_INDENT = 2;
const MOST_INDENTED = 0.4; /* of the room for names */

/**
 * @typedef {object} TableLook
 * @property {Functions} functions
 * @property {(item: Item) => string} paintOf the class of an item's colour
 * @property {string} unit
 * @property {number} whole what shares are of
 * @property {ShareSum} all what shares are of
 * @property {"none" | "few" | "all"} marks which shares have their errors
 * @property {Uint8Array | null} matches
 */

export class Table {
	/** @param {HTMLElement} grid @param {TableLook} look
	 * @param {{select: (item: Item) => void, open: (item: Item) => void}} on */
	constructor(grid, look, on) {
		this.grid = grid;
		this.look = look;
		this.on = on;
		this.body = /** @type {HTMLElement} */ (grid.querySelector(".rows"));
		this.scroller = /** @type {HTMLElement} */ (grid.querySelector(".scroller"));
		/** @type {Unfolding | null} */
		this.tree = null;
		/** @type {Item[]} */
		this.items = [];
		this.deepest = 0; /* level of them */
		/** @type {[number, number]} */
		this.indent = [INDENT, 0];
		/** @type {Set<Item>} */
		this.unfolded = new Set();
		/** @type {Item | null} */
		this.selected = null;
		this.scroller.addEventListener("scroll", () => this.draw());
		grid.addEventListener("keydown", (event) => this.press(event));
		grid.addEventListener("click", (event) => this.click(event));
		grid.addEventListener("dblclick", () => this.selected && this.on.open(this.selected));
	}

	/** @param {Unfolding} tree @param {Item} top @param {Item | null} selected */
	show(tree, top, selected) {
		const open = this.tree === tree ? this.unfolded : new Set();
		const isOther = this.tree !== tree || this.top !== top;
		this.tree = tree;
		this.top = top;
		this.unfolded = open;
		this.unfolded.add(top);
		this.selected = selected;
		this.reveal(selected);
		this.list();
		if (isOther && selected)
			this.select(selected, true);
	}

	/** Unfolds what is above an item. @param {Item | null} item */
	reveal(item) {
		for (let at = item?.parent ?? null; at; at = at.parent)
			this.unfolded.add(at);
	}

	/** Lists the rows: items whose parents are unfolded. */
	list() {
		this.items = [];
		const stack = this.top && this.tree ? [this.top] : [];
		for (let item; (item = stack.pop());) {
			this.items.push(item);
			if (!this.unfolded.has(item) || !this.tree)
				continue;
			const kids = this.tree.ranked(item);
			for (let i = kids.length - 1; i >= 0; i--)
				stack.push(kids[i]);
		}
		this.deepest = this.items.reduce((most, item) => Math.max(most, this.levelOf(item)), 0);
		this.body.style.height = `${this.items.length * ROW_HEIGHT}px`;
		this.grid.setAttribute("aria-rowcount", String(this.items.length + 1));
		this.draw();
	}

	/** How far a level is to the right, and how far all of them are at most, in pixels, so that names
	 * have room. @returns {[number, number]} */
	indents() {
		const heading = /** @type {HTMLElement} */ (this.grid.querySelector(".heading.name"));
		const most = MOST_INDENTED * heading.clientWidth;
		return [Math.max(Math.min(INDENT, most / Math.max(this.deepest, 1)), LEAST_INDENT), most];
	}

	draw() {
		this.indent = this.indents();
		const first = Math.max(0, Math.floor(this.scroller.scrollTop / ROW_HEIGHT) - SPARE);
		const n = Math.ceil(this.scroller.clientHeight / ROW_HEIGHT) + 2 * SPARE;
		const hadFocus = this.body.contains(document.activeElement);
		const rows = this.items.slice(first, first + n).map((item, i) => this.row(item, first + i));
		if (!rows.some((row) => row.tabIndex === 0) && rows.length)
			rows[first ? Math.min(SPARE, rows.length - 1) : 0].tabIndex = 0;
		this.body.replaceChildren(...rows);
		keepEnds([...this.body.querySelectorAll(".function")].map((of) =>
			/** @type {HTMLElement} */ (of)));
		if (hadFocus)
			rows.find((row) => row.tabIndex === 0)?.focus({ preventScroll: true });
	}

	/** @param {Item} item @param {number} index */
	row(item, index) {
		const { matches } = this.look;
		const row = element("div.row");
		const kids = this.unfolded.has(item) || (this.tree?.hasKids(item) ?? false);
		const isSelected = item === this.selected;
		row.setAttribute("role", "row");
		row.setAttribute("aria-rowindex", String(index + 2));
		row.setAttribute("aria-level", String(this.levelOf(item) + 1));
		row.setAttribute("aria-selected", String(isSelected));
		if (kids)
			row.setAttribute("aria-expanded", String(this.unfolded.has(item)));
		row.tabIndex = isSelected ? 0 : -1;
		row.dataset.index = String(index);
		row.style.top = `${index * ROW_HEIGHT}px`;
		row.classList.toggle("match", matches !== null && matches[item.func] === 1);
		row.append(...this.costs(item), this.name(item, kids),
			this.module(this.look.functions.module[item.func]));
		return row;
	}

	/** The cells of an item's costs. @param {Item} item @returns {HTMLElement[]} */
	costs(item) {
		const errors = this.errors(item);
		return [this.share(item.total, "total", errors.total), this.number(item.total, "total"),
			this.share(item.self, "self", errors.self), this.number(item.self, "self")];
	}

	/** The errors that are shown. @param {Item} item
	 * @returns {{self: number | null, total: number | null}} */
	errors(item) {
		const { marks, all } = this.look;
		/** @param {number} samples @param {number} cost */
		const has = (samples, cost) => cost > 0 &&
			(marks === "all" || (marks === "few" && samples > 0 && samples < FEW_SAMPLES));
		const isSelf = has(item.selfSamples, item.self);
		const isTotal = has(item.samples, item.total);
		if (!isSelf && !isTotal)
			return { self: null, total: null };
		const { self, total } = errorsOf(item, all);
		return { self: isSelf ? self : null, total: isTotal ? total : null };
	}

	/** @param {number} value @param {string} what @param {number | null} error */
	share(value, what, error) {
		const cell = element(`div.cell.share.${what}`);
		const bar = element("div.bar");
		cell.setAttribute("role", "gridcell");
		bar.style.width = `${this.look.whole ? (100 * value) / this.look.whole : 0}%`;
		cell.append(bar, element("span", value ? percent(value, this.look.whole) : "–"));
		const mark = element("small", error === null ? "" : errorText(error));
		if (error !== null)
			mark.title = "standard error of sampling";
		cell.append(mark);
		return cell;
	}

	/** @param {number} value @param {string} what */
	number(value, what) {
		const cell = element(`div.cell.number.${what}`, value ? amount(value, this.look.unit) : "–");
		cell.setAttribute("role", "gridcell");
		cell.dataset.value = String(value);
		return cell;
	}

	/** Below the uppermost row. @param {Item} item */
	levelOf(item) {
		return item.depth - (this.top?.depth ?? 0);
	}

	/** @param {Item} item @param {boolean} kids */
	name(item, kids) {
		const { functions, paintOf } = this.look;
		const cell = element("div.cell.name");
		const twisty = element("span.twisty", kids ? (this.unfolded.has(item) ? "▾" : "▸") : "");
		const [step, most] = this.indent;
		cell.setAttribute("role", "rowheader");
		twisty.setAttribute("aria-hidden", "true");
		twisty.style.marginLeft = `${Math.min(this.levelOf(item) * step, most)}px`;
		const name = shorten(nameOf(functions, item.func), 400);
		cell.setAttribute("aria-label", name);
		cell.append(twisty, element(`span.paint.${paintOf(item)}`),
			element(`span.function.${functions.kind[item.func]}`, name));
		return cell;
	}

	/** @param {string} module */
	module(module) {
		const cell = element("div.cell.module", shorten(module, 200));
		cell.setAttribute("role", "gridcell");
		return cell;
	}

	/** @param {Item} item @param {boolean} [isQuiet] do not report it */
	select(item, isQuiet) {
		this.selected = item;
		if (!this.items.includes(item)) {
			this.reveal(item);
			this.list();
		}
		const top = this.items.indexOf(item) * ROW_HEIGHT;
		const { scrollTop, clientHeight } = this.scroller;
		if (top < scrollTop)
			this.scroller.scrollTop = top;
		else if (top + ROW_HEIGHT > scrollTop + clientHeight)
			this.scroller.scrollTop = top + ROW_HEIGHT - clientHeight;
		this.draw();
		if (!isQuiet)
			this.on.select(item);
	}

	/** @param {Item} item @param {boolean} isOpen */
	unfold(item, isOpen) {
		if (isOpen)
			this.unfolded.add(item);
		else
			this.unfolded.delete(item);
		this.list();
	}

	/** Unfolds the costliest calls below an item as long as they have most of its cost. */
	unfoldHotPath() {
		let item = this.selected ?? this.top;
		while (item && this.tree) {
			if (this.tree.hasKids(item))
				this.unfolded.add(item);
			const hottest = this.tree.hottest(item);
			if (!hottest)
				break;
			item = hottest;
		}
		this.list();
		if (item)
			this.select(item);
		this.focus();
	}

	focus() {
		const row = /** @type {HTMLElement | null} */ (this.body.querySelector("[tabindex='0']"));
		row?.focus({ preventScroll: true });
	}

	/** @param {MouseEvent} event */
	click(event) {
		const target = /** @type {HTMLElement} */ (event.target);
		const row = /** @type {HTMLElement | null} */ (target.closest(".rows .row"));
		const item = row ? this.items[Number(row.dataset.index)] : undefined;
		if (!item)
			return;
		if (target.classList.contains("twisty") && this.tree?.hasKids(item))
			this.unfold(item, !this.unfolded.has(item));
		this.select(item);
		this.focus();
	}

	/** @param {KeyboardEvent} event */
	press(event) {
		const at = this.selected ? this.items.indexOf(this.selected) : -1;
		const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW_HEIGHT) - 1);
		const steps = /** @type {Record<string, number>} */ ({ ArrowDown: 1, ArrowUp: -1,
			PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity });
		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (event.key in steps)
			this.step(Math.min(Math.max(at + steps[event.key], 0), this.items.length - 1));
		else if (event.key === "ArrowRight" && this.selected)
			this.right(this.selected, at);
		else if (event.key === "ArrowLeft" && this.selected)
			this.left(this.selected);
		else if (event.key === "Enter" && this.selected)
			this.on.open(this.selected);
		else
			return;
		event.preventDefault();
		event.stopPropagation();
	}

	/** @param {number} index */
	step(index) {
		const item = this.items[index];
		if (item)
			this.select(item);
		this.focus();
	}

	/** @param {Item} item @param {number} at */
	right(item, at) {
		if (!this.tree?.hasKids(item))
			return;
		if (!this.unfolded.has(item))
			this.unfold(item, true);
		else
			this.step(at + 1);
		this.focus();
	}

	/** @param {Item} item */
	left(item) {
		if (this.unfolded.has(item))
			this.unfold(item, false);
		else if (item.parent && item !== this.top)
			this.select(item.parent);
		this.focus();
	}
}
