/** How far a page has got, for whoever waits for it: the first picture, then the whole. */

/** Lets the browser paint. */
function painted() {
	return new Promise((resolve) => {
		requestAnimationFrame(() => setTimeout(resolve));
		setTimeout(resolve, 100); /* a page in the background is not painted */
	});
}

/** Until the first picture is on the screen, and the rest of the document is there. */
export async function firstWasShown() {
	document.documentElement.dataset.state = "first";
	performance.mark("dendro-first");
	await painted();
	if (document.readyState === "loading")
		await new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve));
}

export function wholeIsShown() {
	document.documentElement.dataset.state = "whole";
	performance.mark("dendro-whole");
}
