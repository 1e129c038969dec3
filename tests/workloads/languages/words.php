<?php
// Regular expressions, arrays, closures and sorting in PHP; as many rounds as the argument says.
$seed = 1;
$sum = 0;

function word(int $i): string
{
	global $seed;
	$seed = ($seed * 1103515 + 12345) % 2147483648;
	return sprintf("%x.%d", $seed, $i % 97);
}

function grow(int $depth): array
{
	global $seed;
	$children = $depth ? array_map(fn($_) => grow($depth - 1), [1, 2, 3]) : [];
	return ["weight" => $seed % 100, "children" => $children];
}

function walk(array $node, callable $visit): void
{
	$visit($node["weight"]);
	foreach ($node["children"] as $child)
		walk($child, $visit);
}

for ($round = 0; $round < $argv[1]; $round++) {
	$count = [];
	for ($i = 0; $i < 5000; $i++)
		if (preg_match('/^([0-9a-f]+?)[bcd].*\.(?:\d|1\d)$/', word($i), $found))
			$count[$found[1]] = ($count[$found[1]] ?? 0) + 1;
	uksort($count, fn($a, $b) => strlen($a) <=> strlen($b) ?: strcmp($a, $b));
	walk(grow(6), function ($weight) use (&$sum) { $sum += $weight; });
	$sum += count(json_decode(json_encode($count), true));
}
echo "$sum\n";
