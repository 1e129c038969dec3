# dendro annotate: costs of lines and instructions that are known by construction.

load lib

SOURCE=$ROOT/tests/workloads/hot_line.c

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	need gcc
	cd "$BATS_FILE_TMPDIR"
	build hot
	record hot.data -z 0 -- ./hot 2
	annotate_json hot.data hot >hot.json
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

build() { # build NAME [COMPILER [OPTION...]]
	local name=$1 compiler=${2:-gcc}
	shift $(($# > 1 ? 2 : 1))
	"$compiler" -std=gnu17 -D_GNU_SOURCE -O2 -g "$@" -o "$name" "$SOURCE"
}

annotate() { # annotate FILE FUNCTION [OPTION...]
	local file=$1 function=$2
	shift 2
	"$DENDRO" annotate --color never "$@" "$function" "$file"
}

annotate_json() { # annotate_json FILE FUNCTION [OPTION...]
	annotate "$@" --format json
}

line_of() { # line_of COMMENT
	grep -n "/\* the $1 \*/" "$SOURCE" | cut -d: -f1
}

# Samples of a line of the first function, from JSON, in thousandths of the function's samples.
share_of() { # share_of REPORT COMMENT
	jq --argjson line "$(line_of "$2")" '.functions[0] | .self[0] as $all
		| [.lines[] | select(.line == $line).self[0]] | add // 0 | . / $all * 1000 | round' "$1"
}

expect_shares() { # expect_shares REPORT
	local n of
	n=$(jq '.functions[0].samples[0]' "$1")
	for of in "hot line:3" "cold line:1" "line of the call:1"; do
		expect_share "${of%:*}" $(($(share_of "$1" "${of%:*}") * n / 1000)) "$n" "${of##*:}" 5
	done
}

expect_conserved() { # expect_conserved REPORT
	jq -e '.functions | length > 0 and all(.self == ([.lines[].self] | transpose | map(add))
		and .self == ([.instructions[].self] | transpose | map(add)))' "$1"
}

@test "lines have their known shares of a function's cost" {
	expect_shares hot.json
	expect_equal inlined "$(jq -r --argjson line "$(line_of "line of the call")" '.functions[0].lines[]
		| select(.line == $line).inlined[] | "\(.name) \(.line)"' hot.json)" \
		"inlined_loop $(line_of "inlined line")"
}

@test "the costs of lines, and of instructions, add up to the function's cost" {
	expect_conserved hot.json
	annotate_json hot.data main >main.json
	jq -e '.functions[0] | (.lines | length > 0) and .kind == "user" and (.instructions | length > 10)' main.json
}

@test "annotate has the same cost of a function as the functions view" {
	report_json hot.data --view functions >hot.functions
	expect_equal "self and total" "$(jq -c '.functions[0] | [.self, .total]' hot.json)" \
		"$(report_json hot.data --view functions --no-inline |
			jq -c '.rows[] | select(.name == "hot" and .module == "hot") | [.self, .total]')"
	annotate_json hot.data inlined_loop >loop.json
	expect_equal inlined "$(jq -c '.functions[0] | [.kind, .self, .total]' loop.json)" \
		"$(jq -c '.rows[] | select(.name == "inlined_loop") | [.kind, .self, .total]' hot.functions)"
	expect_conserved loop.json
}

@test "the text shows hot lines, the functions inlined there, and hot instructions" {
	annotate hot.data hot | tee text
	grep -Eq "[0-9.]+% +$(line_of "hot line")  .*the hot line" text
	grep -Eq "inlined from hot_line.c:$(line_of "inlined line") inlined_loop:  for" text
	grep -Eq '%  +[0-9a-f]+:  (dec|jne|sub)' text
	annotate hot.data hot --source | tee text
	grep -q 'the cold line' text
	! grep -Eq '[0-9a-f]+:  (dec|jne|sub)' text
}

@test "in a list of instructions by address, jump targets and calls have names" {
	annotate hot.data main --asm --min 0 | tee text
	grep -Eq 'call.* <hot>$' text
	grep -Eq 'call.* <clock_gettime@plt>$' text
	grep -Eq 'j[a-z]+ 0x[0-9a-f]+ <main\+0x[0-9a-f]+>$' text
	annotate hot.data main --asm --min 0 --intel | grep -Eq 'mov +r[a-z0-9]+, '
	expect_equal order "$(annotate_json hot.data hot | jq -r '.functions[0].instructions[].address' |
		sort -c && echo sorted)" sorted
}

@test "a function without own cost is shown with the cost of its calls" {
	annotate hot.data main >text
	grep -q 'no self cost' text || skip "main was sampled itself"
	grep -Eq '(9|100)[0-9.]*% +[0-9]+ +hot\(n\);' text
	annotate hot.data main --total --asm | grep -Eq '(9|100)[0-9.]*% .*call.* <hot>$'
}

@test "objdump finds the same instructions" {
	need objdump jq
	jq -r '.functions[0] | .instructions[].address | ltrimstr("0x")' hot.json >ours
	local start size
	start=$(jq -r '.functions[0].start' hot.json)
	size=$(jq -r '.functions[0].size' hot.json)
	objdump -d -w --no-show-raw-insn --start-address="$start" --stop-address=$((start + size)) hot |
		sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' >theirs
	[ -s theirs ]
	diff theirs ours
}

@test "perf annotate finds the same cost of each instruction" {
	need perf objdump
	timeout 60 perf annotate -i hot.data --stdio -s hot 2>perf.err >perf.out ||
		skip "perf annotate failed: $(<perf.err)"
	sed -n 's/^ *\([0-9.]*\) *: *\([0-9a-f]*\): .*/\2 \1/p' perf.out | awk 'NF == 2 && $2 > 0' | sort >theirs
	[ -s theirs ] || skip "perf annotate shows no instructions"
	jq -r '.functions[0] | .self[0] as $all | .instructions[] | select(.self[0] > 0)
		| "\(.address | ltrimstr("0x")) \(.self[0] / $all * 100)"' hot.json | sort >ours
	join ours theirs | tee joined
	expect_equal instructions "$(wc -l <joined)" "$(wc -l <ours)"
	awk '$2 - $3 > 0.1 || $3 - $2 > 0.1 { bad++ } END { exit bad > 0 }' joined
}

@test "without source files line numbers are shown, and --source-path finds the files elsewhere" {
	mkdir -p gone
	cp "$SOURCE" "$ROOT/tests/workloads/work.h" gone/
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -o moved gone/hot_line.c
	record moved.data -- ./moved 0.3
	mv gone elsewhere
	annotate moved.data hot | tee text
	grep -q 'source file is missing' text
	grep -Eq "% +$(line_of "hot line") *\$" text
	annotate moved.data hot --source-path "$PWD/gone=$PWD/elsewhere" | tee text
	grep -q 'the hot line' text
	touch elsewhere/hot_line.c
	annotate moved.data hot --source-path "$PWD/gone=$PWD/elsewhere" | grep -q 'newer than the program'
	# Other kinds of files in that place, and other contents.
	mkdir gone
	mkfifo gone/hot_line.c
	timeout 20 "$DENDRO" annotate hot moved.data | grep -q 'not a regular file'
	rm gone/hot_line.c
	printf '\033]0;title\007\n%.0s' {1..40} >gone/hot_line.c
	annotate moved.data hot | tee text
	! grep -q $'\033' text
	head -c 100000 /dev/urandom >gone/hot_line.c
	annotate moved.data hot | grep -q 'source file is not text'
}

@test "instructions are shown without debug information, and addresses without the file" {
	build bare gcc -g0
	record bare.data -- ./bare 0.3
	annotate bare.data hot | tee text
	grep -Eq '[0-9.]+% +[0-9a-f]+:  (dec|sub|jne)' text
	rm bare
	annotate_json bare.data hot >bare.json || true
	"$DENDRO" report --view functions --format json bare.data >bare.functions
	local name
	name=$(jq -r '[.rows[] | select(.module == "bare")][0].name' bare.functions)
	annotate bare.data "$name" | tee text
	grep -q 'no instructions: file is missing' text
}

@test "C++ functions are found by each form of the name, and all instances are shown" {
	need g++
	cat >names.cpp <<-'CODE'
		#include "work.h"
		namespace ns {
		template <typename T> FUNCTION void run(T n) { for (T i = 0; i < n; i++) unit(); KEEP_FRAME(); }
		struct thing { FUNCTION void work(unsigned n) { run(n); run((long)n); KEEP_FRAME(); } };
		}
		int main(int argc, char **argv)
		{
			struct rounds rounds = rounds_begin(argc, argv);
			ns::thing thing;
			for (unsigned n; (n = rounds_next(&rounds));)
				thing.work(n);
		}
	CODE
	g++ -O2 -g -I "$ROOT/tests/workloads" -o names names.cpp
	record names.data -- ./names 0.5
	local name
	for name in ns::thing::work thing::work work 'ns::thing::work(unsigned int)' _ZN2ns5thing4workEj; do
		expect_equal "$name" "$(annotate_json names.data "$name" | jq -r '[.functions[].name] | join(" ")')" \
			ns::thing::work
		expect_equal "$name, raw" "$(annotate_json names.data "$name" --raw-names |
			jq -r '[.functions[].name] | join(" ")')" _ZN2ns5thing4workEj
		expect_equal "$name, full" "$(annotate_json names.data "$name" --full-names |
			jq -r '[.functions[].name] | join(" ")')" 'ns::thing::work(unsigned int)'
	done
	expect_equal instances "$(annotate_json names.data run | jq -r '[.functions[].name] | sort | join(" ")')" \
		'ns::run<long> ns::run<unsigned int>'
	expect_equal one "$(annotate_json names.data 'ns::run<long>' | jq '.functions | length')" 1
}

@test "without a function the one with the highest self cost is shown, and named" {
	"$DENDRO" annotate -i hot.data --format json >hottest.json 2>err
	name=$("$DENDRO" report --view functions --format json hot.data | jq -r '.rows[0].name')
	grep -qF "'$name' has the highest self cost" err
	expect_equal function "$(jq -r '.functions[0].name' hottest.json)" "$name"
}

@test "an unknown function name is refused, and the message lists similar names" {
	run annotate hot.data hott
	[ "$status" -eq 1 ]
	[[ "$output" == *"did you mean hot"* ]]
	run annotate hot.data no_such_function_anywhere
	[ "$status" -eq 1 ]
	run "$DENDRO" annotate --format csv hot hot.data
	[ "$status" -eq 129 ]
	run "$DENDRO" annotate --source-path nothing hot hot.data
	[ "$status" -eq 129 ]
}

@test "each of several events has a column" {
	record two.data -e cpu-clock,task-clock -- ./hot 0.5
	annotate two.data hot | tee text
	grep -Eq '^ *cpu-clock +task-clock +line' text
	grep -Eq "^ *[0-9.]+% +[0-9.]+% +$(line_of "hot line")  " text
	annotate_json two.data hot >two.json
	expect_conserved two.json
	expect_equal columns "$(annotate_json two.data hot -e task-clock | jq '.functions[0].self | length')" 1
}

@test "32-bit code is disassembled" {
	build hot32 gcc -m32 2>/dev/null || skip "gcc -m32 does not work here"
	./hot32 0.01 || skip "this kernel runs no 32-bit programs"
	record hot32.data -- ./hot32 1
	annotate_json hot32.data hot >hot32.json
	expect_conserved hot32.json
	expect_shares hot32.json
	annotate hot32.data hot --asm --min 0 | grep -Eq 'dec[a-z]* +%e[a-d]x'
}

@test "lines that clang compiled have their shares of the cost" {
	need clang
	build by_clang clang
	record by_clang.data -- ./by_clang 1
	annotate_json by_clang.data hot >by_clang.json
	expect_conserved by_clang.json
}

@test "kernel functions have costs by address, and the output says why there is no code" {
	record zero.data -- "$WORKLOADS/reader" 0.5
	local name
	name=$(report_json zero.data --view functions | jq -r '[.rows[] | select(.kind == "kernel")][0].name')
	[ "$name" != null ] || skip "no kernel function was sampled"
	annotate zero.data "$name" | tee text
	annotate_json zero.data "$name" | jq -e '.functions[0] | .kind == "kernel" and
		.self == ([.instructions[].self] | transpose | map(add))'
}

@test "without libcapstone, costs are shown, and what is missing" {
	without_library 'libcapstone\.so\.[0-9]*' "$DENDRO" annotate --asm hot hot.data >text
	grep -q 'no instructions: libcapstone, which disassembles, is not here' text
	grep -q "cpu-clock: self [1-9]" text
}

@test "of code for another machine, costs are shown" {
	build foreign gcc
	record foreign.data -- ./foreign 0.3
	printf '\363\000' | dd of=foreign bs=1 seek=18 conv=notrunc # EM_RISCV
	annotate foreign.data hot --asm >text
	grep -q 'no instructions: code of this architecture cannot be disassembled' text
	grep -q "cpu-clock: self [1-9]" text
}
