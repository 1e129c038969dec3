/** Starts the page: the first picture, then the whole. */

/** @import { Facts } from "./payload.js" */
import { listen } from "./actions.js";
import { Page } from "./page.js";
import { readBlock, readJson, readModel } from "./payload.js";
import { firstWasShown, wholeIsShown } from "./steps.js";

async function start() {
	const facts = /** @type {Facts} */ (await readJson("facts"));
	const page = new Page(facts);
	listen(page);
	page.take(readModel(await readBlock("top"), facts.kinds), false);
	await firstWasShown();
	page.take(readModel(await readBlock("tree"), facts.kinds), true);
	wholeIsShown();
}

start();
