// numbers.mjs PAGE REPORT.json CALLERS.json FUNCTIONS.json: the page has the numbers of the reports,
// for each event.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parseCsv, saved, withPage } from "./open.mjs";

const [, , file, ...reports] = process.argv;
const [tree, callers, functions] = reports.map((name) => JSON.parse(readFileSync(name, "utf8")));

/** Costs by path: the page adds a process's number to its name, so names are cut before it. */
function byPath(rows) {
	const costs = new Map();
	const path = [];
	for (const { depth, self, total, name, module, kind } of rows) {
		const shown = kind === "process" ? name.replace(/ \(\d+\)$/, "") : name;
		path.length = depth;
		path.push(`${shown}|${module}|${kind}`);
		const key = path.join("\n");
		assert.ok(!costs.has(key), `twice: ${key}`);
		costs.set(key, [self, total]);
	}
	return costs;
}

/** The nodes of a report in JSON as rows. */
function nodesOf(report, metric) {
	const depths = [];
	return report.nodes.map(([parent, frame, self, total], i) => {
		depths[i] = parent < 0 ? 0 : depths[parent] + 1;
		return { depth: depths[i], self: self[metric], total: total[metric],
			...report.frames[frame] };
	}).filter((row, i) => i === 0 || row.total);
}

function same(page, report, what) {
	assert.equal(page.size, report.size, `number of paths: ${what}`);
	for (const [path, costs] of report)
		assert.deepEqual(page.get(path), costs, `${what}: ${path}`);
}

await withPage(file, {}, async (page) => {
	for (const [metric, { event, samples }] of tree.metrics.entries()) {
		if (!samples)
			continue;
		await page.selectOption("#metric", String(metric));
		await page.click("[data-view='down']");
		same(byPath(parseCsv(await saved(page, "csv"))), byPath(nodesOf(tree, metric)),
			`calls, ${event}`);
		await page.click("[data-view='up']");
		// The page has processes as the outermost callers, too.
		const up = parseCsv(await saved(page, "csv")).filter(({ kind }) => kind !== "process");
		same(byPath(up), byPath(nodesOf(callers, metric)), `callers, ${event}`);
		const top = up.filter(({ depth }) => depth === 1);
		const selfs = functions.rows.map(({ name, module, kind, self }) =>
			[`${name}|${module}|${kind}`, self[metric]]).filter(([, self]) => self);
		assert.deepEqual(new Map(top.map(({ name, module, kind, self }) =>
			[`${name}|${module}|${kind}`, self])), new Map(selfs), `functions, ${event}`);
	}
	await page.click("[data-view='down']");
	const shown = await page.textContent("#detail-costs");
	for (const [i, { name }] of (tree.ratios ?? []).entries())
		assert.ok(shown.includes(`${name} ${tree.nodes[0][4].ratio_total[i].toPrecision(3)}`), shown);
});
