// What JavaScript programs do: objects, closures, regular expressions, JSON, sorting, promises.
"use strict";

let seed = 1;

function word(i) {
	seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
	return { text: `${seed.toString(16)}.${i % 97}`, weight: seed % 1000 };
}

function walk(node, visit) {
	visit(node);
	for (const child of node.children)
		walk(child, visit);
}

function grow(depth) {
	const children = depth ? [1, 2, 3].map(() => grow(depth - 1)) : [];
	return { ...word(depth), children };
}

async function round() {
	const words = Array.from({ length: 3000 }, (_, i) => word(i));
	const byLength = new Map();

	for (const { text, weight } of words.filter(({ text }) => /^[0-9a-f]+?[bcd].*\.(\d|1\d)$/.test(text)))
		byLength.set(text.length, (byLength.get(text.length) || 0) + weight);
	words.sort((a, b) => a.weight - b.weight || a.text.localeCompare(b.text));
	await null;
	const copy = JSON.parse(JSON.stringify(words));
	let total = 0;
	walk(grow(5), (node) => { total += node.weight; });
	return total + copy.reduce((sum, { weight }) => sum + weight, 0) + byLength.size;
}

// In CPU time.
function secondsRun() {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1e6;
}

async function main(seconds) {
	let sum = 0;

	while (secondsRun() < seconds)
		sum += await round();
	console.log(sum);
}

main(Number(process.argv[2] || 2));
