-- A week of many hosts, COUNT of them, which ends with DAY: costs by host and day. Four services of
-- 200 functions, of which each calls three others; a host runs one service, and gets its new build on
-- one of five days. Hosts differ by 20 % in each function, days by 3 % on all hosts of a service,
-- days of a host by 3 % more, rates by load; samples are drawn at 49 Hz on two CPUs. The new build of
-- service 3 costs 1.5 % more in function 40, which functions 13, 4, 1 and 0 call; all else is equal.

INSERT INTO modules (module, kind, path, build_id, seen)
SELECT 10 + number, 'elf', concat('/srv/service', toString(number % 4)), lower(hex(10 + number)), today()
FROM numbers(8);

INSERT INTO names (module, offset, version, symbol, start, address, start_kind, flags, functions, seen)
SELECT 10 + intDiv(number, 200), 4096 + 64 * (number % 200), 1, concat('f', toString(number % 200)),
	4096 + 64 * (number % 200), 4096 + 64 * (number % 200), 0, 0, [concat('f', toString(number % 200))],
	today()
FROM numbers(1600);

INSERT INTO stacks (stack, modules, offsets, bits, seen)
SELECT toFixedString(concat(leftPad(toString(module), 4, '0'), 'f', leftPad(toString(f), 11, '0')), 16),
	arrayMap(x -> module, path), arrayMap(x -> toUInt64(4096 + 64 * x), path), arrayMap(x -> toUInt32(1), path),
	today()
FROM (
	WITH x -> if(x <= 0, -1, intDiv(toInt64(x) - 1, 3)) AS caller
	SELECT toUInt64(10 + intDiv(number, 200)) AS module, number % 200 AS f,
		caller(f) AS p1, caller(p1) AS p2, caller(p2) AS p3, caller(p3) AS p4, caller(p4) AS p5,
		arrayFilter(x -> x >= 0, [p5, p4, p3, p2, p1, toInt64(f)]) AS path
	FROM numbers(1600)
);

INSERT INTO samples_day (day, host, service, process, build, kernel, metric, stack, samples, weight, squares)
WITH
	(a, b, c, salt) -> sqrt(-2 * log((sipHash64(a, b, c, salt, 1) + 0.5) / pow(2, 64)))
		* cos(2 * pi() * sipHash64(a, b, c, salt, 2) / pow(2, 64)) AS normal
SELECT toDate('DAY') - 6 + d, concat('host', toString(h)), concat('service', toString(s)),
	concat('service', toString(s)), lower(hex(10 + s + 4 * is_new)), '6.1', 'cpu-clock',
	toFixedString(concat(leftPad(toString(10 + s + 4 * is_new), 4, '0'), 'f', leftPad(toString(f), 11, '0')), 16),
	n, n * 20408163, n * pow(20408163., 2)
FROM (
	SELECT h, h % 4 AS s, d, f, is_new,
		0.002 + 0.03 / (1 + sipHash64(f, 7) % 40) + if(f = 40, 0.03, 0) AS share,
		exp(0.2 * normal(h, f, 0, 3)) * exp(0.03 * normal(s, d, f, 4)) * exp(0.03 * normal(h, d * 2 + is_new, f, 5))
			* if(s = 3 AND f = 40 AND is_new, 1.015, 1) AS factor,
		(0.5 + sipHash64(h, d) % 1000 / 1000) * if(d = deployed, 0.5, 1) AS load,
		49 * 2 * 86400 * share * factor * load AS expected,
		toUInt64(greatest(1, round(expected + sqrt(expected) * normal(h, d * 2 + is_new, f, 6)))) AS n
	FROM (
		SELECT intDiv(number, 2800) AS h, intDiv(number, 400) % 7 AS d, intDiv(number, 2) % 200 AS f,
			number % 2 AS is_new, 1 + sipHash64(h, 9) % 5 AS deployed
		FROM numbers(COUNT * 2800)
	)
	WHERE if(is_new, d >= deployed, d <= deployed)
);

-- Requests, of which one in a thousand is a sample: as many as the load, with a hundredth more or
-- less on each day of a host.
INSERT INTO samples_day (day, host, service, process, build, kernel, metric, stack, samples, weight, squares)
SELECT toDate('DAY') - 6 + d, concat('host', toString(h)), concat('service', toString(s)),
	concat('service', toString(s)), lower(hex(10 + s + 4 * is_new)), '6.1', 'requests',
	toFixedString(concat(leftPad(toString(10 + s + 4 * is_new), 4, '0'), 'f', leftPad('0', 11, '0')), 16),
	n, n * 1000, n * pow(1000., 2)
FROM (
	SELECT h, h % 4 AS s, d, is_new,
		(0.5 + sipHash64(h, d) % 1000 / 1000) * if(d = deployed, 0.5, 1) AS load,
		toUInt64(10000 * load * (0.99 + sipHash64(h, d, is_new, 8) % 200 / 10000)) AS n
	FROM (
		SELECT intDiv(number, 14) AS h, intDiv(number, 2) % 7 AS d, number % 2 AS is_new,
			1 + sipHash64(h, 9) % 5 AS deployed
		FROM numbers(COUNT * 14)
	)
	WHERE if(is_new, d >= deployed, d <= deployed)
);

INSERT INTO windows (start, host, series, start_ns, end_ns, event_names, event_units)
VALUES (toDateTime('DAY 10:00:00', 'UTC'), 'host0', 1, 1, 2, ['cpu-clock'], ['ns']);
