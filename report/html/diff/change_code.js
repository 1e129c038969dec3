/** Source lines and instructions of the selected function on both sides. */

/** @import { CodeFunction } from "../page/payload.js" */
/** @import { Comparison, Side } from "./comparison.js" */
import { Code } from "../page/code.js";
import { byId } from "../page/elements.js";
import { readOnce } from "../page/payload.js";
import { SIDES } from "./change_state.js";

/** What comparison_code.c writes.
 * @typedef {{file: string, side: Side, events: string[], functions: CodeFunction[]}} CodeOfFile */

/** With costs of the events that are compared. @param {CodeOfFile} of @param {Comparison} facts */
function withCompared({ file, events, functions }, { metrics }) {
	const numbers = metrics.map(({ event }) => events.indexOf(event));
	/** @param {number[] | undefined} costs */
	const pick = (costs) => costs && numbers.map((at) => costs[at] ?? 0);
	return functions.map((of) => /** @type {CodeFunction} */ ({ ...of, file,
		costs: [null, pick(of.costs[1]), pick(of.costs[2])],
		lines: of.lines.map(([at, line, text, self, total]) =>
			[at, line, text, pick(self), pick(total)]),
		instructions: of.instructions.map(([address, text, place, self, total]) =>
			[address, text, place, pick(self), pick(total)]) }));
}

/** @param {Comparison} facts */
export function codeOfSides(facts) {
	const read = readOnce("code", /** @type {CodeOfFile[]} */ ([]));
	return SIDES.map((side) => {
		/** @type {Promise<CodeFunction[]> | null} */
		let made = null;
		return new Code(byId(`code-${side}`), ` ${side}`, "dendro diff --html FILE", () =>
			(made ??= read().then((files) => files.filter((of) => of.side === side)
				.flatMap((of) => withCompared(of, facts)))));
	});
}
