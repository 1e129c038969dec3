# Phases of a run: marked while it is recorded, chosen in recordings and profiles. The program and the
# recorder shake hands, so functions are in the phases that the program has named, however slow the
# machine is.

# shellcheck disable=SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record phases.data --phase-fifo fifo -- "$WORKLOADS/phases" fifo
	[ ! -e fifo ]
	"$DENDRO" build -o phases.cct phases.data
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# The message of a command that fails is in $output.
refused() { # refused ARGUMENT...
	run "$DENDRO" "$@"
	expect_equal status "$status" "$([ "$1" = diff ] && echo 2 || echo 1)"
}

# The program's functions that are active in a phase.
functions_in() { # functions_in FILE PHASE
	report_json "$1" --view functions --kernel none --phase "$2" |
		jq -r '[.rows[] | select(.module == "phases") | .name]
			| map(select(. == ("before", "alpha", "beta", "after"))) | sort | join(" ")'
}

@test "a phase has the functions that ran in it, in a recording and in its profile" {
	local file
	for file in phases.data phases.cct; do
		expect_equal alpha "$(functions_in $file alpha)" alpha
		expect_equal beta "$(functions_in $file beta)" beta
		expect_equal both "$(functions_in $file beta,alpha)" "alpha beta"
		expect_equal glob "$(functions_in $file '*a')" "alpha beta"
		expect_equal all "$(report_json $file --view functions --kernel none |
			jq '[.rows[].name | select(. == ("before", "after"))] | length')" 2
	done
}

@test "reports of a phase are the same of a recording and of its profile" {
	local view format phase
	for view in tree functions threads "paths --root main" callgraph; do
		for format in json csv; do
			for phase in alpha "b*"; do
				# shellcheck disable=SC2086
				"$DENDRO" report --view $view -f $format --phase "$phase" phases.data >theirs
				# shellcheck disable=SC2086
				"$DENDRO" report --view $view -f $format --phase "$phase" phases.cct >ours
				cmp theirs ours
			done
		done
	done
	"$DENDRO" build --phase beta -o beta.cct phases.data
	"$DENDRO" report -f json --phase beta phases.cct >theirs
	"$DENDRO" report -f json beta.cct >ours
	cmp theirs ours
}

@test "script prints the samples of a phase that reports count" {
	local phase
	for phase in alpha beta "*"; do
		expect_equal "samples in $phase" \
			"$("$DENDRO" script -F comm,time,event --phase "$phase" phases.data | grep -c cpu-clock)" \
			"$(report_json phases.cct --phase "$phase" | jq '.metrics[0].samples')"
	done
	"$DENDRO" annotate alpha --phase beta phases.data 2>&1 | grep -q alpha
	"$DENDRO" diff --phase alpha phases.data -- phases.cct -f json |
		jq -e '(.total.before - .total.after) == 0'
}

@test "a phase or an event that one of several files has is chosen among all" {
	record other.data -e cpu-clock,page-faults -- true
	"$DENDRO" build -o other.cct other.data
	"$DENDRO" merge -o both.cct phases.cct other.cct
	local filter
	for filter in '--phase alpha' '-e page-faults' '--epoch 1 --phase alpha'; do
		# shellcheck disable=SC2086
		"$DENDRO" report -f csv --view functions $filter other.data phases.cct >ours
		# shellcheck disable=SC2086
		"$DENDRO" report -f csv --view functions $filter both.cct >theirs
		cmp theirs ours
		[ "$(wc -l <ours)" -gt 2 ]
	done
	refuses "none of the recordings has a phase 'nosuch': dendro report --view phases" -- \
		"$DENDRO" report --phase alpha,nosuch other.data phases.cct
	refuses "none of the recordings has an epoch '99'" -- \
		"$DENDRO" report --epoch 99 other.data phases.cct
	refuses "the recording has no event 'nosuch'" -- \
		"$DENDRO" report -e nosuch other.data phases.cct
}

@test "that no sample of several files passes is explained by all of them" {
	record true.data -- true
	"$DENDRO" report --comm 'phases' --phase alpha --cpu 9999 true.data phases.data 2>notes >/dev/null
	expect_equal notes "$(<notes)" "dendro report: no sample passes --cpu."
	"$DENDRO" report --comm nosuch true.data phases.data 2>notes >/dev/null
	expect_equal notes "$(<notes)" "dendro report: no sample is of a command 'nosuch'."
}

@test "the samples of a phase of several files are added up" {
	expect_equal samples \
		"$("$DENDRO" report -f json --phase alpha phases.data phases.cct | jq '.metrics[0].samples')" \
		$((2 * $(report_json phases.data --phase alpha | jq '.metrics[0].samples')))
}

@test "a phase that is not there is an error that names those there are" {
	local file
	for file in phases.data phases.cct; do
		refused report --phase nosuch $file
		expect_equal lines "$output" "dendro report: the recording has no phase 'nosuch'. Its phases are:
  alpha
  beta"
	done
	refused script --phase alpha,nosuch phases.data
	[[ $output == *"Its phases are:"* ]]
}

@test "a comparison names the file that has no such phase, epoch or cgroup" {
	record bare.data -- true
	refused diff --phase alpha phases.data bare.data
	expect_equal message "$output" "dendro diff: bare.data: the recording has no phases: dendro record --phase-fifo, or SIGUSR1 to it, marks them."
	refused diff --phase alpha bare.data phases.cct
	[[ $output == "dendro diff: bare.data: the recording has no phases:"* ]]
	refused diff --phase nosuch phases.cct bare.data
	[[ $output == "dendro diff: phases.cct: the recording has no phase 'nosuch'. Its phases are:"* ]]
	refused diff --view phases phases.data bare.data
	[[ $output == "dendro diff: bare.data: the recording has no phases:"* ]]
	refused diff --epoch 77 phases.data bare.data
	[[ $output == "dendro diff: phases.data: no process has an epoch 77: "* ]]
	refused diff --cgroup '*' phases.data bare.data
	[[ $output == "dendro diff: phases.data: the samples do not have their cgroups: "* ]]
	refused diff --view cgroups phases.cct bare.data
	[[ $output == "dendro diff: phases.cct: the samples do not have their cgroups: "* ]]
}

@test "the view of phases has a row for each, whose costs add up" {
	local format
	for format in json csv; do
		"$DENDRO" report --view phases -f $format phases.data >"theirs.$format"
		"$DENDRO" report --view phases -f $format phases.cct >ours
		cmp ours "theirs.$format"
	done
	expect_equal rows "$(jq -r '.rows[] | "\(.name) \(.id)"' theirs.json)" "[before the first phase] null
[no phase] null
alpha 1
beta 2
alpha 3"
	jq -e '([.rows[].total[0]] | add) == .metrics[0].total' theirs.json
	jq -e '[.rows[] | select(.id)] | .[0].start_ns + .[0].duration_ns == .[1].start_ns
		and .[1].start_ns + .[1].duration_ns == .[2].start_ns' theirs.json
	jq -e '.rows[-1].start_ns + .rows[-1].duration_ns <= .times.duration_ns' theirs.json
	expect_equal beta "$(jq '.rows[3].total[0]' theirs.json)" \
		"$(report_json phases.data --phase beta --view functions | jq '.metrics[0].total')"
	grep -Eq '^1,"beta","",phase,2,[0-9]+,[0-9]+,' theirs.csv
	"$DENDRO" report --view phases --phase beta phases.cct |
		grep -Eq ' -  alpha \(at [0-9.]+ s, for [0-9.]+ s\)$'
}

@test "SIGUSR1 begins a numbered phase, and a recording without marks has none" {
	"$DENDRO" record -q -e cpu-clock -o signal.data -- sleep 600 &
	local recorder=$!
	wait_until [ -s signal.data ]
	wait_until has_command_of $recorder
	kill -USR1 $recorder
	wait_until marks_are_taken $recorder
	kill -INT $recorder
	wait $recorder || true
	refused report --phase none signal.data
	expect_equal phases "$output" "dendro report: the recording has no phase 'none'. Its phases are:
  phase 1"
	record none.data -- true
	refused report --phase a none.data
	[[ $output == *"the recording has no phases: dendro record --phase-fifo, or SIGUSR1 to it, marks them." ]]
	refused report --view phases none.data
	[[ $output == *"the recording has no phases:"* ]]
}

has_command_of() {
	pgrep -P "$1" -x sleep
}

# The signal is pending for the recorder until it has read it.
marks_are_taken() {
	local pending
	pending=$(awk '/^ShdPnd:/ { print $2 }' "/proc/$1/status")
	[ $((0x$pending >> 9 & 1)) -eq 0 ]
}

@test "names of phases are shown without their control characters" {
	mkfifo -m 600 kept
	"$DENDRO" record -q -e cpu-clock --phase-fifo kept -o names.data -- \
		sh -c 'printf "\033[31mred\n%0300d\n" 0 >kept'
	[ -p kept ]
	refused report --phase nosuch names.data
	[ "${lines[1]}" = '  \x1b[31mred' ]
	expect_equal length "$(printf %s "${lines[2]}" | wc -c)" $((2 + 255))
}

@test "what is not a FIFO is refused and kept" {
	echo text >file
	refused record -q --phase-fifo file -o refused.data -- true
	[[ $output == *"--phase-fifo: 'file' exists, and is not a FIFO." ]]
	expect_equal contents "$(<file)" text
	refused record -q --phase-fifo nosuch/fifo -o refused.data -- true
	[[ $output == *"--phase-fifo: cannot open 'nosuch/fifo': No such file or directory." ]]
	[ ! -e refused.data ]
}

@test "a sum of runs has the phases of each" {
	local sum="second.data phases.cct" file phase format
	record second.data --phase-fifo fifo -- "$WORKLOADS/phases" fifo
	"$DENDRO" merge -o sum.cct second.data phases.cct
	"$DENDRO" build --slices 3 -o slices.cct phases.data second.data
	for file in sum.cct slices.cct "$sum"; do
		for phase in alpha beta '*'; do
			# shellcheck disable=SC2086
			expect_equal "samples in $phase of $file" \
				"$("$DENDRO" report -f json --phase "$phase" $file | jq '.metrics[0].samples')" \
				$(($(report_json phases.data --phase "$phase" | jq '.metrics[0].samples') +
					$(report_json second.data --phase "$phase" | jq '.metrics[0].samples')))
		done
	done
	for format in json csv; do
		"$DENDRO" report -f $format --view phases sum.cct >"sum.$format"
		# shellcheck disable=SC2086
		"$DENDRO" report -f $format --view phases $sum | cmp - "sum.$format"
	done
	expect_equal rows "$(jq -r '.rows[] | "\(.name) \(.id) \(.run)"' sum.json)" "[before the first phase] null null
[no phase] null null
alpha 1 1
beta 2 1
alpha 3 1
alpha 4 2
beta 5 2
alpha 6 2"
	jq -e '([.rows[].total[0]] | add) == .metrics[0].total' sum.json
	"$DENDRO" report --view phases sum.cct | grep -Eq ' beta \(run 2, at [0-9.]+ s, for [0-9.]+ s\)$'
	"$DENDRO" merge -o again.cct sum.cct
	cmp sum.cct again.cct
}

@test "perf reads a recording with phases" {
	need perf
	perf script -i phases.data 2>/dev/null | grep -q alpha
}
