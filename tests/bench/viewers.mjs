// viewers.mjs SPEEDSCOPE_FILE PPROF_FILE: how long other viewers take to show a profile in Chromium,
// from the start of the page, and of pprof from the start of its server. Once, for it may be minutes.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { openBrowser, require } from "../page/open.mjs";

const LONGEST_MS = 300000;
const [, , speedscopeFile, pprofFile] = process.argv;
const megabytes = (file) => (statSync(file).size / 1e6).toFixed(2);
const painted = (page) => page.evaluate(() => new Promise((done) =>
	requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())))));

/** Its own page, offline, with the script that its own command makes. */
async function speedscope(browser, folder) {
	const script = join(folder, "profile.js");
	const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
	const index = require.resolve("speedscope/dist/release/index.html");
	writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(basename(speedscopeFile))}, ` +
		`"${readFileSync(speedscopeFile).toString("base64")}")`);
	await page.goto(`${pathToFileURL(index)}#localProfilePath=${script}`, { timeout: LONGEST_MS });
	await page.waitForSelector("canvas", { timeout: LONGEST_MS });
	const time = await painted(page);
	await page.close();
	return time;
}

async function answers(address) {
	const deadline = Date.now() + LONGEST_MS;
	while (Date.now() < deadline) {
		try {
			if ((await fetch(address)).ok)
				return;
		} catch {
			await new Promise((done) => setTimeout(done, 50));
		}
	}
	throw new Error("the server does not answer");
}

/** Its flame graph: the server reads the profile, and makes the page anew for each request. */
async function pprof(browser) {
	const address = "127.0.0.1:18462";
	const start = Date.now();
	const server = spawn("go", ["tool", "pprof", "-no_browser", `-http=${address}`, pprofFile],
		{ stdio: "ignore", detached: true });
	try {
		await answers(`http://${address}/ui/flamegraph`);
		const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
		await page.goto(`http://${address}/ui/flamegraph`, { timeout: LONGEST_MS });
		await page.waitForSelector("svg rect, #stack-chart div", { state: "attached",
			timeout: LONGEST_MS });
		await painted(page);
		await page.close();
		return Date.now() - start;
	} finally {
		process.kill(-server.pid);
	}
}

const folder = mkdtempSync(join(tmpdir(), "viewers-"));
const browser = await openBrowser();
try {
	for (const [name, file, show] of [["speedscope", speedscopeFile, speedscope],
		["go tool pprof -http, flame graph", pprofFile, pprof]]) {
		const time = await show(browser, folder).catch((error) => error.message.split("\n")[0]);
		console.log(`${name}: ${megabytes(file)} MB; first picture ${typeof time === "string"
			? `none: ${time}` : `${time.toFixed(0)} ms`}`);
	}
} finally {
	await browser.close();
	rmSync(folder, { recursive: true });
}
