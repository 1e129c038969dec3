// errors.mjs PAGE REPORT.json few|all: the page has the errors of shares of report --errors, and its
// table shows those of few samples, or all.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parseCsv, saved, withPage } from "./open.mjs";

const [, , file, report, marks] = process.argv;
const tree = JSON.parse(readFileSync(report, "utf8"));
const shown = (error) => `±${(100 * error).toFixed(100 * error < 9.995 ? 2 : 1)}`;
const near = (a, b, what) => assert.ok(Math.abs(a - b) <= 1e-5 * Math.max(a, b), `${what}: ${a}, ${b}`);
const inOrder = (rows) => rows.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)) ||
	a.self - b.self || a.total - b.total);

/** Rows of the report with cost: what they are, and the errors of their shares. */
function rowsOf(metric) {
	return inOrder(tree.nodes.filter(([, , , total]) => total[metric])
		.map(([, frame, self, total, more]) => ({
			key: [tree.frames[frame].name, self[metric], total[metric]].join(),
			self: more.self_error[metric], total: more.total_error[metric] })));
}

/** Those of a path that is a part of both events: their relative errors add up in squares. */
async function checkRatios(page) {
	const { name, numerator, denominator } = tree.ratios[0];
	const events = [numerator, denominator];
	const isExact = (metric) => tree.metrics[metric].exact;
	await page.selectOption("#metric", String(denominator));
	await page.keyboard.press("t");
	await page.keyboard.press("Home");
	await page.keyboard.press("h");
	let checked = 0;
	for (let step = 0; step < 12; step++) {
		const [row] = await page.$$eval("#first .row[aria-selected='true']", (rows) => rows.map((of) =>
			({ function: of.querySelector(".function").textContent,
				total: Number(of.querySelector(".number.total").dataset.value) })));
		const found = tree.nodes.filter(([, frame, , total]) => total[denominator] === row.total &&
			tree.frames[frame].name === row.function);
		await page.keyboard.press("ArrowUp");
		if (found.length !== 1 || events.some((metric) => !found[0][3][metric]))
			continue;
		const [, , , total, more] = found[0];
		const relative = Math.hypot(...events.map((metric) => isExact(metric) ? 0
			: more.total_error[metric] / (total[metric] / tree.nodes[0][3][metric])));
		await page.keyboard.press("ArrowDown");
		const text = await page.textContent("#detail-costs");
		const [, value, error] = new RegExp(`${name} (\\S+) ±([\\d.e+-]+)`).exec(text);
		near(Number(value), Number(more.ratio_total[0].toPrecision(3)), text);
		assert.ok(Math.abs(Number(error) / (more.ratio_total[0] * relative) - 1) < 0.06, text);
		await page.keyboard.press("ArrowUp");
		checked++;
	}
	assert.ok(checked, "a path of both events");
}

await withPage(file, {}, async (page) => {
	for (const [metric, { samples, event, exact }] of tree.metrics.entries()) {
		if (!samples)
			continue;
		await page.selectOption("#metric", String(metric));
		const csv = await saved(page, "csv");
		const errors = csv.trimEnd().split("\r\n").slice(1).map((line) =>
			line.split(",").slice(-2).map(Number));
		assert.equal(csv.split("\r\n")[0].includes("self_error"), !exact);
		const rows = inOrder(parseCsv(csv).map(({ name, kind, self, total }, i) => ({
			key: [kind === "process" ? name.replace(/ \(\d+\)$/, "") : name, self, total].join(),
			self: errors[i][0], total: errors[i][1] })));
		const wanted = rowsOf(metric);
		assert.deepEqual(rows.map(({ key }) => key), wanted.map(({ key }) => key));
		for (const [i, { key, self, total }] of wanted.entries()) {
			near(exact ? 0 : rows[i].self, self, `self, ${event}, ${key}`);
			near(exact ? 0 : rows[i].total, total, `total, ${event}, ${key}`);
		}
		await page.keyboard.press("t");
		await page.keyboard.press("Home");
		const root = tree.nodes[0][4].total_error[metric];
		assert.equal((await page.textContent("#detail-costs")).includes("±"), !exact);
		assert.ok(exact ? root === 0
			: (await page.textContent("#detail-costs")).includes(shown(root)));
		const mark = await page.textContent("#first .rows .row .total small");
		assert.equal(mark, !exact && (marks === "all" || samples < 30) ? shown(root) : "");
	}
	if (tree.ratios)
		await checkRatios(page);
	await page.keyboard.press("2");
	const texts = await page.$$eval("#first .rows .row .share small", (all) =>
		all.map(({ textContent }) => textContent));
	const isExact = tree.metrics.findLast(({ samples }) => samples).exact ?? false;
	assert.equal(texts.some((text) => /^±\d+\.\d+$/.test(text)), !isExact,
		"functions of few samples have errors, but for those of an exact event");
});
