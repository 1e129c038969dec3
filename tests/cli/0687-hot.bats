# dendro report --view hot: what has much of an event, dense or sparse.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record faulter.data -e cpu-clock,page-faults -- "$WORKLOADS/faulter" 10
	record fewer.data -e cpu-clock,page-faults -- "$WORKLOADS/faulter" 5
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

hot() { # hot FILE [OPTION...]
	report_json "$@" --view hot --per cpu-clock
}

@test "what touches new pages is dense or sparse by its caller" {
	hot faulter.data --kernel none --threshold 5 >hot
	expect_equal contexts "$(jq -r '[.contexts[] | select(.path[0] == "touch_and_work")
		| "\(.path[1]): \(.class)"] | unique | join(", ")' hot)" "dense: dense, sparse: sparse"
}

@test "the classes are those that the costs of the functions give" {
	local threshold
	for threshold in 1 0.1 20; do
		hot faulter.data --threshold $threshold >hot
		expect_equal "the events" "$(jq -r '.metrics[.hot.metric, .hot.per].event' hot | xargs)" \
			"page-faults cpu-clock"
		expect_equal "threshold $threshold" "$(jq -c '[.rows[] | [.name, .class]] | sort' hot)" \
			"$(report_json faulter.data --view functions | jq -c --argjson threshold $threshold '
				(.metrics | map({ (.event): .total }) | add) as $total
				| (.metrics | map(.event)) as $events | [.rows[]
				| (.self | with_entries(.key |= $events[.])) as $self
				| $self["page-faults"] as $f | $self["cpu-clock"] as $t
				| [.name, if $f == 0 or $f * 100 < $threshold * $total["page-faults"] then "cold"
					elif $f * $total["cpu-clock"] > $total["page-faults"] * $t then "dense"
					else "sparse" end]] | sort')"
		expect_equal "all faults are in classes" "$(jq '[.hot.functions[].self[0]] | add' hot)" \
			"$(jq '.metrics[.hot.metric].total' hot)"
		expect_equal "all time is in contexts" "$(jq '[.hot.contexts[].self[1]] | add' hot)" \
			"$(jq '.metrics[.hot.per].total' hot)"
		expect_equal "hot contexts" "$(jq '.contexts | length' hot)" \
			"$(jq '.hot.contexts | .dense.number + .sparse.number' hot)"
	done
}

@test "CSV and a stored profile have the same classes, text fits 80 columns" {
	hot faulter.data >hot
	"$DENDRO" build -o faulter.cct faulter.data
	hot faulter.cct | cmp - hot
	local cpus
	for cpus in 0 1-99; do # on one of them, there may be no samples
		hot faulter.data --cpu $cpus --threshold 0.01 >recording 2>recording.errors || true
		hot faulter.cct --cpu $cpus --threshold 0.01 >stored 2>stored.errors || true
		cmp recording stored
		cmp recording.errors stored.errors
	done
	"$DENDRO" report --view hot --per cpu-clock --format csv faulter.data >csv
	expect_equal "dense functions" "$(grep -c '^1,.*,dense,' csv)" \
		"$(jq '.hot.functions.dense.number' hot)"
	COLUMNS=80 "$DENDRO" report --view hot --per cpu-clock faulter.data |
		sed -n '/^hot:/,/^Whole/p' >text
	grep -E '^class +functions +page-faults +cpu-clock +density$' text
	grep -E '^class +contexts' text
	expect_equal "wider lines" "$(awk 'length > 80' text)" ""
}

@test "a view of hot code without a second event explains what it needs" {
	run "$DENDRO" report --view hot faulter.data
	expect_equal status "$status" 129
	[[ $output == *"--per EVENT"* ]]
	run "$DENDRO" report --per cpu-clock faulter.data
	expect_equal status "$status" 129
	[[ $output == *"--view hot"* ]]
	run "$DENDRO" report --view hot --per nonsense faulter.data
	expect_equal status "$status" 1
	[[ $output == *"page-faults"* ]]
	run "$DENDRO" report --view hot --per cpu-clock -e cpu-clock faulter.data
	expect_equal status "$status" 1
	[[ $output == *"compares two events"* ]]
}

# classes_of FILE THRESHOLD : what a comparison has of one side, from the tree of the report: numbers of what is hot,
# and shares of the whole. In a comparison, functions of one name and module are one, and so are their contexts.
classes_of() {
	report_json "$1" | jq -c --argjson threshold "$2" '
		(.metrics | map(.event)) as $events | ($events | index("page-faults")) as $metric
		| ($events | index("cpu-clock")) as $per
		| [.metrics[$metric, $per].total] as $all
		| [.frames[] | "\(.kind) \(.name) \(.module | sub(".*/"; ""))"] as $names
		| (reduce .nodes[] as [$parent, $frame] ([]; . + [if $parent < 0 then "" else .[$parent] end + "\n" + $names[$frame]])) as $paths
		| [.nodes | to_entries[] | { path: $paths[.key], name: $names[.value[1]], self: [.value[2][$metric, $per]] }
			| select(.self | add > 0)] as $rows
		| [("name", "path") as $by | ($rows | group_by(.[$by])
				| map(map(.self) | transpose | map(add)
				| { self: ., class: (if .[0] == 0 or .[0] * 100 < $threshold * $all[0] then "cold"
					elif .[0] * $all[1] > $all[0] * .[1] then "dense" else "sparse" end) })) as $groups
			| ("dense", "sparse", "cold") as $class
			| [$groups[] | select(.class == $class).self] as $costs
			| (if $class == "cold" then 0 else $costs | length end),
				(0, 1 | . as $i | ([$costs[][$i]] | add // 0) / $all[$i])]'
}

# expect_near WHAT NUMBERS EXPECTED : arrays of as many numbers, which differ by what six places are
# rounded by
expect_near() {
	jq -en --argjson numbers "$2" --argjson expected "$3" '($numbers | length) == ($expected | length) and
		([$numbers, $expected] | transpose | all(.[0] - .[1] | fabs < 2e-6))' ||
		expect_equal "$1" "$2" "$3"
}

@test "a comparison has the classes of both sides, and the densities" {
	local threshold side file
	for threshold in 1 0.1 20; do
		"$DENDRO" diff --view hot --per cpu-clock --threshold $threshold --format json \
			faulter.data fewer.data >json
		for side in before after; do
			[ $side = before ] && file=faulter.data || file=fewer.data
			expect_near "classes $side at $threshold" "$(jq -c --arg side $side '.hot |
				[.functions, .contexts | .cold.number[$side] = 0 |
					.dense, .sparse, .cold | [.number, .metric, .per | .[$side]]] | flatten' json)" \
				"$(classes_of $file $threshold)"
		done
		jq -e 'all(.contexts[]; [.class.before, .class.after] != ["cold", "cold"])' json
	done
	jq -e '[.rows[] | select(.density.before) | .density.before
		/ (.self.before / .others[0].self.before) - 1 | fabs] | length > 0 and max < 1e-5' json
	"$DENDRO" build -o fewer.cct fewer.data
	"$DENDRO" build -o stored.cct faulter.data
	"$DENDRO" diff --view hot --per cpu-clock --threshold 20 --format json stored.cct fewer.cct |
		jq '.runs[0].file = "faulter.data" | .runs[1].file = "fewer.data"' | cmp - <(jq . json)
}

@test "the text of a comparison of hot code fits, and says what changed its class" {
	for COLUMNS in 60 80 100 140; do
		export COLUMNS
		"$DENDRO" diff --view hot --per cpu-clock faulter.data fewer.data >text
		expect_equal "lines above $COLUMNS columns" "$(awk -v most=$COLUMNS 'length > most' text)" ""
		expect_equal "blanks at the end" "$(grep -c ' $' text)" 0
	done
	expect_equal tables "$(grep -c '^dense ' text)" 2
	"$DENDRO" diff --view hot --per cpu-clock --kernel none --threshold 5 --format csv faulter.data fewer.data |
		tr -d '\r' >csv
	expect_equal "end of the heading" "$(sed -n 's/.*,\(class before,.*\)/\1/p' csv)" \
		"class before,class after,density before,density after,density difference,density relative"
	refuses "--view hot needs --per EVENT" -- "$DENDRO" diff --view hot faulter.data fewer.data
	refuses "--sort total" -- "$DENDRO" diff --view hot --per cpu-clock --sort total faulter.data fewer.data
	refuses "requests=1000,1200" -- "$DENDRO" diff --per cpu-clock faulter.data fewer.data
	refuses "two events" -- "$DENDRO" diff --view hot --per cpu-clock -e cpu-clock faulter.data fewer.data
}
