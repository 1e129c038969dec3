/** Numbers and names for people. */

const UNITS = /** @type {Record<string, [number, string][]>} */ ({
	ns: [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]],
	bytes: [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]],
	events: [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e4, "k"], [1, ""]],
});

/** "12.3 ms": three digits. @param {number} value @param {string} unit */
export function amount(value, unit) {
	const steps = UNITS[unit] ?? UNITS.events;
	const size = Math.abs(value);
	const [least, name] = steps.find(([from]) => size >= from) ?? steps[steps.length - 1];
	const factor = name === "k" ? 1e3 : least;
	const scaled = value / factor;
	const digits = factor === 1 || Math.abs(scaled) >= 99.95 ? 0 : Math.abs(scaled) >= 9.995 ? 1 : 2;
	return scaled.toFixed(digits) + (name ? `\u202f${name}` : "");
}

/** Whether amount() names the unit. @param {string} unit */
export function hasOwnUnit(unit) {
	return unit in UNITS && unit !== "events";
}

/** "12.34 %". @param {number} part @param {number} whole */
export function percent(part, whole) {
	return `${(whole ? (100 * part) / whole : 0).toFixed(2)}\u202f%`;
}

/** "±0.46", in percent. @param {number} error as a share */
export function errorText(error) {
	return `±${(100 * error).toFixed(100 * error < 9.995 ? 2 : 1)}`;
}

/** "1 234 567". @param {number} value */
export function grouped(value) {
	return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** "1 call path", "2 call paths". @param {number} n @param {string} what */
export function counted(n, what) {
	return `${grouped(n)} ${what}${n === 1 ? "" : "s"}`;
}

/** Cut in the middle, so that the end stays. @param {string} text @param {number} length */
export function shorten(text, length) {
	if (text.length <= length)
		return text;
	const right = Math.ceil((length - 1) * 0.6);
	return `${text.slice(0, Math.max(length - 1 - right, 0))}…${text.slice(text.length - right)}`;
}

/** Cut in the middle to fit into so many pixels. @param {string} text @param {number} room
 * @param {CanvasRenderingContext2D} context that measures it */
export function fit(text, room, context) {
	let length = Math.min(text.length, Math.ceil(room / 3));
	let cut = shorten(text, length);
	for (let wide; (wide = context.measureText(cut).width) > room && length > 1;) {
		length = Math.max(Math.min(length - 1, Math.floor((length * room) / wide)), 1);
		cut = shorten(text, length);
	}
	return cut;
}

/** The longest text that is put into the document at once. */
export const LONGEST = 4000;

/** @param {import("./payload.js").Functions} functions @param {number} func */
export function nameOf(functions, func) {
	const name = functions.name[func];
	const id = functions.id[func];
	if (functions.kind[func] === "process" || functions.kind[func] === "thread")
		return id >= 0 ? `${name} (${id})`
			: functions.merged[func] > 1 ? `${name} (${functions.merged[func]})` : name;
	return functions.kind[func] === "cpu" && id >= 0 ? `${name} ${id}` : name;
}
