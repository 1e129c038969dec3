// Regular expressions with global flags, replaced by functions, split and matched; as many rounds
// as the argument says.
"use strict";

let seed = 1;

function line(i) {
	seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
	return `key${i % 13}: [${seed.toString(16)}], "${(seed % 97).toString(36)} text ${i}"; `;
}

function round() {
	const text = Array.from({ length: 400 }, (_, i) => line(i)).join("\n");
	let sum = 0;

	for (const [, key, value] of text.matchAll(/(\w+)\s*:\s*(\[[^\]]*\]|"[^"]*")/g))
		sum += key.length + value.length;
	sum += text.replace(/[aeiou]+/g, (vowels) => vowels.toUpperCase()).length;
	sum += text.replace(/(\d+)([a-f]+)/g, "$2-$1").split(/[;,]\s*/).length;
	sum += (text.match(/\btext \d*7\b/g) || []).length;
	return sum;
}

let sum = 0;
for (let i = 0; i < Number(process.argv[2] || 100); i++)
	sum += round();
console.log(sum);
