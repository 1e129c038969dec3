// page.mjs PAGE...: sizes and times of pages; see the script `page`.
import { statSync } from "node:fs";
import { openBrowser, openPage } from "../page/open.mjs";

const median = (times) => [...times].sort((a, b) => a - b)[times.length >> 1].toFixed(0);

for (const file of process.argv.slice(2)) {
	const browser = await openBrowser();
	const [first, all, ranges] = [[], [], []];
	for (let i = 0; i < 5; i++) {
		const page = await openPage(browser, file);
		const at = (name) => page.evaluate((mark) =>
			performance.getEntriesByName(mark)[0].startTime, name);
		first.push(await at("dendro-first"));
		all.push(await at("dendro-whole"));
		await page.focus(".histogram canvas");
		for (let key = 0; key < 6; key++)
			await page.keyboard.press("ArrowRight");
		ranges.push(...(await page.evaluate(() => performance.getEntriesByName("dendro-shown")
			.map(({ duration }) => duration))).slice(-5));
		await page.close();
	}
	await browser.close();
	const size = (statSync(file).size / 1e6).toFixed(2);
	console.log(`${file.replace(/^.*\//, "")}: ${size} MB; first picture ${median(first)} ms, ` +
		`all data ${median(all)} ms, another range ${median(ranges)} ms`);
}
