/** Filters as buttons that remove them. */

/** @import { Filter } from "./costs.js" */
import { toggled } from "./costs.js";
import { element } from "./elements.js";
import { shorten } from "./text.js";

/** @param {string} text @param {() => void} remove */
export function chip(text, remove) {
	const item = element("li");
	const button = /** @type {HTMLButtonElement} */ (element("button", `${shorten(text, 60)}  ✕`));
	button.type = "button";
	button.setAttribute("aria-label", `Remove ${shorten(text, 200)}`);
	button.addEventListener("click", remove);
	item.append(button);
	return item;
}

/** @param {{folded: string[], filters: Filter[]}} state
 * @param {(change: {folded?: string[], filters?: Filter[]}) => void} change */
export function chipsOf({ folded, filters }, change) {
	return [
		...filters.map((filter) => chip(`${filter.kind}: ${filter.value}`, () =>
			change({ filters: toggled(filters, filter) }))),
		...folded.map((module) => chip(`folded: ${module}`, () =>
			change({ folded: folded.filter((other) => other !== module) }))),
	];
}
