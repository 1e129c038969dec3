// changes.mjs PAGE TREE.json CALLERS.json FUNCTIONS.json: the page of a comparison has the numbers of
// dendro diff --format json for each event; keys, clicks, colours, links and saved files work; accessible.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { byKey, rowsOf, same, wantedOf } from "./compared.mjs";
import { accessible, colorAt, colorOf, openPage, saved, whole, withPage } from "./open.mjs";

const [, , file, ...files] = process.argv;
const reports = files.map((name) => JSON.parse(readFileSync(name, "utf8")));
const text = (page, selector) => page.textContent(selector);
const fragment = (page) => page.evaluate(() => location.hash);
async function numbers(page) {
	const events = [reports[0].event, ...(reports[0].others ?? []).map(({ event }) => event)];
	for (const [metric, event] of events.entries()) {
		await page.selectOption("#metric", String(metric));
		for (const [i, view] of ["paths", "up", "functions"].entries()) {
			await page.click(`[data-value='${view}']`);
			const wanted = wantedOf(reports[i], metric);
			same(byKey(rowsOf(await saved(page, "csv"))), byKey(wanted), `${view}, ${event}`);
			if (view !== "functions")
				continue;
			for (const status of ["new", "gone"]) {
				await page.click(`[data-value='${status}']`);
				same(byKey(rowsOf(await saved(page, "csv"))),
					byKey(wanted.filter((row) => row.status === status)), `${status}, ${event}`);
			}
		}
	}
	await page.click("#reset");
}

/** The first picture has the shares of the whole, which comes after it. */
async function firstPicture(browser) {
	const page = await browser.newPage();
	await page.addInitScript(() => {
		window.readRows = () => [...document.querySelectorAll("#first .rows .row")].map((row) =>
			["function", "before", "after"].map((name) =>
				row.querySelector(`.${name}`).textContent).join(" "));
		new MutationObserver(() => {
			if (document.documentElement.dataset.state === "first")
				window.firstRows = window.readRows();
		}).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-state"] });
	});
	await page.goto(`file://${file}`);
	await whole(page);
	const [first, then] = await page.evaluate(() => [window.firstRows, window.readRows()]);
	assert.ok(first.length, "rows in the first picture");
	assert.deepEqual(first.filter((row) => !then.includes(row)), []);
	await page.close();
}

/** The rows of the table in sight. */
function shownRows(page) {
	return page.$$eval("#first .rows .row", (rows) => rows.map((row) => ({
		name: row.querySelector(".function").textContent,
		isChance: row.classList.contains("chance"),
		difference: Number(row.querySelector(".change").dataset.value) })));
}

/** What moved most by self cost is first, and is found in the tree by keys alone. */
async function keys(page) {
	await page.keyboard.press("4");
	const functions = await shownRows(page);
	assert.ok(functions.slice(1).every(({ difference }, i, all) =>
		!i || Math.abs(difference) <= Math.abs(all[i - 1].difference)), "movers in order");
	await page.keyboard.press("1");
	await page.keyboard.press("t");
	await page.keyboard.press("Home");
	await page.keyboard.press("h");
	const focused = () => page.evaluate(() => ({
		role: document.activeElement.getAttribute("role"),
		level: Number(document.activeElement.getAttribute("aria-level")),
		text: document.activeElement.textContent }));
	const { role, level, text: words } = await focused();
	const name = await text(page, "#detail-name");
	assert.equal(role, "row");
	assert.ok(level > 3 && words.includes(name), `${level}, ${words}`);
	const [row] = reports[0].rows.filter((of) => of.name === name &&
		of.total.difference === Math.max(...reports[0].rows.filter((other) => other.name === name)
			.map((other) => other.total.difference)));
	assert.ok(row, name);
	await page.keyboard.press("g");
	assert.ok(await page.evaluate((of) =>
		document.activeElement.getAttribute("aria-label").startsWith(`${of}, `), name));
	await page.keyboard.press("Enter");
	assert.match(await fragment(page), /zoom=/);
	await page.keyboard.press("u");
	await page.waitForFunction(() => !location.hash.includes("zoom="));
	for (const [key, part] of [["b", /side=before/], ["a", /side=after/], ["r", /scale=relative/],
		["d", /measure=self/], ["c", /with=chance/], ["o", /with=only/]]) {
		await page.keyboard.press(key);
		assert.match(await fragment(page), part);
	}
	assert.ok((await shownRows(page)).length > 0);
	await page.click("#reset");
}

/** Frames have the colour of their change, on either side. */
async function colors(page) {
	const box = await page.locator("#first canvas").boundingBox();
	const frame = async (color) => {
		const wanted = await colorOf(page, color);
		for (let y = 21; y < box.height; y += 19) {
			for (let x = 2; x < box.width; x += 4) {
				if (String(await colorAt(page, x, y)) === String(wanted))
					return [x, y];
			}
		}
		return null;
	};
	assert.deepEqual(await colorAt(page, 2, 2), await colorOf(page, "--group"), "all");
	const name = async ([x, y]) => {
		await page.mouse.click(box.x + x, box.y + y);
		return text(page, "#detail-name");
	};
	await page.keyboard.press("c");
	const darkest = async (name) => await frame(`--${name}4`) ?? await frame(`--${name}3`) ??
		await frame(`--${name}2`) ?? frame(`--${name}1`);
	const dearest = await darkest("dearer");
	const cheapest = await darkest("cheaper");
	assert.ok(dearest && cheapest, "both colours are there");
	const total = (of) => reports[0].rows.filter((row) => row.name === of)
		.map((row) => row.total);
	assert.ok(total(await name(dearest)).some(({ difference }) => difference > 0));
	assert.ok(total(await name(cheapest)).some(({ difference }) => difference < 0));
	await page.keyboard.press("c");
	await page.keyboard.press("4");
	const paints = await page.$$eval("#first .rows .row.chance .paint", (all) =>
		all.map((paint) => paint.className).filter((name) => !name.includes("group")));
	assert.deepEqual([...new Set(paints)], ["paint same"], "what chance explains is grey");
	await page.click("#reset");
}

async function links(page, browser) {
	await page.keyboard.press("4");
	await page.keyboard.press("d");
	const wanted = await shownRows(page);
	const hash = await fragment(page);
	const other = await openPage(browser, file, { fragment: hash.slice(1) });
	assert.deepEqual(await shownRows(other), wanted);
	assert.deepEqual(other.problems, []);
	await other.close();
	await page.fill("#query", wanted[1].name);
	assert.ok(Number((await text(page, "#matched")).replace(/\D/g, "")) >= 1);
	await page.press("#query", "Enter");
	assert.ok((await text(page, "#detail-name")).includes(wanted[1].name));
	await page.click("#reset");
	await page.fill("#query", "");
	assert.match(await saved(page, "svg"), /^<svg .*<title>.*<\/svg>$/s);
	assert.ok((await saved(page, "png")).length > 1000);
}

await withPage(file, {}, async (page, browser) => {
	await numbers(page);
	await keys(page);
	await firstPicture(browser);
	await colors(page);
	await links(page, browser);
	for (const key of ["1", "2", "4", "5"]) {
		await page.keyboard.press(key);
		await accessible(page);
	}
	for (const key of ["?", "q"]) {
		await page.keyboard.press(key);
		assert.ok(await page.isVisible("dialog[open]"));
		await accessible(page);
		await page.keyboard.press("Escape");
	}
});
