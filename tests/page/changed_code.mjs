// changed_code.mjs PAGE BEFORE.json AFTER.json: the page of a comparison has the lines and instructions
// of a function on both sides, with the costs of dendro annotate for each event, and a key shows them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { accessible, withPage } from "./open.mjs";

const [, , file, ...annotated] = process.argv;
const SIDES = ["before", "after"].map((side, i) =>
	({ side, report: JSON.parse(readFileSync(annotated[i], "utf8")) }));
const { name } = SIDES[0].report.functions[0];

/** The rows of a side's table that have a cost: [place, text, self, total]. The path that was
 * selected may have no cost of the event, so the function is chosen by its name. */
async function costly(page, side, title) {
	await page.selectOption(`#code-${side} .code-function`, { label: `${name} (inlined)` });
	await page.waitForFunction(([of, text]) =>
		document.querySelector(`#code-${of} .code-title`).textContent === text &&
		document.querySelector(`#code-${of} tbody tr`), [side, title]);
	return page.$$eval(`#code-${side} tbody tr:not(.across)`, (rows) => rows.map((row) => {
		const [self, total, place, text] = row.children;
		return [place.textContent, text.textContent, Number(self.dataset.value),
			Number(total.dataset.value)];
	}).filter(([, , self, total]) => self || total));
}

const shown = (rows, metric, placeOf) => rows.map((of) =>
	[placeOf(of), of.text ?? "", of.self[metric], of.total[metric]])
	.filter(([, , self, total]) => self || total);

await withPage(file, { fragment: "code=lines" }, async (page) => {
	const events = await page.$$eval("#metric option", (all) => all.map((of) => of.textContent));
	await page.fill("#query", `/^${name}$/`);
	await page.focus("#query");
	await page.keyboard.press("Enter");
	for (const [number, event] of events.entries()) {
		await page.selectOption("#metric", String(number));
		for (const { side, report } of SIDES) {
			const [of] = report.functions;
			const metric = report.metrics.findIndex((of) => of.event === event);
			assert.deepEqual(await costly(page, side, `Source lines ${side}`),
				shown(of.lines, metric, ({ line }) => line ? String(line) : ""), `lines ${side}`);
			await page.click("button[data-code='instructions']");
			assert.deepEqual(await costly(page, side, `Instructions ${side}`),
				shown(of.instructions, metric, ({ address }) => address), `instructions ${side}`);
			await page.click("button[data-code='lines']");
		}
	}
	await accessible(page);
	await page.focus("#code-after .code-scroller");
	await page.keyboard.press("C");
	await page.waitForSelector("button[data-code='instructions'][aria-pressed='true']");
	assert.match(await page.evaluate(() => location.hash), /code=instructions/);
	await page.keyboard.press("C");
	assert.ok(!await page.isVisible("#codes"));
});
