// code.mjs PAGE ANNOTATE.json: the page has the lines and instructions of a function with the costs
// of dendro annotate, for each event, and shows them by keys.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { accessible, withPage } from "./open.mjs";

const [, , file, annotated] = process.argv;
const report = JSON.parse(readFileSync(annotated, "utf8"));
const [wanted] = report.functions;

/** The rows of the table that have a cost: [{place, text, self, total}]. */
function rowsOf(page) {
	return page.$$eval("#code-pane tbody tr:not(.across)", (rows) => rows.map((row) => {
		const [self, total, place, text] = row.children;
		return { place: place.textContent, text: text.textContent, self: Number(self.dataset.value),
			total: Number(total.dataset.value) };
	}));
}

async function choose(page) {
	const options = await page.$$eval("#code-pane .code-function option", (all) =>
		all.map(({ value, textContent }) => [textContent, value]));
	const label = wanted.kind === "inline" ? `${wanted.name} (inlined)` : wanted.name;
	const found = options.find(([text]) => text === label);
	assert.ok(found, `${label} is one of ${options}`);
	await page.selectOption("#code-pane .code-function", found[1]);
}

async function shows(page, title) {
	await page.waitForFunction((of) => document.querySelector("#code-pane .code-title").textContent === of &&
		document.querySelector("#code-pane tbody tr"), title);
}

const costly = (rows) => rows.filter(({ self, total }) => self || total);

await withPage(file, {}, async (page) => {
	await page.keyboard.press("c");
	await page.waitForFunction(() => document.querySelector("#code-pane .code-function").options.length > 1);
	await choose(page);
	for (const [metric, { samples }] of report.metrics.entries()) {
		if (!samples)
			continue;
		await page.selectOption("#metric", String(metric));
		await choose(page);
		await shows(page, "Source lines");
		const lines = await rowsOf(page);
		assert.deepEqual(costly(lines).map(({ place, self, total, text }) => [place, text, self, total]),
			wanted.lines.map(({ line, text, self, total }) =>
				[line ? String(line) : "", text ?? "", self[metric], total[metric]])
				.filter(([, , self, total]) => self || total), "lines");
		assert.ok(lines.length > costly(lines).length, "lines around those with cost");
		await page.click("#codes button[data-code='instructions']");
		await choose(page);
		await shows(page, "Instructions");
		assert.deepEqual(await rowsOf(page), wanted.instructions.map(({ address, text, self, total }) =>
			({ place: address, text, self: self[metric], total: total[metric] })), "instructions");
		await page.click("#codes button[data-code='lines']");
	}
	assert.match(await page.evaluate(() => location.hash), /code=lines/);
	await page.click("#codes button[data-code='lines']");
	await page.selectOption("#metric", String(wanted.self.findIndex((self) => self > 0)));
	await page.keyboard.press("t");
	await page.keyboard.press("2");
	await page.fill("#query", `/^${wanted.name}$/`);
	await page.keyboard.press("Enter");
	await page.click("#codes button[data-code='lines']");
	await page.waitForFunction((name) =>
		document.querySelector("#code-pane .code-function").selectedOptions[0].textContent.startsWith(name),
	wanted.name);
	await accessible(page);
	await page.focus("#code-pane .code-scroller");
	await page.keyboard.press("c");
	await page.keyboard.press("c");
	assert.ok(!await page.isVisible("#code-pane"));
});
