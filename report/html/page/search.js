/** Searching functions by text or by regular expression. */

/** Text as a regular expression; if its syntax is wrong, literally. @param {string} text */
export function expression(text) {
	try {
		return new RegExp(text);
	} catch {
		return new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
	}
}

/** What a search finds: by function; null: nothing is searched.
 * @param {string[]} names @param {string} query */
export function matchesOf(names, query) {
	if (!query)
		return null;
	const text = query.toLowerCase();
	const pattern = query.startsWith("/") ? expression(query.slice(1).replace(/\/$/, "")) : null;
	return Uint8Array.from(names, (name) =>
		Number(pattern ? pattern.test(name) : name.toLowerCase().includes(text)));
}
