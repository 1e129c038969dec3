// narrow.mjs PAGE: on the screen of a phone, names have room however deep their rows are, nothing is
// wider than the screen, and the picture and the table can be scrolled to.
import assert from "node:assert/strict";
import { withPage } from "./open.mjs";

const [, , file] = process.argv;

await withPage(file, { viewport: { width: 360, height: 740 } }, async (page) => {
	await page.keyboard.press("t");
	await page.keyboard.press("h");
	const rows = await page.$$eval("#first .rows .row", (all) => all.map((row) => ({
		level: Number(row.getAttribute("aria-level")), text: row.querySelector(".function").textContent,
		width: row.querySelector(".function").parentElement.getBoundingClientRect().right -
			row.querySelector(".function").getBoundingClientRect().left })));
	assert.ok(Math.max(...rows.map(({ level }) => level)) > 8, "deep rows");
	for (const { level, text, width } of rows)
		assert.ok(width > 80 && text.length > 2, `level ${level}: ${width}, ${text}`);
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "too wide");
	const { picture, table } = await page.evaluate(() => Object.fromEntries(["picture", "table"].map((of) =>
		[of, document.querySelector(`#first .${of}`).clientHeight])));
	assert.ok(picture > 200 && table > 200, `${picture}, ${table}`);
});
