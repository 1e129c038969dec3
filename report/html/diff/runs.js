/** What was compared: the runs, their costs, and what significant means. */

/** @import { Comparison } from "./comparison.js" */
import { element, shown } from "../page/elements.js";
import { amount, counted, grouped } from "../page/text.js";
import { changeText, relativeText, valueText } from "./change_table.js";

const NORMS = { total: "shares of the run's cost", samples: "shares of the run's samples",
	time: "cost per second of the run", metric: "cost per", number: "cost per" };

/** @param {string[]} cells @param {string} tag */
function tableRow(cells, tag) {
	const row = element("tr");
	row.append(...cells.map((text) => element(tag, shown(text))));
	return row;
}

/** @param {Comparison} facts */
function runsTable(facts) {
	const table = element("table.runs");
	const head = tableRow(["side", "file", "duration",
		...facts.metrics.map(({ event }) => `samples of ${event}`),
		...(facts.shares ? [] : [facts.per ?? "seconds"])], "th");
	const body = element("tbody");
	body.append(...facts.runs.map((run) => tableRow([run.side, run.file, amount(run.duration, "ns"),
		...run.costs.map(([samples, weight], i) => facts.metrics[i].cost === "events"
			? grouped(samples) : `${grouped(samples)}, ${amount(weight, facts.metrics[i].cost)}`),
		...(facts.shares ? [] : [String(run.amount)])], "td")));
	const rows = element("thead");
	rows.append(head);
	table.append(rows, body);
	return table;
}

/** How the cost of the runs changed. @param {Comparison} facts */
function totals(facts) {
	return facts.metrics.map(({ event, cost, unit, total }) => {
		const of = { ...total, difference: total.after - total.before, isSignificant: total.significant,
			relative: total.before ? (total.after - total.before) / total.before : NaN,
			q: total.q ?? NaN };
		const shownUnit = facts.shares ? cost : unit;
		return element("p", `${shown(event)}: ${valueText(of.before, shownUnit, false)} before, ` +
			`${valueText(of.after, shownUnit, false)} after: ${relativeText(of, 0)}` +
			(of.isSignificant ? ", by more than chance explains" : ""));
	});
}

/** Of the whole runs. @param {Comparison} facts @param {number} metric @param {boolean} isPart a part of
 * them is shown */
export function changeSummary(facts, metric, isPart) {
	const [functions, paths] = facts.metrics[metric].moved;
	const text = functions || paths
		? `${counted(functions, "function")} and ${counted(paths, "call path")} moved`
		: "Nothing moved by more than chance";
	return isPart ? `In all: ${text[0].toLowerCase()}${text.slice(1)}` : text;
}

/** @param {HTMLElement} host @param {Comparison} facts */
export function showRuns(host, facts) {
	const { runs } = facts;
	const isAlone = runs.filter(({ side }) => side === "before").length < 2 ||
		runs.filter(({ side }) => side === "after").length < 2;
	const per = facts.normalize === "metric" || facts.normalize === "number";
	host.replaceChildren(runsTable(facts), element("h3", "Values"),
		element("p", `${NORMS[facts.normalize]}${per ? ` ${shown(facts.per ?? "")}` : ""}` +
			(facts.shares ? "; changes in percentage points" : "")),
		element("h3", "Cost of the runs"), ...totals(facts), element("h3", "Errors"),
		element("p", isAlone
			? "± is one standard deviation of the difference, from sampling alone: how much equal " +
				"runs differ is known with two runs on each side or more."
			: "± is one standard deviation of the difference: of sampling, or between runs where " +
				"that is more."),
		element("p", `Rows with * moved by more than chance explains; at most ` +
			`${changeText(facts.rate, "", true).slice(1)}\u202f% of them are false. Others are grey.`),
		element("p", `Page by dendro ${facts.version}`));
}
