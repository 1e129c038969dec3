// marked_changes.mjs PAGE REPORT.json: both timelines of a comparison of a recording with itself tell how
// often events were throttled, as the report does, and what was lost.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { withPage } from "./open.mjs";

const [, , file, reportFile] = process.argv;
const { lost, throttled } = JSON.parse(readFileSync(reportFile, "utf8")).quality;
const numbers = (text) => text.replace(/\u202f/g, "").match(/\d+/g).map(Number);

await withPage(file, {}, async (page) => {
	for (const side of ["before", "after"]) {
		const text = await page.textContent(`#timeline-${side} .holes`);
		assert.deepEqual(numbers(text), [lost, throttled].filter((n) => n), text);
		const label = await page.getAttribute(`#timeline-${side} .histogram canvas`, "aria-label");
		assert.ok(label.startsWith(`Time ${side}. `) && label.includes("on CPU"), label);
	}
	await page.keyboard.press("l");
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("l");
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("Shift+ArrowRight");
	const [, before, after] = /before=0-(\d+)&after=0-(\d+)/.exec(await page.evaluate(() => location.hash));
	assert.ok(Number(after) > Number(before), `${before}, ${after}`);
	assert.equal(await page.locator("#chips button").count(), 2);
	await page.keyboard.press("Escape");
	assert.equal(await page.locator("#chips button").count(), 1);
});
