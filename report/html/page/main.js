/** Starts the page: the first picture, then the whole. */

/** @import { Facts } from "./payload.js" */
import { listen } from "./actions.js";
import { Page } from "./page.js";
import { readBlock, readJson, readModel } from "./payload.js";

/** Lets the browser paint. */
function painted() {
	return new Promise((resolve) => {
		requestAnimationFrame(() => setTimeout(resolve));
		setTimeout(resolve, 100); /* a page in the background is not painted */
	});
}

async function start() {
	const facts = /** @type {Facts} */ (await readJson("facts"));
	const page = new Page(facts);
	listen(page);
	page.take(readModel(await readBlock("top"), facts.kinds), false);
	document.documentElement.dataset.state = "first";
	performance.mark("dendro-first");
	await painted();
	if (document.readyState === "loading")
		await new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve));
	page.take(readModel(await readBlock("tree"), facts.kinds), true);
	document.documentElement.dataset.state = "whole";
	performance.mark("dendro-whole");
}

start();
