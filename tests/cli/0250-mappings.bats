# Code that is mapped in every way: each path and each share is known by construction.

load lib

MODES="dlmopen memfd removed replaced mapped copied frameless"

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	local mode
	for mode in $MODES; do
		record $mode.data -- "$WORKLOADS/mappings" $mode 0.6
		report_json $mode.data >$mode.tree
	done
	record reload.data -- "$WORKLOADS/reload" 0 300 >reload.out
	report_json reload.data >reload.tree
	record preload.data -- env LD_PRELOAD="$WORKLOADS/libpreload.so" "$WORKLOADS/sorter" 0.6
	report_json preload.data >preload.tree
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

expect_alpha_and_gamma() { # expect_alpha_and_gamma MODE
	expect_paths "$1.tree" alpha_inner "main caller_1 alpha_work alpha_inner"
	expect_paths "$1.tree" gamma_inner "main caller_2 gamma_work gamma_inner"
	expect_parts "$1.tree" alpha_inner 1 gamma_inner 2
	expect_complete "$1.tree" 99
}

@test "600 loads of two libraries at one address are told apart" {
	grep -q '^0 loads elsewhere' reload.out || skip "the loader chose other addresses"
	expect_paths reload.tree alpha_inner "main run_library call_library alpha_work alpha_inner"
	expect_paths reload.tree gamma_inner "main run_library call_library gamma_work gamma_inner"
	expect_parts reload.tree alpha_inner 1 gamma_inner 2
	expect_complete reload.tree 99
}

@test "dlmopen: one library twice, with another C library each" {
	expect_paths dlmopen.tree alpha_inner "main caller_1 alpha_work alpha_inner" \
		"main caller_2 alpha_work alpha_inner"
	expect_parts dlmopen.tree caller_1 1 caller_2 2
	expect_complete dlmopen.tree 99
}

@test "LD_PRELOAD: a function in front of the C library's" {
	expect_paths preload.tree preload_work "main sort_something qsort preload_work"
	local callers
	callers=$(ask preload.tree '[nodes | select(.name == "compare") | from_main] | unique | .[]')
	echo "$callers"
	[[ "$callers" =~ ^main\ sort_something\ qsort\ (qsort_r|[^ ]*libc[^ ]*)( [^ ]+)*\ compare$ ]]
	expect_parts preload.tree preload_work 1 compare 2
	expect_complete preload.tree 99
}

@test "libraries in memory only" {
	need_root
	expect_alpha_and_gamma memfd
}

@test "libraries that are removed as soon as they are loaded" {
	need_root
	[ ! -e libgone.so ]
	expect_alpha_and_gamma removed
}

@test "a library that another one replaces at its path, both in use" {
	need_root
	expect_alpha_and_gamma replaced
}

@test "a file's code mapped without the loader" {
	expect_alpha_and_gamma mapped
}

@test "code copied to memory of no file: leaf, and with frame pointers" {
	expect_paths copied.tree called_work "$(ask copied.tree \
		'[nodes | select(.name == "called_work") | from_main][0]')"
	expect_equal "above called_work" "$(ask copied.tree '[nodes | select(.name == "called_work")
		| .path[-3]] | unique | join(" ")')" framed_caller
	expect_parts copied.tree caller_1 1 framed_caller 2
	expect_complete copied.tree 99
	[ "$(jq '.quality.guessed' copied.tree)" -gt 50 ]
}

@test "code copied to memory whose callers can't be known ends there, and says so" {
	expect_equal "above called_work" "$(ask frameless.tree '[nodes | select(.name == "called_work")
		| .path[-3]] | unique | join(" ")')" "[no unwind information]"
	expect_equal "callers" "$(ask frameless.tree 'samples_under(.name == "frameless_caller"
		and ([.. | objects | select(.name? == "called_work")] | length > 0))')" 0
	expect_reasons frameless.tree no_unwind_info
}

@test "99.9 % of all these paths are complete" {
	local mode
	for mode in $MODES reload preload; do
		[ $mode = frameless ] || cat $mode.tree
	done | jq -s '{quality: {samples: map(.quality.samples) | add, unwind: (map(.quality.unwind)
		| reduce .[] as $u ({}; . as $sum | $u | with_entries(.value += ($sum[.key] // 0))))}}' \
		>all.json
	show expect_complete all.json 99.9
	expect_reasons all.json no_stack
}
