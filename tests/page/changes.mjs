// changes.mjs PAGE TREE.json FUNCTIONS.json: the page of a comparison has the numbers of dendro diff
// --format json for each event; keys, clicks, colours, links and saved files work; accessible.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { accessible, colorAt, colorOf, openPage, saved, withPage } from "./open.mjs";

const [, , file, treeFile, functionsFile] = process.argv;
const reports = [treeFile, functionsFile].map((name) => JSON.parse(readFileSync(name, "utf8")));
const COLUMNS = ["before", "after", "difference", "error", "q", "significant"];
const text = (page, selector) => page.textContent(selector);
const fragment = (page) => page.evaluate(() => location.hash);
const near = (a, b, what) => assert.ok(Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b)),
	`${what}: ${a}, ${b}`);
const byKey = (rows) => new Map(rows.map((row) => [row.key, row]));

/** Rows of the page's CSV: a path of names, and both costs. */
function rowsOf(csv) {
	const path = [];
	return csv.trimEnd().split("\r\n").slice(1).map((line) => {
		const [, numbers, name, module, kind, status] =
			/^([-\d.,e]+),"((?:[^"]|"")*)","((?:[^"]|"")*)",(\w+),(\w*),/.exec(line);
		const [depth, ...values] = numbers.split(",");
		path.length = Number(depth);
		path.push(`${name}|${module}|${kind}`);
		const measured = (from) => Object.fromEntries(COLUMNS.map((column, i) =>
			[column, values[from + i] === "" ? null : Number(values[from + i])]));
		return { key: path.slice(1).join(";"), status, self: measured(0),
			total: measured(COLUMNS.length) };
	}).slice(1);
}

/** Rows of dendro diff in one event. */
function wantedOf(report, metric) {
	const paths = [];
	return report.rows.map((row, i) => {
		const name = `${row.name}|${row.module}|${row.kind}`;
		paths[i] = row.parent === undefined ? name : `${paths[row.parent]};${name}`;
		return { key: paths[i], status: row.status ?? "", ...(metric ? row.others[metric - 1]
			: { self: row.self, total: row.total }) };
	}).filter(({ total }) => total.before || total.after);
}

function same(page, report, what) {
	assert.deepEqual([...page.keys()].sort(), [...report.keys()].sort(), what);
	for (const [key, row] of report) {
		const found = page.get(key);
		assert.equal(found.status, row.status, key);
		for (const measure of ["self", "total"]) {
			for (const column of COLUMNS.slice(0, -1)) {
				const [a, b] = [found[measure][column], row[measure][column]];
				assert.equal(a === null, b === null, `${what}, ${key}, ${column}`);
				near(a ?? 0, b ?? 0, `${what}, ${measure}, ${key}, ${column}`);
			}
			assert.equal(found[measure].significant, Number(row[measure].significant), key);
		}
	}
}

async function numbers(page) {
	const events = [reports[0].event, ...(reports[0].others ?? []).map(({ event }) => event)];
	for (const [metric, event] of events.entries()) {
		await page.selectOption("#metric", String(metric));
		for (const [i, view] of ["paths", "functions"].entries()) {
			await page.click(`[data-value='${view}']`);
			const wanted = wantedOf(reports[i], metric);
			same(byKey(rowsOf(await saved(page, "csv"))), byKey(wanted), `${view}, ${event}`);
			if (view === "paths")
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

/** The rows of the table in sight. */
function shownRows(page) {
	return page.$$eval("#first .rows .row", (rows) => rows.map((row) => ({
		name: row.querySelector(".function").textContent,
		isChance: row.classList.contains("chance"),
		difference: Number(row.querySelector(".change").dataset.value) })));
}

/** What moved most by self cost is first, and is found in the tree by keys alone. */
async function keys(page) {
	await page.keyboard.press("2");
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
	await page.keyboard.press("2");
	const paints = await page.$$eval("#first .rows .row.chance .paint", (all) =>
		all.map((paint) => paint.className).filter((name) => !name.includes("group")));
	assert.deepEqual([...new Set(paints)], ["paint same"], "what chance explains is grey");
	await page.click("#reset");
}

async function links(page, browser) {
	await page.keyboard.press("2");
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
	await colors(page);
	await links(page, browser);
	for (const key of ["1", "2", "3"]) {
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
