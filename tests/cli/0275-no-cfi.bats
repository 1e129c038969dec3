# Code without CFI (tests/workloads/no_cfi.*): following the code gives exact paths, each of a tenth.

load lib

shapes="asm_pushes asm_frame asm_big asm_tail asm_table asm_kept asm_pointer asm_odd asm_after"

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record no_cfi.data -- "$WORKLOADS/no_cfi" 3
	report_json no_cfi.data >no_cfi.tree
	report_json no_cfi.data --view functions >no_cfi.functions
	record stripped.data -- "$WORKLOADS/stripped/no_cfi" 3
	report_json stripped.data >stripped.tree
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

@test "the program has CFI only for its startup code" {
	need readelf nm
	readelf --debug-dump=frames "$WORKLOADS/no_cfi" 2>/dev/null >frames
	[ "$(grep -c FDE frames)" -le 5 ]
	nm "$WORKLOADS/no_cfi" | awk '/ asm_pushes$/ { print $1 }' >address
	lacks -i "pc=$(cat address)" frames
}

@test "at least 99 % of the samples end at the root" {
	show python3 "$ROOT/tests/oracle/outermost.py" --at-least 99 no_cfi.tree
	show python3 "$ROOT/tests/oracle/outermost.py" --at-least 99 stripped.tree
}

@test "assembly of every shape is found below its caller, and nowhere else" {
	local path
	ask no_cfi.tree '[nodes | select(.self > 0 and (.kind == "user")) | from_main
		| select(. != "")] | unique | .[]' >paths
	cat paths
	for path in asm_pushes asm_frame asm_big asm_table asm_pointer asm_odd asm_after; do
		grep -qx "main all_shapes $path asm_leaf" paths
	done
	for path in asm_tail asm_kept; do
		grep -qx "main all_shapes $path" paths
	done
	grep -qx "main all_shapes jumping jump_back asm_leaf" paths
	# What works is a leaf: there is no other way to it. setjmp() and longjmp() are two or three
	# functions of the C library, without names where it has no debug symbols; exit() runs what it
	# likes. The first call of a function in a library goes through its linkage table to the loader.
	# main itself reads its argument and the clock.
	local libc='( [^ ]*(jmp|libc\.so|pthread_cleanup_upto)[^ ]*)'
	local loader='( (_dl_runtime_resolve|_dl_fixup|_dl_lookup_symbol_x|do_lookup_x|check_match|strcmp|ld-linux)[^ ]*)'
	local ways="asm_[a-z]+( asm_leaf)?|jumping$libc{0,2}|jumping jump_back( asm_leaf|$libc{0,3})"
	local first="( no_cfi\\+0x[0-9a-f]+)?$loader{0,6}"
	lacks -vE "^main( asm_forever( exit.*)?| all_shapes( ($ways))?|( [^ ]*(clock_gettime|strtod|mpn)[^ ]*){0,3})?$first$" paths
	expect_equal "above asm_leaf" "$(ask no_cfi.tree 'parents_of("asm_leaf") | join(" ")')" \
		"asm_after asm_big asm_frame asm_odd asm_pointer asm_pushes asm_table jump_back"
}

@test "functions of all shapes have equal shares" {
	local shape sum=0 n
	for shape in $shapes jumping; do
		n=$(total_of no_cfi.functions "$shape")
		sum=$((sum + n))
	done
	[ $sum -gt 200 ]
	for shape in $shapes jumping; do
		# A tenth each; so many comparisons ask for more room than one does.
		expect_at_least "$shape" "$(total_of no_cfi.functions "$shape")" $sum 5
	done
}

@test "stripped, the shares by offset are the same" {
	need nm
	nm "$WORKLOADS/no_cfi" >symbols
	"$DENDRO" script stripped.data |
		python3 "$ROOT/tests/oracle/functions_on_paths.py" no_cfi symbols >counts
	cat counts
	local shape
	count() {
		awk -v name="$1" '$1 == name { print $2 }' counts
	}
	expect_at_least "below main" "$(count main)" "$(count samples)" 99
	for shape in $shapes jumping; do
		expect_at_least "$shape" "$(count "$shape")" "$(count all_shapes)" 5
	done
}

@test "guessed paths are marked as guessed" {
	local marked
	marked=$(jq '[.nodes[][4].mark.guessed // 0] | add' no_cfi.tree)
	expect_at_least "marked as guessed" "$marked" "$(ask no_cfi.tree '.metrics[0].samples')" 95
	[ "$(jq '.quality.guessed' no_cfi.tree)" -eq "$marked" ]
	[ "$(jq '.quality.guessed_frames' no_cfi.tree)" -gt "$marked" ]
	"$DENDRO" script no_cfi.data | grep -q 'all_shapes.*\[guessed\]'
}

@test "the mark is on the row of the guessed frame, not on those of its callees" {
	"$DENDRO" report --full-names --min 0 no_cfi.data >text
	grep -qE '[ -]all_shapes \(guessed\) ' text
	# It works itself, and calls nothing but the kernel.
	grep -E '[ -]asm_leaf ' text
	lacks -E '[ -]asm_leaf \(guessed\)' text
	lacks '(guessed).*\[kernel\]' text
}

# complete NAME COMMAND... : 99 % of the samples end at the root, most of them guessed
complete() {
	local name=$1
	shift
	record "$name.data" -- "$@" >"$name.out"
	report_json "$name.data" >"$name.tree"
	show python3 "$ROOT/tests/oracle/outermost.py" --at-least 99 "$name.tree"
	[ "$(jq '.quality.guessed' "$name.tree")" -gt 0 ]
}

@test "assembly functions of libgmp have callers" {
	echo '#include <gmp.h>' | gcc -E - >/dev/null 2>&1 || skip "libgmp-dev is not installed"
	gcc -O2 -o gmp "$ROOT/tests/workloads/gmp.c" -lgmp
	complete gmp ./gmp 2
}

@test "paths are complete in a static musl program without CFI and symbols" {
	need musl-gcc
	musl-gcc -O2 -static -s -fno-asynchronous-unwind-tables -fno-unwind-tables -o musl \
		"$ROOT/tests/workloads/no_cfi.c" "$ROOT/tests/workloads/no_cfi.S"
	complete musl ./musl 2
}

@test "paths are complete in Rust without unwind tables" {
	need rustc
	rustc -O -C panic=abort -C force-unwind-tables=no -o rust \
		"$ROOT/tests/workloads/languages/shares.rs" 2>rustc.out
	complete rust ./rust 2
}
