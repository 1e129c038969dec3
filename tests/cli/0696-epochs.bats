# Epochs of processes: what was loaded when. The program prints when it loaded which library, and works
# in one function before and after each, so it is known what belongs to which epoch.

# shellcheck disable=SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record epochs.data -- "$WORKLOADS/epochs" >loads
	"$DENDRO" build -o epochs.cct epochs.data
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# The message of a command that fails is in $output.
refused() { # refused ARGUMENT...
	run "$DENDRO" "$@"
	expect_equal status "$status" 1
}

# The program's rows, in the order of time.
epochs_of() { # epochs_of FILE [OPTION...]
	report_json "$@" --view epochs |
		jq -c '.times.start_ns as $start | [.rows[] | select(.process == "epochs")
			| .start_ns += $start] | sort_by(.start_ns)'
}

@test "each library that a program loads begins an epoch, and exec begins another process" {
	local file
	for file in epochs.data epochs.cct; do
		epochs_of $file >rows
		expect_equal numbers "$(jq -c 'map(.id)' rows)" "[1,2,3,1]"
		expect_equal loaded "$(jq -c '[.[1,2] | .loaded, .files]' rows)" \
			'[["libalpha.so"],1,["libgamma.so"],1]'
		jq -e 'all(.[0,3]; (.loaded | index("epochs")) and .files == (.loaded | length))' rows
		expect_equal names "$(jq -r '.[1].name' rows)" "epochs (pid $(jq '.[0].pid' rows)) #2"
		expect_equal pids "$(jq 'map(.pid) | unique | length' rows)" 1
	done
}

@test "an epoch begins while its library is loaded, and lasts until the next one is" {
	local name from to i=1
	epochs_of epochs.cct >rows
	while read -r name from to; do
		jq -e --argjson i $i --argjson from "$from" --argjson to "$to" \
			'.[$i].start_ns >= $from and .[$i].start_ns <= $to' rows ||
			{ echo "lib$name.so was not loaded then"; return 1; }
		i=$((i + 1))
	done <loads
	expect_equal libraries $i 3
	jq -e '.[0].start_ns + .[0].duration_ns == .[1].start_ns and
		.[1].start_ns + .[1].duration_ns == .[2].start_ns' rows
	jq -e '.[2].start_ns + .[2].duration_ns <= .[3].start_ns' rows
}

@test "epochs have the samples of their process, in a recording and in its profile" {
	local format
	for format in json csv text; do
		"$DENDRO" report --view epochs -f $format epochs.data | sed 1d >theirs
		"$DENDRO" report --view epochs -f $format epochs.cct | sed 1d >ours
		cmp theirs ours
	done
	report_json epochs.cct --view epochs >all
	jq -e '([.rows[].total[0]] | add) == .metrics[0].total' all
}

@test "the process that costs most comes first, and its epochs follow one another" {
	report_json epochs.cct --view epochs |
		jq -e '.rows as $rows | [range($rows | length) | select($rows[.].id != 1)] as $later
			| ($later | length) > 0 and all($later[];
				$rows[. - 1].pid == $rows[.].pid and $rows[. - 1].id + 1 == $rows[.].id)
			and (reduce $rows[] as $row ([]; if $row.id == 1 then . + $row.total
				else .[-1] += $row.total[0] end) | . == (sort | reverse))'
	"$DENDRO" report --view epochs epochs.cct >text
	grep -Eq '^ *[0-9.]+% +[0-9]+  epochs \(pid [0-9]+\) #2 \(at [0-9.]+ s, [0-9.]+ s\): libalpha.so$' text
}

@test "whole names are shown where they are wanted" {
	"$DENDRO" report --view epochs --full-names epochs.cct >whole
	COLUMNS=50 "$DENDRO" report --view epochs epochs.cct >narrow
	grep -q "): libgamma.so$" whole
	grep -q "epochs (pid [0-9]*) #3 (at.*[.][.][.]$" narrow
}

@test "a sum of runs has no epochs" {
	refused report --view epochs epochs.data epochs.cct
	[[ $output == *"a sum does not have the epochs of its processes." ]]
	"$DENDRO" merge -o sum.cct epochs.data epochs.cct
	refused report --view epochs sum.cct
	[[ $output == *"the profile has no epochs of processes"* ]]
}
