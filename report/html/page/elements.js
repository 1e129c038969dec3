/** Elements of the document. */

import { LONGEST, shorten } from "./text.js";

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
