// hostile.mjs PAGE TEXT: a function with such a name, as a terminal shows it, is in the page as text
// alone.
import assert from "node:assert/strict";
import { parseCsv, saved, withPage } from "./open.mjs";

const [, , file, text] = process.argv;

await withPage(file, {}, async (page) => {
	const names = parseCsv(await saved(page, "csv")).map(({ name }) => name);
	const hostile = names.find((name) => name.startsWith(text));
	assert.ok(hostile, "the name is in the page");
	assert.doesNotMatch(hostile, /[\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069]/);
	const before = await page.evaluate(() => document.querySelectorAll("*").length);
	await page.fill("#query", text.slice(0, 40));
	assert.notEqual(await page.textContent("#matched"), "0.00\u202f%");
	await page.press("#query", "Enter");
	assert.ok((await page.textContent("#detail-name")).startsWith(text.slice(0, 40)));
	await page.press("#query", "Escape");
	await page.keyboard.press("s");
	assert.ok((await page.textContent(".pane-title")).includes(text.slice(0, 40)));
	await page.keyboard.press("f");
	assert.equal(await page.evaluate(() => window.wasRun), undefined);
	assert.equal(await page.$$eval("main img, main script, footer b i", (found) => found.length), 0);
	assert.ok(before > 50);
});
