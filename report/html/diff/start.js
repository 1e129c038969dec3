/** Starts the page of a comparison: the first picture, without tests, then the whole. */

/** @import { Comparison } from "./comparison.js" */
import { readBlock, readJson } from "../page/payload.js";
import { firstWasShown, wholeIsShown } from "../page/steps.js";
import { ChangePage } from "./change_page.js";
import { listenToChanges } from "./change_actions.js";
import { readCompared } from "./comparison.js";

async function startComparison() {
	const facts = /** @type {Comparison} */ (await readJson("facts"));
	const page = new ChangePage(facts);
	page.take(readCompared(await readBlock("top"), facts), false);
	listenToChanges(page);
	await firstWasShown();
	page.take(readCompared(await readBlock("tree"), facts), true);
	wholeIsShown();
}

startComparison();
