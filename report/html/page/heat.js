/** The time as a heat map: a column for each second (or another round time), the slices of the second
 * from top to bottom, so that what comes back within seconds, or at the same time of them, is seen. */

import { amount } from "./text.js";

const SECOND = 1e9;
/** The first that has enough rows and columns is taken. */
const COLUMNS = [SECOND, 60 * SECOND, 3600 * SECOND, SECOND / 10, 10 * SECOND, 600 * SECOND,
	SECOND / 100, SECOND / 1000];
const ROWS = [4, 100];

/** @typedef {{rows: number, columns: number, columnNs: number}} Heat */

/** null: slices are too long, or no part of a round time. @param {number} slices
 * @param {number} sliceNs @returns {Heat | null} */
export function heatOf(slices, sliceNs) {
	for (const columnNs of COLUMNS) {
		const rows = columnNs / sliceNs;
		const columns = Math.ceil(slices / rows);
		if (Number.isInteger(rows) && rows >= ROWS[0] && rows <= ROWS[1] && columns > 1)
			return { rows, columns, columnNs };
	}
	return null;
}

/** The height of the picture in pixels. @param {Heat} heat */
export function heatHeight({ rows }) {
	return rows * Math.max(2, Math.min(9, Math.floor(120 / rows)));
}

/** What a cell is, in words. @param {Heat} heat */
export function heatText({ columnNs }) {
	return `Each column is ${amount(columnNs, "ns")}, from top to bottom.`;
}

/** The slice at a place. @param {Heat} heat @param {number} slices @param {number} x 0 to 1
 * @param {number} y likewise */
export function heatSlice({ rows, columns }, slices, x, y) {
	const column = Math.min(Math.max(Math.floor(x * columns), 0), columns - 1);
	const row = Math.min(Math.max(Math.floor(y * rows), 0), rows - 1);
	return Math.min(column * rows + row, slices - 1);
}

/** @param {CanvasRenderingContext2D} context @param {Heat} heat @param {Float64Array} costs by slice
 * @param {number} width @param {(slice: number) => string} colorOf */
export function drawHeat(context, heat, costs, width, colorOf) {
	const { rows, columns } = heat;
	const [wide, high] = [width / columns, heatHeight(heat) / rows];
	const gap = wide > 4 && high > 3 ? 0.5 : 0;
	const most = costs.reduce((a, b) => Math.max(a, b), 0);
	costs.forEach((cost, slice) => {
		if (!cost)
			return;
		context.globalAlpha = 0.15 + 0.85 * Math.sqrt(cost / most);
		context.fillStyle = colorOf(slice);
		context.fillRect(Math.floor(slice / rows) * wide, (slice % rows) * high, wide - gap, high - gap);
	});
	context.globalAlpha = 1;
}
