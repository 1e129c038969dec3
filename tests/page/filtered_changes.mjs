// filtered_changes.mjs PAGE [FRAGMENT REPORT.json]...: with the filters of a link, the page of a
// comparison has the numbers that dendro diff --format json has with its own ones.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { byKey, rowsOf, same, wantedOf } from "./compared.mjs";
import { openBrowser, openPage, saved } from "./open.mjs";

const [, , file, ...pairs] = process.argv;
const VIEWS = { tree: "paths", callers: "up", functions: "functions" };
const browser = await openBrowser();

/** Filters are undone one by one, and all at once. */
async function undoes(page, fragment) {
	const all = rowsOf(await saved(page, "csv")).length;
	const filters = await page.locator("#chips button").count();
	if (filters)
		await page.click("#chips button");
	else
		await page.click(`[data-turn='${new URLSearchParams(fragment).get("with")}']`);
	assert.equal(await page.locator("#chips button").count(), Math.max(filters - 1, 0));
	assert.notEqual(await page.evaluate(() => location.hash), `#${fragment}`);
	await page.click("#undo");
	await page.waitForFunction((of) => document.querySelectorAll("#chips button").length === of, filters);
	assert.equal(rowsOf(await saved(page, "csv")).length, all);
}

try {
	for (let i = 0; i < pairs.length; i += 2) {
		const report = JSON.parse(readFileSync(pairs[i + 1], "utf8"));
		const fragment = `${pairs[i]}&view=${VIEWS[report.view]}`;
		const page = await openPage(browser, file, { fragment });
		const events = [report.event, ...(report.others ?? []).map(({ event }) => event)];
		for (const [metric, event] of events.entries()) {
			await page.selectOption("#metric", { label: event });
			same(byKey(rowsOf(await saved(page, "csv"))), byKey(wantedOf(report, metric)),
				`${fragment}, ${event}`);
		}
		await undoes(page, fragment);
		assert.deepEqual(page.problems, []);
		await page.close();
	}
} finally {
	await browser.close();
}
