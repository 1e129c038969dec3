// Opens a page of dendro in Chromium, and notes what a page that is right never does: messages on
// the console, errors, requests.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const root = new URL("../../", import.meta.url);
export const require = createRequire(new URL("build/npm/node_modules/none.js", root));

export async function openBrowser() {
	const { chromium } = require("playwright-core");
	return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
		args: ["--no-sandbox", "--disable-gpu"] });
}

/** Resolves when all of the page's data is there. */
export async function openPage(browser, file, { fragment = "", ...options } = {}) {
	const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
	page.setDefaultTimeout(120000);
	page.problems = [];
	page.on("console", (message) => page.problems.push(`console: ${message.text()}`));
	page.on("pageerror", (error) => page.problems.push(`error: ${error}`));
	page.on("request", (request) => /^(file|blob):/.test(request.url()) || page.problems.push("request"));
	await page.goto(`file://${file}${fragment && `#${fragment}`}`);
	await whole(page);
	return page;
}

export async function whole(page) {
	await page.waitForSelector("html[data-state='whole']", { state: "attached", timeout: 120000 });
}

/** Saves in a format, and returns the text. */
export async function saved(page, format) {
	await page.click("#open-save");
	const [download] = await Promise.all([page.waitForEvent("download"),
		page.click(`[data-save='${format}']`)]);
	await page.click("#save form button");
	return readFileSync(await download.path(), "utf8");
}

/** Rows of the page's CSV: [{depth, self, total, name, module, kind}]. */
export function parseCsv(text) {
	return text.trimEnd().split("\r\n").slice(1).map((line) => {
		const [, depth, self, total, name, module, kind] =
			/^(\d+),([\d.]+),([\d.]+),"((?:[^"]|"")*)","((?:[^"]|"")*)",(\w+),/.exec(line);
		return { depth: Number(depth), self: Number(self), total: Number(total),
			name: name.replaceAll('""', '"'), module: module.replaceAll('""', '"'), kind };
	});
}

/** The rows of the table in sight: exact numbers and names. */
export function tableRows(page, pane = "first") {
	return page.$$eval(`#${pane} .rows .row`, (rows) => rows.map((row) => ({
		level: Number(row.getAttribute("aria-level")),
		expanded: row.getAttribute("aria-expanded"),
		name: row.querySelector(".function").textContent,
		total: Number(row.querySelector(".number.total").dataset.value),
		self: Number(row.querySelector(".number.self").dataset.value),
	})));
}

/** Red, green and blue of the picture, in pixels of the page. */
export function colorAt(page, x, y) {
	return page.evaluate(([at, down]) => {
		const canvas = document.querySelector("#first canvas");
		const scale = canvas.width / canvas.clientWidth;
		const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
		probe.drawImage(canvas, -at * scale, -down * scale);
		return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
	}, [x, y]);
}

/** Likewise of a colour that the style sheet names. */
export function colorOf(page, name) {
	return page.evaluate((of) => {
		const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
		probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(of);
		probe.fillRect(0, 0, 1, 1);
		return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
	}, name);
}

/** axe finds nothing, in light and in dark. */
export async function accessible(page) {
	await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
	for (const scheme of ["light", "dark"]) {
		await page.emulateMedia({ colorScheme: scheme });
		const found = await page.evaluate(() => globalThis.axe.run());
		assert.deepEqual(found.violations.map(({ id, nodes }) =>
			[id, ...nodes.slice(0, 5).map(({ html, failureSummary }) => html + failureSummary)]), []);
	}
}

/** Runs a test with a page, which must have done nothing wrong in the end. */
export async function withPage(file, options, test) {
	const browser = await openBrowser();
	try {
		const page = await openPage(browser, file, options);
		await test(page, browser);
		assert.deepEqual(page.problems, []);
	} finally {
		await browser.close();
	}
}
