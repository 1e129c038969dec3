# Inlined functions, from debug information wherever it is: paths and shares known by construction.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	need gcc objcopy
	cd "$BATS_FILE_TMPDIR"
	build whole gcc
	record whole.data -- ./whole 2
	report_json whole.data >whole.tree
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

build() { # build NAME COMPILER [OPTION...]
	local name=$1 compiler=$2
	shift 2
	"$compiler" -std=gnu17 -D_GNU_SOURCE -O2 -g "$@" -o "$name" "$ROOT/tests/workloads/inlined.c"
}

# The frames between main and the loops, as "path kinds"; units are inlined everywhere.
EXPECTED='main outer_of_one innermost unit: user user inline inline
main outer_of_two middle called_by_inlined unit: user user inline user inline
main outer_of_two middle innermost unit: user user inline inline inline'

expect_inlines() { # expect_inlines REPORT
	expect_equal "$1" "$(ask "$1" '[nodes | select(.name == "unit" and .self > 5)
		| (.path | index("main")) as $i | (.path[$i:] | join(" ")) + ": " + (.kinds[$i:] | join(" "))]
		| unique | .[]')" "$EXPECTED"
}

# A recording of some tenths of a second has the same paths.
expect_inlines_of() { # expect_inlines_of PROGRAM
	record "$1.data" -- "./$1" 0.5
	report_json "$1.data" >"$1.tree"
	expect_inlines "$1.tree"
}

@test "inlined functions are between the functions that contain them and their callees" {
	expect_inlines whole.tree
}

@test "inlined functions share 1:2:3 by the calls that led to them" {
	local one two three all
	one=$(ask whole.tree 'samples_under(.name == "outer_of_one")')
	two=$(ask whole.tree '[nodes | select((.path | join(" ") | endswith("middle innermost unit")))
		| .total] | add | round')
	three=$(ask whole.tree 'samples_under(.name == "called_by_inlined")')
	all=$((one + two + three))
	expect_share outer_of_one "$one" "$all" 1 6
	expect_share innermost "$two" "$all" 2 6
	expect_share called_by_inlined "$three" "$all" 3 6
}

@test "each inlined function has the line of its call" {
	local line
	for name in 'middle(n); /\* the second' 'innermost(n); /\* the first'; do
		line=$(grep -n "$name" "$ROOT/tests/workloads/inlined.c" | cut -d: -f1)
		ask whole.tree '.. | objects | select(.call?) | "\(.call.file) \(.call.line)"' |
			grep -q "inlined.c $line\$"
	done
	"$DENDRO" report --color never whole.data | grep -Eq 'middle \(inlined at inlined.c:[0-9]+\)'
}

@test "costs add up with and without inlined functions" {
	local with without
	with=$(ask whole.tree '.tree.total[0]')
	report_json --no-inline whole.data >plain.tree
	without=$(ask plain.tree '.tree.total[0]')
	expect_equal total "$with" "$without"
	expect_equal kinds "$(ask plain.tree '[nodes | .kind] | index("inline")')" null
	expect_equal self "$(ask whole.tree '[nodes | .self] | add | round')" "$(ask whole.tree .quality.samples)"
}

@test "the functions and callers views have rows of inlined functions" {
	report_json whole.data --view functions >whole.functions
	ask whole.functions '.rows[] | select(.name == "innermost") | .kind' | grep -qx inline
	report_json whole.data --view callers >whole.callers
	ask whole.callers 'children_of("innermost") | join(" ")' |
		grep -qx "middle outer_of_one"
}

@test "every version of DWARF is read, compressed or not" {
	local version
	for version in 2 3 4 5; do
		build dwarf$version gcc -gdwarf-$version
		expect_inlines_of dwarf$version
	done
}

@test "compressed debug information is read" {
	local kind
	for kind in zlib zlib-gnu zstd; do
		objcopy --compress-debug-sections=$kind whole packed-$kind ||
			skip "this objcopy does not compress by $kind"
		expect_inlines_of packed-$kind
	done
}

@test "clang's debug information is read" {
	need clang
	build by_clang clang
	expect_inlines_of by_clang
}

@test "a unit split into a .dwo file is read" {
	local version
	for version in 4 5; do
		build split$version gcc -gdwarf-$version -gsplit-dwarf
		expect_inlines_of split$version
	done
	rm -- *.dwo
}

@test "split units of clang, which share the files' names with their skeletons, are read" {
	need clang
	build split_by_clang clang -gdwarf-5 -gsplit-dwarf -c
	clang -o linked_by_clang split_by_clang
	expect_inlines_of linked_by_clang
	ask linked_by_clang.tree '.. | objects | select(.call?) | .call.file' | grep -q 'inlined.c$'
	rm -- *.dwo
}

@test "a .dwo file that moved with the program is read" {
	mkdir made moved
	(cd made && build movable gcc -gsplit-dwarf && mv -- * ../moved)
	expect_inlines_of moved/movable
}

@test "split units in a package beside the program are read" {
	need dwp
	build packaged gcc -gdwarf-4 -gsplit-dwarf
	dwp -e packaged -o packaged.dwp
	rm -- *.dwo
	expect_inlines_of packaged
}

@test "packages of DWARF 5 are read" {
	need llvm-dwp-14
	need clang
	build packaged5.o clang -gdwarf-5 -gsplit-dwarf -c
	clang -o packaged5 packaged5.o
	timeout 20 llvm-dwp-14 -e packaged5 -o packaged5.dwp || skip "this llvm-dwp does not do it"
	rm -- *.dwo
	expect_inlines_of packaged5
}

@test "debug information that dwz moved is read from the right supplementary file only" {
	need dwz
	mkdir shared
	build one gcc -Wl,--build-id
	build two gcc -Wl,--build-id -DTWO
	dwz -m shared/both.debug -r one two
	readelf -S one | grep -q gnu_debugaltlink || skip "dwz found nothing in common"
	expect_inlines_of one
	objcopy --remove-section .note.gnu.build-id shared/both.debug
	report_json one.data >changed.tree
	expect_equal named "$(ask changed.tree '[nodes | select(.name == "innermost")] | length')" 0
}

@test "a separate debug file names inlined functions and the symbols of a stripped program" {
	build separate gcc
	objcopy --only-keep-debug separate separate.debug
	objcopy --strip-all --add-gnu-debuglink=separate.debug separate
	expect_inlines_of separate
}

@test "a debug file of another build is not used" {
	build other gcc
	objcopy --only-keep-debug other other.debug
	objcopy --strip-all --add-gnu-debuglink=other.debug other
	build again gcc -O1
	objcopy --only-keep-debug again other.debug
	record other.data -- ./other 0.3
	report_json other.data >other.tree
	expect_equal kinds "$(ask other.tree '[nodes | select(.name | test("unit|middle|innermost"))]
		| length')" 0
}
