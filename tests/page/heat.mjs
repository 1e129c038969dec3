// heat.mjs PAGE SECOND.json: the time as a heat map has a column for each second. A range that keys or
// the mouse choose has the costs of report --time, and cells are filled where a slice has cost.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { accessible, parseCsv, saved, withPage } from "./open.mjs";

const [, , file, second] = process.argv;
const report = JSON.parse(readFileSync(second, "utf8"));
const CANVAS = "#timeline .histogram canvas";

const range = (page) => page.evaluate(() =>
	(new URLSearchParams(location.hash.slice(1)).get("time") ?? "").split("-").map(Number));
const total = async (page) => parseCsv(await saved(page, "csv"))[0]?.total ?? 0;

/** The middle of a cell. */
async function placeOf(page, slice, rows, columns) {
	const box = await page.locator(CANVAS).boundingBox();
	const marks = await page.isVisible("#timeline .holes") ? 9 : 0;
	return { box, x: ((Math.floor(slice / rows) + 0.5) * box.width) / columns,
		y: ((slice % rows + 0.5) * (box.height - marks)) / rows };
}

async function drag(page, from, to) {
	await page.mouse.move(from.box.x + from.x, from.box.y + from.y);
	await page.mouse.down();
	await page.mouse.move(to.box.x + to.x, to.box.y + to.y, { steps: 4 });
	await page.mouse.up();
}

/** Whether a cell has another colour than the ground. */
function isFilled(page, { x, y }) {
	return page.$eval(CANVAS, (canvas, [left, top]) => {
		const scale = canvas.width / canvas.clientWidth;
		const copy = document.createElement("canvas");
		copy.width = 2;
		copy.height = 1;
		const context = copy.getContext("2d", { willReadFrequently: true });
		context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--panel");
		context.fillRect(0, 0, 1, 1);
		context.drawImage(canvas, Math.round(left * scale), Math.round(top * scale), 1, 1, 1, 0, 1, 1);
		const [ground, shown] = [0, 1].map((x) => [...context.getImageData(x, 0, 1, 1).data].join());
		return shown !== ground;
	}, [x, y]);
}

await withPage(file, {}, async (page) => {
	const flat = (await page.locator(CANVAS).boundingBox()).height;
	await page.keyboard.press("H");
	assert.ok((await page.locator(CANVAS).boundingBox()).height > flat);
	assert.match(await page.getAttribute(CANVAS, "aria-label"), /Each column is 1\.00\s?s/);
	await page.keyboard.press("l");
	await page.keyboard.press("ArrowRight");
	const [first, rows] = await range(page);
	assert.equal(first, 0);
	await page.keyboard.press("ArrowRight");
	assert.deepEqual(await range(page), [rows, 2 * rows]);
	assert.equal(await total(page), report.metrics[0].total, "the second second");
	await page.focus(CANVAS);
	await page.keyboard.press("ArrowDown");
	assert.deepEqual(await range(page), [rows + 1, 2 * rows + 1]);
	await page.keyboard.press("Shift+ArrowUp");
	assert.deepEqual(await range(page), [rows + 1, 2 * rows]);
	await page.keyboard.press("Escape");
	assert.match(await page.evaluate(() => location.hash), /with=heat/);
	await accessible(page);

	const box = await page.locator(CANVAS).boundingBox();
	await drag(page, { box, x: 1, y: 1 }, { box, x: box.width - 1, y: box.height - 1 });
	const [, slices] = await range(page);
	const columns = Math.ceil(slices / rows);
	await drag(page, await placeOf(page, rows + 2, rows, columns),
		await placeOf(page, 3 * rows + 1, rows, columns));
	assert.deepEqual(await range(page), [rows + 2, 3 * rows + 2]);
	const seen = new Set();
	for (let i = 0; i < 24; i++) {
		const slice = Math.floor((i * slices) / 24);
		await page.evaluate((of) => {
			location.hash = `with=heat&time=${of}-${of + 1}`;
		}, slice);
		await page.waitForFunction(() => document.querySelector("#chips button"));
		if (slice)
			assert.doesNotMatch(await page.textContent("#chips"), /0\s?ns – 0\s?ns/);
		const hasCost = await total(page) > 0;
		seen.add(hasCost);
		await page.evaluate(() => {
			location.hash = "with=heat";
		});
		await page.waitForFunction(() => !document.querySelector("#chips button"));
		assert.equal(await isFilled(page, await placeOf(page, slice, rows, columns)), hasCost,
			`slice ${slice}`);
	}
	assert.equal(seen.size, 2, "work and sleep");
});
