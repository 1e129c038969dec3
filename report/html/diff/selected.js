/** What the filters of a comparison select, by metric and run. */

/** @import { Filter, Sums } from "../page/costs.js" */
/** @import { Hiding } from "../page/shape.js" */
/** @import { Costs } from "../page/payload.js" */
/** @import { Compared, Comparison, Side } from "./comparison.js" */
/** @import { Times } from "./times.js" */
import { sumUp } from "../page/costs.js";
import { shapeOf } from "../page/shape.js";

/** Of one metric, by run; the whole has weight, samples and squares of each run.
 * @typedef {{runs: Sums[], whole: Float64Array}} Measured */

/** By side, the first slice and the one after the last; 0 and 0: all times.
 * @typedef {Record<Side, [number, number]>} Ranges */
/**
 * @typedef {object} Choice
 * @property {Hiding} hiding
 * @property {Filter[]} filters
 * @property {boolean} idle without the idle tasks
 * @property {Ranges} ranges
 */

/** Whether the functions of the tree are processes that filters leave out. @param {Compared} compared
 * @param {Filter[]} filters @returns {Uint8Array | null} by function; null: none is */
function otherProcesses({ model }, filters) {
	const names = new Set(filters.filter(({ kind }) => kind === "process")
		.map(({ value }) => value));
	const { kind, name } = model.functions;
	return names.size ? Uint8Array.from(kind, (of, i) =>
		Number(of === "process" && !names.has(name[i]))) : null;
}

export class Selected {
	/** @param {Compared} compared @param {Comparison} facts @param {Times | null} times
	 * @param {Choice} choice */
	constructor(compared, facts, times, { hiding, filters, idle, ranges }) {
		this.compared = compared;
		this.times = times;
		this.shape = shapeOf(compared.model, hiding);
		this.functions = compared.model.functions;
		this.filters = filters;
		this.idle = idle;
		this.ranges = ranges;
		this.others = otherProcesses(compared, filters);
		/** @type {Measured[]} */
		this.measured = [];
		/** Of call paths with cost, by metric. @type {number[]} */
		this.counts = [];
		this.facts = facts;
		this.facts = { ...facts, runs: facts.runs.map((of, run) => ({ ...of,
			amount: this.amountOf(run) })) };
		this.sums = this.all();
	}

	/** What a run's cost is divided by: of what is selected, as far as it has some.
	 * @param {number} run @returns {number | undefined} */
	amountOf(run) {
		const { normalize, metrics, per, runs } = this.facts;
		const { amount, duration, side } = runs[run];
		const [from, to] = this.ranges[side];
		if (normalize === "time" && to && this.times) {
			const { sliceNs } = this.times.sides[side];
			return Math.max(Math.min(to * sliceNs, duration) - from * sliceNs, 0) / 1e9;
		}
		const metric = normalize === "metric" ? metrics.findIndex(({ event }) => event === per) : -1;
		const isPart = this.needsRows(run) || this.others;
		return metric >= 0 && isPart ? this.sumUpRun(metric, run).total[0] : amount;
	}

	/** Whether what is selected of a run depends on times or threads. Where small paths have none, what
	 * is one row on one side must be so on the other. @param {number} run */
	needsRows(run) {
		const { before, after } = this.ranges;
		const has = this.times?.least ? before[1] || after[1]
			: this.ranges[this.facts.runs[run].side][1];
		return this.times !== null && (has > 0 ||
			this.filters.some(({ kind }) => kind === "thread"));
	}

	/** @param {Costs} costs @returns {Costs} */
	withoutOthers(costs) {
		const { func, end, n } = this.compared.model;
		const columns = [costs.weight, costs.samples, /** @type {Float64Array} */ (costs.squares)]
			.map((column) => column.slice());
		for (let node = 1; node < n;) {
			const isOther = this.others?.[func[node]] === 1;
			if (isOther)
				columns.forEach((column) => column.fill(0, node, end[node]));
			node = isOther ? end[node] : node + 1;
		}
		const [weight, samples, squares] = columns;
		return { weight, samples, squares };
	}

	/** @param {number} metric @param {number} run @returns {Sums} */
	sumUpRun(metric, run) {
		const { model, costs } = this.compared;
		const all = costs[metric][run];
		if (this.times && this.needsRows(run))
			return this.sumUpRows(this.times, all, metric, run);
		const filters = this.filters.filter(({ kind }) => kind !== "process" && kind !== "thread");
		return sumUp({ ...model, costs: [this.others ? this.withoutOthers(all) : all] }, this.shape,
			{ metric: 0, from: 0, to: 0, idle: this.idle, filters });
	}

	/** @param {Times} times @param {Costs} all @param {number} metric @param {number} run */
	sumUpRows({ tasks, sides, rows }, all, metric, run) {
		const { side } = this.facts.runs[run];
		const [from, to] = this.ranges[side];
		return sumUp({ ...this.compared.model, costs: [all], rows: [rows[metric][run]], tasks,
			...sides[side] }, this.shape,
		{ metric: 0, from, to, idle: this.idle, filters: this.filters });
	}

	/** @param {number} metric @returns {Measured} */
	of(metric) {
		this.measured[metric] ??= this.measure(metric);
		return this.measured[metric];
	}

	/** @param {number} metric @returns {Measured} */
	measure(metric) {
		const runs = this.facts.runs.map((_, run) => this.sumUpRun(metric, run));
		return { runs, whole: Float64Array.from(runs.flatMap((run) =>
			[run.total[0], run.samples[0], run.squares?.[0] ?? 0])) };
	}

	/** How many call paths have cost. @param {number} metric */
	countPaths(metric) {
		return (this.counts[metric] ??= this.count(this.of(metric).runs));
	}

	/** How many nodes have cost in any run. @param {Sums[]} runs */
	count(runs) {
		let n = 0;
		for (let node = 1; node < this.shape.n; node++)
			n += Number(runs.some(({ total }) => total[node] > 0));
		return n;
	}

	/** The samples of all events and runs, which decide what there is to unfold. @returns {Sums} */
	all() {
		const total = new Float64Array(this.shape.n);
		const self = new Float64Array(this.shape.n);
		for (let metric = 0; metric < this.facts.metrics.length; metric++) {
			for (const { samples, selfSamples } of this.of(metric).runs) {
				for (let i = 0; i < total.length; i++) {
					total[i] += samples[i];
					self[i] += selfSamples[i];
				}
			}
		}
		return { self, total, samples: total, selfSamples: self, squares: null, selfSquares: null };
	}
}
