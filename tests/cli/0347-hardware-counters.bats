# Sampling by overflow of this machine's hardware counters, where it has any: a program's own counts are
# the truth. tests/hw does the same in an emulated machine, which every machine can run.
# alone: counters are few, and what other tests record would take turns with these

load lib

PERIOD=100003 # a prime: no loop keeps step
ROUNDS=64

setup_file() {
	load lib
	prepare make_recordings
}

# Other events may take turns with these on the counters: then it is done again.
make_recordings() {
	local event
	need_events
	need_hardware_counters
	cd "$BATS_FILE_TMPDIR"
	for event in instructions:u cycles:u; do
		take_counts "$event" || take_counts "$event" || take_counts "$event"
	done
}

need_hardware_counters() {
	"$DENDRO" list -f json hardware |
		jq -e '[.events[] | select(.recordable) | .name] | index("cycles", "instructions")' ||
		skip "this machine has no hardware counters"
}

# take_counts EVENT : false if a counter was shared
take_counts() {
	local name=${1%:u}
	"$DENDRO" record -q -e "$1" -c "$PERIOD" -o "$name.data" -- "$WORKLOADS/counted" $ROUNDS \
		>"$name.out"
	report_json "$name.data" >"$name.tree"
	jq -e '.metrics[0] | has("scaled") | not' "$name.tree"
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

counted() { # counted FUNCTION EVENT : what the program counted itself
	awk -v part="$1" -v event="$2" '$1 == part && $2 == event { print $3 }' "${2%:u}.out"
}

# The weight of the samples in a function and what is inlined into it.
sampled() { # sampled FUNCTION EVENT
	jq --arg name "$1" '[.frames as $f | .nodes[] | select($f[.[1]].name == $name) | .[3][0]] | add // 0' \
		"${2%:u}.tree"
}

# The program counts all but its start. Each period may begin in one function and end in another.
expect_counts() { # expect_counts EVENT
	local function
	expect_equal "weight of $1" "$(jq '.metrics[0].total' "${1%:u}.tree")" \
		"$(jq ".metrics[0].samples * $PERIOD" "${1%:u}.tree")"
	expect_near "$1 in all" "$(jq '.metrics[0].total' "${1%:u}.tree")" "$(counted all "$1")" 0.1
	for function in computes does_both; do
		expect_near "$1 in $function" "$(sampled $function "$1")" "$(counted $function "$1")" 1
	done
}

@test "instructions that samples stand for are those that the program counted" {
	expect_counts instructions:u
}

@test "cycles that samples stand for are those that the program counted" {
	expect_counts cycles:u
}

@test "the header has the count, for nearly all of which samples stand" {
	local event
	for event in instructions cycles; do
		expect_near "$event" "$(jq '.metrics[0].total' $event.tree)" \
			"$(jq '.metrics[0].counted' $event.tree)" 0.1
	done
}
