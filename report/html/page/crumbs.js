/** The functions above what is shown, as buttons; and the path of an item as text. */

/** @import { Item } from "./trees.js" */
/** @import { Functions } from "./payload.js" */
import { element, keepEnds } from "./elements.js";
import { nameOf, shorten } from "./text.js";
import { pathOf } from "./trees.js";

const CRUMBS = 7; /* of a longer path, the first two and the last ones */

/** @param {HTMLElement} host @param {Functions} functions @param {Item} top
 * @param {(path: number[]) => void} open */
export function showCrumbs(host, functions, top, open) {
	const path = /** @type {Item[]} */ ([]);
	for (let item = /** @type {Item | null} */ (top); item; item = item.parent)
		path.unshift(item);
	const isLong = path.length > CRUMBS;
	host.replaceChildren(...path.map((item, i) => {
		const crumb = element("li");
		crumb.hidden = isLong && i > 1 && i < path.length - CRUMBS + 2;
		crumb.classList.toggle("after-gap", isLong && i === path.length - CRUMBS + 2);
		const button = /** @type {HTMLButtonElement} */ (element("button",
			shorten(nameOf(functions, item.func), 80)));
		button.type = "button";
		button.addEventListener("click", () => open(pathOf(item)));
		crumb.append(button);
		return crumb;
	}));
	keepEnds([...host.querySelectorAll("li:last-child button")].map((of) =>
		/** @type {HTMLElement} */ (of)));
}

/** Copies an item's name, the path to it, or its stack. @param {Item | null} selected
 * @param {Functions} functions @param {"name" | "path" | "stack"} what
 * @param {boolean} isDown the root is the outermost function */
export async function copyItem(selected, functions, what, isDown) {
	const names = [];
	for (let item = selected; item; item = item.parent)
		names.push(nameOf(functions, item.func));
	if (!names.length)
		return;
	const outermostFirst = isDown ? [...names].reverse() : names;
	const text = what === "path" ? outermostFirst.join(";")
		: what === "stack" ? outermostFirst.reverse().join("\n")
			: nameOf(functions, selected?.func ?? 0);
	await navigator.clipboard?.writeText(text).catch(() => undefined);
}
