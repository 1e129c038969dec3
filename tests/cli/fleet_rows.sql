-- Rows of a known fleet, as dendro push sends them, for tests of what reads them: two hosts, three
-- minutes from 10:00:00 UTC of DAY, which the test replaces by a date, two builds of the service api, one of db. Each frame of a
-- stack is (module, offset, bits).

INSERT INTO modules (module, kind, path, build_id, seen) VALUES
	(1, 'elf', '/srv/api', 'a1a1a1a1', 'DAY'), (2, 'elf', '/srv/api', 'a2a2a2a2', 'DAY'),
	(3, 'elf', '/srv/db', 'd1d1d1d1', 'DAY'), (9, 'kernel', '[kernel.kallsyms]', 'f1f1f1f1', 'DAY');

INSERT INTO names (module, offset, version, symbol, start, address, start_kind, flags, functions,
	names, files, directories, lines, decl_files, decl_lines, seen) VALUES
	(1, 16, 2, 'main', 0, 16, 0, 1, ['main'], [''], ['api.c'], [''], [10], [''], [0], 'DAY'),
	(1, 272, 2, 'work', 256, 272, 0, 1, ['work', 'step'], ['', 'step'], ['api.c', 'api.c'], ['', ''],
		[20, 30], ['', 'api.c'], [0, 29], 'DAY'),
	(1, 528, 1, '_Z4leafv', 512, 528, 0, 0, ['leaf()'], [], [], [], [], [], [], 'DAY'),
	(2, 16, 2, 'main', 0, 16, 0, 1, ['main'], [''], ['api.c'], [''], [10], [''], [0], 'DAY'),
	(2, 528, 1, '_Z4leafv', 512, 528, 0, 0, ['leaf()'], [], [], [], [], [], [], 'DAY'),
	(3, 16, 1, 'serve', 0, 16, 0, 0, ['serve'], [], [], [], [], [], [], 'DAY'),
	(9, 4096, 1, 'do_read', 4096, 4096, 0, 0, ['do_read'], [], [], [], [], [], [], 'DAY');

-- Late names, of code that had none, and of code that has one.
INSERT INTO functions (module, start, end, symbol, function, seen) VALUES
	(3, 0, 16, 'before', 'before', 'DAY'), (3, 512, 528, '_Z4latev', 'late()', 'DAY'),
	(3, 16, 17, 'other', 'other', 'DAY');
INSERT INTO names (module, offset, version, symbol, start, address, start_kind, flags, functions, seen) VALUES
	(3, 520, 0, '', 0, 520, 0, 0, [], 'DAY');

INSERT INTO stacks (stack, modules, offsets, bits, seen) VALUES
	('api-main-work-ld', [1, 1, 1], [16, 272, 528], [1, 1, 1], 'DAY'),
	('api-main-work-__', [1, 1], [16, 272], [1, 1], 'DAY'),
	('api-main-read-__', [1, 0, 9], [16, 0, 4096], [1, 0, 2], 'DAY'),
	('api-guessed-____', [1, 1], [16, 272], [1, 17], 'DAY'),
	('api-cut-leaf-___', [0, 1], [1, 528], [0, 1], 'DAY'),
	('ap2-main-leaf-__', [2, 2], [16, 528], [1, 1], 'DAY'),
	('db--serve-______', [3], [16], [1], 'DAY'),
	('db--serve-late__', [3, 3], [16, 520], [1, 1], 'DAY');

INSERT INTO samples (time, host, series, part, service, process, build, kernel, metric, stack, samples,
	weight, squares) VALUES
	(toDateTime('DAY 10:00:00', 'UTC'), 'fra1', 7, 0, 'api', 'api', 'a1a1a1a1', '6.1', 'cpu-clock',
		'api-main-work-ld', 40, 4000, 400000),
	(toDateTime('DAY 10:01:00', 'UTC'), 'fra1', 7, 0, 'api', 'api', 'a1a1a1a1', '6.1', 'cpu-clock',
		'api-main-work-ld', 20, 2000, 200000),
	(toDateTime('DAY 10:01:00', 'UTC'), 'fra1', 7, 0, 'api', 'api', 'a1a1a1a1', '6.1', 'cpu-clock',
		'api-main-work-__', 10, 1000, 100000),
	(toDateTime('DAY 10:01:00', 'UTC'), 'fra1', 7, 0, 'api', 'api', 'a1a1a1a1', '6.1', 'cpu-clock',
		'api-main-read-__', 6, 600, 60000),
	(toDateTime('DAY 10:01:00', 'UTC'), 'fra1', 7, 0, 'api', 'api', 'a1a1a1a1', '6.1', 'cpu-clock',
		'api-guessed-____', 3, 300, 30000),
	(toDateTime('DAY 10:01:00', 'UTC'), 'fra1', 7, 0, 'api', 'api', 'a1a1a1a1', '6.1', 'cpu-clock',
		'api-cut-leaf-___', 1, 100, 10000),
	(toDateTime('DAY 10:01:00', 'UTC'), 'fra1', 7, 0, 'api', 'api', 'a1a1a1a1', '6.1', 'page-faults',
		'api-main-work-ld', 5, 5, 5),
	(toDateTime('DAY 10:01:00', 'UTC'), 'ams1', 8, 0, 'api', 'api', 'a1a1a1a1', '6.1', 'cpu-clock',
		'api-main-work-ld', 60, 6000, 600000),
	(toDateTime('DAY 10:02:00', 'UTC'), 'ams1', 8, 0, 'api', 'api', 'a2a2a2a2', '6.1', 'cpu-clock',
		'ap2-main-leaf-__', 90, 9000, 900000),
	(toDateTime('DAY 10:02:00', 'UTC'), 'ams1', 8, 0, 'db', 'postgres', 'd1d1d1d1', '6.1', 'cpu-clock',
		'db--serve-______', 25, 2500, 250000),
	(toDateTime('DAY 10:00:00', 'UTC') - 86400, 'ams1', 9, 0, 'late', 'postgres', 'd1d1d1d1', '6.1',
		'cpu-clock', 'db--serve-late__', 7, 700, 70000);

INSERT INTO windows (start, host, series, start_ns, end_ns, cpus, cpu_seconds, samples, lost, event_names,
	event_units, event_samples, event_totals, event_lost, event_counted, event_enabled_ns,
	event_running_ns, event_flags, quality_names, quality_counts, kernel, arch, cpu, version) VALUES
	(toDateTime('DAY 10:00:00', 'UTC'), 'fra1', 7, toUnixTimestamp(toDateTime('DAY 10:00:00', 'UTC')) * 1000000000,
		toUnixTimestamp(toDateTime('DAY 10:03:00', 'UTC')) * 1000000000, 4,
		720, 85, 2, ['cpu-clock', 'page-faults'], ['ns', 'faults'], [80, 5], [8000, 5], [2, 0], [0, 0],
		[0, 0], [0, 0], [0, 0], ['samples', 'lost', 'complete', 'guessed', 'incomplete.stack_cut'],
		[85, 2, 84, 3, 1], '6.1', 'x86_64', 'Some CPU', '1.0'),
	(toDateTime('DAY 10:00:00', 'UTC'), 'ams1', 8, toUnixTimestamp(toDateTime('DAY 10:00:00', 'UTC')) * 1000000000,
		toUnixTimestamp(toDateTime('DAY 10:03:00', 'UTC')) * 1000000000, 8,
		1440, 175, 0, ['cpu-clock'], ['ns'], [175], [17500], [0], [0], [0], [0], [0],
		['samples', 'complete'], [175, 175], '6.1', 'x86_64', 'Some CPU', '1.0');
