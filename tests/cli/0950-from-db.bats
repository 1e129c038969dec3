# Reading from ClickHouse (npm's chdb, which is ClickHouse in a process, behind HTTP): what is there
# is shown, compared and stored as from a file, and whatever a server answers gets a clear sentence.

load lib

setup_file() {
	load lib
	prepare make_fleet
}

make_fleet() {
	need "$(dirname "$DENDRO")/dendro-send" node jq
	[ -e "$ROOT/build/npm/node_modules/chdb" ] || skip "npm's chdb is not installed"
	cd "$BATS_FILE_TMPDIR"
	day=$(date -u -d yesterday +%F)
	sed "s/\bDAY\b/$day/g" "$ROOT/tests/cli/fleet_rows.sql" >rows.sql
	echo "$day" >day
}

setup() {
	skip_unprepared
	cd "$BATS_TEST_TMPDIR"
	export TZ=UTC no_proxy='*'
	day=$(<"$BATS_FILE_TMPDIR/day")
	times=(--from "$day 10:00" --to "$day 10:03")
	server=
}

teardown() {
	[ -z "$server" ] || stop "$server"
}

serve() { # serve [ANSWER...] : sets db, the URL
	serve_rows "$BATS_FILE_TMPDIR/rows.sql" "$@"
}

serve_rows() { # serve_rows FILE [ANSWER...]
	[ -z "$server" ] || stop "$server"
	rm -rf served
	mkdir served
	"$ROOT/tests/cli/clickhouse_front.js" served --sql "$ROOT/collector/schema/version_1.sql" \
		--sql "$1" --first "${@:2}" 3>&- &
	server=$!
	wait_until test -e served/http
	db=clickhouse+http://127.0.0.1:$(<served/http)
}

from_db() { # from_db COMMAND [ARGUMENT...]
	local command=$1
	shift
	"$DENDRO" "$command" --from-db "$db" "${times[@]}" "$@"
}

costs_of() { # costs_of [OPTION...] : name, self and total of each function
	from_db report --view functions --format json "$@" |
		jq -c '[.rows[] | [.name, .self[0], .total[0]]] | sort'
}

# Sums of squares have 5 bits in the database, so errors differ by a part in 64, and by what printing
# rounds; the ends of ranges by such a part of the width.
compare_errors() { # compare_errors JSON JSON
	jq -n --slurpfile a "$1" --slurpfile b "$2" '
		def errors: [.. | objects | .self_error, .total_error | arrays] | flatten;
		def ranges: [.. | objects | .self_range, .total_range | arrays[]];
		def alike($x; $y; part): if $x == null or $y == null then $x == $y
			else ($x - $y | fabs) <= part / 64 + 1e-5 end;
		($b | errors | any(. != null and . > 0))
			and all([$a, $b | errors] | transpose[]; alike(.[0]; .[1]; .[1]))
			and all([$a, $b | ranges] | transpose[]; . as [$x, $y]
				| if $x == null or $y == null then $x == $y
				else all(0, 1; alike($x[.]; $y[.]; $y[1] - $y[0])) end)'
}

sorted() {
	jq -c sort <<<"$1"
}

@test "the engine's sums are the report's, with names, units, losses and marks" {
	serve
	from_db report --view functions --format json --errors >all.json
	expect_equal metrics "$(jq -c '[.metrics[] | [.event, .unit, .samples, .total]]' all.json)" \
		'[["cpu-clock","ns",255,25500],["page-faults","faults",5,5]]'
	expect_equal paths "$(jq -c '.quality | [.samples, .lost, .guessed, .unwind.complete,
		.unwind.stack_cut]' all.json)" '[260,2,3,259,1]'
	expect_equal functions "$(costs_of --event cpu-clock)" "$(sorted '[["[kernel]",0,600],
		["do_read",600,600],["leaf()",9000,9000],["leaf()",12100,12100],["main",0,9000],
		["main",0,13900],["serve",2500,2500],["step",1300,13300],["work",0,13300],
		["[stack deeper than the copy]",0,100]]')"
	# Of 25 in 255 samples with equal weights: 1.87 percent points.
	expect_equal error "$(jq '.rows[] | select(.name == "serve") | .self_error[0] * 10000 | round' \
		all.json)" 187
	from_db report | tee text
	grep -q 'page-faults  *5 faults' text
	grep -q 'work (guessed)' text
	grep -q 'step (inlined at api.c:20)' text
}

@test "conditions and times choose samples" {
	serve
	expect_equal api "$(costs_of --where "service = 'api' and host like 'fra%'" --event cpu-clock)" \
		"$(sorted '[["[kernel]",0,600],["do_read",600,600],["leaf()",6100,6100],
		["main",0,7900],["step",1300,7300],["work",0,7300],["[stack deeper than the copy]",0,100]]')"
	expect_equal "a comment ends" "$(costs_of --where "service = 'db' -- all of it")" \
		'[["serve",2500,2500]]'
	expect_equal "--comm" "$(costs_of --comm postgres)" '[["serve",2500,2500]]'
	times=(--from "$day 10:00" --to "$day 10:01")
	expect_equal "a minute" "$(costs_of)" \
		'[["leaf()",4000,4000],["main",0,4000],["step",0,4000],["work",0,4000]]'
	times=(--from "$day 11:00" --to "$day 12:00")
	refuses 'The database has no such samples' -- from_db report
}

@test "code that had no name gets one that was pushed later" {
	serve
	times=(--from "$(date -u -d "$day - 1 day" +%F) 09:00" --to "$day 09:00")
	expect_equal functions "$(costs_of --where "service = 'late'")" \
		'[["late()",700,700],["serve",0,700]]'
}

@test "what is built, exported and viewed is what is reported" {
	serve
	from_db build -o db.cct
	for view in functions lines modules callgraph callers tree processes; do
		from_db report --view $view --format json --errors >db.json
		report_json db.cct --view $view --errors >file.json
		expect_equal $view "$(jq -cS '[.metrics, .rows, .nodes, .quality.unwind]' db.json)" \
			"$(jq -cS '[.metrics, .rows, .nodes, .quality.unwind]' file.json)"
	done
	from_db export --format folded | sort >db.folded
	"$DENDRO" export --format folded db.cct | sort >file.folded
	[ -s db.folded ]
	cmp db.folded file.folded
	from_db report --html db.html
	grep -q '</html>' db.html
}

@test "what was pushed is reported as from the recording" {
	need_events
	serve
	"$DENDRO" push --to "$db" --create-tables
	record two.data -e cpu-clock,page-faults -- \
		sh -c "exec 3>&1; '$WORKLOADS/cxx' >cxx.out; '$WORKLOADS/recursion' >recursion.out"
	"$DENDRO" push --to "$db" --spool spool two.data
	"$DENDRO" build -o two.cct two.data
	times=(--where "host = '$(hostname)'" --from -2h)
	# Of missing names only the names' absence is there, and the recording's clock is not.
	local same='del(.command, .missing, .recorder, .stack_copy_bytes, .times.start_ns)
		| walk(if type == "object" then
			del(.self_error, .total_error, .self_range, .total_range) else . end)'
	for view in functions lines modules callgraph callers tree processes 'paths --root recurse'; do
		# shellcheck disable=SC2086
		from_db report --view $view --errors --format json >db.json
		# shellcheck disable=SC2086
		report_json two.cct --view $view --errors >file.json
		diff <(jq -S "$same" db.json) <(jq -S "$same" file.json)
		expect_equal "errors of $view" "$(compare_errors db.json file.json)" true
	done
}

@test "two builds, or two times, are compared, with hosts as runs" {
	serve
	from_db diff --where "build = 'a2a2a2a2'" --versus-where "build = 'a1a1a1a1'" \
		--sort self,cpu-clock --format json >diff.json
	expect_equal runs "$(jq -c '[.runs[] | [.side, .samples]]' diff.json)" \
		'[["before",60],["before",80],["after",90]]'
	expect_equal leaf "$(jq -c '.rows[] | select(.name == "leaf()") | .self |
		[.before, .after | . * 1000 | round]' diff.json)" '[864,1000]'
	times=(--from "$day 10:01" --to "$day 10:02")
	from_db diff --where "host = 'fra1'" --versus "$day 10:00..$day 10:01" --format json >diff.json
	expect_equal runs "$(jq -c '[.runs[] | [.side, .samples]]' diff.json)" \
		'[["before",40],["after",40]]'
	refuses --versus-where -- from_db diff
}

@test "an answer that is not one becomes a sentence, and reaches no terminal as it is" {
	local words
	serve 500 401 301 login hostile garbage cut zeros
	for words in 'Memory limit exceeded' 'check the token' 'redirections are not followed' \
		'something else than the server has answered' 'boo' "can't be used" \
		"can't be reached" 'ends within a row'; do
		refuses "$words" -- from_db report | tee said
		expect_equal "lines of '$words'" "$(wc -l <said)" 1
		lacks -P '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae' said
	done
	from_db report >/dev/null
	refuses 'Unknown expression' -- from_db report --where "no_such_column = 1"
	stop "$server"
	server=
	refuses "can't be reached" -- from_db report
}

@test "a token goes to the server alone, and a slow server is waited for" {
	serve slow late # longer than requests that insert wait for a server that says nothing
	(umask 077 && echo s3cret >token)
	db=${db/127/me@127}
	from_db report --token-file token >/dev/null
	expect_equal "authorization" "$(cut -d ' ' -f 2,3 served/seen | sort -u)" \
		"Basic $(printf me:s3cret | base64)"
	refuses --token-file -- from_db report
}

@test "what a database does not keep is refused, and its options need it" {
	local option
	db=clickhouse+http://127.0.0.1:9
	for option in --time=10%-20% --pid=1 --tid=1 --cpu=0; do
		refuses 'a database does not keep' -- from_db report $option
	done
	for option in threads cpus cgroups; do
		refuses 'not by thread' -- from_db report --view $option
	done
	refuses 'name no file' -- from_db report some.data
	refuses '--token-file needs --from-db' -- "$DENDRO" report --token-file token
	refuses "--where: 'service = 1'" -- "$DENDRO" report --where 'service = 1' some.data
	refuses 'one condition' -- from_db report --where 1 --where 2
	db=clickhouse+http://me:s3cret@127.0.0.1
	refuses 'has a password' -- from_db report | tee said
	lacks s3cret said
}

top() { # top [OPTION...] : dendro fleet top, as JSON
	"$DENDRO" fleet top --from-db "$db" --from "$day" --to "$day 23:00" --format json "$@"
}

@test "a fleet's functions, services and builds have the sums of all hosts" {
	serve
	expect_equal all "$(top | jq -c '[.event, .unit, .total, .hosts, .services, .host_days]')" \
		'["cpu-clock","ns",25500,2,2,2]'
	expect_equal functions "$(top | jq -c '[.rows[] | [.service, .function, .module, .self, .total]] | sort')" \
		"$(sorted '[["api","main","api",0,22900],["api","work","api",0,13300],
		["api","step","api",1300,13300],["api","leaf()","api",21100,21100],
		["api","do_read","[kernel.kallsyms]",600,600],["db","serve","db",2500,2500]]')"
	expect_equal services "$(top --by services | jq -c '[.rows[] | [.service, .total, .hosts]]')" \
		'[["api",23000,2],["db",2500,1]]'
	expect_equal builds "$(top --by builds | jq -c '[.rows[] | [.service, .process, .build, .total]]')" \
		'[["api","api","a1a1a1a1",14000],["api","api","a2a2a2a2",9000],["db","postgres","d1d1d1d1",2500]]'
	expect_equal kernels "$(top --by kernels | jq -c '[.rows[] | [.kernel, .total]]')" '[["6.1",25500]]'
	expect_equal faults "$(top --event page-faults | jq -c '[.unit, .total]')" '["faults",5]'
	expect_equal where "$(top --by services --where "service = 'db'" | jq -c '[.rows[].service]')" '["db"]'
	expect_equal "too few hosts" "$(top --by moved | jq -c '[.changed, .compared, .rows]')" '[1,0,[]]'
	expect_equal "late names" "$("$DENDRO" fleet top --from-db "$db" --from "$(date -u -d "$day - 1 day" +%F)" \
		--to "$day" --format json | jq -c '[.rows[] | [.function, .module, .self, .total]] | sort')" \
		'[["late()","db",700,700],["serve","db",0,700]]'
	refuses 'no such samples' -- top --event nothing
	refuses 'dendro fleet top' -- "$DENDRO" fleet --from-db "$db"
}

fleet_of() { # fleet_of HOST [OPTION...] : [service, function, total] of each function with 1 % of a host's cost
	local host=$1
	shift
	"$DENDRO" fleet top --from-db "$db" --from -2h --where "host = '$host'" --rows 100 --format json "$@" |
		jq -c '.total as $all | [.rows[] | select(.total * 100 >= $all) | [.service, .function, .total]] | sort'
}

@test "a fleet's functions have names that came later, and a host its service since it had a label" {
	need_events
	serve
	"$DENDRO" push --to "$db" --create-tables
	local file named unnamed services
	cp "$WORKLOADS/stripped/recursion" recursion
	for file in first second; do
		record $file.data -e cpu-clock -- ./recursion 3>&1 >recursion.out
	done
	"$DENDRO" push --to "$db" --spool spool --label host=late first.data
	unnamed=$(fleet_of late)
	expect_equal "without names" "$(jq -c '[.[][1] | select(test("^recursion[+]0x"))] | length > 3' <<<"$unnamed")" true
	"$DENDRO" push --to "$db" --spool spool --symbols "$WORKLOADS/recursion"
	fleet_of late >named
	cp "$WORKLOADS/recursion" recursion
	report_json first.data --view functions >first.json
	jq -c '.metrics[0].total as $all | [.rows[] | select(.kind == "user" and .module == "recursion" and
		.total[0] * 100 >= $all) | ["recursion", .name, .total[0]]] | sort' first.json >expected
	grep -q deepest_work expected
	# The report's functions of the program, each with its cost.
	expect_equal "with names" "$(jq -c --slurpfile all expected \
		'. as $rows | $all[0] | map(select(. as $row | $rows | index([$row]) | not))' named)" '[]'
	lacks 'recursion+0x' named
	# What the file's host has been called since stays with what was pushed since.
	"$DENDRO" push --to "$db" --spool spool --label host=late --label service_name=web first.data second.data
	expect_equal services "$("$DENDRO" fleet top --from-db "$db" --from -2h --where "host = 'late'" --by services \
		--format json | jq -c '[.rows[] | [.service, .total, .hosts]] | sort')" \
		"$(for file in first second; do report_json $file.data | jq '.metrics[0].total'; done |
			jq -sc '[["recursion", .[0], 1], ["web", .[1], 1]]')"
}

@test "of a week of 1 000 hosts, what a new build made dearer is found with its callers, and nothing else" {
	sed "s/\bDAY\b/$day/g; s/\bCOUNT\b/1000/" "$ROOT/tests/cli/fleet_week.sql" >week.sql
	serve_rows week.sql
	top --from "$(date -u -d "$day - 6 days" +%F)" >functions.json
	# Function 0 calls all others.
	expect_equal hosts "$(jq -c '[.hosts, .host_days]' functions.json)" '[1000,7000]'
	expect_equal all "$(jq '([.rows[] | select(.function == "f0").total] | add) / .total * 1e9 | round' \
		functions.json)" 1000000000
	top --from "$(date -u -d "$day - 6 days" +%F)" --by moved >moved.json
	cat moved.json
	expect_equal compared "$(jq -c '[.changed, .compared]' moved.json)" '[4,4]'
	jq -e '[.rows[] | .service] | unique == ["service3"]' moved.json
	jq -e '[.rows[] | .function] | contains(["f40", "f13"]) and (. - ["f40", "f13", "f4", "f1"] == [])' \
		moved.json
	# It is 1.5 % within 4 errors.
	jq -e '.rows[] | select(.function == "f40") | (.after - 1.015 * .before | fabs) < 4 * .error' moved.json
	# Costs of a request are told from shares, which shrink where another one grows.
	top --from "$(date -u -d "$day - 6 days" +%F)" --by moved --event cpu-clock --per requests >per.json
	cat per.json
	expect_equal compared "$(jq -c '[.per, .changed, .compared]' per.json)" '["requests",4,4]'
	jq -e '[.rows[] | .service] | unique == ["service3"]' per.json
	jq -e '[.rows[] | .function] | contains(["f40"]) and (. - ["f40", "f13", "f4", "f1"] == [])' per.json
	jq -e '.rows[] | select(.function == "f40") | .before > 1000 and (.after - 1.015 * .before | fabs) < 4 * .error' \
		per.json
	"$DENDRO" fleet top --from-db "$db" --from "$(date -u -d "$day - 6 days" +%F)" --by moved \
		--event cpu-clock --per requests | tee per
	grep -q '^us for each of requests of the same service' per
	expect_equal "nothing to divide by" "$(top --from "$(date -u -d "$day - 6 days" +%F)" --by moved \
		--event cpu-clock --per nothing | jq -c '[.changed, .compared, .rows]')" '[4,0,[]]'
	refuses '--by moved' -- top --per requests
	"$DENDRO" fleet top --from-db "$db" --from "$(date -u -d "$day - 6 days" +%F)" --by moved >moved
	grep -q 'service3: build 11 after 0d, on 250 hosts' moved
}
