/** Keys that work wherever the focus is, but for text that is typed. */

/** @param {Record<string, () => void>} actions by key @param {KeyboardEvent} event */
export function pressKey(actions, event) {
	const target = /** @type {HTMLElement} */ (event.target);
	const isTyping = ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName);
	const action = actions[event.key];
	if (!action || isTyping || event.ctrlKey || event.altKey || event.metaKey ||
		document.querySelector("dialog[open]"))
		return;
	action();
	event.preventDefault();
}

export function undo() {
	if (history.state?.step)
		history.back();
}

export function redo() {
	history.forward();
}
