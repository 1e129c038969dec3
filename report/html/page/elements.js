/** Elements of the document. */

import { fit, LONGEST, shorten } from "./text.js";

/** @param {string} id @returns {any} the element of the template with this ID */
export function byId(id) {
	return document.getElementById(id);
}

/** @param {string} name "tag.class.class" @param {string} [text] */
export function element(name, text) {
	const [tag, ...classes] = name.split(".");
	const made = document.createElement(tag);
	if (classes.length)
		made.className = classes.join(" ");
	if (text !== undefined)
		made.textContent = text;
	return made;
}

/** Text of any length, cut if it is huge. @param {string} text */
export function shown(text) {
	return shorten(text, LONGEST);
}

const measuring = document.createElement("canvas").getContext("2d");

/** The pixels for an element's text, and its font. @param {HTMLElement} of */
function roomOf(of) {
	const { fontStyle, fontWeight, fontSize, fontFamily, paddingLeft, paddingRight } =
		getComputedStyle(of);
	return { room: of.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - 1,
		font: `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}` };
}

/** Cuts text that has no room in the middle instead of at its end, which tells long names apart.
 * @param {HTMLElement[]} elements of the document, with nothing but text */
export function keepEnds(elements) {
	const cut = elements.filter((of) => of.scrollWidth > of.clientWidth)
		.map((of) => ({ of, ...roomOf(of) }));
	for (const { of, room, font } of cut) {
		const text = of.textContent ?? "";
		if (!measuring || room <= 0)
			continue;
		measuring.font = font;
		of.title = shorten(text, 1000);
		of.textContent = fit(text, room, measuring);
	}
}
