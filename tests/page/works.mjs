// works.mjs PAGE CALLGRAPH.json FUNCTION: keys, clicks, pixels, filters and links; accessible.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { accessible, colorAt, colorOf, openPage, parseCsv, saved, tableRows, withPage } from "./open.mjs";

const [, , file, callGraph, wanted] = process.argv;
const report = JSON.parse(readFileSync(callGraph, "utf8"));
const near = (a, b, what) => assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(a, b, 1), `${what}: ${a}, ${b}`);
const text = (page, selector) => page.textContent(selector);
const fragment = (page) => page.evaluate(() => location.hash);

/** From the start to a function's callers, by keys and what a screen reader is told alone. */
async function investigate(page) {
	const active = () => page.evaluate(() => {
		const element = document.activeElement;
		return { role: element.getAttribute("role"), label: element.getAttribute("aria-label"),
			level: Number(element.getAttribute("aria-level")), text: element.textContent,
			expanded: element.getAttribute("aria-expanded") };
	});
	await page.keyboard.press("t");
	assert.equal((await active()).role, "row");
	await page.keyboard.press("Home");
	assert.deepEqual([(await active()).level, (await active()).expanded], [1, "true"]);
	await page.keyboard.press("ArrowDown");
	assert.equal((await active()).level, 2);
	assert.equal((await active()).expanded, "false");
	await page.keyboard.press("ArrowRight");
	assert.equal((await active()).expanded, "true");
	await page.keyboard.press("ArrowRight");
	assert.equal((await active()).level, 3);
	await page.keyboard.press("ArrowLeft");
	assert.equal((await active()).level, 2);
	await page.keyboard.press("h");
	assert.ok((await active()).level > 3, "the hot path is unfolded");
	const name = await text(page, "#detail-name");
	assert.ok((await active()).text.includes(name), "the line at the bottom is about the row");
	await page.keyboard.press("g");
	const canvas = await active();
	assert.ok(canvas.label.startsWith(name), "picture and table are at the same function");
	await page.keyboard.press("ArrowUp");
	assert.notEqual((await active()).label, canvas.label);
	await page.keyboard.press("Enter");
	assert.match(await fragment(page), /zoom=/);
	assert.ok(await page.evaluate(() => {
		const row = document.querySelector("#first .rows [aria-selected='true']");
		const { top, bottom } = document.querySelector("#first .scroller").getBoundingClientRect();
		const bounds = row.getBoundingClientRect();
		return bounds.top >= top - 1 && bounds.bottom <= bottom + 1;
	}), "the row is in sight");
	await page.keyboard.press("u");
	await page.waitForFunction(() => !location.hash.includes("zoom="));
	await page.keyboard.press("U");
	await page.waitForFunction(() => location.hash.includes("zoom="));
	await page.keyboard.press("u");
	await page.waitForFunction(() => !location.hash.includes("zoom="));
}

/** The callers and callees of a function in the sandwich are those of the call graph. */
async function sandwich(page) {
	await page.keyboard.press("2");
	await page.keyboard.press("/");
	await page.keyboard.type(`/^${wanted}$/`);
	await page.keyboard.press("Enter");
	assert.equal(await text(page, "#detail-name"), wanted);
	await page.keyboard.press("Escape");
	await page.keyboard.press("s");
	const names = report.rows.map(({ name }) => name);
	const row = report.rows.find(({ name }) => name === wanted);
	const callers = new Map();
	for (const [i, arc] of row.callers.entries()) {
		if (arc.row !== null)
			callers.set(names[arc.row] + i, arc.total[0]);
	}
	const rows = (await tableRows(page)).filter(({ level }) => level === 2);
	assert.deepEqual(rows.filter(({ name }) => names.includes(name)).map(({ total }) => total)
		.sort((a, b) => b - a), [...callers.values()].filter((of) => of).sort((a, b) => b - a));
	near((await tableRows(page))[0].total, row.total[0], "total of the function");
	near(rows.reduce((sum, { total }) => sum + total, 0), row.total[0], "sum of its callers");
	const callees = await tableRows(page, "second");
	near(callees[0].total, row.total[0], "total of the function above its callees");
	const costs = (all) => all.filter(([, cost]) => cost).sort((a, b) => b[1] - a[1]);
	assert.deepEqual(costs(callees.filter(({ level }) => level === 2)
		.map(({ name, total }) => [name, total])),
	costs(row.callees.map((arc) => [names[arc.row], arc.total[0]])), "callees");
	await page.click("#reset");
}

/** A range of time and what is outside of it add up to the whole, and so do the lanes. */
async function filters(page, browser) {
	const total = async () => (await tableRows(page))[0].total;
	const all = await total();
	const base = await page.evaluate(() => location.href.replace(/#.*/, ""));
	const parts = [];
	for (const part of ["time=0-80", "time=80-1000"]) {
		const other = await openPage(browser, base.slice("file://".length), { fragment: part });
		parts.push((await tableRows(other))[0].total);
		assert.deepEqual(other.problems, []);
		await other.close();
	}
	near(parts[0] + parts[1], all, "both parts of the time");
	assert.ok(parts[0] > 0 && parts[1] > 0);
	await page.click(".lane button");
	const process = await total();
	assert.ok(process > 0 && process <= all);
	await page.click("#chips button");
	near(await total(), all, "without the filter again");
	const before = parseCsv(await saved(page, "csv"));
	const { name, module, total: wanted } = before.find(({ module: of }) => of);
	await page.fill("#query", name);
	await page.press("#query", "Enter");
	await page.click("#module");
	const withModule = parseCsv(await saved(page, "csv"))[1].total;
	assert.match(await fragment(page), /module=/);
	assert.equal(await text(page, "#chips"), `module: ${module}  ✕`);
	assert.ok(withModule >= wanted && withModule <= all, "samples with the module");
	await page.click("#module");
	assert.doesNotMatch(await fragment(page), /module=/);
	await page.fill("#query", "");
	await page.click("[data-switch='kernel']");
	const rows = parseCsv(await saved(page, "csv"));
	assert.ok(!rows.some(({ kind }) => kind === "kernel"));
	near(rows.reduce((sum, { self }) => sum + self, 0), all, "the kernel's cost goes to its callers");
	await page.click("[data-switch='kernel']");
	await page.click("[data-switch='recursion']");
	near((await tableRows(page))[0].total, all, "with recursion folded");
	await page.click("#reset");
	assert.deepEqual(parseCsv(await saved(page, "csv")), before);
	const folded = await saved(page, "folded");
	near(folded.trimEnd().split("\n").reduce((sum, line) => sum + Number(line.split(" ").pop()), 0),
		all, "folded stacks");
	assert.match(await saved(page, "svg"), /^<svg .*<title>.*<\/svg>$/s);
	assert.ok((await saved(page, "png")).length > 1000);
}

/** The views of a selection are the same again after another selection, whose sums take the place of its
 * own. */
async function returns(page) {
	const views = async () => {
		const rows = [];
		for (const key of ["2", "1"]) {
			await page.keyboard.press(key);
			rows.push(parseCsv(await saved(page, "csv")));
		}
		return rows;
	};
	const before = await views();
	await page.click(".lane button");
	assert.equal(await page.locator("#chips button").count(), 1);
	await page.click("#undo");
	await page.waitForFunction(() => !document.querySelector("#chips button"));
	await page.keyboard.press("2");
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("ArrowDown");
	assert.deepEqual(await views(), before);
	await page.click("#reset");
}

/** A frame has the colour of its module where it is drawn, and that of matches if it is one. */
async function pixels(page) {
	assert.deepEqual(await colorAt(page, 2, 2), await colorOf(page, "--group"), "the root");
	const first = (await tableRows(page))[1].name;
	await page.fill("#query", first.replace(/ \(\d+\)$/, ""));
	assert.deepEqual(await colorAt(page, 2, 21), await colorOf(page, "--match"), "a match in the second row");
	await page.fill("#query", "");
	assert.deepEqual(await colorAt(page, 2, 21), await colorOf(page, "--group"), "no match");
	const box = await page.locator("#first canvas").boundingBox();
	await page.mouse.click(box.x + 5, box.y + 25);
	assert.equal(await text(page, "#detail-name"), first);
	await page.mouse.dblclick(box.x + 5, box.y + 25);
	assert.match(await fragment(page), /zoom=/);
	await page.keyboard.press("Backspace");
	assert.doesNotMatch(await fragment(page), /zoom=/);
}

await withPage(file, {}, async (page, browser) => {
	assert.notEqual(await page.title(), "");
	await investigate(page);
	await page.click("#reset");
	await pixels(page);
	await sandwich(page);
	await filters(page, browser);
	await returns(page);
	await accessible(page);
	for (const key of ["?", "q"]) {
		await page.keyboard.press(key);
		assert.ok(await page.isVisible("dialog[open]"));
		await accessible(page);
		await page.keyboard.press("Escape");
	}
});
