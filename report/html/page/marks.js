/** Times in which the data has holes, on the timeline: samples were lost, or an event throttled. */

/** @import { Loss } from "./payload.js" */
import { amount, grouped } from "./text.js";

/** Of the strip of marks: filled ones for lost samples, below them hollow ones for throttling. */
export const MARKS_HEIGHT = 9;

const LOST = 0;

/** How many samples were lost and how often events were throttled. @param {Loss[]} losses */
function countOf(losses) {
	const counts = [0, 0];
	for (const [kind, , , , count] of losses)
		counts[kind] += count;
	return counts;
}

/** @param {Loss[]} losses */
function countText(losses) {
	const [lost, throttled] = countOf(losses);
	return [lost && `${grouped(lost)} lost`, throttled && `throttled ${grouped(throttled)}×`]
		.filter(Boolean).join(", ");
}

/** In words; empty: there are none. @param {Loss[]} losses */
export function lossSummary(losses) {
	return losses.length ? `■ ${countText(losses)}`.replace(/^■ throttled/, "□ throttled") : "";
}

/** What happened in a part of the time; empty: nothing. @param {Loss[]} losses @param {number} from
 * @param {number} to */
export function lossesText(losses, from, to) {
	const found = losses.filter(([, , start, end]) => start < to && end >= from);
	if (!found.length)
		return "";
	const cpus = [...new Set(found.map(([, cpu]) => cpu))].filter((cpu) => cpu >= 0)
		.sort((a, b) => a - b);
	const start = Math.min(...found.map(([, , at]) => at));
	const end = Math.max(...found.map(([, , , at]) => at));
	const where = cpus.length && cpus.length <= 8 ? ` on CPU ${cpus.join(", ")}` : "";
	return `${countText(found)}${where}, ${amount(start, "ns")} – ${amount(end, "ns")}`;
}

/** Draws marks, @top pixels below the upper edge. @param {CanvasRenderingContext2D} context
 * @param {Loss[]} losses @param {number} scale pixels of a nanosecond @param {number} top
 * @param {string} color */
export function drawLosses(context, losses, scale, top, color) {
	context.fillStyle = color;
	context.strokeStyle = color;
	context.lineWidth = 1;
	for (const [kind, , start, end] of losses) {
		const width = Math.max((end - start) * scale, 3);
		const left = start * scale - (width - (end - start) * scale) / 2;
		if (kind === LOST)
			context.fillRect(left, top, width, 4);
		else
			context.strokeRect(left + 0.5, top + 5.5, Math.max(width - 1, 2), 2);
	}
}
