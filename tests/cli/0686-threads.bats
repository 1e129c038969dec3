# The view of threads: each with its process and its time.

# shellcheck disable=SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record threads.data -- "$WORKLOADS/threads" 2
	report_json threads.data --view threads >threads
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

@test "each thread has a row with its process and its time" {
	local number tid time
	"$DENDRO" script threads.data >script
	for number in 1 2 3; do
		expect_equal "rows of worker-$number" "$(ask threads "[.rows[] | select(.name == \"worker-$number\")] | length")" 1
		read -r tid time < <(ask threads ".rows[] | select(.name == \"worker-$number\")
			| \"\(.id) \(.total[0])\"")
		expect_equal "time of worker-$number" "$time" \
			"$(awk -v tid="$tid" '$6 == "cpu-clock:" && $2 == tid { ns += $5 } END { print ns }' script)"
	done
	expect_equal processes "$(ask threads '[.rows[] | select(.name | startswith("worker-")) | .process] | unique | join(" ")')" threads
	expect_equal pids "$(ask threads '[.rows[] | select(.name | startswith("worker-")) | .pid] | unique | length')" 1
}

@test "rows of threads add up, and agree with those below their processes" {
	jq -e '([.rows[].total[0]] | add) == .metrics[0].total' threads
	jq -e '([.rows[].self[0]] | add) == .metrics[0].total' threads
	report_json threads.data --view processes --by thread |
		jq '[.rows[] | select(.kind == "thread") | [.name, .id, .total[0]]]' >theirs
	jq '[.rows[] | select(.kind == "thread") | [.name, .id, .total[0]]]' threads | cmp - theirs
}

@test "text and CSV name the process of a thread" {
	"$DENDRO" report --view threads threads.data | grep -Eq ' worker-3 \(tid [0-9]+\) of threads \(pid [0-9]+\)$'
	"$DENDRO" report --view threads -f csv threads.data | tee csv | head -1 | grep -q '^depth,name,module,kind,id,process,pid,'
	grep -Eq '^1,"worker-3","",thread,[0-9]+,"threads",[0-9]+,' csv
}

@test "a stored profile has the threads of its recording" {
	local format
	"$DENDRO" build -o threads.cct threads.data
	for format in json csv; do
		"$DENDRO" report --view threads -f $format threads.data >theirs
		"$DENDRO" report --view threads -f $format threads.cct >ours
		cmp theirs ours
	done
}
