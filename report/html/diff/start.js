/** Starts the page of a comparison: the first picture, without tests, then the whole. */

/** @import { Comparison } from "./comparison.js" */
import { readBlock, readJson } from "../page/payload.js";
import { firstWasShown, wholeIsShown } from "../page/steps.js";
import { ChangePage } from "./change_page.js";
import { listenToChanges } from "./change_actions.js";
import { readCompared } from "./comparison.js";
import { readTimes, withRests } from "./times.js";

async function startComparison() {
	const facts = /** @type {Comparison} */ (await readJson("facts"));
	const page = new ChangePage(facts);
	page.take(readCompared(await readBlock("top"), facts), false, null);
	listenToChanges(page);
	await firstWasShown();
	const compared = readCompared(await readBlock("tree"), facts);
	const times = readTimes(await readBlock("times"), facts);
	page.take(times ? withRests(compared, times) : compared, true, times);
	wholeIsShown();
}

startComparison();
