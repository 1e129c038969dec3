// even and odd call each other: a caller that an unwinder leaves out stands out.
"use strict";

function even(n) {
	return n === 0 ? 1 : odd(n - 1) + 1;
}

function odd(n) {
	return n === 0 ? 0 : even(n - 1) - 1;
}

// In CPU time.
const seconds = Number(process.argv[2] || 2);
const secondsRun = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6; };
let sum = 0;
while (secondsRun() < seconds)
	for (let i = 0; i < 10000; i++)
		sum += even(20 + i % 7);
console.log(sum);
