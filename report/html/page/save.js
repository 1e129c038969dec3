/** Files that the page saves: what it shows. */

/** @import { Look } from "./graph.js" */
/** @import { Graph } from "./graph.js" */
/** @import { ShareSum } from "./errors.js" */
/** @import { Item, Unfolding } from "./trees.js" */
/** @import { Functions } from "./payload.js" */
import { errorsOf } from "./errors.js";
import { ROW } from "./graph.js";
import { nameOf, percent, shorten } from "./text.js";

/** @param {string} name @param {Blob} blob */
export function saveFile(name, blob) {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(blob);
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** @param {Graph} graph @param {string} name */
export function savePng(graph, name) {
	graph.canvas.toBlob((blob) => blob && saveFile(name, blob), "image/png");
}

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} tag @param {Record<string, string | number>} attributes @param {string} [text] */
function svgElement(tag, attributes, text) {
	const made = document.createElementNS(SVG, tag);
	for (const [name, value] of Object.entries(attributes))
		made.setAttribute(name, String(value));
	if (text !== undefined)
		made.textContent = text;
	return made;
}

/** The whole picture, also the rows out of sight. @param {Graph} graph @param {Look} look
 * @param {number} whole @returns {string} */
export function svgOf(graph, look, whole) {
	const { colors, functions } = look;
	const height = graph.rows * ROW;
	const svg = svgElement("svg", { xmlns: SVG, width: graph.width, height,
		viewBox: `0 0 ${graph.width} ${height}`, "font-family": "system-ui, sans-serif",
		"font-size": 12 });
	svg.append(svgElement("rect", { width: graph.width, height, fill: colors.page }));
	for (const box of graph.boxes) {
		const { func } = box.item;
		const y = look.flame ? height - (box.row + 1) * ROW : box.row * ROW;
		const isMatch = look.matches?.[func] === 1 && !box.narrow;
		const name = box.narrow ? `${box.narrow} more` : nameOf(functions, func);
		const group = svgElement("g", {});
		group.append(svgElement("title", {}, `${shorten(name, 1000)}: ${percent(box.total, whole)}`),
			svgElement("rect", { x: box.x.toFixed(2), y, width: Math.max(box.width - 0.5, 0.5)
				.toFixed(2), height: ROW - 1, fill: isMatch ? colors.match
				: colors[box.narrow ? "marker" : look.paintOf(box.item)] }));
		if (box.width > 26)
			group.append(svgElement("text", { x: (box.x + 4).toFixed(2), y: y + 13,
				fill: isMatch ? colors["match-ink"] : colors.ink },
			shorten(name, Math.floor((box.width - 8) / 6.6))));
		svg.append(group);
	}
	return new XMLSerializer().serializeToString(svg);
}

/** @param {string} text */
export function csvField(text) {
	return `"${text.replace(/"/g, '""')}"`;
}

/** All items below one, depth first. @param {Unfolding} tree @param {Item} top */
export function* itemsBelow(tree, top) {
	const stack = [top];
	for (let item; (item = stack.pop());) {
		yield item;
		stack.push(...[...tree.kids(item)].reverse());
	}
}

/** @param {Unfolding} tree @param {Item} top @param {Functions} functions @param {string} event
 * @param {ShareSum | null} all what shares are of; null: without their errors */
export function csvOf(tree, top, functions, event, all) {
	const lines = [`depth,self,total,name,module,kind,event${all ? ",self_error,total_error" : ""}`];
	for (const item of itemsBelow(tree, top)) {
		const errors = all && errorsOf(item, all);
		lines.push([item.depth - top.depth, item.self, item.total,
			csvField(nameOf(functions, item.func)), csvField(functions.module[item.func]),
			functions.kind[item.func], csvField(event),
			...(errors ? [errors.self ?? "", errors.total ?? ""] : [])].join(","));
	}
	return lines.map((line) => `${line}\r\n`).join("");
}

/** Folded stacks, which flame graphs are made of. @param {Unfolding} tree of calls
 * @param {Functions} functions */
export function foldedOf(tree, functions) {
	const lines = [];
	const names = /** @type {Map<Item, string>} */ (new Map());
	for (const item of itemsBelow(tree, tree.root)) {
		const name = nameOf(functions, item.func).replace(/;/g, ":");
		const above = item.parent && names.get(item.parent);
		const path = above ? `${above};${name}` : item.depth ? name : "";
		names.set(item, path);
		if (item.self && path)
			lines.push(`${path} ${Math.round(item.self)}\n`);
	}
	return lines.join("");
}
