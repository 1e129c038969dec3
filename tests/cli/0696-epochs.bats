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

# The program's functions that are active in epochs.
functions_in() { # functions_in FILE EPOCH
	report_json "$1" --view functions --kernel none --comm epochs --epoch "$2" |
		jq -r '[.rows[].name | select(. == ("before", "alpha_inner", "gamma_inner", "again"))]
			| sort | join(" ")'
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
	grep -Eq '^ *[0-9.]+% +[0-9]+  epochs \(pid [0-9]+\) #2 \(at [0-9.]+ s, for [0-9.]+ s\): libalpha.so$' text
}

@test "whole names are shown where they are wanted" {
	"$DENDRO" report --view epochs --full-names epochs.cct >whole
	COLUMNS=50 "$DENDRO" report --view epochs epochs.cct >narrow
	grep -q "): libgamma.so$" whole
	grep -q "epochs (pid [0-9]*) #3 (at.*[.][.][.]$" narrow
}

@test "an epoch has the functions that ran in it, in a recording and in its profile" {
	local file
	for file in epochs.data epochs.cct; do
		expect_equal "before and after" "$(functions_in $file 1)" "again before"
		expect_equal alpha "$(functions_in $file libalpha.so)" alpha_inner
		expect_equal gamma "$(functions_in $file 'libgam*')" gamma_inner
		expect_equal both "$(functions_in $file 2,3)" "alpha_inner gamma_inner"
		expect_equal range "$(functions_in $file 2-3)" "alpha_inner gamma_inner"
		expect_equal glob "$(functions_in $file 'lib*')" "alpha_inner gamma_inner"
		expect_equal all "$(functions_in $file 1,lib*)" "again alpha_inner before gamma_inner"
	done
}

@test "reports of chosen samples are the same of a recording and of its profile" {
	local view format options
	local pid
	pid=$(epochs_of epochs.cct | jq '.[0].pid')
	for options in "--epoch 2" "--epoch lib*" "--epoch 1 --comm epochs" "--epoch 1,3 --time 20%-90%" \
		"--pid $pid" "--comm epochs" "--time 50%-" "--kernel none" "--cpu 0-1023"; do
		for view in epochs tree functions threads; do
			for format in json csv; do
				# shellcheck disable=SC2086
				"$DENDRO" report --view $view -f $format $options epochs.data >theirs
				# shellcheck disable=SC2086
				"$DENDRO" report --view $view -f $format $options epochs.cct >ours
				cmp theirs ours || { echo "$view $format $options"; return 1; }
			done
		done
	done
	"$DENDRO" build --epoch 2 -o alpha.cct epochs.data
	"$DENDRO" report -f json --epoch 2 epochs.cct >theirs
	"$DENDRO" report -f json alpha.cct >ours
	cmp theirs ours
}

@test "what is left out does not change the epochs that are shown" {
	local options
	epochs_of epochs.data | jq 'map({id, start_ns, duration_ns, loaded})' >all
	for options in "--epoch 3" "--epoch 1" "--comm epochs"; do
		# shellcheck disable=SC2086
		epochs_of epochs.data $options | jq 'map({id, start_ns, duration_ns, loaded})' >some
		jq -e --slurpfile all all 'length > 0 and (. - $all[0]) == []' some
	done
	expect_equal "with one sample or none" \
		"$(epochs_of epochs.data --epoch 3 | jq -c 'map([.id, .total[0] > 0])')" \
		"[[1,false],[2,false],[3,true]]"
}

@test "other commands choose the samples of an epoch that reports count" {
	local epoch
	for epoch in 1 libalpha.so 2-3; do
		expect_equal "samples in $epoch" \
			"$("$DENDRO" script -F comm,time,event --epoch "$epoch" epochs.data | grep -c cpu-clock)" \
			"$(report_json epochs.cct --epoch "$epoch" | jq '.metrics[0].samples')"
		expect_equal "the row of $epoch" \
			"$(report_json epochs.cct --view epochs --epoch "$epoch" | jq '[.rows[].total[0]] | add')" \
			"$(report_json epochs.cct --epoch "$epoch" | jq '.metrics[0].total')"
	done
	"$DENDRO" annotate alpha_inner --epoch 2 epochs.data 2>&1 | grep -q alpha_inner
	"$DENDRO" diff --epoch 2 epochs.data -- epochs.cct -f json | jq -e '(.total.before - .total.after) == 0'
	"$DENDRO" export -f folded --epoch 2 epochs.data >stacks
	grep -q 'alpha_inner' stacks
	! grep -q 'gamma_inner' stacks || return 1
}

@test "an epoch that is not there is an error that names those there are" {
	local file
	for file in epochs.data epochs.cct; do
		refused report --epoch nosuch.so $file
		expect_equal first "${lines[0]}" \
			"dendro report: no epoch began with a file 'nosuch.so'. They began with these:"
		[[ $output == *"
  libalpha.so"* ]]
		refused report --epoch 3000 $file
		[[ $output == "dendro report: no process has an epoch 3000: the numbers are 1 to "* ]]
		refused report --epoch 0 $file
	done
	refused script --epoch 1,nosuch.so epochs.data
	[[ $output == *"They began with these:"* ]]
	record none.data -- "$WORKLOADS/sorter" 0.1
	refused report --epoch libm.so.6 none.data
	[[ $output == *"no process loaded a file after its code began to run"* ]]
}

@test "a sum of runs has the epochs of each" {
	local sum="second.data epochs.cct" file epoch format
	record second.data -- "$WORKLOADS/epochs" >/dev/null
	"$DENDRO" merge -o sum.cct second.data epochs.cct
	"$DENDRO" build --slices 3 -o slices.cct epochs.data second.data
	for file in sum.cct slices.cct "$sum"; do
		for epoch in 2 'lib*' 1-2; do
			# shellcheck disable=SC2086
			expect_equal "samples in $epoch of $file" \
				"$("$DENDRO" report -f json --epoch "$epoch" $file | jq '.metrics[0].samples')" \
				$(($(report_json epochs.data --epoch "$epoch" | jq '.metrics[0].samples') +
					$(report_json second.data --epoch "$epoch" | jq '.metrics[0].samples')))
		done
	done
	for format in json csv; do
		"$DENDRO" report -f $format --view epochs sum.cct >ours
		# shellcheck disable=SC2086
		"$DENDRO" report -f $format --view epochs $sum | cmp - ours
	done
	"$DENDRO" report -f json --view epochs sum.cct >all
	jq -e '([.rows[].total[0]] | add) == .metrics[0].total' all
	expect_equal numbers "$(jq -c '[.rows[] | select(.process == "epochs")]
		| group_by(.run) | map(map(.id) | sort)' all)" '[[1,1,2,3],[1,1,2,3]]'
	"$DENDRO" report --view epochs sum.cct | grep -q '#2 (run 2, at .*libalpha.so$'
}

@test "the epochs of a run are in a sum once" {
	"$DENDRO" merge -o again.cct epochs.cct epochs.data
	expect_equal "samples of files with it" \
		"$("$DENDRO" report -f json --epoch 2 epochs.data epochs.cct | jq '.metrics[0].samples')" \
		$((2 * $(report_json epochs.data --epoch 2 | jq '.metrics[0].samples')))
	local file
	for file in again.cct epochs.cct; do
		report_json $file --view epochs | jq -c '.rows[] | [.name, .start_ns, .duration_ns, .loaded]' |
			sort >"$file.epochs"
	done
	cmp again.cct.epochs epochs.cct.epochs
}
