// page.mjs PAGE...: sizes and times of pages; see the script `page`.
import { statSync } from "node:fs";
import { openBrowser, openPage } from "../page/open.mjs";

const TIMES = 5;
const median = (times) => [...times].sort((a, b) => a - b)[times.length >> 1].toFixed(0);
const markAt = (page, name) => page.evaluate((mark) =>
	performance.getEntriesByName(mark)[0].startTime, name);
/** How long the last states took to show. */
const shown = (page, n) => page.evaluate((last) => performance.getEntriesByName("dendro-shown")
	.map(({ duration }) => duration).slice(-last), n);

/** Of a profile: until the first picture, until all is there, and for another range of time. */
async function profile(page) {
	const times = [["first picture", await markAt(page, "dendro-first")],
		["all data", await markAt(page, "dendro-whole")]];
	await page.focus(".histogram canvas");
	for (let key = 0; key < 6; key++)
		await page.keyboard.press("ArrowRight");
	return [...times, ...(await shown(page, 5)).map((time) => ["another range", time])];
}

/** Of a comparison: until the first picture, until all is there, for the other trees, and for a filter. */
async function comparison(page) {
	const times = [["first picture", await markAt(page, "dendro-first")],
		["all data", await markAt(page, "dendro-whole")]];
	for (const [key, name] of [["2", "callers"], ["4", "functions"], ["1", "call paths"]]) {
		await page.keyboard.press(key);
		times.push([name, (await shown(page, 1))[0]]);
	}
	await page.keyboard.press("t");
	await page.keyboard.press("h");
	for (const [key, name] of [["s", "sandwich"], ["1", "call paths"], ["h", ""], ["f", "focus"]]) {
		await page.keyboard.press(key);
		if (name)
			times.push([name, (await shown(page, 1))[0]]);
	}
	return times;
}

for (const file of process.argv.slice(2)) {
	const browser = await openBrowser();
	const times = new Map();
	const name = file.replace(/^.*\//, "");
	for (let i = 0; i < TIMES; i++) {
		const page = await openPage(browser, file);
		for (const [what, time] of await (name.startsWith("comparison") ? comparison : profile)(page))
			times.set(what, [...(times.get(what) ?? []), time]);
		await page.close();
	}
	await browser.close();
	const size = (statSync(file).size / 1e6).toFixed(2);
	console.log(`${name}: ${size} MB; ${[...times].map(([what, all]) =>
		`${what} ${median(all)} ms`).join(", ")}`);
}
