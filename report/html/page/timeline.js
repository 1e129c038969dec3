/** When samples were taken: a histogram in which a range of time can be chosen, and below it lanes
 * of processes, threads, CPUs or cgroups, the costliest first. */

/** @import { Facts, Model } from "./payload.js" */
/** @import { Filter, Selection } from "./costs.js" */
import { rowsWanted, taskKey } from "./costs.js";
import { drawHeat, heatHeight, heatOf, heatSlice, heatText } from "./heat.js";
import { element, keepEnds, shown } from "./elements.js";
import { drawLosses, lossesText, lossSummary, MARKS_HEIGHT } from "./marks.js";
import { amount, percent } from "./text.js";

const LANES = 4;
const LANE_HEIGHT = 15;
const HISTOGRAM_HEIGHT = 38;

/** @import { Heat } from "./heat.js" */
/** @typedef {{key: string, label: string, total: number, slices: Float64Array}} Lane */

/** Finds or adds a lane. @param {Map<string, Lane>} lanes @param {string} key @param {string} kind
 * @param {number} slices @returns {Lane} */
function laneOf(lanes, key, kind, slices) {
	const label = kind === "cpu" ? `CPU ${key}` : key;
	const lane = lanes.get(key) ?? { key, label, total: 0, slices: new Float64Array(slices) };
	lanes.set(key, lane);
	return lane;
}

/** @param {Model} model @param {Map<string, Lane>} lanes */
function markMainThreads(model, lanes) {
	model.tasks.forEach(({ pid, tid }, task) => {
		const lane = lanes.get(taskKey(model, task, "thread"));
		if (lane && pid === tid && pid >= 0)
			lane.label = `${lane.key} (main)`;
	});
}

/** The lanes of a kind, the costliest first. @param {Model} model @param {Selection} selection
 * @param {string} kind @returns {Lane[]} */
export function lanesOf(model, selection, kind) {
	const rows = model.rows[selection.metric];
	const others = selection.filters.filter((filter) => filter.kind !== kind);
	const wanted = rowsWanted(model, rows, others);
	const column = kind === "cpu" ? rows.cpu : kind === "cgroup" ? rows.cgroup : rows.task;
	/** @type {(number: number) => string} */
	const keyOf = kind === "cpu" ? (cpu) => (cpu ? String(cpu - 1) : "")
		: kind === "cgroup" ? (cgroup) => model.cgroups[cgroup - 1] ?? ""
			: (task) => taskKey(model, task, kind);
	const lanes = /** @type {Map<string, Lane>} */ (new Map());
	const byNumber = /** @type {Lane[]} */ ([]);
	for (let i = 0; i < rows.n; i++) {
		if (wanted && !wanted[i])
			continue;
		const lane = byNumber[column[i]] ??= laneOf(lanes, keyOf(column[i]), kind, model.slices);
		lane.total += rows.weight[i];
		if (rows.slice[i])
			lane.slices[rows.slice[i] - 1] += rows.weight[i];
	}
	if (kind === "thread")
		markMainThreads(model, lanes);
	return [...lanes.values()].filter((lane) => lane.key !== "")
		.sort((a, b) => b.total - a.total || (a.key < b.key ? -1 : 1));
}

/** The cost of each slice under the filters, at all times. @param {Model} model
 * @param {Selection} selection */
export function histogramOf(model, selection) {
	const rows = model.rows[selection.metric];
	const wanted = rowsWanted(model, rows, selection.filters);
	const sums = new Float64Array(model.slices);
	for (let i = 0; i < rows.n; i++) {
		if (rows.slice[i] && (!wanted || wanted[i]))
			sums[rows.slice[i] - 1] += rows.weight[i];
	}
	return sums;
}

export class Timeline {
	/** @param {HTMLElement} host @param {Record<string, string>} colors
	 * @param {Pick<Facts, "phases" | "gaps" | "losses">} facts
	 * @param {{brush: (from: number, to: number, isDone: boolean) => void,
	 * toggle: (filter: Filter) => void}} on */
	constructor(host, colors, facts, on) {
		this.host = host;
		this.colors = colors;
		this.phases = facts.phases;
		this.gaps = facts.gaps;
		this.losses = facts.losses;
		this.on = on;
		this.canvas = /** @type {HTMLCanvasElement} */ (host.querySelector("canvas"));
		this.list = /** @type {HTMLElement} */ (host.querySelector(".lanes"));
		this.more = /** @type {HTMLButtonElement} */ (host.querySelector(".more"));
		this.range = /** @type {HTMLElement} */ (host.querySelector(".range"));
		this.holes = /** @type {HTMLElement} */ (host.querySelector(".holes"));
		/** @type {Model | null} */
		this.model = null;
		this.unit = "";
		this.from = 0;
		this.to = 0;
		this.histogram = new Float64Array(0);
		/** Instead of the histogram. @type {Heat | null} */
		this.heat = null;
		this.isLong = false;
		this.made = ""; /* what the lanes were made of */
		/** @type {Lane[]} */
		this.lanes = [];
		this.anchor = -1;
		this.canvas.addEventListener("pointerdown", (event) => this.press(event));
		this.canvas.addEventListener("pointermove", (event) => this.drag(event, false));
		this.canvas.addEventListener("pointerup", (event) => this.drag(event, true));
		this.canvas.addEventListener("pointerleave", () => this.tellLosses(""));
		this.canvas.addEventListener("keydown", (event) => this.key(event));
		this.more.addEventListener("click", () => {
			this.isLong = !this.isLong;
			this.draw();
		});
		new ResizeObserver(() => this.draw()).observe(this.canvas.parentElement ?? host);
	}

	/** @param {Model} model @param {Selection} selection @param {string} kind @param {string} unit
	 * @param {boolean} [isHeat] */
	show(model, selection, kind, unit, isHeat) {
		this.model = model;
		this.heat = isHeat ? heatOf(model.slices, model.sliceNs) : null;
		this.unit = unit;
		this.kind = kind;
		this.from = selection.from;
		this.to = selection.to;
		const made = JSON.stringify([selection.metric, selection.filters, kind]);
		if (made !== this.made) {
			this.made = made;
			this.histogram = histogramOf(model, selection);
			this.lanes = lanesOf(model, selection, kind);
		}
		this.chosen = new Set(selection.filters.filter((filter) => filter.kind === kind)
			.map(({ value }) => value));
		this.draw();
	}

	/** @param {HTMLCanvasElement} canvas @param {number} height */
	prepare(canvas, height) {
		const scale = window.devicePixelRatio || 1;
		const width = canvas.parentElement?.clientWidth ?? 0;
		canvas.width = Math.max(1, Math.round(width * scale));
		canvas.height = Math.max(1, Math.round(height * scale));
		canvas.style.width = `${width}px`;
		canvas.style.height = `${height}px`;
		const context = canvas.getContext("2d");
		context?.setTransform(scale, 0, 0, scale, 0, 0);
		return { context, width };
	}

	draw() {
		if (!this.model)
			return;
		this.drawHistogram(this.model.slices);
		const n = this.isLong ? 200 : LANES;
		const whole = this.lanes.reduce((sum, lane) => sum + lane.total, 0);
		this.list.replaceChildren(...this.lanes.slice(0, n).map((lane) => this.lane(lane, whole)));
		keepEnds([...this.list.querySelectorAll(".label")].map((of) =>
			/** @type {HTMLElement} */ (of)));
		this.list.querySelectorAll("canvas").forEach((canvas, i) =>
			this.drawLane(canvas, this.lanes[i]));
		this.more.hidden = this.lanes.length <= LANES;
		this.more.textContent = this.isLong ? "fewer" : `${this.lanes.length - LANES} more`;
		this.range.textContent = (this.to ? `${this.time(this.from)} – ${this.time(this.to)}`
			: `${this.time(this.model.slices)} in all`) +
			(this.heat ? `, ${amount(this.heat.columnNs, "ns")} a column` : "");
		this.canvas.setAttribute("aria-label", `${this.host.getAttribute("aria-label")}. ` +
			(this.heat ? `${heatText(this.heat)} Arrows` : "Left and right") +
			" move the range, shift with them its end, Escape takes it away. " +
			`${this.range.textContent}. ` +
			lossesText(this.losses, ...this.shownTime()));
		this.tellLosses("");
	}

	/** What is brushed, or all, in nanoseconds. @returns {[number, number]} */
	shownTime() {
		const sliceNs = this.model?.sliceNs ?? 0;
		return this.to ? [this.from * sliceNs, this.to * sliceNs] : [0, Infinity];
	}

	/** Beside the histogram: what was lost in all, or where the pointer is. @param {string} text */
	tellLosses(text) {
		this.holes.hidden = !this.losses.length;
		this.holes.textContent = text || lossSummary(this.losses);
		this.holes.title = text || lossesText(this.losses, 0, Infinity);
	}

	/** @param {number} slice */
	time(slice) {
		return amount(slice * (this.model?.sliceNs ?? 0), "ns");
	}

	/** @param {number} slices */
	drawHistogram(slices) {
		const height = this.heat ? heatHeight(this.heat) : HISTOGRAM_HEIGHT;
		const marks = this.losses.length ? MARKS_HEIGHT : 0;
		const { context, width } = this.prepare(this.canvas, height + marks);
		if (!context)
			return;
		const step = this.heat ? width / (this.heat.rows * this.heat.columns) : width / slices;
		context.fillStyle = this.colors.panel;
		context.fillRect(0, 0, width, height);
		if (this.heat)
			drawHeat(context, this.heat, this.histogram, width, (slice) => this.isIn(slice)
				? this.colors.heat : this.colors["ink-soft"]);
		else
			this.drawBars(context, step, height);
		drawLosses(context, this.losses, step / (this.model?.sliceNs ?? 1), height + 1,
			this.colors.warn);
		if (!this.to || this.heat)
			return;
		context.fillStyle = this.colors.accent;
		context.fillRect(this.from * step - 1, 0, 2, height + marks);
		context.fillRect(this.to * step - 1, 0, 2, height + marks);
	}

	/** @param {number} slice */
	isIn(slice) {
		return !this.to || (slice >= this.from && slice < this.to);
	}

	/** @param {CanvasRenderingContext2D} context @param {number} step @param {number} height */
	drawBars(context, step, height) {
		const most = this.histogram.reduce((a, b) => Math.max(a, b), 0);
		for (const [name, start, end] of this.phases)
			this.drawPhase(context, name, start, end, step);
		this.histogram.forEach((cost, i) => {
			const tall = most ? (cost / most) * (height - 4) : 0;
			context.fillStyle = this.isIn(i) ? this.colors.time : this.colors.line;
			context.fillRect(i * step, height - tall, Math.max(step - 0.5, 0.5), tall);
		});
	}

	/** @param {CanvasRenderingContext2D} context @param {string} name @param {number} start
	 * @param {number} end @param {number} step */
	drawPhase(context, name, start, end, step) {
		const scale = step / (this.model?.sliceNs ?? 1);
		context.fillStyle = this.colors.line;
		context.fillRect(start * scale, 0, 1, 38);
		context.fillStyle = this.colors["ink-soft"];
		context.font = "10px system-ui, sans-serif";
		if ((end - start) * scale > 30)
			context.fillText(name.slice(0, Math.floor(((end - start) * scale) / 6)),
				start * scale + 3, 9);
	}

	/** @param {Lane} lane @param {number} whole */
	lane(lane, whole) {
		const row = element("div.lane");
		const button = /** @type {HTMLButtonElement} */ (element("button"));
		const strip = element("div.strip");
		button.type = "button";
		button.setAttribute("aria-pressed", String(this.chosen?.has(lane.key) ?? false));
		button.append(element("span.label", shown(lane.label)),
			element("span.value", percent(lane.total, whole)));
		button.addEventListener("click", () =>
			this.on.toggle({ kind: this.kind ?? "process", value: lane.key }));
		strip.append(document.createElement("canvas"));
		row.append(button, strip);
		return row;
	}

	/** @param {HTMLCanvasElement} canvas @param {Lane} lane */
	drawLane(canvas, lane) {
		const { context, width } = this.prepare(canvas, LANE_HEIGHT);
		if (!context)
			return;
		const most = this.lanes.slice(0, 1)[0].slices.reduce((a, b) => Math.max(a, b), 0);
		const step = width / lane.slices.length;
		context.fillStyle = this.colors.panel;
		context.fillRect(0, 0, width, LANE_HEIGHT);
		context.fillStyle = this.colors.heat;
		lane.slices.forEach((weight, i) => {
			if (!weight)
				return;
			context.globalAlpha = 0.15 + 0.85 * Math.sqrt(Math.min(weight / most, 1));
			context.fillRect(i * step, 1, Math.max(step, 1), LANE_HEIGHT - 2);
		});
		if (this.kind === "cpu")
			this.drawGaps(context, lane, step / (this.model?.sliceNs ?? 1));
	}

	/** Times in which a CPU was not recorded. @param {CanvasRenderingContext2D} context
	 * @param {Lane} lane @param {number} scale */
	drawGaps(context, lane, scale) {
		context.globalAlpha = 0.5;
		context.fillStyle = this.colors.warn;
		for (const [cpu, start, end] of this.gaps) {
			if (String(cpu) === lane.key)
				context.fillRect(start * scale, LANE_HEIGHT / 2 - 1, (end - start) * scale, 2);
		}
		context.globalAlpha = 1;
		drawLosses(context, this.losses.filter(([, cpu]) => String(cpu) === lane.key), scale, 3,
			this.colors.ink);
	}

	/** @param {PointerEvent} event */
	sliceAt(event) {
		const bounds = this.canvas.getBoundingClientRect();
		const slices = this.model?.slices ?? 1;
		const x = (event.clientX - bounds.left) / bounds.width;
		if (this.heat)
			return heatSlice(this.heat, slices, x,
				(event.clientY - bounds.top) / heatHeight(this.heat));
		const slice = Math.floor(x * slices);
		return Math.min(Math.max(slice, 0), slices - 1);
	}

	/** @param {PointerEvent} event */
	press(event) {
		this.anchor = this.sliceAt(event);
		this.start = [event.clientX, event.clientY];
		this.canvas.setPointerCapture(event.pointerId);
	}

	/** @param {PointerEvent} event @param {boolean} isDone */
	drag(event, isDone) {
		if (this.anchor < 0) {
			this.point(event);
			return;
		}
		const at = this.sliceAt(event);
		const [x, y] = this.start ?? [0, 0];
		const isClick = Math.max(Math.abs(event.clientX - x), Math.abs(event.clientY - y)) < 3;
		if (isClick && isDone)
			this.on.brush(0, 0, true);
		else if (!isClick)
			this.on.brush(Math.min(at, this.anchor), Math.max(at, this.anchor) + 1, isDone);
		if (isDone)
			this.anchor = -1;
	}

	/** A mark is wider than what it stands for, so near ones are told, too.
	 * @param {PointerEvent} event */
	point(event) {
		const sliceNs = this.model?.sliceNs ?? 0;
		const bounds = this.canvas.getBoundingClientRect();
		if (this.heat) {
			const slice = this.sliceAt(event);
			this.tellLosses(lossesText(this.losses, slice * sliceNs, (slice + 1) * sliceNs));
			return;
		}
		const nsOfPixel = ((this.model?.slices ?? 0) * sliceNs) / bounds.width;
		const at = (event.clientX - bounds.left) * nsOfPixel;
		this.tellLosses(lossesText(this.losses, at - 2 * nsOfPixel, at + 2 * nsOfPixel));
	}

	/** By how many slices a key moves; 0: it does not. @param {string} key */
	stepOf(key) {
		const wide = this.heat?.rows ?? Math.max(1, Math.round((this.model?.slices ?? 0) / 20));
		const down = this.heat ? 1 : 0;
		return { ArrowLeft: -wide, ArrowRight: wide, ArrowUp: -down, ArrowDown: down }[key] ?? 0;
	}

	/** @param {KeyboardEvent} event */
	key(event) {
		const slices = this.model?.slices ?? 0;
		const step = this.stepOf(event.key);
		const first = this.heat ? this.heat.rows : Math.round(slices / 10);
		const [from, to] = this.to ? [this.from, this.to] : [0, first];
		if (event.key === "Escape")
			this.on.brush(0, 0, true);
		else if (!step)
			return;
		else if (!this.to)
			this.on.brush(from, to, true);
		else if (event.shiftKey)
			this.on.brush(from, Math.min(Math.max(to + step, from + 1), slices), true);
		else if (from + step >= 0 && to + step <= slices)
			this.on.brush(from + step, to + step, true);
		event.preventDefault();
		event.stopPropagation();
	}
}
