/** What the filters of a comparison select, by metric and run. */

/** @import { Filter, Sums } from "../page/costs.js" */
/** @import { Hiding } from "../page/shape.js" */
/** @import { Costs } from "../page/payload.js" */
/** @import { Compared, Comparison } from "./comparison.js" */
import { sumUp } from "../page/costs.js";
import { shapeOf } from "../page/shape.js";

/** Of one metric, by run; the whole has weight, samples and squares of each run.
 * @typedef {{runs: Sums[], whole: Float64Array}} Measured */

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
	/** @param {Compared} compared @param {Comparison} facts @param {Hiding} hiding
	 * @param {Filter[]} filters @param {boolean} idle without the idle tasks */
	constructor(compared, facts, hiding, filters, idle) {
		this.compared = compared;
		this.facts = facts;
		this.shape = shapeOf(compared.model, hiding);
		this.functions = compared.model.functions;
		this.filters = filters;
		this.idle = idle;
		this.others = otherProcesses(compared, filters);
		/** @type {Measured[]} */
		this.measured = [];
		this.sums = this.all();
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
		const filters = this.filters.filter(({ kind }) => kind !== "process");
		return sumUp({ ...model, costs: [this.others ? this.withoutOthers(all) : all] }, this.shape,
			{ metric: 0, from: 0, to: 0, idle: this.idle, filters });
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
		const { runs } = this.of(metric);
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
