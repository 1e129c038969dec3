# dendro values: the arguments of a program that is known to call with them, compiled in several ways.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

# build NAME COMPILER FLAG...
build() {
	local name=$1 compiler=$2
	shift 2
	"$compiler" -std=gnu17 -D_GNU_SOURCE -I "$ROOT" "$@" -o "$name" \
		"$ROOT/tests/workloads/${SOURCE:-arguments}.c"
}

make_recordings() {
	need_events
	need jq gcc
	cd "$BATS_FILE_TMPDIR"
	build gcc-O0 gcc -g -O0
	build gcc-O2 gcc -g -O2
	build gcc-dwarf4 gcc -gdwarf-4 -O2
	build none gcc -O2
	if command -v clang >/dev/null; then
		build clang-O0 clang -g -O0
		build clang-O2 clang -g -O2
	fi
	local compiler flags=()
	for compiler in g++ clang++; do
		# clang leaves the members of std::string to the C++ library's debug information.
		[ $compiler = g++ ] || flags=(-fstandalone-debug)
		! command -v $compiler >/dev/null ||
			$compiler -std=c++17 -D_GNU_SOURCE -I "$ROOT" -g -O0 -o texts-$compiler \
				"${flags[@]}" "$ROOT/tests/workloads/texts.cpp"
		[ ! -e texts-$compiler ] || record texts-$compiler.recorded -- ./texts-$compiler 1
	done
	! clang++ -std=c++17 -D_GNU_SOURCE -I "$ROOT" -g -O0 -stdlib=libc++ -o texts-libc++ \
		"${flags[@]}" "$ROOT/tests/workloads/texts.cpp" 2>libc++.log ||
		record texts-libc++.recorded -- ./texts-libc++ 1
	# A separate debug file, as distributions have it.
	cp gcc-O2 separate
	objcopy --only-keep-debug separate separate.debug
	objcopy --strip-debug --add-gnu-debuglink=separate.debug separate
	SOURCE=entry_values build entry gcc -g -O2 -fno-ipa-ra
	record entry.recorded -- ./entry 1
	# gcc keeps values in registers that it knows its own functions leave alone.
	SOURCE=entry_values build left gcc -g -O2 -fipa-ra
	record left.recorded -- ./left 1
	local program
	for program in gcc-O0 gcc-O2 gcc-dwarf4 none clang-O0 clang-O2 separate; do
		[ ! -e "$program" ] || record "$program.data" -- "./$program" 1 >/dev/null
	done
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# within FILE [FUNCTION] : the share of the value, as exported, is within four standard errors.
within() {
	values "$1" '.variables[] | select(.name == $ENV.variable) | .values[] |
		select(.value == $ENV.value) | if (.share - ($ENV.share | tonumber) | fabs) <=
		4 * .error then "fine" else "share \(.share) +- \(.error)" end' "${2:-paint}"
}

@test "values: enumerators have their known shares, at -O0 and -O2, of gcc and clang" {
	local file
	export variable value share
	for file in *.data; do
		[ "$file" != none.data ] || continue
		variable=colour
		value=RED share=0.5
		echo "$file: $(within "$file")"
		[ "$(within "$file")" = fine ]
		value=GREEN share=0.3
		[ "$(within "$file")" = fine ]
		value=BLUE share=0.2
		[ "$(within "$file")" = fine ]
	done
}

@test "values: constants whose highest bit is set have no sign for that" {
	local compiler level expected='level HIGH
level LOW
level MIDDLE
n 200'
	cat >constants.c <<-'C'
		enum level { LOW = -1, MIDDLE = 200, HIGH = 40000 };
		static volatile unsigned sum;
		static inline __attribute__((always_inline)) void step(unsigned n)
		{
			for (unsigned i = 0; i < 1000000; i++)
				sum += i * n;
		}
		__attribute__((noinline)) void work(enum level level)
		{
			step(200);
			step(40000);
			sum += (unsigned)level;
		}
		int main(void)
		{
			for (int i = 0; i < 300; i++)
				work(i % 3 ? i % 3 == 1 ? HIGH : MIDDLE : LOW);
		}
	C
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		for level in 1 2; do
			$compiler -g -O$level -o constants constants.c
			record constants.recorded -- ./constants
			values constants.recorded '.variables[] | select(.name == "n") |
				"n \(.values[].value)"' step >got
			values constants.recorded '.variables[] | select(.name == "level") |
				"level \(.values[].value)"' work >>got
			cat got
			# Not all compilers describe the second one.
			[ "$(sort -u got | grep -vx 'n 40000')" = "$expected" ]
		done
	done
}

@test "values: numbers, characters and strings" {
	export variable value share
	variable=size value=512 share=0.1
	[ "$(within gcc-O0.data)" = fine ]
	variable=mark value="97 'a'" share=0.5
	[ "$(within gcc-O0.data)" = fine ]
	run values gcc-O0.data '.variables[] | select(.name == "name") | .values[].value' paint
	grep -q '"warm"$' <<<"$output"
	grep -q '"cold"$' <<<"$output"
	run values gcc-O0.data '.variables[] | select(.name == "size") | .numbers | .min, .max' paint
	[ "$output" = "1
512" ]
}

@test "values: locals are shown on demand, structs member by member, bit-fields too" {
	[ -z "$(values gcc-O0.data '.variables[] | select(.kind == "local") | .name' paint)" ]
	run values gcc-O0.data '.variables[] | select(.name == "middle") | .values[].value' \
		--locals paint
	grep -qx '{x = -2, y = 1000, is_far = 1, layer = 5}' <<<"$output"
	run values gcc-O0.data '[.variables[].name] | join(" ")' paint middle size
	[ "$output" = "size middle" ]
}

@test "values: callers' variables and those of inlined functions" {
	run values gcc-O2.data '.inlined > 0' stroke
	[ "$output" = true ]
	run values gcc-O0.data '.variables[] | select(.name == "canvas") | .values[0].value' main canvas
	grep -q '^{title = 0x[0-9a-f]* "a canvas", at = {x = -3, y = 1000, is_far = 0, layer = 2}}$' \
		<<<"$output"
	# The few instructions of its own have a sample by chance.
	[ "$(values gcc-O0.data '.at_leaf * 100 <= .with_function' main)" = true ]
}

@test "values: expressions: members, elements, and what pointers lead to" {
	local file
	for file in *.data; do
		[ "$file" != none.data ] || continue
		run values "$file" '.variables[] | "\(.name)|\(.type)|\(.values[].value)"' \
			paint 'canvas->at.x' '(*canvas).at.layer' 'canvas->at' 'canvas[0].at.y'
		grep -qFx 'canvas->at.x|int|-3' <<<"$output"
		grep -qFx '(*canvas).at.layer|unsigned int|2' <<<"$output"
		grep -qFx 'canvas->at|point|{x = -3, y = 1000, is_far = 0, layer = 2}' <<<"$output"
		grep -qFx 'canvas[0].at.y|int|1000' <<<"$output"
	done
	run values gcc-O0.data '[.variables[] | .values[0].value] | join(" ")' main \
		'colours[1]' 'colours[2]' '*colours' 'canvas.at.x'
	[ "$output" = "GREEN BLUE RED -3" ]
	run values gcc-O0.data '.variables[] | .values[].value' paint '*name'
	[ "$(sort <<<"$output" | tr '\n' ' ')" = "119 'w' 99 'c' " ]
}

@test "values: C++'s strings and string views are text" {
	local file
	export variable value share
	need g++
	for file in texts-*.recorded; do
		values "$file" '.variables[] | select(.name == "name") | .values[].value' consume >names
		grep -qE '^@0x[0-9a-f]+: "short"$' names
		grep -qE '^@0x[0-9a-f]+: \{length = 26, <in memory' names
		variable=view
		value='"warm"' share=0.75
		[ "$(within "$file" consume)" = fine ]
		value='"cold"' share=0.25
		[ "$(within "$file" consume)" = fine ]
	done
}

# Some linkers lay read-only data before the code, others behind it.
@test "values: Rust's texts in read-only data" {
	need rustc
	export variable=kind value share
	rustc -g -O -o texts-rust "$ROOT/tests/workloads/languages/texts.rs" || skip "rustc does not work here"
	record rust.recorded -e cpu-clock -- ./texts-rust
	value='"parse"' share=0.3333
	[ "$(within rust.recorded work)" = fine ]
	value='"print"' share=0.6667
	[ "$(within rust.recorded work)" = fine ]
}

@test "values: expressions that fit no type, or make no sense" {
	run "$DENDRO" values paint 'canvas->no_such_member' gcc-O0.data
	[ "$status" -eq 1 ]
	[[ "$output" == *"'canvas->no_such_member' does not fit its types"* ]]
	run "$DENDRO" values paint '*size' gcc-O0.data
	[ "$status" -eq 1 ]
	run "$DENDRO" values paint 'canvas->' gcc-O0.data
	[ "$status" -eq 129 ]
	[[ "$output" == *"'canvas->' lacks the name of a member."* ]]
	run "$DENDRO" values paint 'size + 1' gcc-O0.data
	[ "$status" -eq 129 ]
}

@test "values: pointers to static memory have the names of the variables there" {
	local flags
	for flags in "-O0 -no-pie" "-O0 -fPIE -pie"; do
		# shellcheck disable=SC2086
		SOURCE=pointers build pointers gcc -g $flags
		record pointers.recorded -- ./pointers 0.5
		run values pointers.recorded '.variables[] | select(.name == "element" or .name == "any")
			| .values[].value | sub("^0x[0-9a-f]+ "; "")' visit
		expect_equal "$flags" "$(sort <<<"$output" | paste -sd' ')" \
			"<single+0x8> <single> <table+0x20> <table+0x28> <table+0x8> <table>"
		run values pointers.recorded '.variables[] | select(.name == "element") | .values[] |
			select((.share - 1 / 3 | fabs) > 4 * .error) | .value' visit
		expect_equal "$flags: not a third" "$output" ""
		# No addresses, which differ from run to run.
		"$DENDRO" export --format folded --split visit:element -o folded -i pointers.recorded
		expect_equal rows "$(grep -o ';\[element = [^]]*\]' folded | sort -u | paste -sd' ')" \
			";[element = <single>] ;[element = <table+0x20>] ;[element = <table>]"
		# What may be written to is not in the sample; what is called has its own name.
		run values pointers.recorded '.variables[] | select(.name == "text" or .name == "call")
			| .values[].value | sub("^0x[0-9a-f]+ "; "")' visit
		expect_equal "$flags" "$(paste -sd' ' <<<"$output")" "<leaf> <label>"
	done
}

@test "values: what a call passed is known by the caller" {
	run values entry.recorded '.with_function as $all | .variables[] |
		select(.name == "dead") | .known >= 0.95 * $all' leaf
	[ "$output" = true ]
	run values entry.recorded '[.variables[] | select(.name == "dead") | .values[] |
		select((.share - 1 / 6 | fabs) <= 4 * .error) | .value] | sort | join(" ")' leaf
	[ "$output" = "10 11 12 20 21 22" ]
	run values entry.recorded '.variables[] | select(.name == "code") | .values[].value' leaf
	[ "$output" = 7 ]
	run values entry.recorded '[.variables[] | select(.name == "i") | .values[].value] | sort |
		join(" ")' two i
	[ "$output" = "0 1 2" ]
}

@test "values: registers that gcc knows to be left alone" {
	[ "$(uname -m)" = x86_64 ] || skip "the registers are x86-64's"
	run values left.recorded '.with_function as $all | .variables[] |
		select(.name == "dead") | .known >= 0.95 * $all' leaf
	[ "$output" = true ]
	run values left.recorded '[.variables[] | select(.name == "dead") | .values[] |
		select((.share - 1 / 6 | fabs) <= 4 * .error) | .value] | sort | join(" ")' leaf
	[ "$output" = "10 11 12 20 21 22" ]
}

@test "values: samples that lack a value are counted by the reason" {
	local file
	for file in *.data; do
		[ "$file" != none.data ] || continue
		run values "$file" '.with_function as $all | .variables[] |
			.known + ([.missing[]] | add // 0) == $all' paint
		[ "$status" -eq 0 ]
		[ "$(sort -u <<<"$output")" = true ]
	done
	run values none.data '.without_debug_information == .with_function' paint
	[ "$output" = true ]
}

@test "values: the text has shares, a mean, quantiles, and what is not known" {
	run "$DENDRO" values paint size gcc-O0.data
	[ "$status" -eq 0 ]
	grep -qE '^[0-9]+ of [0-9]+ samples have a frame of paint' <<<"$output"
	grep -qx 'parameter size: unsigned int' <<<"$output"
	grep -qE ' ± [0-9.]+ %  512$' <<<"$output"
	grep -qE 'mean [0-9.]+ ± ' <<<"$output"
	grep -qE 'quantiles: 5 %: 1, ' <<<"$output"
}

@test "values: a variable that is asked for has its row, also if it is never known" {
	local name
	name=$("$DENDRO" values --format json --locals main gcc-O2.data |
		jq -r 'first(.variables[] | select(.kind == "local" and .known == 0).name)')
	[ -n "$name" ] || skip "gcc keeps all variables here"
	run "$DENDRO" values main "$name" gcc-O2.data
	cat <<<"$output"
	grep -qx "local $name" <<<"$output"
	grep -qE '^    known in 0 of ([0-9]+) samples; [0-9]+ ' <<<"$output"
	run "$DENDRO" values --locals main gcc-O2.data
	grep -qE "^locals that are never known: .*\\b$name\\b" <<<"$output"
}

# libdw takes what gcc says of it, DW_OP_GNU_uninit, for damage. gdb shows the value as uninitialized.
@test "values: a variable of python3 that is not initialized yet" {
	need python3-dbg readelf
	readelf --debug-dump=loc "$(readlink -f "$(command -v python3-dbg)")" 2>/dev/null >locations ||
		true
	grep -q 'DW_OP_reg5 (rdi); DW_OP_GNU_uninit' locations ||
		skip "this python3-dbg has no such variable"
	record python.recorded -- python3-dbg -c 'sum(map(lambda x: x + 1, range(1000000)))'
	values python.recorded '.variables[] | [.name, (.missing | keys | join(", "))] | join(": ")' \
		_PyEval_EvalFrameDefault call_shape >reasons
	cat reasons
	grep -q '^call_shape: .*not initialized' reasons
	lacks malformed reasons
}

@test "values: what does not exist is an error" {
	run "$DENDRO" values no_such_function gcc-O0.data
	[ "$status" -eq 1 ]
	[[ "$output" == *"no stack has a frame of 'no_such_function'"* ]]
	run "$DENDRO" values paint no_such_variable gcc-O0.data
	[ "$status" -eq 1 ]
	[[ "$output" == *"has no variable 'no_such_variable'"* ]]
	run "$DENDRO" values
	[ "$status" -eq 129 ]
	run "$DENDRO" values -i no_such_file paint
	[ "$status" -eq 1 ]
}
