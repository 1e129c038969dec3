/** What was recorded, and how good the data is. */

/** @import { Facts } from "./payload.js" */
import { element, shown } from "./elements.js";
import { amount, grouped, percent } from "./text.js";

/** @param {string} name @param {string | undefined} value */
function fact(name, value) {
	return value ? [element("dt", name), element("dd", shown(value))] : [];
}

/** @param {string} title @param {HTMLElement[]} rows */
function part(title, rows) {
	return rows.length ? [element("h3", title), ...rows] : [];
}

/** A line of a number, its share, and what it is. @param {number} count @param {number} whole
 * @param {string} text @param {string} [why] @param {string} [unit] */
function line(count, whole, text, why, unit) {
	const row = element("div.count");
	row.append(element("span.number", unit ? amount(count, unit) : grouped(count)),
		element("span.share", whole ? percent(count, whole) : ""), element("span", shown(text)));
	if (why)
		row.append(element("small", shown(why)));
	return row;
}

/** @param {Facts} facts */
function recording(facts) {
	const list = element("dl");
	const machine = [facts.host, facts.kernel && `Linux ${facts.kernel}`, facts.arch, facts.cpu,
		facts.cpus && `${facts.cpus} CPUs`].filter(Boolean).join(", ");
	list.append(...fact("File", facts.source), ...fact("Command", facts.command),
		...fact("Machine", machine),
		...fact("Date", facts.date ? new Date(facts.date / 1e6).toLocaleString() : undefined),
		...fact("Duration", facts.duration ? amount(facts.duration, "ns") : undefined),
		...fact("Selection", facts.selection), ...fact("Page by dendro", facts.version));
	return list;
}

/** @param {Facts} facts */
function events(facts) {
	return facts.metrics.filter((metric) => metric.samples || metric.lost).map((metric) => {
		const notes = [amount(metric.total, metric.unit)];
		if (metric.counted !== undefined)
			notes.push(`${amount(metric.counted, metric.unit)} counted`);
		if (metric.exact && metric.samples)
			notes.push("exact");
		if (metric.lost)
			notes.push(`${grouped(metric.lost)} lost`);
		if (metric.running !== undefined)
			notes.push(`had a counter ${percent(metric.running, 1)} of the time` +
				(metric.scaled ? ": scaled" : ""));
		return line(metric.samples, 0, `samples of ${metric.event}: ${notes.join(", ")}`);
	});
}

/** @param {Facts} facts */
function names(facts) {
	const metric = facts.metrics[facts.metric];
	const lines = facts.missing.map(({ cost, module, problem }) =>
		line(cost, metric.total, `${module}: ${problem}`, undefined, metric.unit));
	if (facts.packages)
		lines.push(element("p", "Symbols of stripped files:"), element("pre", facts.packages));
	else if (lines.length)
		lines.push(element("p", "Debug packages contain the symbols of stripped files."));
	if (lines.length)
		lines.push(element("p", "--debuginfod fetches by build ID; --symfs DIR reads a sysroot."));
	return [...lines, ...facts.advice.map((advice) => element("p", advice))];
}

/** @param {Facts} facts */
function losses(facts) {
	const { quality } = facts;
	const lines = [line(quality.received, 0, "samples received"),
		line(quality.lost, 0, "lost"),
		line(quality.throttled, 0, "times the kernel throttled an event")];
	if (quality.filtered)
		lines.push(line(quality.filtered, 0, "excluded by filters"));
	for (const [count, text] of quality.warnings)
		lines.push(line(count, 0, text));
	for (const text of [quality.truncated, quality.notDecoded])
		lines.push(...(text ? [element("p", shown(text))] : []));
	for (const [cpu, start, end] of facts.gaps.slice(0, 20))
		lines.push(element("p", `CPU ${cpu} was not recorded from ${amount(start, "ns")} to ` +
			amount(end, "ns")));
	return lines;
}

/** The state in a few words, and whether it deserves attention. @param {Facts} facts */
export function qualitySummary(facts) {
	const { quality } = facts;
	const incomplete = quality.ends.reduce((sum, [count]) => sum + count, 0);
	const share = quality.used ? 1 - incomplete / quality.used : 1;
	if (!quality.used)
		return { text: "No samples", isGood: false };
	const isGood = share >= 0.95 && quality.lost <= 0.01 * quality.received && !quality.truncated;
	const lost = quality.lost ? `, ${grouped(quality.lost)} lost` : "";
	return { text: `${percent(share, 1)} complete${lost}`, isGood };
}

/** @param {HTMLElement} host @param {Facts} facts */
export function showQuality(host, facts) {
	const { quality } = facts;
	const paths = [...quality.paths.map(([count, text]) => line(count, quality.used, text)),
		...quality.ends.map(([count, text, why]) => line(count, quality.used, text, why))];
	host.replaceChildren(recording(facts), ...part("Events", events(facts)),
		...part("Samples", losses(facts)), ...part("Call paths", paths),
		...part("Missing names", names(facts)));
}
