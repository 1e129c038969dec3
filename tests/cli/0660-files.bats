# The sources of program files: sysroots, roots of other processes, symbols packed into stripped
# files; and what reports say about missing, changed or doubtful files.

load lib

setup() {
	need_events
	need gcc objcopy strip readelf
	cd "$BATS_TEST_TMPDIR"
}

compile() { # compile NAME [OPTION...]
	local name=$1
	shift
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -o "$name" "${SOURCE:-$ROOT/tests/workloads/inlined.c}" "$@"
}

build_id() { # build_id FILE
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

# debug_path ROOT FILE : the path of FILE's debug file below ROOT
debug_path() {
	local id
	id=$(build_id "$2")
	echo "$1/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
}

# split_debug ROOT FILE : strips it; its debug file goes below ROOT
split_debug() {
	local to
	to=$(debug_path "$1" "$2")
	mkdir -p "$(dirname "$to")"
	objcopy --only-keep-debug "$2" "$to"
	strip "$2"
}

# The kinds of the frames with a given name that have more than 5 samples.
kinds_of() { # kinds_of REPORT NAME
	ask "$1" '[nodes | select(.name == $n and .total > 5) | .kinds[-1]] | unique | join(" ")' --arg n "$2"
}

problem_of() { # problem_of REPORT MODULE
	jq -r --arg m "$2" '.missing[] | select(.module == $m) | .lacks + ": " + .problem' "$1"
}

@test "programs and debug files are read from a sysroot" {
	compile program
	mkdir -p "sys$PWD"
	split_debug sys program
	record program.data -- ./program 0.3
	mv program "sys$PWD"
	report_json program.data >plain.tree
	expect_equal "without it" "$(kinds_of plain.tree unit)" ""
	expect_equal problem "$(problem_of plain.tree program)" "names: the file is missing"
	report_json program.data --symfs sys >sys.tree
	expect_equal "with it" "$(kinds_of sys.tree unit)" inline
	expect_reasons sys.tree module_unreadable
	problem_of sys.tree program
	# this machine's libc, which would serve, is not looked at
	[[ "$(problem_of sys.tree libc.so.6)" == "names: the file is missing"* ]]
	"$DENDRO" script --symfs sys program.data | grep -q ' outer_of_one+0x'
	"$DENDRO" script program.data | lacks ' outer_of_one+0x'
	"$DENDRO" debug-unwind --symfs sys program.data >summary
	lacks "$PWD/program: file is missing" summary
	refuses 'no/such' -- "$DENDRO" report --symfs no/such program.data
	refuses 'program.data' -- "$DENDRO" report --symfs program.data program.data
}

@test "a copy in a sysroot is used where no build ID was recorded, with a doubt" {
	compile program -Wl,--build-id=none
	record program.data -- ./program 0.3
	mkdir -p "sys$PWD"
	mv program kept && cp kept "sys$PWD/program"
	report_json program.data --symfs sys >sys.tree
	expect_equal kinds "$(kinds_of sys.tree unit)" inline
	expect_equal doubt "$(problem_of sys.tree program)" \
		"certainty: may be another file: no build ID was recorded to verify it"
	"$DENDRO" archive -q --symfs sys -o program.archive program.data || [ $? -eq 2 ]
	expect_equal "doubt of the archive" "$(report_json program.archive >archive.tree
		problem_of archive.tree program)" "$(problem_of sys.tree program)"
	# Without a sysroot a copy is another file.
	cp kept program
	report_json program.data >plain.tree
	expect_equal "at its path" "$(problem_of plain.tree program)" "names: changed since the recording"
}

@test "perf's recordings without build IDs are unwound with a sysroot's files" {
	need perf
	compile program
	perf record -q -m 4096 -F 997 -e cpu-clock -B -N --call-graph dwarf -o perf.data ./program 0.3 >out 2>&1 ||
		skip "perf cannot record here"
	mkdir -p "sys$PWD"
	mv program "sys$PWD/kept" && cp "sys$PWD/kept" "sys$PWD/program"
	report_json perf.data --symfs sys >sys.tree
	cat out # shown if it fails
	"$DENDRO" report --symfs sys perf.data | head -n 20
	expect_equal kinds "$(kinds_of sys.tree unit)" inline
}

@test "symbolic links in a sysroot are resolved inside of it" {
	compile program
	record program.data -- ./program 0.3
	mkdir -p "sys$PWD" "sys/real"
	mv program outside
	ln -s "$PWD/outside" "sys$PWD/program"
	report_json program.data --symfs sys >sys.tree
	expect_equal "a link to the outside" "$(kinds_of sys.tree unit)" ""
	ln -sf ../../../../../../../../../../../../../../"$PWD/outside" "sys$PWD/program"
	report_json program.data --symfs sys >sys.tree
	expect_equal "a link upwards" "$(kinds_of sys.tree unit)" ""
	mv outside sys/real/it
	ln -sf /real/it "sys$PWD/program"
	report_json program.data --symfs sys >sys.tree
	expect_equal "an absolute link" "$(kinds_of sys.tree unit)" inline
}

@test "a program that was built again is not used, and the report contains that once" {
	compile program
	local before after
	before=$(build_id program)
	record program.data -- ./program 0.3
	compile program -O1
	after=$(build_id program)
	report_json program.data >program.tree
	expect_equal names "$(ask program.tree '[nodes | select(.path[-1] | test("unit|innermost|outer"))] | length')" 0
	expect_equal rows "$(ask program.tree '[nodes | select(.name | test("^program\\+0x"))] | length > 0')" true
	expect_equal problem "$(problem_of program.tree program)" "names: changed since the recording"
	expect_equal ids "$(jq -r '.missing[] | select(.module == "program")
		| .build_id + " " + .found_build_id' program.tree)" "$before $after"
	"$DENDRO" report program.data >text
	cat text
	expect_equal lines "$(grep -c 'program: changed since the recording' text)" 1
	grep -q "recorded $before" text
	grep -q "found $after" text
	# The dynamic loader's own paths are complete.
	expect_equal "callers by its CFI" "$(ask program.tree '[nodes | select((.name | test("^program\\+0x"))
		and (.path | index("[module file missing or changed]") | not))] | length')" 0
}

@test "a changed debug file is not used, and the report names the missing debug information" {
	compile program
	objcopy --only-keep-debug program program.debug
	objcopy --strip-debug --add-gnu-debuglink=program.debug program
	record program.data -- ./program 0.3
	report_json program.data >right.tree
	expect_equal right "$(kinds_of right.tree unit)" inline
	compile again -O1
	objcopy --only-keep-debug again program.debug
	report_json program.data >wrong.tree
	expect_equal wrong "$(kinds_of wrong.tree unit)" ""
	expect_equal problem "$(problem_of wrong.tree program)" "debug information: no debug information"
	"$DENDRO" report program.data >text
	grep -q "% *program; build ID $(build_id program)" text
	report_json program.data --no-inline >plain.tree
	expect_equal "not requested" "$(problem_of plain.tree program)" ""
}

@test "the report gives the reason why a file can't be read" {
	compile program
	record program.data -- ./program 0.3
	rm program && ln -s program program
	report_json program.data >program.tree
	expect_equal problem "$(problem_of program.tree program)" "names: the file can't be read"
	rm program
	echo "no program" >program
	report_json program.data >program.tree
	expect_equal problem "$(problem_of program.tree program)" "names: not an ELF file"
}

@test "missing files are sorted by cost, and files of small cost are only counted" {
	compile program
	cp program other
	record program.data -- sh -c './program 0.5; ./other 0.1'
	rm program other
	"$DENDRO" report --min 30 program.data >text
	cat text
	grep -A 1 '^Names are missing:' text | grep -q '% *program: the file is missing; build ID'
	grep -q 'more (--format json lists all)' text
	report_json program.data >program.tree
	expect_equal first "$(jq -r '.missing[0].module' program.tree)" program
}

@test "a file without build ID that was modified later is used, with a doubt" {
	compile program -Wl,--build-id=none
	record program.data -- ./program 0.3
	report_json program.data >program.tree
	expect_equal doubts "$(problem_of program.tree program)" ""
	touch -d '+1 hour' program
	report_json program.data >program.tree
	expect_equal kinds "$(kinds_of program.tree unit)" inline
	[[ "$(problem_of program.tree program)" == "certainty: may have changed"* ]]
	"$DENDRO" report program.data | grep -q 'program: may have changed'
	"$DENDRO" archive -q -o program.archive program.data
	rm program
	report_json program.archive >archive.tree
	cmp program.tree archive.tree
}

@test "the report doubts a file without build ID that was modified during the recording" {
	compile program -Wl,--build-id=none
	compile other -Wl,--build-id=none -O1
	record program.data -- sh -c './program 0.3; sleep 2.2'
	report_json program.data >program.tree
	expect_equal "not written" "$(problem_of program.tree program)" ""
	record program.data -- sh -c './program 0.3; sleep 2.2; cat other >program'
	report_json program.data >program.tree
	problem_of program.tree program
	problem_of program.tree program | grep -q '^certainty: may have changed'
	"$DENDRO" report program.data | grep -q 'program: may have changed: no build ID, and modified after it was mapped'
}

@test "the report does not doubt a program that was built during the recording" {
	compile other -Wl,--build-id=none
	record program.data -- sh -c 'sleep 1; cp other program; ./program 0.3'
	report_json program.data >program.tree
	expect_equal kinds "$(kinds_of program.tree unit)" inline
	expect_equal problem "$(problem_of program.tree program)" ""
}

@test "a truncated file is reported as truncated, not as stripped" {
	compile program
	record program.data -- ./program 0.3
	"$DENDRO" report program.data | lacks 'truncated'
	truncate -s $(($(stat -c %s program) / 8)) program
	report_json program.data >program.tree
	problem_of program.tree program
	problem_of program.tree program | grep -qx 'names: the file is truncated'
	"$DENDRO" report program.data | grep -q 'program: the file is truncated'
}

@test "symbols packed into a stripped file name its functions" {
	need xz nm
	compile whole -fno-inline
	cp whole program
	nm -D program --format=posix --defined-only | awk '{ print $1 }' | sort >dynamic
	nm whole --format=posix --defined-only | awk '$2 ~ /[tT]/ { print $1 }' | sort |
		comm -13 dynamic - >keep
	objcopy --only-keep-debug whole whole.debug
	objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbols=keep \
		whole.debug packed
	xz packed
	strip program
	objcopy --add-section .gnu_debugdata=packed.xz program
	record program.data -- ./program 0.3
	report_json program.data >program.tree
	[ "$(ask program.tree 'samples_under(.name == "called_by_inlined")')" -gt 30 ]
	[ "$(ask program.tree 'samples_under(.name == "outer_of_one")')" -gt 10 ]
	problem_of program.tree program | lacks names
	cp whole program && strip program
	record program.data -- ./program 0.3
	report_json program.data >program.tree
	expect_equal "without them" "$(ask program.tree 'samples_under(.name == "called_by_inlined")')" 0
}

# Two roots with different programs at the same path, each with its debug file.
make_container() { # make_container NAME SUFFIX
	mkdir -p "$1/bin"
	sed "s/\<\(middle\|innermost\|outer_of_one\|outer_of_two\|called_by_inlined\)\>/\1_$2/g" \
		"$ROOT/tests/workloads/inlined.c" >"$1.c"
	SOURCE=$1.c compile "$1/bin/same" -static -I "$ROOT/tests/workloads"
	split_debug "$1" "$1/bin/same"
}

make_containers() {
	need_root
	need chroot
	make_container one a || skip "no static programs can be made here"
	make_container two b
	cmp -s one/bin/same two/bin/same && return 1
	chroot one /bin/same 0.01 || skip "no chroot here"
}

runs_same() { # runs_same PID : the program in a root, no longer the chroot that starts it
	[ "$(<"/proc/$1/comm")" = same ]
}

@test "two containers with different files at one path have their own names and inlined functions" {
	make_containers
	chroot one /bin/same 600 3>&- &
	local first=$! second
	chroot two /bin/same 600 3>&- &
	second=$!
	record both.data -a -- "$ROOT/tests/cli/until_worked" 50 $first $second
	report_json both.data --comm same --pid $first,$second >both.tree
	stop $first $second
	expect_equal "of one" "$(kinds_of both.tree innermost_a)" inline
	expect_equal "of two" "$(kinds_of both.tree innermost_b)" inline
	expect_equal "mixed paths" "$(ask both.tree '[nodes | select((.path | any(endswith("_a"))) and
		(.path | any(endswith("_b"))))] | length')" 0
	expect_complete both.tree 98
	report_json both.data --comm same --pid $first,$second >dead.tree
	expect_equal "when they are gone" "$(kinds_of dead.tree innermost_a)" ""
	expect_equal "what is missing then" "$(jq -r '.missing[] | select(.module == "same" and .lacks == "names")
		| .build_id' dead.tree | sort)" \
		"$(for i in one two; do build_id $i/bin/same; done | sort)"
	expect_complete dead.tree 98
}

contained() { # contained ROOT COMMAND... : in separate namespaces, instead of this shell
	exec unshare -m -p -f --kill-child --propagation private python3 "$ROOT/tests/cli/contain.py" "$@"
}

# make_roots [OPTION...] : two roots whose programs have all their names inside
make_roots() {
	need_root
	need unshare python3
	make_containers
	local suffix name
	for name in one two; do
		suffix=$([ $name = one ] && echo a || echo b)
		SOURCE=$name.c compile $name/bin/same -static -I "$ROOT/tests/workloads" "$@"
		grep -q "innermost_$suffix" $name.c
	done
	(contained one /bin/same 0.01) 2>contain.errors || skip "no container here: $(cat contain.errors)"
}

# expect_two_containers TREE KIND : both have the right names
expect_two_containers() {
	expect_equal "of one" "$(kinds_of "$1" "$2_a")" "$3"
	expect_equal "of two" "$(kinds_of "$1" "$2_b")" "$3"
	expect_equal "mixed paths" "$(ask "$1" '[nodes | select((.path | any(endswith("_a"))) and
		(.path | any(endswith("_b"))))] | length')" 0
}

@test "containers with separate roots are distinguished, with build IDs and without" {
	need pgrep
	local id first second
	local -a pids
	have_begun() {
		mapfile -t pids < <(pgrep -P $first,$second -x same)
		[ ${#pids[@]} -eq 2 ]
	}
	for id in sha1 none; do
		make_roots "-Wl,--build-id=$id"
		contained one /bin/same 600 3>&- &
		first=$!
		contained two /bin/same 600 3>&- &
		second=$!
		wait_until have_begun
		record both.data -p "${pids[0]},${pids[1]}" -- "$ROOT/tests/cli/until_worked" 50 "${pids[@]}"
		report_json both.data --comm same >both.tree
		"$DENDRO" archive -q -o both.archive both.data || [ $? -eq 2 ]
		stop $first $second
		expect_two_containers both.tree innermost inline
		expect_complete both.tree 98
		report_json both.archive --comm same >archive.tree
		cmp both.tree archive.tree
	done
}

@test "containers that have ended are distinguished, and have the names of captured files" {
	local id
	for id in sha1 none; do
		make_roots "-Wl,--build-id=$id"
		record ended.data -a -- bash -c "$(declare -f contained)
			contained one /bin/same 0.5 & contained two /bin/same 0.5 & wait"
		report_json ended.data --comm same >ended.tree
		expect_two_containers ended.tree innermost inline
		expect_complete ended.tree 98
	done
}

@test "debug information in a container's program is used while the container runs" {
	make_containers
	SOURCE=one.c compile one/bin/same -static -I "$ROOT/tests/workloads"
	chroot one /bin/same 600 3>&- &
	local first=$!
	wait_until runs_same $first
	record one.data -p $first -- "$ROOT/tests/cli/until_worked" 50 $first
	report_json one.data >alive.tree
	stop $first
	expect_equal "of one" "$(kinds_of alive.tree innermost_a)" inline
	report_json one.data >dead.tree
	[ "$(ask dead.tree 'samples_under(.name == "outer_of_one_a")')" -gt 5 ]
	problem_of dead.tree same
	expect_complete dead.tree 98
}

@test "an archive made while containers run has the same reports after they have ended" {
	make_containers
	chroot one /bin/same 600 3>&- &
	local first=$!
	wait_until runs_same $first
	record one.data -p $first -- "$ROOT/tests/cli/until_worked" 50 $first
	report_json one.data >alive.tree
	"$DENDRO" archive -q -o one.archive one.data
	stop $first
	rm -r one
	report_json one.archive >archive.tree
	cmp alive.tree archive.tree
	expect_equal "inlined" "$(kinds_of archive.tree innermost_a)" inline
}
