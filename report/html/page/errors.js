/** How exact shares are: standard errors of sampling, as report/fold/share_error.h computes them. */

/** @import { Sums } from "./costs.js" */
/** @import { Item } from "./trees.js" */

/** With fewer samples inside or outside a share, its error is that of Wilson's interval. */
export const FEW_SAMPLES = 30;

const DEVIATIONS = 1.959963984540054; /* to each side of an interval of 95 % of a normal distribution */

/** What samples add up to. @typedef {{weight: number, squares: number, samples: number}} ShareSum */

/** Samples without their squares count as equal. @param {number} weight @param {number} samples
 * @param {number | null} squares @returns {ShareSum} */
export function shareSum(weight, samples, squares) {
	return { weight, samples, squares: squares ?? (samples ? (weight * weight) / samples : 0) };
}

/** Of several nodes. @param {Sums} sums @param {number[] | Int32Array} nodes @returns {ShareSum} */
export function sumOver({ total, samples, squares }, nodes) {
	/** @param {Float64Array} column */
	const add = (column) => Array.from(nodes).reduce((sum, node) => sum + column[node], 0);
	return shareSum(add(total), add(samples), squares && add(squares));
}

/** @param {number} share @param {number} variance @param {ShareSum} all */
function wilsonError(share, variance, all) {
	const isInside = variance > 0 && share > 0 && share < 1;
	const n = isInside ? (share * (1 - share)) / variance
		: (all.weight * all.weight) / all.squares;
	const z2 = DEVIATIONS * DEVIATIONS;
	return Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n)) / (1 + z2 / n);
}

/** The standard error of a share; null: there are no samples. @param {ShareSum} part
 * @param {ShareSum} all @returns {number | null} */
export function shareError(part, all) {
	if (all.weight <= 0 || all.squares <= 0)
		return null;
	const share = Math.min(part.weight / all.weight, 1);
	const variance = Math.max(((1 - 2 * share) * part.squares + share * share * all.squares) /
		(all.weight * all.weight), 0);
	const outside = Math.max(all.samples - part.samples, 0);
	return part.samples < FEW_SAMPLES || outside < FEW_SAMPLES
		? wilsonError(share, variance, all) : Math.sqrt(variance);
}

/** The standard error of a ratio of two costs, relative to it: that of events which were sampled each
 * for itself. Samples of a group have the costs of all its events, so there the error is smaller. null:
 * it is not known.
 * @param {(ShareSum & {all: ShareSum, exact: boolean})[]} costs @returns {number | null} */
export function ratioError(costs) {
	let sum = 0;
	for (const { all, exact, ...part } of costs) {
		const error = exact ? 0 : shareError(part, all);
		if (error === null || part.weight <= 0)
			return null;
		sum += ((error * all.weight) / part.weight) ** 2;
	}
	return Math.sqrt(sum);
}

/** The errors of an item's shares of everything. @param {Item} item @param {ShareSum} all
 * @returns {{self: number | null, total: number | null}} */
export function errorsOf(item, all) {
	return {
		self: shareError(shareSum(item.self, item.selfSamples, item.selfSquares), all),
		total: shareError(shareSum(item.total, item.samples, item.squares), all),
	};
}
