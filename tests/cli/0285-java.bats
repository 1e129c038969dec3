# Java without options: no frame pointers, no agent, no file of names. What the machine knows of its
# code is read from its memory.

# shellcheck disable=SC2016,SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	need java javac python3
	[ "$(uname -m)" = x86_64 ] || skip "Java's code is described on x86-64 only"
	cd "$BATS_FILE_TMPDIR"
	javac -d . "$ROOT/tests/workloads/languages/Shares.java"
	record compiled.data -- java -XX:-Inline Shares 2 >compiled.out
	record interpreted.data -- java -Xint Shares 2 >interpreted.out
	javac -d . "$ROOT/tests/workloads/languages/Inlined.java"
	local options=(-XX:CompileThresholdScaling=0.01 -Xbatch -XX:CompileCommand=quiet) name
	for name in worker round; do
		options+=("-XX:CompileCommand=dontinline,Inlined.$name")
	done
	for name in outer_1 outer_2 inner; do
		options+=("-XX:CompileCommand=inline,Inlined.$name")
	done
	record inlined.data -- java "${options[@]}" Inlined 2 >inlined.out
	record plain.data -- java -Xint Inlined 2 >plain.out
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# has_shares FILE : each path to worker has its share, from the thread's start on, and nearly all
# samples of the process have a complete path
has_shares() {
	local main='(clone3?|libc\.so\.6\+0x[0-9a-f]+) > (start_thread|libc\.so\.6\+0x[0-9a-f]+) > .* > JavaMain > .* > StubRoutines \([^>]*\) > Shares\.main'
	local rounds="$main > Shares\\.rounds"
	report_json "$1" >"$1.tree"
	show python3 "$ROOT/tests/oracle/paths_of.py" "$1.tree" 'Shares\.worker' --shares \
		"1/4:$rounds > Shares\\.dispatch_1 > Shares\\.worker" \
		"1/2:$rounds > Shares\\.dispatch_2 > Shares\\.worker" \
		"1/4:$rounds( > Shares\\.descend){10} > Shares\\.worker" || return 1
	expect_at_least "complete paths" "$(jq .quality.unwind.complete "$1.tree")" \
		"$(jq '.quality | .samples - (.unwind.exec // 0) - (.unwind.exiting // 0)' "$1.tree")" 98
}

@test "compiled Java: exact paths to a method, by name" {
	has_shares compiled.data
}

@test "interpreted Java: exact paths to a method, by name" {
	has_shares interpreted.data
}

# has_chain FILE : each path to worker has its share, whether its methods are inlined or not
has_chain() {
	local round='.* > JavaMain > .* > Inlined\.main > Inlined\.round'
	report_json "$1" >"$1.tree"
	show python3 "$ROOT/tests/oracle/paths_of.py" "$1.tree" 'Inlined\.worker' --shares \
		"1/3:$round > Inlined\\.outer_1 > Inlined\\.inner > Inlined\\.worker" \
		"2/3:$round > Inlined\\.outer_2 > Inlined\\.inner > Inlined\\.worker"
}

# weight_of FILE KIND METHOD : of the method's row of that kind in a list of functions
weight_of() {
	jq --arg kind "$2" --arg name "Inlined.$3" \
		'[.. | objects | select(.kind? == $kind and .name? == $name) | .total[0]] | add // 0' "$1"
}

@test "inlined methods are on the paths to what they call, as in the interpreter" {
	has_chain inlined.data
	has_chain plain.data
}

@test "inlined methods are marked as such" {
	report_json inlined.data --view functions >inlined.list
	expect_at_least "time below the inlined method" "$(weight_of inlined.list inline inner)" \
		"$(weight_of inlined.list user worker)" 80
	expect_equal "time inlined of methods that are never" \
		"$(weight_of inlined.list inline round) $(weight_of inlined.list inline worker)" "0 0"
	report_json plain.data --view functions >plain.list
	expect_equal "time inlined in the interpreter" "$(weight_of plain.list inline inner)" 0
	"$DENDRO" report --view functions inlined.data | grep -q 'Inlined\.inner (inlined)  *\[java\]'
	"$DENDRO" report --no-inline --view functions inlined.data >functions
	grep -q 'Inlined\.round  *\[java\]' functions
	! grep '(inlined).*\[java\]' functions
}

@test "methods have names in a list of samples, too" {
	"$DENDRO" script compiled.data >samples
	grep -q 'Shares\.worker+0x[0-9a-f]* (\[java\])$' samples
}

@test "annotate shows the instructions of compiled Java from the pages in the recording" {
	"$DENDRO" annotate --format json Shares.worker compiled.data >worker.json
	expect_equal problem "$(jq -r '.functions[0].problem' worker.json)" null
	# What the interpreter and earlier code had is shown by address.
	expect_at_least "cost of instructions" \
		"$(jq '[.functions[0].instructions[] | select(.text) | .self[0]] | add // 0 | floor' worker.json)" \
		"$(jq '.functions[0].self[0] | floor' worker.json)" 50
	# The loop multiplies.
	jq -r '.functions[0].instructions[] | select(.text).text' worker.json | grep -q '^imul'
}

@test "what the machine has told is not guessed" {
	report_json compiled.data --view processes >compiled.json
	expect_at_least "paths without guesses" \
		"$(jq '.quality | .samples - .guessed' compiled.json)" \
		"$(jq .quality.samples compiled.json)" 90
}

@test "an archive shows the same" {
	"$DENDRO" archive -o archive.data compiled.data
	"$DENDRO" report --format json compiled.data >here.json
	"$DENDRO" report --format json archive.data >there.json
	for file in here there; do
		jq -S '[.. | objects | select(.module == "[java]") | {name, self, total}]' \
			$file.json >$file.java
	done
	grep -q worker here.java
	cmp here.java there.java
}

@test "a recording through a pipe shows the same" {
	"$DENDRO" record -q -e cpu-clock -F 997 -o - -- java -XX:-Inline Shares 1 2>/dev/null |
		"$DENDRO" report --view functions -i - >piped.txt
	grep -q 'Shares\.worker  *\[java\]' piped.txt
}
