// one_time.mjs PAGE: where all samples before have one time, only the side after has a timeline, which
// a key leads to.
import assert from "node:assert/strict";
import { accessible, withPage } from "./open.mjs";

await withPage(process.argv[2], {}, async (page) => {
	assert.ok(!await page.isVisible("#timeline-before"));
	assert.ok(await page.isVisible("#timeline-after"));
	for (let i = 0; i < 2; i++) {
		await page.keyboard.press("l");
		assert.equal(await page.evaluate(() => document.activeElement?.closest("section")?.id),
			"timeline-after");
	}
	await accessible(page);
});
