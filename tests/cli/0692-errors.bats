# dendro report --errors: how exact each share is.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

# Weights differ: periods are drawn, and a wait weighs its time.
make_recordings() {
	need_switches
	cd "$BATS_FILE_TMPDIR"
	"$DENDRO" record -q -F 997 -e cpu-clock,page-faults -o drawn.data -- "$WORKLOADS/faulter" 10
	"$DENDRO" record -q -F 997 -e cpu-clock,off-cpu -o waits.data -- "$WORKLOADS/off_cpu"
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# samples_of RECORDING : a line of JSON for each sample of `dendro script`: its event, its weight, and
# the functions of programs and libraries on its path, leaf first
samples_of() {
	"$DENDRO" script "$1" | awk '
		function finish() {
			if (event != "")
				printf "{\"event\":\"%s\",\"weight\":%s,\"path\":[%s]}\n", event, weight, path
			event = ""
		}
		/^[^\t]/ && match($0, / [0-9]+ +[^ ]+: *$/) {
			finish()
			split(substr($0, RSTART), fields, " ")
			weight = fields[1]; event = fields[2]; sub(/:$/, "", event); path = ""
		}
		/^\t/ {
			name = $2; sub(/\+0x[0-9a-f]+$/, "", name)
			path = path (path == "" ? "" : ",") "\"" (/\(\// ? name : "") "\""
		}
		END { finish() }'
}

# The errors of the shares of all functions that have a name which tells them apart, by the formulas of the manual, of
# the samples alone.
computed_errors() { # computed_errors SAMPLES REPORT
	jq -c --slurpfile report "$2" -n '
		1.959963984540054 as $z
		| def wilson($p; $n): ($z * $z) as $z2
			| (($p + $z2 / (2 * $n)) / (1 + $z2 / $n)) as $middle
			| ($z * (($p * (1 - $p) / $n + $z2 / (4 * $n * $n)) | sqrt) / (1 + $z2 / $n)) as $half
			| [$half / $z, $middle - $half, $middle + $half];
		def squares: map(.weight * .weight) | add // 0;
		def weight: map(.weight) | add // 0;
		def error($in; $all; $exact): ($all | weight) as $w | (($in | weight) / $w) as $p
			| (((1 - 2 * $p) * ($in | squares) + $p * $p * ($all | squares)) / $w / $w) as $v
			| if $exact then [0, $p, $p]
			elif ($in | length) < 30 or ($all | length) - ($in | length) < 30
			then wilson($p; if $p > 0 and $p < 1 then $p * (1 - $p) / $v
				else $w * $w / ($all | squares) end)
			else [($v | sqrt), $p - $z * ($v | sqrt), $p + $z * ($v | sqrt)] end
			| [.[0], ([.[1], 0] | max), ([.[2], 1] | min)];
		[inputs] as $samples | $report[0].metrics as $metrics
		| [$report[0].rows[] | select(.kind == "user" and (.module | test("^\\[") | not)) | .name
			| select(test("0x") | not)] | group_by(.) | map(select(length == 1)[0]) | .[] as $name
		| [$metrics[] | .exact as $exact | .event as $event
			| [$samples[] | select(.event == $event)] as $all
			| select($all | length > 0)
			| error([$all[] | select(.path[0] == $name)]; $all; $exact)
			+ error([$all[] | select(.path | index([$name]))]; $all; $exact)]
		| { name: $name, errors: . }' "$1"
}

# expect_computed SAMPLES REPORT : the report has the errors that the samples give
expect_computed() {
	expect_equal "samples" "$(wc -l <"$1")" "$(jq '[.metrics[].samples] | add' "$2")"
	computed_errors "$1" "$2" >computed
	[ "$(wc -l <computed)" -gt 3 ]
	jq -c --slurpfile computed computed '
		([.rows[] | select(.kind == "user" and (.module | test("^\\[") | not))]
			| group_by(.name) | map({ (.[0].name): .[0] }) | add) as $rows
		| [.metrics[].samples > 0] as $has_samples
		| $computed[] | . as { $name } | $rows[$name] as $row
		| [range($has_samples | length) | select($has_samples[.])
			| [$row.self_error[.]] + $row.self_range[.] + [$row.total_error[.]]
			+ $row.total_range[.]] as $reported
		| select([.errors, $reported] | map(flatten) | transpose
			| any((.[0] - .[1] | fabs) > 1e-6 + 1e-4 * .[0]))
		| { $name, computed: .errors, $reported }' "$2" >wrong
	cat wrong
	[ ! -s wrong ]
}

@test "errors are those that the single samples of the recording give" {
	local name
	for name in drawn waits; do
		samples_of $name.data >samples
		report_json $name.data --errors --no-inline --raw-names --view functions >report
		expect_computed samples report
	done
}

@test "a stored profile has the errors of its recording in every view, filtered or not" {
	local view format
	for name in drawn waits; do
		"$DENDRO" build -o $name.cct $name.data
		for view in tree callers callgraph functions lines modules processes threads syscalls \
			"hot --per cpu-clock" "paths --root main" \
			"functions --merge-copies" "tree --ignore read --kernel none" \
			"functions --event cpu-clock" "functions --by thread"; do
			for format in json csv; do
				# shellcheck disable=SC2086 # a view with options
				set -- --errors --format $format --view $view
				"$DENDRO" report "$@" $name.data >recording
				"$DENDRO" report "$@" $name.cct | cmp - recording
			done
		done
	done
}

@test "with errors JSON and CSV have their numbers and nothing else more" {
	local view
	for view in functions tree callgraph; do
		report_json drawn.data --view $view >without
		report_json drawn.data --view $view --errors |
			jq 'def bare: walk(if type == "object" then del(.self_error, .self_range,
				.total_error, .total_range) else . end | if . == {} then empty else . end); bare' \
				>with
		jq . without | cmp - with
		"$DENDRO" report --format csv --view $view drawn.data >without
		"$DENDRO" report --format csv --view $view --errors drawn.data |
			python3 -c 'import csv, sys
rows = list(csv.reader(sys.stdin))
kept = [i for i, name in enumerate(rows[0]) if not name.endswith(("error", "low", "high"))]
assert len(rows[0]) - len(kept) == 12
for row in rows:
    print(",".join(row[i] for i in kept))' >with
		tr -d '"\r' <without | cmp - with
	done
}

@test "text has the errors of all shares with --errors" {
	"$DENDRO" build -o drawn.cct drawn.data
	COLUMNS=120 "$DENDRO" report --errors --event cpu-clock --view functions --min 0 drawn.data >text
	cat text
	expect_equal "rows without an error" "$(sed '/^$/,$!d; /^Names are/,$d; /^Debug/,$d' text |
		grep -E '^ *[0-9.]+%' | grep -vE '^ *[0-9.]+% +[+]-[0-9]')" ""
	grep -q '^+-: the standard error of sampling' text
	COLUMNS=120 "$DENDRO" report --errors --event cpu-clock --view functions --min 0 drawn.cct |
		sed 's/drawn\.cct/drawn.data/' | cmp - text
}

@test "text without --errors has those of shares with few samples, and names are as long as without" {
	"$DENDRO" report --view functions --event cpu-clock --min 0 drawn.data >text
	sed '1,/ total  error /d; /^$/,$d' text | awk '/^ *[0-9.]+%/ { print /^ *[0-9.]+% [+]-[0-9.]+ / }' >marked
	[ "$(wc -l <marked)" -gt 3 ]
	expect_equal "rows with errors" "$(grep -cx 1 marked)" \
		"$("$DENDRO" report --view functions --event cpu-clock --format csv drawn.data |
			python3 -c 'import csv, sys
print(sum(0 < int(row["cpu-clock samples"]) < 30 for row in csv.DictReader(sys.stdin)
	if row["depth"] != "0"))')"
	grep -q 'fewer than 30 samples (--errors: all)' text
	COLUMNS=60 "$DENDRO" report --view functions --event cpu-clock --min 0 drawn.data >narrow
	expect_equal "lines too wide" "$(sed -n '/ total /,/^$/p' narrow | awk 'length > 60' | wc -l)" 0
}

# exact_events FILE... : the events of which each occurrence was recorded, as the JSON of their report says
exact_events() {
	"$DENDRO" report --format json "$@" | jq -r '[.metrics[] | select(.exact) | .event] | join(" ")'
}

@test "shares of what was recorded whole are exact, and shares of samples are not" {
	need_root
	"$DENDRO" record -q -F 997 -e cpu-clock,page-faults@1,off-cpu,read-bytes@1,syscalls@7 -o whole.data -- \
		"$WORKLOADS/faulter" 10
	"$DENDRO" record -q -F 997 -e cpu-clock,page-faults@5,off-cpu,read-bytes@1,syscalls@1 -o part.data -- \
		"$WORKLOADS/faulter" 10
	"$DENDRO" build -o whole.cct whole.data
	"$DENDRO" merge -o sum.cct whole.data part.data
	expect_equal whole "$(exact_events whole.data)" "page-faults off-cpu read-bytes"
	expect_equal stored "$(exact_events whole.cct)" "page-faults off-cpu read-bytes"
	expect_equal part "$(exact_events part.data)" "off-cpu read-bytes syscalls"
	expect_equal "sum" "$(exact_events sum.cct)" "off-cpu read-bytes"
	report_json whole.cct --errors --view functions | jq -e '
		def at($name): [.metrics[].event] | index($name);
		at("page-faults") as $whole | at("syscalls") as $part | .metrics as $metrics
		| ([.rows[].total_error[$whole]] | unique) == [0]
		and ([.rows[] | .total_range[$whole][0] - .total[$whole] / $metrics[$whole].total]
			| all(fabs < 1e-5))
		and ([.rows[] | .total_error[$part]] | all(. > 0))'
	"$DENDRO" report --view functions --event page-faults --errors --min 0 whole.cct >text
	grep -Eq '^events +[0-9]+ samples of page-faults +[0-9]+ events of [0-9]+ counted  exact$' text
	sed '1,/ total  error /d; /^$/,$d' text >rows
	[ "$(wc -l <rows)" -gt 3 ]
	expect_equal "rows that are not exact" "$(grep -Evc '^ *[0-9.]+%  exact ' rows)" 0
	expect_equal note "$(grep -A 1 '^+-' text | tail -n 1)" \
		"Shares of page-faults are exact: each occurrence was recorded."
	# Few samples: only draws are marked.
	"$DENDRO" report --view functions --event page-faults,read-bytes --min 0 whole.cct >text
	[ "$(grep -c '+-' text)" -eq 0 ]
	"$DENDRO" report --view functions --event syscalls,page-faults --min 0 whole.cct >text
	[ "$(grep -c '+-' text)" -gt 3 ]
	sed -n '/^+-/,/^$/p' text | grep -q '^Shares of page-faults are exact'
}

@test "the shares of two profiles' sum have errors by the weights of all their samples" {
	"$DENDRO" build -o drawn.cct drawn.data
	"$DENDRO" report --errors --no-inline --raw-names --view functions --format json drawn.data \
		drawn.cct 2>messages >sum
	expect_equal messages "$(<messages)" ""
	samples_of drawn.data >samples
	cat samples samples >both
	expect_computed both sum
	"$DENDRO" merge -o merged.cct drawn.data drawn.cct
	"$DENDRO" report --errors --no-inline --raw-names --view functions --format json merged.cct \
		2>messages >merged
	expect_equal messages "$(<messages)" ""
	expect_computed both merged
	run "$DENDRO" report --errors --view stats drawn.data
	expect_equal status "$status" 129
}

@test "two functions of one run are compared by their numbers of samples" {
	record dispatch.data -- "$WORKLOADS/dispatch" 1
	"$DENDRO" build -o dispatch.cct dispatch.data
	"$DENDRO" report --compare dispatch_1,dispatch_2 --sort total dispatch.data >text
	cat text
	grep -Eqx 'dispatch_2 has ([0-9]+) samples of cpu-clock, dispatch_1 has ([0-9]+): .*' text
	report_json dispatch.data --compare dispatch_1,dispatch_2 --sort total >compared
	report_json dispatch.cct --compare dispatch_1,dispatch_2 --sort total | cmp - compared
	report_json dispatch.data --view functions >functions
	expect_equal samples "$(jq -c '[.places[].samples]' compared)" \
		"[$(total_of functions dispatch_1),$(total_of functions dispatch_2)]"
	jq -e '(.places | map(.samples)) as [$a, $b] | (.limit - 2 * ($a + $b | sqrt) | fabs < 0.01)
		and .differ == ((($a - $b) | fabs) > 2 * ($a + $b | sqrt))' compared
	# Self cost; a glob adds the samples of its functions.
	report_json dispatch.data --compare 'dispatch_*,worker' |
		jq -e '.places[0].functions == 2 and .places[1].samples > 0 and .differ'
	"$DENDRO" report --compare dispatch_1,worker --event cpu-clock dispatch.data |
		grep -E '^worker has .* they differ, as '
}

@test "a comparison that cannot be made says why" {
	run "$DENDRO" report --compare touch_and_work drawn.data
	expect_equal status "$status" 129
	[[ $output == *"two functions: F,G"* ]]
	run "$DENDRO" report --compare 'nonsense,touch_and_work' drawn.data
	expect_equal status "$status" 1
	[[ $output == *"no function 'nonsense' is on a call path"* ]]
	run "$DENDRO" report --compare 'touch*,touch_and_work' drawn.data
	expect_equal status "$status" 1
	[[ $output == *"name the same function"* ]]
	run "$DENDRO" report --compare 'dense,sparse' --view tree drawn.data
	expect_equal status "$status" 129
	run "$DENDRO" report --compare 'dense,sparse' --format csv drawn.data
	expect_equal status "$status" 129
}
