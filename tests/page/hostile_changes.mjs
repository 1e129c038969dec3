// hostile_changes.mjs PAGE TEXT: a function with such a name, as a terminal shows it, is in the page of
// a comparison as text alone.
import assert from "node:assert/strict";
import { saved, withPage } from "./open.mjs";

const [, , file, text] = process.argv;

await withPage(file, {}, async (page) => {
	await page.keyboard.press("4");
	const csv = await saved(page, "csv");
	assert.ok(csv.includes(text.replaceAll('"', '""')), "the name is in the page");
	assert.doesNotMatch(csv, /[\u0000-\u0009\u001b\u007f\u202a-\u202e\u2066-\u2069]/);
	await page.fill("#query", text.slice(0, 40));
	assert.notEqual(await page.textContent("#matched"), "none");
	await page.press("#query", "Enter");
	assert.ok((await page.textContent("#detail-name")).startsWith(text.slice(0, 40)));
	assert.equal(await page.evaluate(() => window.wasRun), undefined);
	assert.equal(await page.$$eval("main img, main script", (found) => found.length), 0);
});
