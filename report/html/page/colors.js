/** Colours of frames: by module, the costliest ones each with one that the colour-blind can tell
 * apart. The style sheet has them, light and dark. */

/** @import { Functions } from "./payload.js" */
/** @import { FunctionCost } from "./trees.js" */

const MODULES = 7;

/**
 * @typedef {object} Legend
 * @property {string[]} paint by function: the name of its colour in the style sheet
 * @property {{module: string, paint: string, self: number}[]} modules the costliest first
 */

/** @param {string} kind @param {string} module @param {Map<string, string>} paints */
function paintOf(kind, module, paints) {
	if (kind === "user" || kind === "inline")
		return paints.get(module) ?? "other";
	if (kind === "kernel")
		return "kernel";
	return kind === "marker" || kind === "rest" ? "marker" : "group";
}

/** @param {Functions} functions @param {FunctionCost[]} costs @returns {Legend} */
export function legendOf(functions, costs) {
	const self = /** @type {Map<string, number>} */ (new Map());
	let kernel = 0;
	for (const cost of costs) {
		const kind = functions.kind[cost.func];
		const module = functions.module[cost.func];
		if (kind === "kernel")
			kernel += cost.self;
		else if (kind === "user" || kind === "inline")
			self.set(module, (self.get(module) ?? 0) + cost.self);
	}
	const ranked = [...self].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
	const paints = new Map(ranked.slice(0, MODULES).map(([module], i) => [module, `module${i}`]));
	const modules = ranked.map(([module, of]) => ({ module, self: of,
		paint: paints.get(module) ?? "other" }));
	if (kernel)
		modules.push({ module: "[kernel]", self: kernel, paint: "kernel" });
	modules.sort((a, b) => b.self - a.self);
	const paint = functions.kind.map((kind, i) => paintOf(kind, functions.module[i], paints));
	return { paint, modules };
}

const NAMES = [...Array.from({ length: MODULES }, (_, i) => `module${i}`), "other", "kernel",
	"marker", "group", "ink", "ink-soft", "line", "page", "panel", "match", "match-ink", "accent",
	"time", "heat", "warn"];

/** The colours of the style sheet as they are now. @param {string[]} more names
 * @returns {Record<string, string>} */
export function readColors(more = []) {
	const style = getComputedStyle(document.documentElement);
	return Object.fromEntries([...NAMES, ...more].map((name) => [name,
		style.getPropertyValue(`--${name}`).trim()]));
}

/** Calls when the style sheet has other colours: in the dark, or on paper, which is light.
 * @param {() => void} call */
export function onOtherColors(call) {
	for (const media of ["(prefers-color-scheme: dark)", "print"])
		matchMedia(media).addEventListener("change", call);
}
