# Readable names of functions: mangled and long names, names of clones and of split-off parts.

# shellcheck disable=SC2016,SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	need g++
	cd "$BATS_FILE_TMPDIR"
	g++ -O2 -g -fomit-frame-pointer -o clones "$ROOT/tests/workloads/clones.cpp"
	record clones.data -- ./clones 2
	report_json clones.data --view functions >clones.functions
	report_json clones.data --view functions --merge-copies >merged.functions
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

text() { # text [OPTION...] : the report as text
	"$DENDRO" report --color never "$@" clones.data
}

@test "names in JSON and CSV are whole" {
	[ "$(total_of clones.functions 'overload(int)')" -gt 10 ]
	[ "$(total_of clones.functions 'overload(double)')" -gt 10 ]
	grep -q 'holder<std::map<std::__cxx11::basic_string<char, std::char_traits<char>' clones.functions
	"$DENDRO" report --format csv --view functions clones.data | grep -q '"overload(double)"'
}

@test "in text, only overloaded functions are shown with parameters" {
	text --view functions >text
	grep -q ' overload(int) ' text
	grep -q ' overload(double) ' text
	grep -q ' holds_copy ' text
	grep -q ' seldom \[clone .cold\] ' text
	lacks -q 'overload  ' text
}

@test "long names are folded from the inside to fit the width" {
	local width
	for width in 60 70 80 100 150; do
		COLUMNS=$width text --view functions >text
		# The rows end with an empty line; what is missing, as libc's names may be, follows.
		expect_equal "longest row" "$(awk -v width=$width '/^ *total/ { rows = 1 }
			rows && /^$/ { exit }
			rows && length($0) > width' text)" ''
		grep -q '::work_on' text
	done
	grep -q 'holder<std::map<std::string, std::vector<std::pair<int, long>>>>::work_on ' text
	COLUMNS=90 text --view functions | grep -q 'holder<\(std::map<\)\?.*\.\.\.>\+::work_on '
	text --full-names | grep -q 'holder<.*std::allocator<.*::work_on(.*, unsigned int)'
}

@test "--raw-names shows names as in the file in each command and format" {
	local format
	text --raw-names --view callers | grep -q '_Z8overloadd '
	for format in json csv; do
		text --raw-names --view functions --format $format >raw
		grep -q '"_Z8overloadi"' raw
		grep -q '"_Z6seldomj.cold"' raw
		lacks -q 'overload(' raw
	done
	"$DENDRO" script --raw-names clones.data | grep -q ' _Z8overloadi+0x'
	"$DENDRO" script clones.data | grep -q ' overload+0x'
	local sample # the first in one of these functions, by its number
	sample=$("$DENDRO" script --raw-names clones.data |
		awk '/^[^\t]/ { n++ } / _Z8overload/ { print n; exit }')
	"$DENDRO" debug-unwind --raw-names -s "$sample" clones.data | grep -q ' _Z8overload'
	"$DENDRO" debug-unwind --raw-names clones.data | grep -q '^ns per frame\|frames'
}

# Exact, where total_of rounds to samples: their weights differ on a busy machine.
cost_of_function() { # cost_of_function FILE NAME
	jq --arg name "$2" '[.rows[] | select(.name == $name) | .total[0]] | add' "$1"
}

@test "--merge-copies adds up a function, its clones, its parts and its inlined copies" {
	local name sum
	for name in 'seldom(unsigned int)' 'copied(unsigned int)' 'by_reference(options const&)' \
		'constant_argument(unsigned int, unsigned int)'; do
		echo "$name"
		[ "$(total_of merged.functions "$name")" -gt 10 ]
	done
	lacks -q 'clone \.' merged.functions
	sum=$(($(cost_of_function clones.functions 'seldom(unsigned int)') +
		$(cost_of_function clones.functions 'seldom(unsigned int) [clone .cold]')))
	expect_equal seldom "$(cost_of_function merged.functions 'seldom(unsigned int)')" $sum
	# Above its part already.
	expect_equal early "$(cost_of_function merged.functions 'early(unsigned int)')" \
		"$(cost_of_function clones.functions 'early(unsigned int)')"
	expect_ratio merged 'constant_argument(unsigned int, unsigned int)' 2 \
		'copied(unsigned int)' 2 'seldom(unsigned int)' 2 'early(unsigned int)' 3 \
		'by_reference(options const&)' 1 'overload(int)' 1
}

@test "with --merge-copies a split-off part is not a callee, and inlined functions stay in the tree" {
	report_json --no-inline clones.data >apart.tree
	report_json --no-inline --merge-copies clones.data >merged.tree
	expect_paths apart.tree 'early(unsigned int) [clone .part.0]' \
		'main early(unsigned int) early(unsigned int) [clone .part.0]'
	expect_paths merged.tree 'early(unsigned int)' 'main early(unsigned int)'
	report_json --merge-copies clones.data >inlined.tree
	ask inlined.tree '[nodes | select(.name | test("^copied")) | .kind] | unique | join(" ")' |
		grep -qx 'inline user'
}

@test "costs add up with and without --merge-copies" {
	local view all self
	all=$(jq '.metrics[0].total' clones.functions)
	for view in tree callers functions; do
		report_json --merge-copies --view $view clones.data >merged.json
		expect_equal "total, $view" "$(jq '.metrics[0].total' merged.json)" "$all"
		self=$(jq '[.nodes[]?[2][0], .rows[]?.self[0]] | add' merged.json)
		expect_equal "self, $view" "$self" "$all"
		jq -e --argjson all "$all" '[.nodes[]?[3][0], .rows[]?.total[0]] | max <= $all' merged.json
	done
}

@test "Rust: legacy and v0 names are shown without hashes" {
	need rustc
	local option
	for option in opt-level=2 symbol-mangling-version=v0; do
		rustc -O -C $option -o rust "$ROOT/tests/workloads/languages/shares.rs" ||
			skip "rustc does not work here"
		record rust.data -- ./rust 0.3
		report_json rust.data --view functions >rust.functions
		[ "$(total_of rust.functions shares::worker)" -gt 10 ]
		lacks -qE '"name": *"(_ZN|_RN|.*::h[0-9a-f]{16}")' rust.functions
	done
}

@test "Go: names are as in the file" {
	need go
	HOME=$PWD GOFLAGS='' go build -o go "$ROOT/tests/workloads/languages/shares.go"
	record go.data -- ./go 0.5 >go.out
	report_json go.data --view functions >go.functions
	[ "$(total_of go.functions main.worker)" -gt 10 ]
	"$DENDRO" report --color never --view functions go.data | grep -q ' main.worker '
}

@test "D: names are readable" {
	need gdc
	gdc -O2 -o d "$ROOT/tests/workloads/languages/shares.d" || skip "gdc does not work here"
	record d.data -- ./d 0.5
	report_json d.data --view functions >d.functions
	[ "$(total_of d.functions 'shares.worker!(ulong).worker(ulong)')" -gt 10 ]
	"$DENDRO" report --color never --view functions d.data | grep -q ' shares.worker!(ulong).worker '
	# Of the run-time library libiberty leaves some mangled, and chance decides which are sampled.
	lacks -q '"_D6shares' d.functions
}

# Names in a file may be malicious: escape sequences, bytes that are not UTF-8, 1 MiB of text.
@test "hostile names do no harm in any output" {
	need python3 gcc
	local escape=$'\e' command
	gcc -O2 -o plain "$ROOT/tests/workloads/dispatch.c"
	python3 - plain <<-'PYTHON'
		import sys
		data = open(sys.argv[1], "rb").read()
		size = len(data)
		assert b"dispatch_1\0" in data and b"dispatch_2\0" in data
		data = data.replace(b"dispatch_1\0", b"d\x1b[31m\n\xff_1\0").replace(
			b"dispatch_2\0", b"\xe2\x80\xae\x9b\"<(,_2\0")
		assert len(data) == size
		open("hostile", "wb").write(data)
	PYTHON
	chmod +x hostile
	record hostile.data -- ./hostile 0.5
	for command in report 'report --view functions' 'report --view callers' \
		'report --full-names' 'report --raw-names' 'report --format csv' 'report --format json' \
		script 'script --raw-names' 'debug-unwind -s 20'; do
		echo "$command"
		# shellcheck disable=SC2086
		"$DENDRO" $command hostile.data >output
		lacks -qaP '\x1b|\x9b|\xff|\xe2\x80\xae' output
		iconv -f UTF-8 -t UTF-8 output >/dev/null
	done
	report_json hostile.data | jq . >/dev/null
	"$DENDRO" script hostile.data | grep -qF 'd\x1b[31m'
}

@test "a name of 1 MiB is shown" {
	need gcc objcopy
	gcc -O2 -o plain "$ROOT/tests/workloads/dispatch.c"
	python3 -c 'print("dispatch_1 " + "_Z" + "1a<(" * 262144)' >names
	objcopy --redefine-syms=names plain long
	record long.data -- ./long 0.3
	COLUMNS=100 "$DENDRO" report --view functions --color never long.data >text
	[ "$(awk '{ print length($0) }' text | sort -n | tail -n 1)" -le 100 ]
	grep -q ' _Z1a<(1a<(.*\.\.\.' text
	expect_equal length "$(report_json long.data --view functions | jq '[.rows[].name | length] | max')" 1048578
	"$DENDRO" script long.data | awk 'length($0) > 1048578 { found = 1 } END { exit !found }'
}
