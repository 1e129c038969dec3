# Programs whose shares and paths are known by construction, at -O2 without frame pointers.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	local name
	for name in dispatch figure1 threads forkexec recursion reload reader cxx signals; do
		take "$name" "$WORKLOADS/$name" 2
	done
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

@test "two callers give one worker work 1:2" {
	expect_ratio dispatch dispatch_1 1 dispatch_2 2
	[ "$(total_of dispatch.functions dispatch_2)" -gt 100 ]
}

@test "the worker is found below its two callers and nowhere else" {
	expect_equal parents "$(ask dispatch.tree 'parents_of("worker") | join(" ")')" \
		"dispatch_1 dispatch_2"
	expect_equal parents "$(ask dispatch.tree 'parents_of("dispatch_1") | join(" ")')" main
	local below
	below=$(ask dispatch.tree '[nodes | select(.name == "worker" and (from_main |
		test("^main dispatch_[12] worker$"))) | .total] | add | round')
	expect_at_least "main dispatch worker" "$below" \
		"$(ask dispatch.tree '.metrics[0].samples')" 98
}

@test "the frames above main belong to the C library's startup code" {
	local above
	above=$(ask dispatch.tree '[nodes | select(.name == "main") | .path[:-1]
		| .[-3:] | join(" ")] | unique | .[]')
	echo "$above"
	[[ "$above" =~ ^_start\ __libc_start_main[^\ ]*\ [^\ ]+$ ]]
}

@test "a caller that calls half as often with twice the work costs the same" {
	expect_ratio figure1 a 1 b 1
	expect_equal "below a" "$(ask figure1.tree 'children_of("a") | join(" ")')" c
	expect_equal "below b" "$(ask figure1.tree 'children_of("b") | join(" ")')" c
	expect_equal "above d" "$(ask figure1.tree 'parents_of("d") | join(" ")')" c
}

@test "threads share 1:2:3, each with its own name" {
	"$DENDRO" script threads.data >threads.script
	local sum=0 i
	local -a count
	for i in 1 2 3; do
		# The work alone: taking turns costs all threads the same, and more on a busy machine.
		count[i]=$(awk -v name="worker-$i" 'BEGIN { RS = "" }
			$1 == name && /thread_work/ { n++ } END { print n + 0 }' threads.script)
		sum=$((sum + count[i]))
	done
	for i in 1 2 3; do
		expect_share "worker-$i" "${count[i]}" "$sum" "$i" 6
	done
}

@test "--tid restricts a report to one thread" {
	local tid n
	tid=$("$DENDRO" script threads.data | awk '$1 == "worker-3" { print $2; exit }')
	tid=${tid##*/}
	# By tid: its first sample may still carry the name it inherited.
	n=$("$DENDRO" script threads.data | awk -v tid="$tid" '$2 == tid && /cpu-clock/' | wc -l)
	report_json threads.data --tid "$tid" >one.tree
	expect_equal samples "$(ask one.tree '.metrics[0].samples')" "$n"
}

@test "threads start at clone and reach their function" {
	local main_total
	main_total=$(ask threads.tree '[nodes | select(.name == "thread_main") | .total] | add | round')
	expect_at_least "below thread_main" "$main_total" "$(ask threads.tree '.metrics[0].samples')" 97
}

@test "a parent, its forked child and its execed child share 1:2:3" {
	expect_ratio forkexec parent_work 1 forked_work 2 execed_work 3
}

@test "forked and execed processes are shown with their own names" {
	report_json forkexec.data --view processes >processes
	local names
	names=$(ask processes '[.rows[].name] | join(" ")')
	echo "$names"
	[[ "$names" == *forked* ]]
	[[ "$names" == *execed* ]]
	[[ "$names" == *forkexec* ]]
	report_json forkexec.data --comm forked >forked.tree
	expect_at_least "forked_work in forked" "$(ask forked.tree 'samples_under(.name == "forked_work")')" \
		"$(ask forked.tree '.metrics[0].samples')" 90
	expect_equal "execed_work in forked" "$(ask forked.tree 'samples_under(.name == "execed_work")')" 0
}

@test "recursion counts once in inclusive shares" {
	expect_ratio recursion recurse 1 even 1 plain 2
	expect_ratio recursion recurse 1 odd 1 plain 2
}

@test "recursion keeps every level in the tree" {
	expect_every_level recursion
}

@test "two libraries loaded in turn at one address are distinguished" {
	grep -q '^0 loads elsewhere' reload.out || skip "the loader chose other addresses"
	expect_ratio reload alpha_work 1 gamma_work 2
	expect_ratio reload alpha_inner 1 gamma_inner 2
	expect_equal "below alpha_work" "$(ask reload.tree 'children_of("alpha_work") | join(" ")')" \
		alpha_inner
	expect_equal "below gamma_work" "$(ask reload.tree 'children_of("gamma_work") | join(" ")')" \
		gamma_inner
	expect_equal "below call_library" "$(ask reload.tree 'children_of("call_library") | join(" ")')" \
		"alpha_work gamma_work"
}

@test "stripped libraries loaded in turn keep their shares by module" {
	record stripped-reload.data -- "$WORKLOADS/stripped/reload" 2
	report_json stripped-reload.data --view modules >modules
	local alpha gamma
	alpha=$(ask modules 'rows_named("libalpha.so") | .self')
	gamma=$(ask modules 'rows_named("libgamma.so") | .self')
	expect_share libalpha.so "$alpha" $((alpha + gamma)) 1 3
}

@test "kernel frames of read(2) are below the function that reads" {
	expect_ratio reader reader_1 1 reader_2 2
	local all kernel below
	all=$(ask reader.tree '.metrics[0].samples')
	kernel=$(ask reader.tree 'samples_under(.kind == "kernel")')
	expect_at_least "in the kernel" "$kernel" "$all" 80
	below=$(ask reader.tree '[nodes | select(.kind == "kernel" and .kinds[-2] != "kernel"
		and (from_main | test("^main reader_[12] read_once [^ ]*read ")))
		| .total] | add | round')
	expect_at_least "below main, reader, read_once, read" "$below" "$kernel" 98
}

@test "a marker separates user and kernel frames" {
	local entered
	entered=$(ask reader.tree '[nodes | select(.kind == "kernel" and .kinds[-2] != "kernel")
		| .kinds[-2]] | unique | join(" ")')
	expect_equal "above the first kernel frame" "$entered" marker
}

@test "--kernel none gives the kernel's cost to the user function that entered it" {
	report_json reader.data --kernel none >none.tree
	expect_equal "kernel frames" "$(ask none.tree 'samples_under(.kind == "kernel")')" 0
	expect_equal total "$(ask none.tree '.nodes[0][3][0]')" "$(ask reader.tree '.nodes[0][3][0]')"
	report_json reader.data --kernel none --view functions >none.functions
	expect_at_least "self of read" \
		"$(ask none.functions '[.rows[] | select(.name | test("read(@.*)?$")) | .self[0]] | add')" \
		"$(ask none.functions '.metrics[0].total')" 80
}

@test "std::sort's callbacks and exceptions share 1:2 by caller" {
	expect_ratio cxx 'sort_1()' 1 'sort_2()' 2
	expect_ratio cxx 'catch_1(unsigned int)' 1 'catch_2(unsigned int)' 2
	grep -q '"Costly_less::operator()(int, int) const"' cxx.functions
}

@test "the interrupted function is the caller of a signal handler" {
	[ "$(total_of signals.functions handler_work)" -gt 20 ]
	expect_below signals '^main interrupted_work [^ ]+ handle handler_work$' handler_work 95
}

@test "a stripped program has the same tree, named by module and offset" {
	need nm
	record stripped.data -- "$WORKLOADS/stripped/dispatch" 2
	report_json stripped.data --view functions >stripped.functions
	report_json stripped.data >stripped.tree
	nm "$WORKLOADS/dispatch" >symbols
	python3 "$ROOT/tests/oracle/name_stripped.py" dispatch symbols <stripped.tree >named.tree
	local one two
	one=$(ask named.tree '[nodes | select(from_main == "main dispatch_1") | .total] | add | round')
	two=$(ask named.tree '[nodes | select(from_main == "main dispatch_2") | .total] | add | round')
	expect_share dispatch_1 "$one" $((one + two)) 1 3
	expect_at_least "below the two callers" $((one + two)) "$(ask named.tree '.metrics[0].samples')" 98
}

@test "at least 99 % of each program's samples end at the root" {
	local name
	for name in dispatch figure1 threads recursion reload reader cxx signals; do
		python3 "$ROOT/tests/oracle/outermost.py" --at-least 99 "$name.tree"
	done
	# Between exec's end of the old program and the begin of the new one there is no user stack.
	# Where the kernel's work on page tables is slow, 1 to 4 % of its samples are there.
	python3 "$ROOT/tests/oracle/outermost.py" --at-least 99 --with-memory forkexec.tree
}
