/** Starts the page of a comparison. */

/** @import { Comparison } from "./comparison.js" */
import { readBlock, readJson } from "../page/payload.js";
import { ChangePage } from "./change_page.js";
import { listenToChanges } from "./change_actions.js";
import { readCompared } from "./comparison.js";

async function startComparison() {
	const facts = /** @type {Comparison} */ (await readJson("facts"));
	const page = new ChangePage(facts, readCompared(await readBlock("tree"), facts));
	listenToChanges(page);
	page.readAddress();
	document.documentElement.dataset.state = "whole";
	performance.mark("dendro-whole");
}

if (document.readyState === "loading")
	document.addEventListener("DOMContentLoaded", startComparison);
else
	startComparison();
