-- dendro's tables in ClickHouse (23.8 and later), version 1. `dendro push --create-tables` makes
-- them, `dendro push --print-tables` prints them. The comments "on: ..." say where a cluster has a
-- table: each row on one shard, by the expression, or all rows on all servers.

-- on: all servers
CREATE TABLE IF NOT EXISTS dendro_schema
(
	version UInt32,
	applied DateTime('UTC') DEFAULT now(),
	-- Senders remember what a database has, and so have to tell it from another one.
	database_id UUID DEFAULT generateUUIDv4()
)
ENGINE = MergeTree
ORDER BY version;

-- Costs: a row for each path, process, event and minute of a window of a host. Paths come before
-- time, so that what is alike is close together.
-- on: cityHash64(host)
CREATE TABLE IF NOT EXISTS samples
(
	-- When the slice begins that the samples are of, 60 seconds or those of --slice, counted from the
	-- window's start.
	time DateTime('UTC') CODEC(Delta(4), ZSTD(9)),
	host LowCardinality(String),
	-- Equal for all windows of a host's agents with the same events; (host, series, start) is a
	-- window.
	series UInt64 CODEC(ZSTD(3)),
	-- A large window is inserted in several parts, each as a whole or not at all.
	part UInt16 CODEC(ZSTD(1)),
	service LowCardinality(String),
	process LowCardinality(String),
	-- Of the process's program, in hexadecimal digits; '': not known.
	build LowCardinality(String),
	-- The kernel's release.
	kernel LowCardinality(String),
	-- Lines of name=value; label['name'] is a value.
	labels LowCardinality(String),
	label Map(String, String) ALIAS mapFromArrays(
		arrayMap(line -> splitByChar('=', line)[1], splitByChar('\n', labels)),
		arrayMap(line -> substring(line, position(line, '=') + 1), splitByChar('\n', labels))),
	-- The event, such as 'cpu-clock'; windows.event_units has its unit.
	metric LowCardinality(String),
	stack FixedString(16) CODEC(ZSTD(1)),
	samples UInt64 CODEC(ZSTD(3)),
	-- Scaled, where the event had to share counters.
	weight UInt64 CODEC(ZSTD(12)),
	-- Sum of the squares of the samples' weights, not scaled, with 5 significant bits, for errors.
	-- That are two bytes, of which low levels of ZSTD make less than high ones.
	squares Float64 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toDate(time)
ORDER BY (service, metric, stack, host, time)
TTL time + INTERVAL 30 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

-- The same without hosts, processes and squares, for long. The view inserts where samples are.
-- on: rand()
CREATE TABLE IF NOT EXISTS samples_minute
(
	minute DateTime('UTC') CODEC(Delta(4), ZSTD(9)),
	service LowCardinality(String),
	build LowCardinality(String),
	metric LowCardinality(String),
	stack FixedString(16) CODEC(ZSTD(1)),
	samples UInt64 CODEC(T64('bit'), ZSTD(1)),
	weight UInt64 CODEC(ZSTD(12))
)
ENGINE = SummingMergeTree((samples, weight))
PARTITION BY toYYYYMM(minute)
ORDER BY (service, metric, build, stack, minute)
TTL minute + INTERVAL 365 DAY
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS samples_minute_sums TO samples_minute
AS SELECT
	toStartOfMinute(time) AS minute, service, build, metric, stack,
	sum(samples) AS samples, sum(weight) AS weight
FROM samples
GROUP BY minute, service, build, metric, stack;

-- The same by host and day, which dendro fleet top compares.
-- on: rand()
CREATE TABLE IF NOT EXISTS samples_day
(
	day Date,
	host LowCardinality(String),
	service LowCardinality(String),
	process LowCardinality(String),
	build LowCardinality(String),
	kernel LowCardinality(String),
	metric LowCardinality(String),
	stack FixedString(16) CODEC(ZSTD(1)),
	samples UInt64 CODEC(T64('bit'), ZSTD(1)),
	weight UInt64 CODEC(ZSTD(12)),
	squares Float64 CODEC(ZSTD(1))
)
ENGINE = SummingMergeTree((samples, weight, squares))
PARTITION BY toYYYYMM(day)
ORDER BY (service, metric, process, build, kernel, stack, host, day)
TTL day + INTERVAL 365 DAY
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS samples_day_sums TO samples_day
AS SELECT
	toDate(time) AS day, host, service, process, build, kernel, metric, stack,
	sum(samples) AS samples, sum(weight) AS weight, sum(squares) AS squares
FROM samples
GROUP BY day, host, service, process, build, kernel, metric, stack;

-- Call paths, the outermost frame first. A stack's number comes from its content: eight bytes from
-- its callers, and eight from its innermost frame, of code in files with the offset at the end. So
-- paths with other innermost frames are its neighbours.
-- on: cityHash64(stack)
CREATE TABLE IF NOT EXISTS stacks
(
	stack FixedString(16) CODEC(ZSTD(1)),
	modules Array(UInt64) CODEC(ZSTD(12)),
	-- Offsets in the modules' files; of markers their numbers; of locks addresses.
	offsets Array(UInt64) CODEC(ZSTD(12)),
	-- bits % 16: 0 marker, 1 user code, 2 kernel code, 3 lock, 4 waker, 5 value; + 16 guessed,
	-- + 32 from another part of the stack, + 64 from a path that is alike; bits >> 16: which of the
	-- functions at the address, as a profile has it.
	bits Array(UInt32) CODEC(ZSTD(12)),
	-- When it was sent, for the TTL: each host sends what it uses again each week.
	seen Date
)
ENGINE = ReplacingMergeTree(seen)
ORDER BY stack
TTL seen + INTERVAL 400 DAY;

-- on: cityHash64(module)
CREATE TABLE IF NOT EXISTS modules
(
	module UInt64,
	-- elf, vdso, memory, jit, kernel; text: a frame of a waker or of a value, whose text is the path
	kind LowCardinality(String),
	path String CODEC(ZSTD(1)),
	build_id String CODEC(ZSTD(1)),
	-- Of kernel code without a build ID.
	kernel LowCardinality(String),
	seen Date
)
ENGINE = ReplacingMergeTree(seen)
ORDER BY module
TTL seen + INTERVAL 400 DAY;

-- What code is called. A later row with more replaces one with less.
-- on: cityHash64(module)
CREATE TABLE IF NOT EXISTS names
(
	module UInt64,
	offset UInt64 CODEC(Delta(8), ZSTD(1)),
	-- 0: without a name, 1: with a symbol, 2: with debug information
	version UInt8,
	symbol String CODEC(ZSTD(3)),
	-- Of the function, and of the code, in terms of start_kind: 0 the offset in the file,
	-- 1 the captured symbols', 2 virtual addresses of the file.
	start UInt64 CODEC(ZSTD(1)),
	address UInt64 CODEC(ZSTD(1)),
	start_kind UInt8,
	-- 1: by debug information, 2: an entry of the linkage table
	flags UInt8,
	-- The compiled function, and those that are inlined there, outermost first, as reports show
	-- them; then what is known of each by debug information.
	functions Array(String) CODEC(ZSTD(3)),
	names Array(String) CODEC(ZSTD(3)),
	files Array(String) CODEC(ZSTD(3)),
	directories Array(String) CODEC(ZSTD(3)),
	lines Array(UInt32) CODEC(ZSTD(1)),
	decl_files Array(String) CODEC(ZSTD(3)),
	decl_lines Array(UInt32) CODEC(ZSTD(1)),
	seen Date
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (module, offset)
TTL seen + INTERVAL 400 DAY;

-- Functions of whole files, of dendro symbols push: for code that has no name in the table before.
-- on: cityHash64(module)
CREATE TABLE IF NOT EXISTS functions
(
	module UInt64,
	start UInt64 CODEC(Delta(8), ZSTD(1)),
	end UInt64 CODEC(Delta(8), ZSTD(1)),
	symbol String CODEC(ZSTD(3)),
	function String CODEC(ZSTD(3)),
	seen Date
)
ENGINE = ReplacingMergeTree(seen)
ORDER BY (module, start)
TTL seen + INTERVAL 400 DAY;

-- What was recorded when. A window's row is inserted when all of its samples are there.
-- on: cityHash64(host)
CREATE TABLE IF NOT EXISTS windows
(
	start DateTime('UTC'),
	host LowCardinality(String),
	series UInt64,
	-- Since 1970.
	start_ns UInt64,
	end_ns UInt64,
	cpus UInt32,
	-- Of all CPUs, for which they were recorded.
	cpu_seconds Float64,
	samples UInt64,
	lost UInt64,
	-- Of each event. flags: 1 counted, 2 scaled, 4 each sample is a wait, 8 all occurrences.
	event_names Array(String),
	event_units Array(String),
	event_samples Array(UInt64),
	event_totals Array(UInt64),
	event_lost Array(UInt64),
	event_counted Array(UInt64),
	event_enabled_ns Array(UInt64),
	event_running_ns Array(UInt64),
	event_flags Array(UInt8),
	-- Counters that are not 0, by name; those of paths that end early as 'incomplete.REASON'.
	quality_names Array(String),
	quality_counts Array(UInt64),
	kernel LowCardinality(String),
	arch LowCardinality(String),
	cpu LowCardinality(String),
	-- Of dendro.
	version LowCardinality(String),
	-- As in samples.
	labels LowCardinality(String),
	label Map(String, String) ALIAS mapFromArrays(
		arrayMap(line -> splitByChar('=', line)[1], splitByChar('\n', labels)),
		arrayMap(line -> substring(line, position(line, '=') + 1), splitByChar('\n', labels))),
	-- '' unless asked for (--with-commands).
	command String
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(start)
ORDER BY (host, start, series)
TTL start + INTERVAL 365 DAY;
