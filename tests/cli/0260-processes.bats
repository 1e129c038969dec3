# Processes and threads that start and end in many ways. The whole machine is recorded, because an
# inherited event begins its period again in each process; only the programs of this test are checked.
# alone: process IDs are reused, which works only where no other program takes them

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	need_root
	cd "$BATS_FILE_TMPDIR"
	record_mode fork 40
	record_mode vfork 40
	record_mode spawn 40
	record_mode threads 4
	record_mode brief 3000
	record_mode reuse 40
}

# Threads and processes by the names that they give themselves.
report_ours() { # report_ours FILE [OPTION...]
	local file=$1
	shift
	report_json "$file" --comm processes --comm child --comm grandchild --comm image \
		--comm thread "$@"
}

record_mode() { # record_mode MODE COUNT
	record "$1.data" -a -- "$WORKLOADS/processes" "$1" "$2"
	report_ours "$1.data" >"$1.tree"
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# expect_only FILE COMM FUNCTION... : of the functions that work, only these ran under that name
expect_only() {
	local file=$1 comm=$2
	shift 2
	report_json "$file" --comm "$comm" >one.tree
	expect_equal "work in $comm" "$(ask one.tree '[nodes | select(.name | test("_work$")) | .name]
		| unique | join(" ")')" "$*"
}

@test "forks without exec: parent, child and grandchild are distinguished" {
	expect_paths fork.tree parent_work "main parent_work"
	expect_paths fork.tree child_work "main fork_child child_work"
	expect_paths fork.tree grandchild_work "main fork_child fork_grandchild grandchild_work"
	expect_parts fork.tree parent_work 1 child_work 2 grandchild_work 3
	expect_only fork.data child child_work
	expect_only fork.data grandchild grandchild_work
	expect_complete fork.tree 99
}

@test "vfork: the child has its own paths in its parent's memory, and then the paths of another program" {
	expect_paths vfork.tree parent_work "main parent_work"
	expect_paths vfork.tree child_work "main vfork_child child_work"
	expect_paths vfork.tree image_work "main image_work"
	expect_parts vfork.tree parent_work 1 child_work 2 image_work 4
	expect_only vfork.data image image_work
	expect_complete vfork.tree 99
}

@test "posix_spawn: the child has the paths of the new program" {
	expect_paths spawn.tree parent_work "main parent_work"
	expect_paths spawn.tree image_work "main image_work"
	expect_parts spawn.tree parent_work 1 image_work 4
	expect_only spawn.data image image_work
	expect_complete spawn.tree 99
}

@test "64 threads at a time have complete paths" {
	expect_paths threads.tree parent_work "main parent_work"
	expect_equal "above child_work" \
		"$(ask threads.tree 'parents_of("child_work") | join(" ")')" thread_main
	expect_parts threads.tree parent_work 1 child_work 128
	expect_complete threads.tree 99
}

@test "3000 processes that live less than a millisecond have complete paths" {
	expect_paths brief.tree child_work "main fork_brief child_work"
	[ "$(ask brief.tree 'samples_under(.name == "child_work")')" -gt 30 ]
}

@test "an ID reused by a child, another program and a thread has the paths of each" {
	expect_paths reuse.tree child_work "main reuse_pid reuse_by_fork child_work"
	expect_paths reuse.tree image_work "main image_work"
	expect_equal "above grandchild_work" \
		"$(ask reuse.tree 'parents_of("grandchild_work") | join(" ")')" reusing_thread
	expect_parts reuse.tree parent_work 1 child_work 2 image_work 4 grandchild_work 3
	expect_only reuse.data child child_work
	expect_only reuse.data image image_work
	local n_pids
	n_pids=$("$DENDRO" script reuse.data |
		awk '$1 ~ /^(child|image|thread)$/ && /cpu-clock/ { print $2 }' | sort -u | wc -l)
	# Of more than 100, unless others took some between.
	[ "$n_pids" -le 20 ]
	expect_complete reuse.tree 99
}

@test "a chain of execs: the paths belong to the last program" {
	need env nice setsid nohup
	record chain.data -- sh -c "for i in 1 2 3 4 5; do
		sh -c \"exec env A=1 nice -n 1 setsid -w nohup sh -c 'exec env -i $WORKLOADS/processes image 400'\"
		done" 3>&-
	report_json chain.data >chain.tree
	expect_paths chain.tree image_work "main image_work"
	expect_only chain.data image image_work
	expect_reasons chain.tree no_stack
	expect_complete chain.tree 99
}

# In a new process the first write to the stack makes the kernel copy its page, which it cannot read
# meanwhile either. Before the process's first instruction, on the way to user mode, the kernel does
# deferred work such as task_mm_cid_work().
@test "samples without a stack were in a page fault, or before the first instruction" {
	local mode
	! has_unseen_faults || skip "page faults begin outside of this kernel"
	for mode in fork vfork spawn threads brief reuse; do
		expect_reasons $mode.tree no_stack
		"$DENDRO" script $mode.data | awk 'BEGIN { RS = ""; FS = "\n" }
			/no user stack/ && $1 ~ /^(processes|child|grandchild|image|thread) / &&
			!/page_fault|task_work_run/ { print; n++ }
			END { exit n > 0 }'
	done
}

@test "99.9 % of the paths of these processes are complete" {
	cat fork.tree vfork.tree spawn.tree threads.tree reuse.tree | jq -s '{quality: {
		samples: map(.quality.samples) | add, unwind: (map(.quality.unwind)
		| reduce .[] as $u ({}; . as $sum | $u | with_entries(.value += ($sum[.key] // 0))))}}' \
		>all.json
	cp brief.tree brief.json
	local file
	for file in all.json brief.json; do
		! has_unseen_faults || jq '.quality.samples -= .quality.unwind.no_stack' $file >seen.json
		! has_unseen_faults || mv seen.json $file
	done
	show expect_complete all.json 99.9
	show expect_complete brief.json 97
}
