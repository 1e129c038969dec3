// empty.mjs PAGE TEXT [FRAGMENT]: a page without samples, or with filters that leave none, says so and
// what to do; Reset shows what there is.
import assert from "node:assert/strict";
import { accessible, tableRows, withPage } from "./open.mjs";

const [, , file, text, fragment] = process.argv;

await withPage(file, { fragment }, async (page) => {
	assert.ok(await page.isVisible("#nothing"));
	assert.ok((await page.textContent("#nothing")).includes(text));
	assert.equal((await tableRows(page)).length, 1);
	await accessible(page);
	if (!fragment) {
		assert.equal(await page.textContent("#open-quality"), "No samples");
		return;
	}
	await page.click("#reset");
	assert.ok(!await page.isVisible("#nothing"));
	assert.ok((await tableRows(page)).length > 1);
});
