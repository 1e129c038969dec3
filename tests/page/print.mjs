// print.mjs PAGE: on paper a page is light, whatever the screen is, and has no more room than its rows
// need.
import assert from "node:assert/strict";
import { colorAt, colorOf, withPage } from "./open.mjs";

const [, , file] = process.argv;

/** Waits until the picture has a colour. */
async function becomes(page, color) {
	while (String(await colorAt(page, 2, 2)) !== String(color))
		await page.waitForTimeout(20);
}

await withPage(file, { colorScheme: "dark" }, async (page) => {
	const dark = await colorOf(page, "--group");
	await becomes(page, dark);
	await page.keyboard.press("h");
	await page.emulateMedia({ media: "print" });
	const light = await colorOf(page, "--group");
	assert.notDeepEqual(light, dark);
	await becomes(page, light);
	const [rows, room] = await page.evaluate(() => {
		const host = document.querySelector("#first .rows");
		return [host.children.length * 22, host.clientHeight];
	});
	assert.equal(room, rows);
	const [last, detail] = await page.evaluate(() => [
		document.querySelector("#first .rows .row:last-child").getBoundingClientRect().bottom,
		document.getElementById("detail").getBoundingClientRect().top]);
	assert.ok(last <= detail, "the line at the bottom is below the rows");
	await page.emulateMedia({ media: "screen" });
	await becomes(page, dark);
});
