# Programs with malicious symbols, and programs that changed after they were recorded: nothing crashes
# or hangs, frames keep module and offset, and the report says why.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	need gcc objcopy python3
	cd "$BATS_FILE_TMPDIR"
	chmod 755 .
	printf '#include "tests/workloads/work.h"\n%s\n%s\n' \
		'__attribute__((noinline)) void hot(unsigned n) { while (n--) unit(); KEEP_FRAME(); }' \
		'int main(int c, char **v) { struct rounds r = rounds_begin(c, v);
		for (unsigned n; (n = rounds_next(&r));) hot(n); }' >hot.c
	build hot
	cp hot program
	record program.data -- ./program 0.3
	chmod 644 program.data
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
	rm -rf program
	cp hot program
}

build() { # build NAME [OPTION...]
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -I "$ROOT" -Wl,--build-id -o "$1" "${@:2}" hot.c
}

# record_renamed NAME FILE : records a program whose function hot() is renamed to the text in FILE
record_renamed() {
	{ printf 'hot '; cat "$2"; echo; } >renames
	objcopy --redefine-syms=renames hot "$1"
	record "$1.data" -- "./$1" 0.3
}

# survives COMMAND... : fails on a signal, a sanitizer's error or a hang; output in out, messages in
# errors
survives() {
	local status=0
	timeout 60 "$@" >out 2>errors </dev/null || status=$?
	[ $status -eq 0 ] || {
		echo "status $status:"
		head -20 errors
		return 1
	}
}

# says_why TEXT [COMMAND...] : the report shows program's frames as module and offset, with one reason
says_why() {
	local text=$1
	shift
	survives "$@" "$DENDRO" report --color never --min 0 program.data
	grep -n 'program+0x\|Names are missing' out | head -3
	grep -q '[ -]program+0x[0-9a-f]\+ ' out
	lacks -w hot out
	sed -n '/^Names are missing:/,$p' out
	expect_equal "times the reason is printed" "$(grep -c "% *program: $text" out)" 1
}

@test "control characters and malformed UTF-8 in names are escaped on a terminal, and kept in JSON" {
	local name=$'\e]0;x\a\e[31m\xff\xc2\x9b\xe2\x80\xae.end'
	objcopy --redefine-sym "hot=$name" hot odd
	record odd.data -- ./odd 0.3
	for view in tree functions callers; do
		survives "$DENDRO" report --color never --view $view odd.data
		grep -qF '\x1b]0;x\x07\x1b[31m\xff\u009b\u202e.end' out
		lacks -aP '[\x00-\x08\x0b-\x1f\x7f]' out
		survives "$DENDRO" report --format json --view $view odd.data
		jq -e '[.. | objects | .name? | strings | select(endswith(".end"))
			| startswith("\u001b]0;x\u0007\u001b[31m")] | any' out
		lacks -aP '[\x00-\x08\x0b-\x1f\x7f]' out
	done
}

@test "exports have names as a terminal shows them" {
	local format text='\x1b]0;x\x07\x1b[31m\xff\u009b\u202e.end'
	local name=$'\e]0;x\a\e[31m\xff\xc2\x9b\xe2\x80\xae.end'
	objcopy --redefine-sym "hot=$name" hot odd
	record odd.data -- ./odd 0.3
	for format in pprof folded speedscope callgrind firefox chrome otlp; do
		"$DENDRO" export -f "$format" -o odd.export odd.data 2>/dev/null
		gzip -dcf <odd.export >odd.raw
		case $format in
		folded) grep -aqF "${text/;/:}" odd.raw ;;
		speedscope | firefox | chrome) grep -aqF "${text//\\/\\\\}" odd.raw ;;
		*) grep -aqF "$text" odd.raw ;;
		esac
		lacks -aF $'\e]0;x' odd.raw
		lacks -aF $'\xe2\x80\xae' odd.raw
	done
	! command -v sqlite3 >/dev/null || {
		"$DENDRO" export -f sqlite -o odd.db odd.data 2>/dev/null
		sqlite3 odd.db 'SELECT name FROM functions' | grep -xF "$text"
	}
}

@test "names of tasks in a recording for perf are those that a terminal shows" {
	local name=$'\e[31m\xe2\x80\xaed'
	record named.data -- sh -c "printf '%s' '$name' >/proc/\$\$/comm
		i=0; while [ \$i -lt 500000 ]; do i=\$((i + 1)); done"
	"$DENDRO" export -f perf.data -o named.perf named.data
	grep -aqF '\x1b[31m\u202ed' named.perf
	lacks -aF "$name" named.perf
}

@test "a line feed in a name does not start a new line" {
	objcopy --redefine-sym "hot=$(printf 'one\ntwo')" hot lines
	record lines.data -- ./lines 0.3
	survives "$DENDRO" report --color never lines.data
	grep -qF 'one\x0atwo' out
	lacks -q '^two' out
}

@test "a name of 1 MiB is shortened in text, and whole in JSON" {
	head -c 1048576 /dev/zero | tr '\0' n >name
	record_renamed long name
	survives "$DENDRO" report --color never long.data
	expect_equal "longest line below 1000" "$(awk 'length > 1000' out | wc -l)" 0
	grep -q 'nnn.*\.\.\..*nnn' out
	survives "$DENDRO" report --format json --view functions long.data
	expect_equal "length" "$(jq '[.rows[].name | length] | max' out)" 1048576
}

@test "mangled names that refer to themselves or grow without end are shown" {
	# A back reference of Rust's to itself; each argument names the one before twice.
	printf '_RINbNbNiB4_5boxed5FnBoxuEp6OutputuEL_ECs1iopQbuBiw2_3std' >name
	record_renamed rust name
	survives "$DENDRO" report --color never --view functions rust.data
	{
		printf '_Z1fI1aIiiE1aIS1_S1_E'
		printf '1aIS%s_S%s_E' {2,2,3,3,4,4,5,5,6,6,7,7,8,8,9,9,A,A,B,B,C,C,D,D,E,E,F,F,G,G,H,H}
		printf 'Evv'
	} >name
	record_renamed doubling name
	survives "$DENDRO" report --color never --view functions doubling.data
}

@test "a hundred functions inlined into each other are all shown" {
	need g++
	{
		echo '#include <stdlib.h>'
		echo '#include <time.h>'
		echo 'static volatile unsigned long sum;'
		echo 'template <int N> [[gnu::always_inline]] inline void level(unsigned n) { level<N - 1>(n); sum = sum + N; }'
		echo 'template <> [[gnu::always_inline]] inline void level<0>(unsigned n)'
		echo '{ for (unsigned i = 0; i < n; i++) sum = sum + i; }'
		echo 'int main(int, char **v) { clock_t end = clock() + atof(v[1]) * CLOCKS_PER_SEC;'
		echo 'while (clock() < end) level<99>(1000000); }'
	} >levels.cpp
	g++ -O2 -g -o levels levels.cpp
	record levels.data -- ./levels 0.3
	survives "$DENDRO" report --color never levels.data
	# As rows, for jq refuses to read a tree as deep as this one.
	survives "$DENDRO" report --format json --view functions levels.data
	expect_equal "levels" "$(ask out '[.rows[] | select(.kind == "inline") | .name
		| capture("level<(?<n>[0-9]+)>") | .n | tonumber] | unique | length')" 100
}

@test "corrupt symbol tables do no harm" {
	local lie
	for lie in names sizes sections values strings huge entries; do
		rm -f program
		cp hot program
		python3 "$ROOT/tests/oracle/lie_in_symbols.py" $lie program
		survives "$DENDRO" report --color never --view functions program.data
		survives "$DENDRO" report --color never --no-inline --view functions program.data
		echo "$lie: $(grep -c . out) lines"
		grep -q program out
	done
}

@test "frames of a removed program have module and offset" {
	rm program
	says_why "the file is missing"
}

@test "a program that was built again is not used for names" {
	sed 's/while (n--)/while (n-- > 0)/; s/hot/cold/' hot.c >cold.c
	gcc -std=gnu17 -D_GNU_SOURCE -O1 -g -I "$ROOT" -Wl,--build-id -o program cold.c
	says_why "changed since"
	lacks -w cold out
}

@test "a directory, a FIFO or a device that replaced a program is not read" {
	need_root
	local kind
	for kind in "mkdir" "mkfifo" "ln -s /dev/zero" "ln -s /dev/tty" "ln -s program"; do
		rm -rf program
		$kind program
		echo "$kind:"
		says_why "the file can't be read"
	done
}

@test "the report says that an empty or text file that replaced a program is not an ELF file" {
	: >program
	says_why "not an ELF file"
	echo "no program" >program
	says_why "not an ELF file"
}

@test "frames of a program without read permission have module and offset" {
	need_root
	need setpriv
	[ -x "$DENDRO" ] && setpriv --reuid=65534 --clear-groups test -x "$DENDRO" -a -r program.data ||
		skip "another user does not reach this folder"
	chmod 000 program
	says_why "no permission to read the file" setpriv --reuid=65534 --clear-groups
}

@test "a program file that is cut at any byte does no harm" {
	local size i
	size=$(stat -c %s hot)
	for i in 1 15 16 52 63 64 65 500 $((size / 4)) $((size / 2)) $((size * 3 / 4)) $((size - 64)) $((size - 1)); do
		head -c "$i" hot >program
		survives "$DENDRO" report --color never --view functions program.data
	done
}

@test "a program that shrinks and grows while it is read does no harm" {
	local i
	while true; do
		truncate -s 4096 program
		cat hot >program
	done 2>/dev/null &
	local writer=$! bad=0
	for i in {1..25}; do
		survives "$DENDRO" report --color never --view functions program.data ||
			grep -q 'was truncated while it was read' errors || bad=$((bad + 1))
	done
	kill $writer
	wait $writer || true
	expect_equal "reports that failed otherwise" $bad 0
	survives "$DENDRO" report --color never --view functions program.data
}

@test "debug files that are missing, corrupt or of another build are not used" {
	local wrong
	objcopy --only-keep-debug hot program.debug
	objcopy --strip-all --add-gnu-debuglink=program.debug hot program
	survives "$DENDRO" report --color never --view functions program.data
	grep -qw hot out
	for wrong in "rm -f" "truncate -s 100" "truncate -s 5000" "truncate -s 0"; do
		objcopy --only-keep-debug hot program.debug
		$wrong program.debug
		survives "$DENDRO" report --color never --view functions program.data
		echo "$wrong:"
		grep 'program' out | tail -3
		lacks -w hot out
		grep -q 'program+0x' out
		grep -q '% *program: stripped: no symbols' out
	done
	build other -DUNUSED -O1
	objcopy --only-keep-debug other program.debug
	survives "$DENDRO" report --color never --view functions program.data
	lacks -w hot out
}
