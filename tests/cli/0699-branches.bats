# dendro branches: the paths inside functions of programs that were executed step by step, so that
# their branches, and with them all counts, are known.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need python3 gcc objdump jq
	cd "$BATS_FILE_TMPDIR"
	[ "$(uname -m)" = x86_64 ] || skip "steps are of x86-64 here"
	local compiler level
	for compiler in gcc clang; do
		! command -v $compiler >/dev/null || for level in O0 O1 O2 O3 Os; do
			"$compiler" -$level -g -static -nostdlib -no-pie -fno-stack-protector -w \
				-Wno-unused-command-line-argument -o "$compiler-$level" \
				"$ROOT/tests/oracle/branch_program.c"
			python3 "$ROOT/tests/oracle/branch_paths.py" record "./$compiler-$level" \
				"$compiler-$level.data"
		done
	done
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	[ -e gcc-O2.data ] || skip "programs cannot be stepped here"
}

@test "each path, its count, mispredictions, cycles, number and blocks are those of the steps" {
	for recording in *.data; do
		"$DENDRO" branches --format json "$recording" |
			python3 "$ROOT/tests/oracle/branch_paths.py" judge "./${recording%.data}" "$recording"
	done
}

@test "paths by context: their counts are those of the steps in that context" {
	for recording in *.data; do
		"$DENDRO" branches --by-context --format json "$recording" |
			python3 "$ROOT/tests/oracle/branch_paths.py" judge-contexts "./${recording%.data}" "$recording"
	done
}

@test "annotate: how often instructions and lines were executed and mispredicted" {
	for recording in *.data; do
		for function in _start triangle; do
			"$DENDRO" annotate --format json $function "$recording" >listing
			python3 "$ROOT/tests/oracle/branch_paths.py" judge-listing \
				"./${recording%.data}" "$recording" <listing
		done
	done
	"$DENDRO" annotate --asm --min 0 --color never _start gcc-O2.data >text
	grep -qE '^ *self +executed +mispredict +line$' text
	"$DENDRO" annotate --format json _start gcc-O2.data |
		jq -r '.functions[0].instructions[] | select(.mispredicted > 0) |
			" \(.executed) +\(.mispredicted) +\(.address[2:]):"' >rows
	[ -s rows ]
	while read -r row; do
		grep -qE "$row" text
	done <rows
}

@test "branches are printed as perf prints them" {
	need perf
	for recording in gcc-O2.data clang-O1.data; do
		perf script -i "$recording" -F +brstack 2>/dev/null >theirs
		grep -q '/M/-/-/' theirs
		"$DENDRO" script -F +brstack "$recording" | cmp theirs
	done
}

@test "the text has the classes, a function and its blocks; what is left out is counted" {
	"$DENDRO" branches gcc-O2.data >text
	grep -q '^hot, dense' text
	grep -q '^part' text
	"$DENDRO" branches --function choose --top 1 --blocks gcc-O2.data >text
	grep -q '^choose (gcc-O2), .* possible paths' text
	grep -q 'and [0-9]* other paths' text
	grep -q '^ *block' text
	expect_equal functions "$(grep -c 'possible paths' text)" 1
}

@test "samples without branches, and filtered ones, are refused in one sentence" {
	python3 - gcc-O2.data >filtered.data <<-'END'
		import sys
		data = bytearray(open(sys.argv[1], "rb").read())
		data[104 + 72 : 104 + 80] = (1 | 1 << 4).to_bytes(8, "little")  # branch_sample_type: any_call
		sys.stdout.buffer.write(data)
	END
	! "$DENDRO" branches filtered.data >said 2>&1 || false
	grep -q 'no sample has all branches' said
	expect_equal lines "$(wc -l <said)" 1
	refuses "no sample is of a command 'nobody'" -- "$DENDRO" branches --comm nobody gcc-O2.data
	refuses "no sample passes --tid" -- "$DENDRO" branches --tid 1 gcc-O2.data
}

@test "branches that lie are counted, and nothing breaks" {
	for seed in 1 2 3 4 5 6 7 8; do
		python3 - gcc-O2.data $seed >lies.data <<-'END'
			import random, sys
			data = bytearray(open(sys.argv[1], "rb").read())
			chance = random.Random(int(sys.argv[2]))
			for _ in range(3000):
			    data[chance.randrange(600, len(data) // 8) * 8] = chance.randrange(256)
			sys.stdout.buffer.write(data)
		END
		status=0
		"$DENDRO" branches --format json lies.data >out 2>said || status=$?
		[ $status -le 1 ]
		[ $status -eq 1 ] || jq -e '.broken > 0' out >/dev/null
	done
}
