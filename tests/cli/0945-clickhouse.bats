# dendro push puts into ClickHouse what report shows, once, whatever the server does meanwhile:
# npm's chdb takes the tables as they are, and two servers of Debian are a cluster, of shards or replicas.

load lib
load pushed
load clickhouse

setup_file() {
	load lib
	load pushed
	prepare make_recording
}

setup() {
	skip_unprepared
	cd "$BATS_TEST_TMPDIR"
	two=$BATS_FILE_TMPDIR/two.data
	export XDG_STATE_HOME=$BATS_TEST_TMPDIR/state no_proxy='*'
}

teardown() {
	stop_clickhouse
}

expect_totals() { # expect_totals FOLDER : those of the report, of samples and of their sums
	local expected table
	expected=$(jq -r '.metrics | sort_by(.event)[] | [.event, .samples, .total] | @tsv' "$BATS_FILE_TMPDIR/two.json")
	for table in samples samples_minute; do
		expect_equal "$table" "$(sql "$1" "SELECT metric, sum(samples), sum(weight) FROM $table \
			GROUP BY metric ORDER BY metric FORMAT TabSeparated")" "$expected"
	done
	expect_equal left "$(find spool -name '*.request' | wc -l)" 0
	# Each row has its path, and each frame of code its module and name.
	expect_equal "paths" "$(sql "$1" "SELECT count() FROM (SELECT DISTINCT stack FROM samples) \
		WHERE stack NOT IN (SELECT stack FROM stacks)")" 0
}

made_in_chdb() { # made_in_chdb FOLDER [ANSWER...]
	need_chdb
	start_chdb "$@"
	push_to "$1" --create-tables
}

# What docs/FLEET.md gives Grafana to ask, of the service 'recursion'.
flame_graph() { # flame_graph SERVER
	sql "$1" "$(sed -n '/^```sql/,/^```$/p' "$ROOT/docs/FLEET.md" | grep -v '^```' |
		sed 's/[$]__timeFilter(time)/time > 0/; s/[$]service/recursion/') FORMAT TabSeparated"
}

@test "ClickHouse gets what the report shows, by service and function, with names and labels" {
	made_in_chdb one
	grep -q "'profiles' has the tables now" said
	push_to one --label region=eu --label host=first "$two"
	expect_totals one
	expect_equal encodings "$(sort -u one/encodings)" zstd
	expect_equal labels "$(sql one "SELECT DISTINCT host, label['region'] FROM samples FORMAT TabSeparated")" $'first\teu'
	expect_equal services "$(sql one "SELECT arrayStringConcat(groupUniqArray(service)) LIKE '%recursion%' FROM samples")" 1
	expect_equal builds "$(sql one "SELECT DISTINCT build FROM samples WHERE process = 'recursion'")" \
		"$(readelf -n "$WORKLOADS/recursion" | awk '/Build ID/ { print $3 }')"
	# Costs of functions with what they call, by a join, are the report's.
	sql one "SELECT function, path, sum(cost) FROM (
			SELECT stack, sum(weight) AS cost FROM samples WHERE metric = 'cpu-clock' GROUP BY stack) AS costs
		JOIN (SELECT DISTINCT stack, function, arrayElement(splitByChar('/', path), -1) AS path
			FROM (SELECT stack, module, offset FROM stacks ARRAY JOIN modules AS module, offsets AS offset) AS frames
			JOIN names USING (module, offset) JOIN modules USING module
			ARRAY JOIN functions AS function) AS paths USING (stack)
		GROUP BY function, path FORMAT TabSeparated" | sort >functions
	jq -r '.rows[] | select(.kind == "user" and .module != "") | [.name, .module, .total[0]] | @tsv' \
		"$BATS_FILE_TMPDIR/two.json" | awk -F '\t' '$3' | sort >expected
	# Functions of one name in one file are told apart in the report alone.
	cut -f 1,2 expected | uniq -d >ambiguous
	[ "$(wc -l <expected)" -gt 20 ]
	grep -vFf ambiguous expected | comm -23 - functions >missing
	[ ! -s missing ] || { cat missing; false; }
	# Grafana's flame graph has the whole as its root, and each cost once.
	flame_graph one >graph
	expect_equal "graph" "$(awk -F '\t' '!$1 { all += $3 } { self += $4 } END { printf "%.0f %.0f", all, self }' graph)" \
		"$(sql one "SELECT sum(weight), sum(weight) FROM samples WHERE metric = 'cpu-clock' AND service = 'recursion'" | tr '\t' ' ')"
	grep -q deepest_work graph
	expect_equal windows "$(sql one "SELECT count(), sum(samples), any(version) FROM windows FORMAT TabSeparated")" \
		$'1\t'"$(jq '[.metrics[].samples] | add' "$BATS_FILE_TMPDIR/two.json")"$'\t'"$("$DENDRO" --version)"
	lacks -r "$WORKLOADS" <(sql one "SELECT command FROM windows")
}

@test "what is pushed again counts once, and what the database knows is not sent again" {
	made_in_chdb one
	push_to one "$two"
	expect_totals one
	local first table
	first=$(grep -c INSERT one/seen)
	[ "$first" -ge 5 ]
	push_to one "$two"
	expect_totals one
	expect_equal "insertions" "$(grep -c INSERT one/seen)" "$first"
	expect_equal "windows" "$(sql one "SELECT count() FROM windows")" 1
	refuses "60s to 1d" -- push_to one --slice 5s "$two"
	# As a stored profile, and by somebody who knows nothing of what was sent.
	"$DENDRO" build -o two.cct "$two"
	rm -r spool
	push_to one two.cct
	expect_totals one
	sql one "OPTIMIZE TABLE stacks FINAL"
	expect_equal "paths" "$(sql one "SELECT count() = uniqExact(stack) FROM stacks")" 1
	# Without the window's row, the tokens tell.
	sql one "TRUNCATE TABLE windows"
	push_to one "$two"
	expect_totals one
	# A server that was killed between the samples and their sums adds these, and no samples.
	for table in windows samples_minute samples_day; do
		sql one "TRUNCATE TABLE $table"
	done
	push_to one "$two"
	expect_totals one
	expect_equal "of the day" "$(sql one "SELECT sum(samples) FROM samples_day")" "$(sql one "SELECT sum(samples) FROM samples")"
	# Of another host, in rows of an hour.
	push_to one --label host=other --slice 1h "$two"
	expect_equal "other" "$(sql one "SELECT sum(samples), uniqExact(time) FROM samples WHERE host = 'other' FORMAT TabSeparated")" \
		"$(jq '[.metrics[].samples] | add' "$BATS_FILE_TMPDIR/two.json")"$'\t'1
}

@test "the windows of an agent and their sum count once" {
	local agent file all url=clickhouse+http://127.0.0.1:9/profiles
	"$DENDRO" agent --directory windows --window 1s --merge never -e cpu-clock --push "$url" \
		--no-send --push-every 1h 2>log 3>&- &
	agent=$!
	has_four() { [ "$(find windows -name '*.cct' 2>/dev/null | wc -l)" -ge 4 ]; }
	wait_until has_four
	kill -TERM "$agent"
	wait "$agent"
	# The agent itself has left one request for all of them, which is for another server.
	requests() { grep -l "INSERT INTO windows" windows/spool/*.request; }
	wait_until requests
	expect_equal "requests of the agent" "$(requests | wc -l)" 1
	"$DENDRO" merge --join-addresses --fold-once -o all.cct windows/*.cct
	"$DENDRO" merge -o first.cct "$(find windows -name '*.cct' | sort | head -1)"
	all=$("$DENDRO" report --format json all.cct | jq '.metrics[0].samples')
	samples() { sql one "SELECT sum(samples) FROM samples"; }
	made_in_chdb one
	# Some windows, then all: of the sum, nothing is taken.
	push_to one first.cct
	run push_to one all.cct
	expect_equal status "$status" 1
	grep -q "refused, and kept as spool/\*.refused: a part of its time is there, from other files of the agent" said
	expect_equal "of the first" "$(samples)" "$("$DENDRO" report --format json first.cct | jq '.metrics[0].samples')"
	# With the others, it is all there.
	push_to one windows/*.cct
	expect_equal "of all windows" "$(samples)" "$all"
	push_to one all.cct
	expect_equal "of all and their sum" "$(samples)" "$all"
	# The sum, then its windows.
	sql one "TRUNCATE TABLE samples"
	sql one "TRUNCATE TABLE windows"
	push_to one all.cct
	expect_equal "of the sum" "$(samples)" "$all"
	for file in windows/*.cct; do
		push_to one "$file"
	done
	expect_equal "of the sum and its windows" "$(samples)" "$all"
	# As one, they are their sum.
	sql one "TRUNCATE TABLE samples"
	sql one "TRUNCATE TABLE windows"
	push_to one --as-one --join-addresses --fold-once windows/*.cct
	expect_equal "as one" "$(samples)" "$all"
	push_to one first.cct
	expect_equal "as one, and the first" "$(samples)" "$all"
	refuses "--fold-once needs --as-one" -- push_to one --fold-once first.cct
	refuses "--join-addresses needs --as-one" -- push_to one --join-addresses first.cct
	expect_equal "windows" "$(sql one "SELECT count() FROM windows")" 1
}

@test "agents that were started with other options are one, if their events are the same" {
	local agent file all hz n_before
	n_windows() { find windows -name '*.cct' 2>/dev/null | wc -l; }
	has_more() { [ "$(n_windows)" -ge $((n_before + 2)) ]; }
	for hz in 51 53; do
		n_before=$(n_windows)
		"$DENDRO" agent --directory windows --window 1s --merge never -e cpu-clock -F $hz 2>log 3>&- &
		agent=$!
		wait_until has_more
		kill -TERM "$agent"
		wait "$agent"
	done
	"$DENDRO" merge -o all.cct windows/*.cct
	all=$("$DENDRO" report --format json all.cct | jq '.metrics[0].samples')
	made_in_chdb one
	push_to one all.cct
	expect_equal "of the sum" "$(sql one "SELECT sum(samples) FROM samples")" "$all"
	for file in windows/*.cct; do
		push_to one "$file"
	done
	expect_equal "of the sum and its windows" "$(sql one "SELECT sum(samples) FROM samples")" "$all"
	expect_equal "windows" "$(sql one "SELECT count() FROM windows")" 1
}

@test "a server that drops, delays, is full or answers noise gets everything once" {
	local how
	for how in drop before twice noise full slow; do
		echo "$how"
		made_in_chdb "$how" "$how"
		push_to "$how" "$two"
		grep -q "^$how .*INSERT INTO samples" "$how/seen"
		# Not asked for, as the server may have samples without their sums.
		lacks "SELECT count() FROM samples WHERE" "$how/seen"
		expect_totals "$how"
		stop_clickhouse
		rm -rf spool "$how/data"
	done
}

@test "what is left is sent later, and counts once" {
	local n
	made_in_chdb one drop
	# The answer is lost, and then there is no more time: nobody knows whether it was inserted.
	run push_to one --retry-for 0 "$two"
	expect_equal status "$status" 1
	grep -q "requests stay in 'spool': the server can't be reached" said
	n=$(find spool -name '*.request' | wc -l)
	expect_equal "left" "$n" 2
	# A process that comes soon sends it again with its token, as sums may be missing.
	sql one "TRUNCATE TABLE samples_day"
	push_to one
	expect_totals one
	lacks "SELECT count() FROM samples WHERE" one/seen
	expect_equal "of the day" "$(sql one "SELECT sum(samples) FROM samples_day")" "$(sql one "SELECT sum(samples) FROM samples")"
	# Later, or where the clock was set, the server may not know the token any more.
	local then
	for then in -11min +1hour 1960-01-01; do
		stop_clickhouse
		rm -r spool one
		made_in_chdb one drop
		run push_to one --retry-for 0 "$two"
		find spool -name '*.request' ! -perm -u+w -exec touch -d "$then" {} +
		push_to one
		expect_totals one
		grep -q "SELECT count() FROM samples WHERE" one/seen
	done
	# A page to log in, which a proxy answers with.
	stop_clickhouse
	rm -r spool one
	made_in_chdb one login
	run push_to one "$two"
	expect_equal status "$status" 1
	grep -q 'text/html' said
	push_to one
	expect_totals one
	# No server: all stays, and no note of what was sent decides what is written.
	stop_clickhouse
	run push_to one --retry-for 0 "$two"
	grep -q "5 requests stay" said
	start_chdb one
	push_to one
	expect_totals one
}

@test "tables that are missing, newer, or of somebody else are said, and nothing is sent" {
	need_chdb
	start_chdb one
	refuses "'profiles' lacks tables" "--create-tables" -- push_to one "$two"
	[ ! -e spool ]
	refuses "clickhouse+https" -- "$DENDRO" push --create-tables --to otlp+http://127.0.0.1:1
	refuses "letters, digits" -- "$DENDRO" push --print-tables --cluster "a'b"
	push_to one --create-tables
	push_to one --create-tables
	grep -q "has the tables" said
	expect_equal versions "$(sql one "SELECT groupArray(version) FROM dendro_schema")" '[1]'
	sql one "INSERT INTO dendro_schema (version) VALUES (2)"
	refuses "are of version 2" -- push_to one "$two"
	refuses "are of version 2" -- push_to one --create-tables
	# A database that was made anew gets what another one of its name had.
	sql one "DROP DATABASE profiles" ""
	push_to one --create-tables "$two"
	expect_totals one
	sql one "DROP DATABASE profiles" ""
	push_to one --create-tables "$two"
	expect_totals one
	# Something else than ClickHouse.
	python3 -m http.server --bind 127.0.0.1 0 >other 2>&1 3>&- &
	clickhouse_pids+=($!)
	wait_until grep -q 'port [0-9]' other
	refuses "HTTP 501" -- "$DENDRO" push --spool spool --retry-for 0 \
		--to "clickhouse+http://127.0.0.1:$(grep -o 'port [0-9]*' other | cut -d ' ' -f 2)/x" "$two"
}

@test "servers of 2018, sharded by host: one that is killed in an insertion gets everything once" {
	need_clickhouse
	need openssl
	give_certificate "$PWD/one"
	start_cluster
	# They don't know zstd, in which requests are in the spool.
	local host i
	for host in first second third fourth; do
		push_to one --label host=$host "$two"
	done
	expect_equal "hosts" "$(sql two "SELECT count(DISTINCT host) FROM samples")" 4
	for i in one two; do
		[ "$(sql $i "SELECT count(DISTINCT host) FROM samples_local")" -lt 4 ]
	done
	expect_equal "rows" "$(sql one "SELECT sum(samples) FROM samples")" \
		$((4 * $(jq '[.metrics[].samples] | add' "$BATS_FILE_TMPDIR/two.json")))
	expect_equal "sums" "$(sql two "SELECT sum(samples) FROM samples_minute")" \
		"$(sql one "SELECT sum(samples) FROM samples")"
	# Through TLS, as a user with a password. What was refused waits in the spool, and counts once
	# when it is sent after all, as the server has it under the other address.
	local to
	to=clickhouse+https://sender@127.0.0.1:$(<one/https)/profiles
	echo s3cret >token && chmod 600 token
	refuses "certificate" -- "$DENDRO" push --spool spool --retry-for 0 --to "$to" --token-file token \
		--label host=first "$two"
	echo wrong >token.wrong && chmod 600 token.wrong
	refuses "Wrong password" "check the user and the password" -- "$DENDRO" push --spool spool --retry-for 0 --to "$to" --ca-file one/ca.pem \
		--token-file token.wrong --label host=first "$two"
	"$DENDRO" push --spool spool --to "$to" --ca-file one/ca.pem --token-file token --label host=fifth "$two"
	expect_equal left "$(find spool -name '*.request' | wc -l)" 0
	expect_equal "hosts" "$(sql two "SELECT count(DISTINCT host) FROM samples")" 5
	expect_equal "rows" "$(sql one "SELECT sum(samples) FROM samples")" \
		$((5 * $(jq '[.metrics[].samples] | add' "$BATS_FILE_TMPDIR/two.json")))
	# The second server executes an insertion, but the first one does not hear of it, and is killed.
	# Without tokens, asking alone keeps the samples from being inserted again.
	local pushing
	host=$(sql two "SELECT any(host) FROM samples_local")
	for i in one two; do
		sql $i "DROP TABLE samples_local"
		sql $i "DROP TABLE samples_minute_local"
		sql $i "DROP TABLE windows_local"
	done
	make_tables
	touch proxy/stall
	push_to one --label host="$host" "$two" &
	pushing=$!
	wait_until test -e proxy/stalled
	wait_until has_samples two
	kill -KILL "$(<one/pid)"
	start_clickhouse "$PWD/one"
	wait "$pushing"
	grep -q "sent 2 requests" said
	expect_totals one
}

@test "replicas of 2018, with a keeper: one that is killed in an insertion has everything once, and the other answers" {
	need_clickhouse
	need java
	[ -e "$keeper_jar" ] || skip "Debian's zookeeper is not installed"
	start_keeper
	start_replicas
	local table pushing n
	n=$(jq '[.metrics[].samples] | add' "$BATS_FILE_TMPDIR/two.json")
	# The insertion is executed, but the answer is lost with the server.
	touch proxy/stall
	push_to proxy "$two" 3>&- &
	pushing=$!
	wait_until test -e proxy/stalled
	wait_until has_sums two # of samples, which are there before
	kill -KILL "$(<one/pid)"
	expect_equal "of the other replica" "$(sql two "SELECT sum(samples) FROM samples")" "$n"
	start_clickhouse "$PWD/one"
	wait "$pushing"
	expect_totals one
	expect_totals two
	# By somebody who knows nothing of what was sent, and without the window: replicas know blocks again.
	rm -r spool
	for table in one two; do
		sql $table "DROP TABLE windows_local"
	done
	make_replicated_tables
	push_to two "$two"
	grep -q "sent 5 requests" said
	expect_totals one
	expect_totals two
	expect_equal windows "$(sql one "SELECT count() FROM windows")" 1
}

has_sums() {
	[ "$(sql "$1" "SELECT (SELECT count() FROM samples_minute_local) > 0 AND (SELECT count() FROM samples_day_local) > 0")" = 1 ]
}

has_samples() {
	[ "$(sql "$1" "SELECT count() > 0 FROM samples_local")" = 1 ]
}

@test "code without names gets them later, from the program's file" {
	need_chdb
	cp "$WORKLOADS/stripped/recursion" recursion
	record bare.data -e cpu-clock -- sh -c "exec 3>&1; ./recursion >recursion.out"
	start_chdb one
	push_to one --create-tables bare.data
	local unnamed="FROM stacks ARRAY JOIN modules AS module, offsets AS offset"
	expect_equal "before" "$(sql one "SELECT countIf(has(functions, 'deepest_work')) FROM names")" 0
	flame_graph one >before
	lacks deepest_work before
	push_to one --symbols "$WORKLOADS/recursion"
	flame_graph one >after
	cmp <(awk -F '\t' '!$1' before) <(awk -F '\t' '!$1' after)
	grep -q "recursion' has [1-9][0-9]* functions" said
	sql one "SELECT function, sum(cost) FROM (SELECT stack, sum(weight) AS cost FROM samples GROUP BY stack) AS costs
		JOIN (SELECT DISTINCT stack, function FROM (SELECT stack, module, offset $unnamed) AS frames
			ASOF JOIN functions ON frames.module = functions.module AND frames.offset >= functions.start
			WHERE frames.offset < functions.end) AS paths USING (stack)
		GROUP BY function ORDER BY function FORMAT TabSeparated" >found
	cp "$WORKLOADS/recursion" recursion
	report_json bare.data --view functions >bare.json
	# Entries of the linkage table are not in a file's symbols.
	jq -r '.rows[] | select(.module == "recursion" and (.name | test("[+]|@plt$") | not)) | [.name, .total[0]] | @tsv' bare.json |
		sort >expected
	grep -q deepest_work expected
	comm -23 expected <(sort found) >missing
	[ ! -s missing ] || { cat missing found; false; }
	expect_equal "own cost in Grafana's graph" \
		"$(awk -F '\t' '$2 == "deepest_work" { self += $4 } END { printf "%.0f", self }' after)" \
		"$(jq '.rows[] | select(.name == "deepest_work") | .self[0]' bare.json)"
	refuses "neither a program nor a library" -- push_to one --symbols bare.data
	# Names of the kernel's functions are sent with the stacks; its files would say nothing new.
	if [ "$(id -u)" -eq 0 ] && grep -qm 1 '^f.* _stext$' /proc/kallsyms; then
		expect_equal "kernel code without names" "$(sql one "SELECT count() FROM (SELECT DISTINCT m, o FROM stacks
			ARRAY JOIN modules AS m, offsets AS o WHERE m IN (SELECT module FROM modules WHERE kind = 'kernel'))
			WHERE (m, o) NOT IN (SELECT module, offset FROM names WHERE version > 0)")" 0
	fi
	local section
	for section in __ksymtab .gnu.linkonce.this_module; do
		objcopy --add-section $section=recursion.out "$WORKLOADS/recursion" kernel
		refuses "a module of it, whose names are sent with what was recorded" -- push_to one --symbols kernel
	done
	refuses "needs --to clickhouse" -- "$DENDRO" push --symbols --to otlp+http://host recursion
}
