# Code that is mapped in many ways: each path and each share is known by construction.

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

@test "600 loads of two libraries at one address are distinguished" {
	grep -q '^0 loads elsewhere' reload.out || skip "the loader chose other addresses"
	expect_paths reload.tree alpha_inner "main run_library call_library alpha_work alpha_inner"
	expect_paths reload.tree gamma_inner "main run_library call_library gamma_work gamma_inner"
	expect_parts reload.tree alpha_inner 1 gamma_inner 2
	expect_complete reload.tree 99
}

@test "dlmopen: one library is loaded twice, each with a separate C library" {
	expect_paths dlmopen.tree alpha_inner "main caller_1 alpha_work alpha_inner" \
		"main caller_2 alpha_work alpha_inner"
	expect_parts dlmopen.tree caller_1 1 caller_2 2
	expect_complete dlmopen.tree 99
}

@test "LD_PRELOAD: a function replaces that of the C library" {
	expect_paths preload.tree preload_work "main sort_something qsort preload_work"
	local callers
	callers=$(ask preload.tree '[nodes | select(.name == "compare") | from_main] | unique | .[]')
	echo "$callers"
	[[ "$callers" =~ ^main\ sort_something\ qsort\ (qsort_r|[^ ]*libc[^ ]*)( [^ ]+)*\ compare$ ]]
	expect_parts preload.tree preload_work 1 compare 2
	expect_complete preload.tree 99
}

@test "libraries that exist only in memory are named" {
	need_root
	expect_alpha_and_gamma memfd
}

@test "libraries that are removed as soon as they are loaded are named" {
	need_root
	[ ! -e libgone.so ]
	expect_alpha_and_gamma removed
}

@test "a library and the one that replaced it at its path are distinguished" {
	need_root
	expect_alpha_and_gamma replaced
}

@test "code of a file that is mapped without the loader is named" {
	expect_alpha_and_gamma mapped
}

@test "code copied to anonymous memory: leaves, and functions with frame pointers, have callers" {
	expect_paths copied.tree called_work "$(ask copied.tree \
		'[nodes | select(.name == "called_work") | from_main][0]')"
	expect_equal "above called_work" "$(ask copied.tree '[nodes | select(.name == "called_work")
		| .path[-3]] | unique | join(" ")')" framed_caller
	expect_parts copied.tree caller_1 1 framed_caller 2
	expect_complete copied.tree 99
	[ "$(jq '.quality.guessed' copied.tree)" -gt 50 ]
}

@test "copied code that keeps no frame pointers has callers, because its bytes are followed" {
	expect_equal "above called_work" "$(ask frameless.tree '[nodes | select(.name == "called_work")
		| .path[-3]] | unique | join(" ")')" frameless_caller
	expect_complete frameless.tree 99
	[ "$(jq '.quality.guessed' frameless.tree)" -gt 50 ]
}

@test "99.9 % of the paths through these mappings are complete" {
	local mode
	for mode in $MODES reload preload; do
		cat $mode.tree
	done | jq -s '{quality: {samples: map(.quality.samples) | add, unwind: (map(.quality.unwind)
		| reduce .[] as $u ({}; . as $sum | $u | with_entries(.value += ($sum[.key] // 0))))}}' \
		>all.json
	show expect_complete all.json 99.9
	expect_reasons all.json no_stack
}
