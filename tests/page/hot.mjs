// hot.mjs PAGE TREE.json: from all functions, one key leads to the process that costs most, and on.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { tableRows, withPage } from "./open.mjs";

const [, , file, tree] = process.argv;
const { frames, nodes } = JSON.parse(readFileSync(tree, "utf8"));

await withPage(file, {}, async (page) => {
	const top = nodes.filter(([parent]) => parent === 0).sort((a, b) => b[3][0] - a[3][0])[0];
	await page.keyboard.press("t");
	await page.keyboard.press("Home");
	await page.keyboard.press("h");
	const rows = await tableRows(page);
	assert.equal(rows[1].total, top[3][0], frames[top[1]].name);
	assert.equal(rows[1].expanded, "true");
	assert.ok(await page.evaluate(() => Number(document.activeElement.getAttribute("aria-level"))) > 4);
});
