// no_times.mjs PAGE: a comparison without times has no timelines, and says so where it tells what was
// compared.
import assert from "node:assert/strict";
import { withPage } from "./open.mjs";

await withPage(process.argv[2], {}, async (page) => {
	assert.ok(!await page.isVisible("#timelines"));
	assert.ok(!await page.isVisible("#lanes"));
	await page.keyboard.press("q");
	assert.match(await page.innerText("#quality-body"), /There are no timelines: .*--merge-copies/);
});
