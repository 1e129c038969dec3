# The same paths in each language (tests/workloads/languages/shares.*): worker is called by
# dispatch_1 and dispatch_2, 1:2, and below ten levels of recursion; each exact path has its share.

# shellcheck disable=SC2016,SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	need python3
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
	languages=$ROOT/tests/workloads/languages
}

# has_shares NAME WORKER EXPECTED... -- COMMAND... : checks the exact paths to a function and their
# shares
has_shares() {
	local name=$1 worker=$2
	local -a expected=()
	shift 2
	while [ "$1" != -- ]; do
		expected+=("$1")
		shift
	done
	shift
	record "$name.data" -- "$@" >"$name.out"
	report_json "$name.data" >"$name.tree"
	show python3 "$ROOT/tests/oracle/paths_of.py" "$name.tree" "$worker" --shares "${expected[@]}"
}

start='_start > __libc_start_main(@@?.*|_impl)? > (libc\.so\.6\+0x[0-9a-f]+|__libc_start_call_main) > main'

# times N TEXT : " > TEXT", N times
times() {
	local i
	for ((i = 0; i < $1; i++)); do
		printf ' > %s' "$2"
	done
}

# paths ROOT WORKER DISPATCH_1 DISPATCH_2 DESCEND : sets expected
paths() {
	expected=("1/4:$1 > $3 > $2" "1/2:$1 > $4 > $2" "1/4:$1$(times 10 "$5") > $2")
}

@test "Fortran" {
	need gfortran
	gfortran -O2 -fno-inline -fno-ipa-cp -J. -o fortran "$languages/shares.f90"
	local module=__shares_work_MOD
	paths "$start > MAIN__" ${module}_worker ${module}_dispatch_1 ${module}_dispatch_2 \
		${module}_descend
	has_shares fortran ${module}_worker "${expected[@]}" -- ./fortran 1
}

@test "Ada" {
	need gnatmake
	gnatmake -q -O2 -o ada "$languages/shares.adb"
	local work='shares__work__' number='\.[0-9]+'
	paths "$start > _ada_shares" "${work}worker$number" "${work}dispatch_1$number" \
		"${work}dispatch_2$number" "${work}descend$number"
	has_shares ada "${work}worker$number" "${expected[@]}" -- ./ada 1
}

@test "Rust" {
	need rustc
	rustc -O -o rust "$languages/shares.rs" || skip "rustc does not work here"
	paths "$start > std::rt::lang_start_internal > .* > shares::main" shares::worker \
		shares::dispatch_1 shares::dispatch_2 shares::descend
	has_shares rust shares::worker "${expected[@]}" -- ./rust 1
}

@test "Go" {
	need go
	HOME=$PWD GOFLAGS='' go build -o go "$languages/shares.go"
	paths 'runtime\.goexit(\.abi0)? > main\.main\.func1 > main\.rounds' 'main\.worker' \
		'main\.dispatch_1' 'main\.dispatch_2' 'main\.descend'
	has_shares go 'main\.worker' "${expected[@]}" -- ./go 1
}

# Without symbols and CFI Go's own table describes the frames. Debian ships such programs.
@test "Go, stripped" {
	need go
	HOME=$PWD GOFLAGS='' go build -ldflags '-s -w' -o go_stripped "$languages/shares.go"
	record go_stripped.data -- ./go_stripped 1 >go_stripped.out
	report_json go_stripped.data --view processes >go_stripped.json
	expect_at_least "Go's complete paths" "$(jq .quality.unwind.complete go_stripped.json)" \
		"$(jq .quality.samples go_stripped.json)" 98
	report_json go_stripped.data >go_stripped.tree
	show python3 "$ROOT/tests/oracle/outermost.py" --at-least 98 go_stripped.tree
}

# No CFI at all.
@test "Free Pascal" {
	need fpc
	cp "$languages/shares.pas" .
	fpc -O2 -Xs- -opascal shares.pas >pascal.log
	local unit='P\$SHARES_\$\$_' type='\$QWORD\$\$QWORD'
	local worker=${unit}WORKER$type descend="${unit}DESCEND"'\$QWORD\$QWORD\$\$QWORD'
	local start='SI_PRC_\$\$__FPC_PROC_START > SYSTEM_\$\$_SYSENTRY\$TENTRYINFORMATION'
	local root="(_start( > .*)?|$start) > (PASCALMAIN|main)"
	has_shares pascal "$worker" "1/4:$root > ${unit}DISPATCH_1$type > $worker" \
		"1/2:$root > ${unit}DISPATCH_2$type > $worker" \
		"1/4:$root( > $descend){1,10} > $worker" -- ./pascal 1
	lacks -q '"name": *"\[return address is not code\]"' pascal.tree
}

# COBOL's programs are not recursive functions. Each is called by an entry with the same name, which
# the run-time library makes.
@test "COBOL" {
	need cobc
	cobc -x -O -o cobol "$languages/shares.cob"
	has_shares cobol worker "1/3:$start > shares > shares_ > dispatch_1 > dispatch_1_ > worker" \
		"2/3:$start > shares > shares_ > dispatch_2 > dispatch_2_ > worker" -- ./cobol 4
}

# alternates NAME MAP : even and odd have each other as callers, and nearly all paths are complete.
alternates() {
	"$DENDRO" script "$1.data" |
		python3 "$ROOT/tests/oracle/alternation.py" "$2" even odd >"$1.callers"
	show cat "$1.callers"
	[ "$(grep -c 'right [1-9].* wrong 0$' "$1.callers")" -eq 2 ] || return 1
	report_json "$1.data" --view processes >"$1.json"
	expect_at_least "complete paths" "$(jq .quality.unwind.complete "$1.json")" \
		"$(jq '.quality | .samples - (.unwind.exec // 0) - (.unwind.exiting // 0)' "$1.json")" 95
}

@test "JIT-compiled JavaScript: no caller is left out" {
	need node
	record node.data -- sh -c 'echo $$ >node.pid; exec node --perf-basic-prof \
		--no-turbo-inlining "$0" 1' "$languages/parity.js" >node.out
	alternates node "/tmp/perf-$(cat node.pid).map"
	rm "/tmp/perf-$(cat node.pid).map"
}

# A trampoline in JIT code calls each function; samples are never taken in it.
@test "Python with -X perf: the callers of its functions" {
	local python
	for python in python3 python3.12 python3.13 python3.14 ''; do
		[ -n "$python" ] || skip "no Python here has -X perf"
		"$python" -X perf -c 'import sys; sys.exit(not sys.is_stack_trampoline_active())' \
			2>/dev/null && break
	done
	cat >calls.py <<-'PY'
		import sys, time
		def leaf(n): return sum(i * i for i in range(n))
		def middle(n): return leaf(n) + leaf(n // 2)
		def descend(d, n): return middle(n) if d == 0 else descend(d - 1, n)
		end = time.time() + float(sys.argv[1])
		while time.time() < end: descend(10, 2000)
	PY
	record python.data -- "$python" -X perf calls.py 1.5
	report_json python.data --view processes >python.json
	expect_at_least "complete paths" "$(jq .quality.unwind.complete python.json)" \
		"$(jq .quality.samples python.json)" 98
	"$DENDRO" script python.data | awk '/^$/ { inside = 0 } /py::leaf/ { inside = 1 }
		inside && /py::middle/ { inside = 2 } inside == 2 && /py::descend/ { found = 1 }
		END { exit !found }'
}

# Traces have no frame: they run in the interpreter's.
@test "LuaJIT: the callers of traces" {
	need luajit
	cat >traces.lua <<-'LUA'
		local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
		local sum = 0
		for round = 1, tonumber(arg[1]) do
			sum = sum + fib(20)
			local numbers = {}
			for i = 1, 300 do numbers[i] = i * 7919 % 1009 end
			table.sort(numbers, function(a, b) return a < b end)
			for i = 1, 20000 do sum = sum + math.sin(i) * math.floor(i / 3) end
		end
		print(sum)
	LUA
	record traces.data -- luajit traces.lua 1000
	report_json traces.data --view processes >traces.json
	expect_at_least "complete paths" "$(jq .quality.unwind.complete traces.json)" \
		"$(jq .quality.samples traces.json)" 95
	"$DENDRO" script traces.data >traces.script
	# What ran the interpreter is in its own file.
	awk '/\(\/\/anon\)/ { traces++; in_trace = 1; next }
		in_trace && !/luajit/ && !/\(\[dendro\]\)$/ { print; wrong = 1 }
		{ in_trace = 0 }
		END { exit wrong || traces < 100 }' traces.script
}

# call_into_lisp_ makes the frame of the Lisp function that it calls.
@test "SBCL: the callers of threads' functions" {
	need sbcl
	cat >threads.lisp <<-'LISP'
		(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
		(mapc #'sb-thread:join-thread
			(loop repeat 2 collect
				(sb-thread:make-thread (lambda () (dotimes (i 300) (fib 25))))))
	LISP
	sbcl --script threads.lisp || skip "this SBCL has no threads"
	record lisp.data -- sbcl --script threads.lisp
	"$DENDRO" script lisp.data >lisp.script
	grep -q ' call_into_lisp_+' lisp.script || skip "this SBCL calls Lisp by another function"
	# Their first function is called by funcall1, which is called by the thread's.
	awk '/ call_into_lisp_\+/ { in_call = 1; next }
		in_call && /new_thread_trampoline/ { wrong = 1 }
		in_call && / funcall1\+/ { right++ }
		{ in_call = 0 }
		END { exit wrong || right < 100 }' lisp.script
}

@test "JIT-compiled Java: no caller is left out" {
	need java javac
	local -a options=(-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit)
	java "${options[@]}" -version 2>java.err || skip "this Java writes no map of its code"
	javac -d . "$languages/Parity.java"
	record java.data -- sh -c 'echo $$ >java.pid; exec "$@"' sh \
		java "${options[@]}" -XX:+PreserveFramePointer -XX:-Inline Parity 2 >java.out
	alternates java "/tmp/perf-$(cat java.pid).map"
	rm "/tmp/perf-$(cat java.pid).map"
}

# Their outermost function was called by nobody: its return address is zero.
@test "Ruby: paths in fibers are complete" {
	need ruby
	record ruby.data -- ruby "$languages/fibers.rb" 1 >ruby.out
	report_json ruby.data --view processes >ruby.json
	expect_at_least "complete paths" "$(jq .quality.unwind.complete ruby.json)" \
		"$(jq '.quality | .samples - (.unwind.exec // 0) - (.unwind.exiting // 0)' ruby.json)" 98
}
