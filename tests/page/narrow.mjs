// narrow.mjs PAGE FUNCTION: on the screen of a phone, names have room however deep their rows are,
// nothing is wider than the screen, and the picture and the table can be scrolled to.
import assert from "node:assert/strict";
import { withPage } from "./open.mjs";

const [, , file, name] = process.argv; /* of a function with others far below it */

await withPage(file, { viewport: { width: 360, height: 740 } }, async (page) => {
	await page.fill("#query", `/^${name}$/`);
	await page.press("#query", "Enter");
	await page.press("#query", "Escape");
	for (let i = 0; i < 10; i++)
		await page.keyboard.press("ArrowRight");
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
