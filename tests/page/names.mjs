// names.mjs PAGE BEGINNING END: in narrow windows too, a long name is cut in its middle, and its whole
// is known to screen readers.
import assert from "node:assert/strict";
import { withPage } from "./open.mjs";

const [, , file, beginning, end] = process.argv;

await withPage(file, {}, async (page) => {
	for (const width of [1280, 600, 400]) {
		await page.setViewportSize({ width, height: 800 });
		await page.fill("#query", beginning);
		await page.press("#query", "Enter");
		await page.press("#query", "Escape");
		const shown = await page.$$eval("#first .rows [aria-selected='true'] .function, #detail-name, " +
			"#crumbs li:last-child button", (all) => all.map((of) =>
			({ text: of.textContent, fits: of.scrollWidth <= of.clientWidth })));
		const names = shown.filter(({ text }) => text.startsWith(beginning.slice(0, 2)));
		assert.equal(names.length, 2, JSON.stringify(shown));
		for (const { text, fits } of names) {
			assert.ok(text.includes("…") && text.endsWith(end) && fits, `${width}: ${text}`);
		}
		const label = await page.getAttribute("#first .rows [aria-selected='true'] [role='rowheader']",
			"aria-label");
		assert.ok(label.startsWith(beginning) && label.endsWith(end), label);
	}
});
