// sandwich_changes.mjs PAGE CALLGRAPH.json FUNCTION: the callers and callees of a function have the
// numbers of dendro diff --view callgraph, which counts a sample once under recursion.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { near } from "./compared.mjs";
import { accessible, withPage } from "./open.mjs";

const [, , file, callGraph, wanted] = process.argv;
const report = JSON.parse(readFileSync(callGraph, "utf8"));
const COSTS = ["before", "after", "change", "error"];

/** Rows of a pane's table: name, level, and values. */
function rowsOf(page, pane) {
	return page.$$eval(`#${pane} .rows .row`, (rows, costs) => rows.map((row) => ({
		name: row.querySelector(".function").textContent,
		level: Number(row.getAttribute("aria-level")),
		...Object.fromEntries(costs.map((of) =>
			[of, Number(row.querySelector(`.number.${of}`).dataset.value)])) })), COSTS);
}

function same(shown, row, what) {
	const { before, after, difference, error } = row.total;
	[before, after, difference, error].forEach((value, i) =>
		near(shown[COSTS[i]], value, `${what}, ${COSTS[i]}`));
}

await withPage(file, {}, async (page) => {
	await page.keyboard.press("2");
	await page.fill("#query", `/^${wanted}$/`);
	await page.press("#query", "Enter");
	await page.press("#query", "Escape");
	assert.equal(await page.textContent("#detail-name"), wanted);
	await page.keyboard.press("s");
	assert.match(await page.textContent("#first .pane-title"), new RegExp(`^Callers of ${wanted} `));
	assert.match(await page.textContent("#second .pane-title"), new RegExp(`^Callees of ${wanted} `));
	const at = report.rows.findIndex((row) => row.name === wanted && !row.arc);
	const arcs = report.rows.filter((row) => row.parent === at);
	for (const [pane, arc] of [["first", "caller"], ["second", "callee"]]) {
		const [root, ...below] = await rowsOf(page, pane);
		assert.deepEqual([root.name, root.level], [wanted, 1]);
		same(root, report.rows[at], wanted);
		const direct = new Map(below.filter(({ level }) => level === 2).map((row) => [row.name, row]));
		const expected = arcs.filter((row) => row.arc === arc && row.name !== wanted);
		assert.ok(expected.length, `${wanted} has a ${arc}`);
		for (const row of expected)
			same(direct.get(row.name), row, `${arc} ${row.name}`);
	}
	await accessible(page);
	await page.keyboard.press("u");
	await page.waitForFunction(() => !location.hash.includes("sandwich"));
	assert.ok(!await page.isVisible("#second"));
});
