// The paths of tests/cli/0280-languages.bats: worker under dispatch_1 and dispatch_2, 1:2, and below a recursion.
"use strict";

const UNIT_ITERATIONS = 10000;

function worker(n) {
	let x = n | 0;

	for (let i = 0; i < n * UNIT_ITERATIONS; i++)
		x = (Math.imul(x, 1103515245) + 12345) | 0;
	return x;
}

function dispatch_1(n) {
	return ((worker(n) / 3) | 0) + n;
}

function dispatch_2(n) {
	return ((worker(2 * n) / 3) | 0) + n;
}

function descend(depth, n) {
	if (depth === 0)
		return ((worker(n) / 3) | 0) + n;
	return ((descend(depth - 1, n) / 3) | 0) + depth;
}

function rounds(seconds) {
	const end = Date.now() + seconds * 1000;
	let random = 1, sink = 0;

	while (Date.now() < end) {
		random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
		const n = 16 + (random >>> 26);
		sink = (sink + dispatch_1(n) + dispatch_2(n) + descend(9, n)) | 0;
	}
	return sink;
}

console.log(rounds(Number(process.argv[2] || 2)));
