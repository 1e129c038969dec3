/** The table of a comparison, its numbers as text, and its colours. */

/** @import { Item } from "../page/trees.js" */
/** @import { PaneLook } from "../page/pane.js" */
/** @import { ChangeTree, Values } from "./change_tree.js" */
import { element } from "../page/elements.js";
import { Table } from "../page/table.js";
import { amount, percent } from "../page/text.js";

/**
 * @typedef {object} ChangeLook
 * @property {ChangeTree} changes
 * @property {boolean} shares
 * @property {boolean} chance what chance explains is coloured, too
 * @property {"absolute" | "relative"} scale of colours
 */

const STEPS = 4;
/** Where darker colours begin, of the largest change. */
export const ABSOLUTE_STEPS = [0.05, 0.2, 0.5];
/** Where darker colours begin, as factors. */
export const RELATIVE_STEPS = [1.25, 2, 4];

/** The names of the colours, from what became much cheaper to what became much dearer. */
export const CHANGE_COLORS = ["cheaper4", "cheaper3", "cheaper2", "cheaper1", "same", "dearer1",
	"dearer2", "dearer3", "dearer4"];

/** @param {number} value @param {string} unit @param {boolean} shares */
export function valueText(value, unit, shares) {
	if (shares)
		return percent(value, 1);
	return unit === "ns" || unit === "bytes" || Math.abs(value) >= 1000 ? amount(value, unit)
		: value.toPrecision(3);
}

/** @param {number} change @param {string} unit @param {boolean} shares */
export function changeText(change, unit, shares) {
	const size = Math.abs(change);
	const text = shares ? (100 * size).toFixed(2) : valueText(size, unit, false);
	return `${change < 0 ? "−" : "+"}${text}`;
}

/** @param {Values} values @param {number} status of the row */
export function relativeText(values, status) {
	if (status)
		return status === 1 ? "new" : "gone";
	if (!Number.isFinite(values.relative))
		return values.after ? "new" : "–";
	const size = Math.abs(100 * values.relative);
	return `${values.relative < 0 ? "−" : "+"}${size.toFixed(size < 999.95 ? 1 : 0)}\u202f%`;
}

/** How dark a change is, from 0 to STEPS. @param {Values} values @param {number} largest
 * @param {"absolute" | "relative"} scale */
function darkness(values, largest, scale) {
	if (!values.difference)
		return 0;
	const { before, after } = values;
	const factor = before && after ? Math.max(after / before, before / after) : Infinity;
	const steps = scale === "relative" ? RELATIVE_STEPS : ABSOLUTE_STEPS;
	const size = scale === "relative" ? factor
		: largest ? Math.abs(values.difference) / largest : 0;
	return Math.min(1 + steps.filter((from) => size >= from).length, STEPS);
}

/** The name of a row's colour. @param {Item} item @param {ChangeLook} look */
export function changeColor(item, { changes, chance, scale }) {
	if (!item.parent && !changes.isOfFunction)
		return "group";
	const values = changes.values(item, changes.showing.measure);
	const dark = chance || values.isSignificant ? darkness(values, changes.largest, scale) : 0;
	return dark ? `${values.difference < 0 ? "cheaper" : "dearer"}${dark}` : "same";
}

export class ChangeTable extends Table {
	/** @param {Item} item @param {number} index */
	row(item, index) {
		const row = super.row(item, index);
		const { changes } = this.changeLook();
		const values = changes.values(item, changes.showing.measure);
		row.classList.toggle("chance", !values.isSignificant);
		return row;
	}

	/** @returns {PaneLook & ChangeLook} */
	changeLook() {
		return /** @type {PaneLook & ChangeLook} */ (this.look);
	}

	/** @param {Item} item @returns {HTMLElement[]} */
	costs(item) {
		const { changes, shares, unit } = this.changeLook();
		const values = changes.values(item, changes.showing.measure);
		const { draws } = changes.tested.tests.total;
		/** @param {"before" | "after"} side */
		const cell = (side) => {
			const all = draws.value(draws.whole, Number(side === "after"));
			const made = this.cost(`share.${side}`, values[side],
				values[side] ? valueText(values[side], unit, shares) : "–");
			const bar = element("div.bar");
			bar.style.width = `${all ? (100 * values[side]) / all : 0}%`;
			made.prepend(bar);
			return made;
		};
		const isMoved = values.difference !== 0;
		const sign = values.difference < 0 ? "cheaper" : "dearer";
		const mark = values.isSignificant ? " *" : "";
		return [cell("before"), cell("after"),
			this.cost(isMoved ? `change.${sign}` : "change", values.difference,
				isMoved ? changeText(values.difference, unit, shares) + mark : "–"),
			this.cost("error", values.error, values.error
				? changeText(values.error, unit, shares).replace("+", "±") : ""),
			this.cost("relative", values.relative, isMoved ? relativeText(values,
				changes.status(item)) : "")];
	}

	/** @param {string} what @param {number} value @param {string} text */
	cost(what, value, text) {
		const cell = element(`div.cell.number.${what}`);
		cell.setAttribute("role", "gridcell");
		cell.dataset.value = String(value);
		cell.append(element("span", text));
		return cell;
	}
}
