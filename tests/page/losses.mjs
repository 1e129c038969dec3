// losses.mjs PAGE REPORT.json: the timeline marks when samples were lost and events throttled, in
// words, as a picture, and under the pointer.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { colorOf, withPage } from "./open.mjs";

const [, , file, reportFile] = process.argv;
const { losses } = JSON.parse(readFileSync(reportFile, "utf8")).quality;
const sumOf = (kind) => losses.filter((loss) => loss.kind === kind).reduce((sum, { n }) => sum + n, 0);
const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");

/** The pixels of the timeline's strip of marks that have the colour of warnings. */
async function marked(page) {
	const color = await colorOf(page, "--warn");
	return page.evaluate((of) => {
		const canvas = document.querySelector("#timeline canvas");
		const scale = canvas.width / canvas.clientWidth;
		const { data, width } = canvas.getContext("2d").getImageData(0, 38 * scale, canvas.width,
			canvas.height - 38 * scale);
		const columns = [];
		for (let x = 0; x < width; x++) {
			for (let at = 4 * x; at < data.length; at += 4 * width) {
				if (of.every((part, i) => part === data[at + i])) {
					columns.push(x / scale);
					break;
				}
			}
		}
		return columns;
	}, color);
}

await withPage(file, {}, async (page) => {
	const lost = sumOf("lost");
	const throttled = sumOf("throttled");
	const words = [lost && `${grouped(lost)} lost`, throttled && `throttled ${grouped(throttled)}×`]
		.filter(Boolean).join(", ");
	const text = () => page.textContent(".holes");
	assert.equal((await text()).slice(2), words);
	assert.equal((await text())[0], lost ? "■" : "□");
	assert.ok((await page.getAttribute("#timeline canvas", "aria-label")).includes(words));

	const box = await page.locator("#timeline canvas").first().boundingBox();
	const columns = await marked(page);
	const duration = await page.evaluate(() => document.querySelector(".range").textContent);
	assert.match(duration, /in all$/);
	assert.ok(columns.length >= 2, "marks are drawn");
	await page.mouse.move(box.x + columns[0] + 1, box.y + 20);
	assert.notEqual(await text(), `■ ${words}`);
	assert.match(await text(), /^(\d.* lost|throttled \d).*, .* – /);
	await page.mouse.move(box.x - 20, box.y + 20);
	assert.equal((await text()).slice(2), words);
});
