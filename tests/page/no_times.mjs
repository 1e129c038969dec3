// no_times.mjs PAGE REASON: a comparison without times has no timelines, and says why where it tells
// what was compared.
import assert from "node:assert/strict";
import { withPage } from "./open.mjs";

const [, , file, reason] = process.argv;

await withPage(file, {}, async (page) => {
	assert.ok(!await page.isVisible("#timelines"));
	assert.ok(!await page.isVisible("#lanes"));
	await page.keyboard.press("l"); /* there is nowhere to go */
	await page.keyboard.press("q");
	const text = await page.innerText("#quality-body");
	assert.ok(text.includes("There are no timelines:") && text.includes(reason), text);
});
