# Profiles for clang -fprofile-sample-use have known shares, or the counts of llvm-profgen where there are
# branches; llvm-profdata reads the same from them, and clang uses them.

load lib
load line_profile

LINE_SOURCE=feedback.c
LINE_PROFILE=feedback.prof

CLANG=(clang-14 -std=gnu17 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Wno-unknown-attributes
	-I "$BATS_TEST_DIRNAME/../workloads")
REBUILD=("${CLANG[@]}" -g -fprofile-sample-use=feedback.prof)

setup_file() {
	load lib
	prepare make_profile
}

make_profile() {
	need_events
	need clang-14 llvm-profdata-14 jq objcopy
	cd "$BATS_FILE_TMPDIR" || return
	cp "$ROOT/tests/workloads/feedback.c" .
	"${CLANG[@]}" -g -fdebug-info-for-profiling -o feedback feedback.c
	record feedback.data -- ./feedback 3
	report_json feedback.data --view functions >functions.json
	"$DENDRO" export -f clang-profile -o feedback.prof feedback.data 2>notes
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# expect_counts FUNCTION COUNT COUNT NUMERATOR DENOMINATOR : how two counts share the function's samples
expect_counts() {
	local samples
	samples=$(total_of functions.json "$1")
	expect_share "$1" $((samples * $2 / ($2 + $3))) "$samples" "$4" "$5"
}

@test "llvm-profdata reads the profile, and writes the same one" {
	llvm-profdata-14 merge --sample --text -o merged.prof feedback.prof
	cmp merged.prof feedback.prof
	"$DENDRO" export --verify clang-profile feedback.prof
	llvm-profdata-14 show --sample --function=choose feedback.prof >shown
	grep -q "^Function: choose: " shown
}

@test "branches have the shares by which they were taken, on lines of their own" {
	lines_of choose
	expect_counts choose "$(line_count choose '/* often')" "$(line_count choose '/* seldom')" 9 10
}

@test "and on one line, where discriminators tell them apart" {
	local -a counts
	lines_of on_one_line
	mapfile -t counts < <(lines_of on_one_line |
		awk -v line="^ $(offset_of on_one_line ON_ONE_LINE)[.][0-9]+: " '$0 ~ line { print $2 }' | sort -nr)
	expect_equal places "${#counts[@]}" 2
	expect_counts on_one_line "${counts[0]}" "${counts[1]}" 3 4
}

@test "what is inlined is below its call, and counted as often" {
	local call
	call=$(offset_of outer inner)
	lines_of outer
	expect_equal "the call's count" "$(lines_of outer | awk -v place="  $(offset_of inner WORK)" \
		'index($0, place) == 1 { print $2 }')" "$(head_of outer)"
	lines_of outer | grep -q "^ $call: inner:[0-9]*$"
	lacks '^inner:' feedback.prof
}

@test "calls have the functions that they lead to, recursion among them, as often as they were called" {
	local -A called
	local name count
	while IFS=: read -r name count; do
		called[$name]=$count
	done < <(lines_of call | tr ' ' '\n' | grep -E '^(first|second):')
	[ "${called[first]}" -gt "${called[second]}" ]
	expect_share "first and second" "$(total_of functions.json first)" \
		$(($(total_of functions.json first) + $(total_of functions.json second))) 4 5
	expect_equal "the calls of first" "${called[first]}" "$(head_of first)"
	lines_of recurse
	lines_of recurse | grep -Eq "^ $(offset_of recurse '/* itself')(\.[0-9]+)?: [0-9]+ recurse:[0-9]+$"
	# Three of four calls are by itself; the rest are main's.
	local own all
	own=$(lines_of recurse | sed -n 's/.* recurse://p')
	all=$(head_of recurse)
	expect_share recursion $(($(total_of functions.json recurse) * own / all)) \
		"$(total_of functions.json recurse)" 3 4
}

@test "a name that the format cannot hold is left out, and its share is said" {
	grep -Eq '^dendro export: [0-9.]+ % of the cost is in the profile, .*[0-9.]+ % in functions whose names it cannot hold\.$' notes
	lacks 'a name' feedback.prof
}

@test "clang takes the counts without a warning, and weighs branches by them" {
	local name often seldom line count
	"${REBUILD[@]}" -c -o rebuilt.o feedback.c >warnings 2>&1
	expect_equal warnings "$(<warnings)" ""
	"${REBUILD[@]}" -S -emit-llvm -o rebuilt.ll -Rpass-analysis=sample-profile feedback.c 2>remarks
	for name in choose on_one_line; do
		while read -r line count; do
			grep -q "Applied $count samples from profile (offset: $line)" remarks || {
				echo "not applied: $name, $line: $count"
				return 1
			}
		done < <(lines_of "$name" | sed -n 's/^ \([0-9.]*\): \([0-9]*\).*/\1 \2/p')
	done
	often=$(line_count choose '/* often')
	seldom=$(line_count choose '/* seldom')
	grep -E "branch_weights\", i32 ($((seldom + 1)), i32 $((often + 1))|$((often + 1)), i32 $((seldom + 1)))}" rebuilt.ll
	grep "function_entry_count\", i64 $(($(head_of outer) + 1))}" rebuilt.ll
}

@test "clang inlines what was inlined, and lays out what is hot first" {
	"${REBUILD[@]}" -S -o hot.s -Rpass=sample-profile-inline feedback.c 2>remarks
	grep -q "'inner' inlined into 'outer' to match profiling context" remarks
	"${CLANG[@]}" -g -S -o plain.s feedback.c
	expect_equal "without a profile" "$(grep -oE '# (often|seldom)$' plain.s | tr -d '# ' | tr '\n' ' ')" "seldom often "
	expect_equal "with it" "$(grep -oE '# (often|seldom)$' hot.s | tr -d '# ' | tr '\n' ' ')" "often seldom "
}

@test "branches give the counts, heads and calls that llvm-profgen gives" {
	need perf python3 llvm-profgen-14
	[ "$(uname -m)" = x86_64 ] || skip "steps are of x86-64 here"
	local level attributes
	for level in O0 O1 O2 O3 Os; do
		for attributes in -DINLINED=0 "-D__attribute__(x)="; do # the second lets functions be inlined
			clang-14 -$level "$attributes" -g -fdebug-info-for-profiling -static -nostdlib -no-pie \
				-fno-stack-protector -w -o steps "$ROOT/tests/oracle/branch_program.c"
			python3 "$ROOT/tests/oracle/branch_paths.py" record-bare ./steps steps.data ||
				skip "programs cannot be stepped here"
			"$DENDRO" export -f clang-profile -o steps.prof steps.data 2>steps.notes
			perf script -i steps.data --show-mmap-events -F ip,brstack >steps.script 2>/dev/null
			llvm-profgen-14 --binary=steps --perfscript=steps.script --output=theirs.prof --format=text
			"$ROOT/tests/oracle/profgen.py" steps.prof theirs.prof
			llvm-profdata-14 merge --sample --text -o merged.prof steps.prof
			cmp merged.prof steps.prof
		done
	done
	grep -Eq 'the counts are of [0-9]+ stacks of branches; [0-9.]+ % of their instructions' steps.notes
	# Nobody knows the branches of selected paths.
	"$DENDRO" export -f clang-profile --focus mix -o selected.prof steps.data 2>steps.notes
	lacks stacks steps.notes
}

@test "llvm-profgen's own test inputs have the counts that it gives" {
	need perf python3 llvm-profgen-14 readelf
	local inputs script name program n=0
	inputs=$("$ROOT/tests/deps/profgen_inputs" 2>fetched) ||
		skip "the inputs are not here and can't be fetched: $(tail -n 1 fetched)"
	for script in "$inputs"/*.perfscript; do
		name=$(basename "$script" .perfscript)
		case $name in # these have no program of their own
		artificial-branch) program=inline-noprobe2 ;;
		cs-interrupt | cs-invalid-ret-addr) program=noinline-cs-noprobe ;;
		external-address) program=inline-cs-noprobe ;;
		noprobe.mmap) program=noprobe ;;
		recursion-compression-pseudoprobe-nommap) program=recursion-compression-pseudoprobe ;;
		*) program=$name ;;
		esac
		program=$inputs/$program.perfbin
		"$ROOT/tests/oracle/perfscript_recording.py" "$script" "$program" inputs.data
		perf script -i inputs.data --show-mmap-events -F ip,brstack >inputs.script 2>/dev/null
		llvm-profgen-14 --format=text --use-dwarf-correlation --perfscript=inputs.script --binary="$program" \
			--output=theirs.prof
		"$DENDRO" export -f clang-profile -o inputs.prof inputs.data
		"$ROOT/tests/oracle/profgen.py" inputs.prof theirs.prof
		n=$((n + 1))
	done
	expect_equal scripts $n 23
}

@test "without debug information nothing is written, and how to build is said" {
	"${CLANG[@]}" -o bare feedback.c
	record bare.data -- ./bare 0.2
	mkdir -p "root$PWD"
	cp bare "root$PWD" # a library may have debug information
	refuses "no sample is in code with lines in debug information" "clang -g -fdebug-info-for-profiling" -- \
		"$DENDRO" export -f clang-profile --symfs root -o bare.prof bare.data
	"$DENDRO" build -o feedback.cct feedback.data
	refuses "export each recording" -- "$DENDRO" export -f clang-profile -o x feedback.cct
	refuses "export each recording" -- "$DENDRO" export -f clang-profile -o x feedback.data bare.data
}

@test "debug information in a file of its own gives the same profile" {
	mkdir -p split
	cp feedback split/feedback
	objcopy --only-keep-debug split/feedback split/feedback.debug
	objcopy --strip-debug --add-gnu-debuglink=split/feedback.debug split/feedback
	mv feedback whole
	cp split/feedback split/feedback.debug .
	"$DENDRO" export -f clang-profile -o split.prof feedback.data 2>/dev/null
	mv whole feedback
	cmp split.prof feedback.prof
}
