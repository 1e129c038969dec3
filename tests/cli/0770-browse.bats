# dendro browse, through a terminal (tmux): what the screen shows is compared with the report of the
# same file.

load lib

setup_file() {
	prepare make_profile
}

make_profile() {
	need tmux jq gcc
	need_events
	"$DENDRO" browse </dev/null 2>&1 | grep -q terminal || skip "dendro was built without ncurses"
	cd "$BATS_FILE_TMPDIR" || exit
	record reader.data -- "$WORKLOADS/reader" 1 >/dev/null
	"$DENDRO" build -o reader.cct reader.data
	report_json reader.cct --kernel none >tree.json
	report_json reader.cct --kernel none --view callers >callers.json
	report_json reader.cct --kernel none --view functions >functions.json
	printf '#include "tests/workloads/work.h"\n%s\n%s\n' \
		'__attribute__((noinline)) void hot(unsigned n) { while (n--) unit(); KEEP_FRAME(); }' \
		'int main(int c, char **v) { struct rounds r = rounds_begin(c, v);
		for (unsigned n; (n = rounds_next(&r));) hot(n); }' >hot.c
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -I "$ROOT" -o hot hot.c
	record hot.data -- ./hot 0.3
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR" || exit
	N_TERMINALS=0
	export TMUX_TMPDIR=$BATS_TEST_TMPDIR
}

teardown() {
	[ -z "${SOCKET:-}" ] || tmux -L "$SOCKET" kill-server 2>/dev/null || true
}

# browse COLUMNS ROWS LOCALE [OPTION...] : starts it instead of one before, and waits for its screen
browse() {
	start_only "$@"
	wait_until shows '^ dendro'
}

start_only() {
	local columns=$1 rows=$2 locale=$3
	shift 3
	teardown
	N_TERMINALS=$((N_TERMINALS + 1))
	SOCKET=browse-$N_TERMINALS
	tmux -L "$SOCKET" -f /dev/null -u new-session -d -x "$columns" -y "$rows" \
		"LC_ALL=$locale ${ENVIRONMENT:-} '$DENDRO' ${COMMAND:-browse} $* 2>errors; echo ended with \$?; sleep 600"
}

screen() {
	tmux -L "$SOCKET" capture-pane -p
}

shows() { # shows RE : the screen has a line that matches
	screen | grep -qE -e "$1"
}

hides() { # hides RE : no line of the screen matches
	! shows "$1"
}

# lacks RE : waits until the screen has no such line, for it may still be the one before
lacks() {
	wait_until hides "$1" || {
		echo "unexpected: $1"
		screen
		return 1
	}
}

shows_name() { # shows_name NAME : of the row under the cursor
	screen | tail -3 | grep -qF -e " $1"
}

is_ascii() {
	[ -z "$(screen | LC_ALL=C tr -d ' -~\n')" ]
}

keys() {
	tmux -L "$SOCKET" send-keys "$@"
}

# press KEY RE : until the screen has what the key leads to
press() {
	keys "$1"
	wait_until shows "$2" || {
		screen
		return 1
	}
}

# has_costs SELF TOTAL : waits until those are shown of the row under the cursor
has_costs() {
	wait_until shows "^ total $2 ns  (self $1 ns  )?samples [0-9]+ *$" || {
		echo "expected self $1, total $2:"
		screen
		return 1
	}
}

# Presses a key for each line "SELF TOTAL NAME" of standard input, and looks for its costs.
compare_rows() { # compare_rows KEY N : N rows at least
	local self total name n=0
	while read -r self total name; do
		[ $n -eq 0 ] || keys "$1"
		wait_until shows_name "$name"
		has_costs "$self" "$total"
		n=$((n + 1))
	done
	[ "$n" -ge "$2" ]
}

@test "the rows of the tree are those of the report" {
	browse 100 30 C.UTF-8 --kernel none --min 0 reader.cct
	keys '*'
	jq -r '.frames as $frames | .nodes[] | select(.[0] >= 0) |
		"\(.[2][0]) \(.[3][0]) \($frames[.[1]].name)"' tree.json >expected
	compare_rows j 5 <expected
}

@test "rows of values, of the samples that a condition takes, are those of the report" {
	local values=(--split paint:colour --where 'paint:size > 16')
	gcc -std=gnu17 -D_GNU_SOURCE -I "$ROOT" -g -O2 -o arguments "$ROOT/tests/workloads/arguments.c"
	record arguments.data -- ./arguments 0.5 >/dev/null
	report_json arguments.data --kernel none --min 0 "${values[@]}" >values.json
	browse 100 40 C.UTF-8 --kernel none --min 0 --split paint:colour \
		--where "'paint:size > 16'" arguments.data
	keys '*'
	jq -r '.frames as $frames | .nodes[] | select(.[0] >= 0) |
		"\(.[2][0]) \(.[3][0]) \($frames[.[1]].name)"' values.json >expected
	grep -F '[colour = RED]' expected
	compare_rows j 8 <expected
}

@test "callers are those of the report" {
	browse 100 30 C.UTF-8 --kernel none --min 0 reader.cct
	press 2 '\[callers\]'
	keys '*'
	jq -r '.frames as $frames | .nodes as $nodes | .nodes[] | select(.[0] == 0) |
		"\(.[2][0]) \(.[3][0]) \($frames[.[1]].name)"' callers.json | head -1 >expected
	read -r self total name <expected
	wait_until shows_name "$name"
	has_costs "$self" "$total"
	keys '*'
	jq -r '.frames as $frames | .nodes as $nodes | .nodes[1:6][] |
		"\(.[2][0]) \(.[3][0]) \($frames[.[1]].name)"' callers.json >expected
	compare_rows j 5 <expected
}

@test "functions are those of the report" {
	browse 100 30 C.UTF-8 --kernel none reader.cct
	press 3 '\[functions\]'
	jq -r '.rows[:8][] | "\(.self[0]) \(.total[0]) \(.name)"' functions.json >expected
	compare_rows j 5 <expected
}

# "SELF TOTAL NAME" of the rows of a tree, in their order
nodes_of() { # nodes_of FILE
	jq -r '.frames as $frames | .nodes[] | select(.[0] >= 0) |
		"\(.[2][0]) \(.[3][0]) \($frames[.[1]].name)"' "$1"
}

go_to_function() { # go_to_function NAME : in the functions
	press 3 '\[functions\]'
	keys / "$1" Enter
	wait_until shows 'n next match'
	wait_until shows_name "$1"
}

@test "paths from a function, and to it, are those of the report" {
	report_json reader.cct --kernel none --view paths --root reader_2 >down.json
	report_json reader.cct --kernel none --view paths --root reader_2 --direction up >up.json
	browse 100 40 C.UTF-8 --kernel none --min 0 reader.cct
	go_to_function reader_2
	press r 'from reader_2'
	keys '*'
	nodes_of down.json >expected
	compare_rows j 2 <expected
	press d 'to reader_2'
	keys '*'
	nodes_of up.json >expected
	compare_rows j 2 <expected
	press u 'from reader_2'
	press u '\[functions\]'
}

@test "filters are those of the report, and are undone" {
	report_json reader.cct --kernel none --focus '^reader_1$' >focus.json
	report_json reader.cct --kernel none --ignore 'reader_[1]' >ignore.json
	browse 100 40 C.UTF-8 --kernel none --min 0 reader.cct
	go_to_function reader_1
	press f 'focus \^reader_1\$'
	press 1 '\[tree\]'
	keys g '*'
	nodes_of focus.json >expected
	compare_rows j 3 <expected
	press u '\[functions\]'
	lacks 'focus'
	press 1 '\[tree\]'
	keys I 'reader_[1]' Enter
	wait_until shows 'ignore reader_\[1\]'
	keys g '*'
	nodes_of ignore.json >expected
	compare_rows j 3 <expected
	keys u
	lacks 'ignore'
	keys F '(' Enter
	wait_until shows 'not a regular expression'
}

module_total() { # module_total FILE MODULE : the cost of all paths that have code of the module
	jq --arg name "$2" '.frames as $frames | .nodes as $nodes |
		reduce range(1; $nodes | length) as $i ({ has: [false], sum: 0 };
			($nodes[$i] as $node | .has[$node[0]] or
				(($frames[$node[1]].module // "") == $name)) as $has |
			.has[$i] = $has | if $has then .sum += $nodes[$i][2][0] else . end) |
		.sum' "$1"
}

@test "only paths through a module, or all others, are shown" {
	browse 120 40 C.UTF-8 --kernel none --min 0 reader.cct
	whole=$(jq '.nodes[0][3][0]' tree.json)
	inside=$(module_total tree.json reader)
	go_to_function reader_1
	press o 'focus module reader'
	press 1 '\[tree\]'
	keys g
	has_costs '[0-9]+' "$inside"
	press u '\[functions\]'
	lacks 'focus module'
	press 4 '\[modules\]'
	keys / reader Enter
	wait_until shows_name reader
	if [ "$inside" -lt "$whole" ]; then
		press i 'ignore module reader'
		press 1 '\[tree\]'
		keys g
		has_costs '[0-9]+' $((whole - inside))
		press u '\[modules\]'
		keys g n
		wait_until shows_name reader
	fi
	press f 'focus module reader'
	press u '\[modules\]'
	lacks 'focus module'
}

@test "several files are shown as their sum, which the report offers" {
	need_terminal
	"$DENDRO" report --format json --min 0 --kernel none --view functions hot.data reader.cct >sum.json
	browse 120 30 C.UTF-8 --kernel none hot.data reader.cct
	wait_until shows 'hot.data and 1 more'
	press 3 '\[functions\]'
	keys g
	jq -r '.rows[:4][] | "\(.self[0]) \(.total[0]) \(.name)"' sum.json >expected
	compare_rows j 3 <expected
	PAGER=cat script -qec "'$DENDRO' report hot.data reader.cct" typescript >/dev/null </dev/null
	grep -q '^To walk through it: dendro browse hot.data reader.cct' typescript
}

@test "kernel functions are merged, left out, or alone, as in the report" {
	local part
	browse 100 40 C.UTF-8 --min 0 reader.cct
	for part in none only; do
		report_json reader.cct --kernel $part --view functions >part.json
		press 3 '\[functions\]'
		press K "kernel $part"
		keys g
		jq -r '.rows[:3][] | "\(.self[0]) \(.total[0]) \(.name)"' part.json >expected
		compare_rows j 3 <expected
	done
}

@test "source lines are those of the report" {
	report_json hot.data --kernel none --view lines >lines.json
	browse 120 30 C.UTF-8 --kernel none hot.data
	press 5 '\[lines\]'
	wait_until shows ' line, function  +module'
	wait_until shows 'work.h:[0-9]+  '
	jq -r '.rows[:2][] | "\(.self[0]) \(.total[0]) \(.file // ""):\(.line // "")"' lines.json |
		sed 's/:$//' >expected
	compare_rows j 2 <expected
}

@test "an icicle has rows as wide as their shares, below their callers" {
	browse 100 30 C.UTF-8 --kernel none reader.cct
	press 6 '\[icicle\]'
	wait_until shows '^▐reader( |$)'
	press j '^▐(_start|\[|ld)'
	keys p
	wait_until shows '^▏main( |$)'
	wait_until shows '^▏reader_2 .*▏reader_1( |$)'
	keys / reader_1 Enter
	wait_until shows '^▏reader_2 .*▐reader_1( |$)'
	press h '^▐reader_2 .*▏reader_1( |$)'
	press l '^▏reader_2 .*▐reader_1( |$)'
	press k '^▐main( |$)'
	jq -r --arg name reader_2 '.frames as $frames | .nodes[] |
		select($frames[.[1]].name == $name) | "\(.[2][0]) \(.[3][0]) \($name)"' tree.json >expected
	press j '^▐reader_2 '
	compare_rows j 1 <expected
	press Enter 'below reader_2'
	wait_until shows '^▐reader_2( |$)'
	lacks reader_1
	press u '^▐reader_2 .*▏reader_1( |$)'
	press 1 '\[tree\]'
}

@test "the code of a function is that of dendro annotate" {
	"$DENDRO" annotate --color never --min 0.5 hot hot.data >listing
	browse 100 30 C.UTF-8 hot.data
	go_to_function hot
	press a '^hot in '
	screen | head -n 8 | sed 's/ *$//' >shown
	head -n 8 listing | sed 's/ *$//; s/\t/        /g' | cut -c1-100 | diff - shown
	press G "to $(wc -l <listing) of $(wc -l <listing)"
	press q '\[functions\]'
	browse 100 30 C.UTF-8 reader.cct
	press 3 '\[functions\]'
	press a 'A profile has no code'
}

@test "the code of a function has how often it was executed, where branches were recorded" {
	need python3
	[ "$(uname -m)" = x86_64 ] || skip "steps are of x86-64 here"
	gcc -O2 -g -static -nostdlib -no-pie -fno-stack-protector -w -o steps \
		"$ROOT/tests/oracle/branch_program.c"
	python3 "$ROOT/tests/oracle/branch_paths.py" record ./steps steps.data ||
		skip "programs cannot be stepped here"
	"$DENDRO" annotate --color never --min 0.5 _start steps.data >listing
	grep -q 'self *executed  mispredict' listing
	browse 100 30 C.UTF-8 steps.data
	go_to_function _start
	press a '^_start in '
	screen | head -n 8 | sed 's/ *$//' >shown
	head -n 8 listing | sed 's/ *$//; s/\t/        /g' | cut -c1-100 | diff - shown
}

# mouse BUTTON COLUMN LINE RE : presses and releases it; 0 is the left one, 64 and 65 are the wheel
mouse() {
	local place
	printf -v place '\\x%02x' $((33 + $2)) $((33 + $3))
	printf -v place '%b' "$place"
	keys -l $'\e[M'"$(printf '%b' "\\x$(printf %x $((32 + $1)))")$place"$'\e[M#'"$place"
	wait_until shows "$4" || {
		screen
		return 1
	}
}

@test "the mouse goes to rows, unfolds them, and chooses views and columns" {
	browse 100 30 C.UTF-8 --kernel none reader.cct
	mouse 0 30 3 '▾ reader '
	mouse 0 30 4 '^ _start '
	mouse 0 30 3 '^ reader '
	mouse 0 30 3 '▸ reader '
	mouse 0 28 1 '\[functions\]'
	mouse 0 2 2 'total▼'
	mouse 0 10 2 'self▼'
	mouse 0 40 2 'function▼'
	mouse 0 10 2 'self▼'
	keys g
	name=$(jq -r '.rows[3].name' functions.json)
	mouse 65 10 10 "^ $name "
	name=$(jq -r '.rows[0].name' functions.json)
	mouse 64 10 10 "^ $name "
}

@test "one row is shown alone, and all shares are of it" {
	browse 100 40 C.UTF-8 --kernel none reader.cct
	keys / reader_1 Enter
	wait_until shows_name reader_1
	costs=$(screen | sed -n 's/^ total \([0-9]* ns\) .*/\1/p')
	press z 'below reader_1'
	wait_until shows "^100.00% .* ▸ reader_1"
	shows "^ total $costs "
}

@test "one row is shown alone with the lines of all its calls" {
	cat >twice.c <<-'EOF'
		#include "tests/workloads/work.h"
		__attribute__((noinline)) void hot(unsigned n) { while (n--) unit(); KEEP_FRAME(); }
		__attribute__((noinline)) void caller(unsigned n)
		{
			hot(n);
			hot(n);
			KEEP_FRAME();
		}
		__attribute__((noinline)) void other(unsigned n) { hot(n); KEEP_FRAME(); }
		int main(int c, char **v)
		{
			struct rounds r = rounds_begin(c, v);
			for (unsigned n; (n = rounds_next(&r));) { caller(n); other(n); }
		}
	EOF
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -I "$ROOT" -o twice twice.c
	record twice.data -- ./twice 0.3
	browse 120 30 C.UTF-8 --kernel none twice.data
	keys / caller Enter
	wait_until shows_name caller
	keys l / hot Enter
	wait_until shows_name hot
	costs=$(screen | sed -n 's/^ total \([0-9]* ns\) .*/\1/p')
	press z 'below hot'
	press 5 '\[lines\]'
	keys g
	wait_until shows "^ total $costs "
	lacks 'twice.c:[56] '
}

@test "a recording and its profile look the same" {
	browse 100 30 C.UTF-8 reader.data
	press p '▾ main'
	screen | tail -n +2 >of_recording
	keys q
	wait_until shows 'ended with 0'
	browse 100 30 C.UTF-8 reader.cct
	press p '▾ main'
	screen | tail -n +2 | diff of_recording -
}

@test "a search shows the match while it is typed, and Esc goes back" {
	browse 100 30 C.UTF-8 reader.cct
	screen | tail -n +4 >before
	keys /
	keys reader_1
	wait_until shows '^ reader_1 '
	shows '▸ reader_1'
	shows '^ /reader_1'
	keys Escape
	wait_until shows '^ \? help'
	screen | tail -n +4 | diff before -
	keys /
	keys reader_
	keys Enter
	wait_until shows 'n next match'
	wait_until shows '^ reader_2 '
	keys n
	wait_until shows '^ reader_1 '
	keys N
	wait_until shows '^ reader_2 '
	keys /
	keys nowhere
	wait_until shows 'No row matches'
}

@test "rows are unfolded and folded by keys" {
	browse 100 30 C.UTF-8 --kernel none reader.cct
	shows '▸ reader '
	press l '▾ reader '
	press h '▸ reader '
	press Enter '▾ reader '
	press Space '▸ reader '
	press Right '▾ reader '
	press Left '▸ reader '
	keys '*'
	wait_until shows '▾ reader_2'
	wait_until shows '▾ reader_1'
	press - '▸ reader '
	lacks 'reader_2'
}

@test "every size has a screen, which follows the terminal" {
	local size
	for size in 60x16 100x30 256x50 30x8 8x3; do
		browse "${size%x*}" "${size#*x}" C.UTF-8 reader.cct
		keys p '?' j x 3 q
		wait_until shows 'ended'
	done
	browse 60 16 C.UTF-8 reader.cct
	press p 'vfs_read' # far below the first rows, which may have moved out
	shows 'total▼    self +call path *$'
	shows '^ \? help  q quit'
	tmux -L "$SOCKET" resize-window -x 256 -y 40
	wait_until shows 'time +call path .* module$'
	wait_until shows ' reader$'
	tmux -L "$SOCKET" resize-window -x 100 -y 20
	wait_until shows '^ \? help  q quit .* s sort'
	[ "$(screen | wc -l)" -eq 20 ]
}

@test "without UTF-8 all signs are ASCII" {
	browse 140 30 C reader.cct
	press p 'v main'
	shows 'totalv'
	is_ascii
	press 2 '\[callers\]'
	press 3 '\[functions\]'
	press '?' 'Moving'
	is_ascii
}

@test "colours are left out with NO_COLOR and --color never" {
	has_color() {
		tmux -L "$SOCKET" capture-pane -pe | grep -q $'\e\[[0-9;]*3[1-6]'
	}
	browse 100 30 C.UTF-8 reader.cct
	press p 'main'
	wait_until has_color
	ENVIRONMENT="NO_COLOR=1" browse 100 30 C.UTF-8 reader.cct
	press p 'main'
	[ "$(has_color && echo coloured)" = "" ]
	browse 100 30 C.UTF-8 --color never reader.cct
	press p 'main'
	[ "$(has_color && echo coloured)" = "" ]
}

@test "in few columns all views have their numbers, and the rest of the line says what these are" {
	browse 60 16 C.UTF-8 reader.cct
	shows '^ 1 \[tree\] 2 callers 3 functions .* 6 8 9 more *$'
	press 9 ' 6 8 9 \[threads\] more *$'
	browse 90 16 C.UTF-8 reader.cct
	shows '6 icicle 8 processes 9 threads *$'
}

@test "rows that have no cost of their own have no column for it" {
	browse 80 16 C.UTF-8 --kernel none reader.cct
	shows 'total▼ +self +time +call path'
	press 8 'total▼ +time +process'
	shows '^100.00% +[0-9.]+ [mu]?s +reader '
	press s 'total +time +process▼'
	press 2 'total▼ +time +function'
	press 3 'total +self▼ +time +function'
}

@test "the help has all keys, wraps its lines, and any key leaves it" {
	browse 100 76 C.UTF-8 reader.cct
	press '?' 'Searching'
	shows 'j, Down +next row'
	shows 'q +quit'
	keys x
	wait_until shows 'call path'
	browse 60 16 C.UTF-8 reader.cct
	press '?' 'unfold the row; if it is unfolded, go to$'
	shows '^ {19}the first row below it$'
	shows 'more lines below'
	lacks 'q +quit'
	for _ in {1..14}; do
		keys NPage
	done
	wait_until shows 'q +quit'
}

@test "what prevents the screen is said" {
	run "$DENDRO" browse reader.cct </dev/null
	[ "$status" -eq 1 ]
	[[ "$output" = *"must be a terminal"* ]]
	ENVIRONMENT="TERM=nonsense" start_only 100 30 C.UTF-8 reader.cct
	wait_until shows 'ended with 1'
	grep -q 'type of the terminal' errors
	start_only 100 30 C.UTF-8 missing.data
	wait_until shows 'ended with 1'
	grep -q 'missing.data: No such file' errors
}

@test "a report on a terminal offers to walk through it, and in a pipe does not" {
	need_terminal
	PAGER=cat script -qec "'$DENDRO' report reader.cct" typescript >/dev/null </dev/null
	grep -q '^To walk through it: dendro browse reader.cct' typescript
	cp reader.cct "my file.cct"
	PAGER=cat script -qec "'$DENDRO' report 'my file.cct'" typescript >/dev/null </dev/null
	grep -qF "To walk through it: dendro browse 'my file.cct'" typescript
	PAGER=cat script -qec "'$DENDRO' report --format json reader.cct" typescript >/dev/null </dev/null
	[ "$(grep -c 'dendro browse' typescript)" -eq 0 ]
	"$DENDRO" report reader.cct >plain
	[ "$(grep -c 'dendro browse' plain)" -eq 0 ]
}

@test "names cannot send commands to the terminal" {
	need objcopy
	printf 'hot \e]0;owned\a\e[31mred\xc2\x9b1m\n' >renames
	objcopy --redefine-syms=renames hot hostile
	record hostile.data -- ./hostile 0.3
	browse 100 30 C.UTF-8 hostile.data
	press 3 '\[functions\]'
	wait_until shows 'x1b\[31mred'
	[ "$(tmux -L "$SOCKET" display-message -p '#{pane_title}')" != owned ]
	press 6 '\[icicle\]'
	press 1 '\[tree\]'
	keys '*'
	wait_until shows 'x1b\[31mred'
	[ "$(tmux -L "$SOCKET" display-message -p '#{pane_title}')" != owned ]
}

# "BEFORE AFTER BEFORE AFTER NAME" of rows with cost: total and self, in percent
changes_of() { # changes_of FILE
	jq -r '.rows[] | select(.total.before > 0 or .total.after > 0) |
		[.total.before, .total.after, .self.before, .self.after, .name] | @tsv' "$1" |
		awk -F '\t' '{ printf "%.2f%% %.2f%% %.2f%% %.2f%% %s\n", 100 * $1, 100 * $2, 100 * $3,
			100 * $4, $5 }'
}

compare_changes() { # compare_changes N KEY... : from the first row on, which keys lead to the next
	local n=0 least=$1 total_before total_after self_before self_after name
	shift
	while read -r total_before total_after self_before self_after name; do
		[ $n -eq 0 ] || keys "$@"
		wait_until shows_name "$name"
		wait_until shows "^ total $total_before, then $total_after: .* self $self_before, then $self_after:" || {
			echo "expected $total_before $total_after $self_before $self_after $name"
			screen
			return 1
		}
		n=$((n + 1))
	done
	[ "$n" -ge "$least" ]
}

@test "dendro diff --browse has the rows of dendro diff, and walks through them" {
	mkdir older newer
	sed 's/worker(2 \* n)/worker(6 * n)/' "$ROOT/tests/workloads/dispatch.c" >newer/dispatch.c
	gcc -O2 -I"$ROOT/tests/workloads" -o older/dispatch "$ROOT/tests/workloads/dispatch.c"
	gcc -O2 -I"$ROOT/tests/workloads" -o newer/dispatch newer/dispatch.c
	record older.data -- older/dispatch 0.3
	record newer.data -- newer/dispatch 0.3
	"$DENDRO" diff --view tree --format json older.data newer.data >tree_changes.json
	"$DENDRO" diff --format json older.data newer.data >function_changes.json
	COMMAND="diff --browse"
	browse 130 30 C.UTF-8 older.data newer.data
	changes_of tree_changes.json | head -20 >expected
	compare_changes 6 l j <expected
	press 3 '\[functions\]'
	changes_of function_changes.json | head -6 >expected
	compare_changes 3 j <expected
	press s 'by total cost'
	keys g / dispatch_1 Enter
	wait_until shows_name dispatch_1
	press 1 '\[tree\]'
	keys g
	press p 'dispatch_[12]'
	press f 'moved by more than chance'
	press '?' 'go to what moved most'
	press q '\[tree\]'
	press q 'ended with 0'
	browse 60 12 C older.data newer.data
	is_ascii
	press q 'ended with 0'
}

@test "dendro diff --browse says what prevents it" {
	refuses "needs a terminal" -- "$DENDRO" diff --browse reader.cct reader.cct
	refuses "not both" -- "$DENDRO" diff --browse --html page.html reader.cct reader.cct
	refuses --view -- "$DENDRO" diff --browse --view functions reader.cct reader.cct
}

# rows_of_screen : share and name of the first rows
rows_of_screen() {
	screen | sed -nE 's/^ *([0-9.]+)% +[0-9.]+ m?s  ([a-z0-9_-]+) .*/\1 \2/p' | head -4
}

# rows_of_report VIEW OPTION... : likewise
rows_of_report() {
	report_json tasks.cct --view "$@" |
		jq -r '.metrics[0].total as $all | .rows[] | "\(.total[0] / $all * 100)\t\(.name)"' |
		awk -F '\t' '{ printf "%.2f %s\n", $1, $2 }' | head -4
}

@test "processes and threads are those of the report, and one is shown alone" {
	record tasks.data -- sh -c "'$WORKLOADS/threads' 0.3; '$WORKLOADS/reader' 0.3; true" >/dev/null
	"$DENDRO" build -o tasks.cct tasks.data
	browse 120 24 C.UTF-8 tasks.cct
	press 8 '\[processes\]'
	diff <(rows_of_screen | sort) <(rows_of_report processes --by process | sort)
	press 9 '\[threads\]'
	diff <(rows_of_screen | sort) <(rows_of_report threads | sort)
	local tid all
	tid=$(screen | sed -nE '4s/.*\(tid ([0-9]+)\).*/\1/p')
	press Enter "thread [a-z0-9-]+ \\($tid\\)"
	shows '\[tree\]'
	all=$(report_json tasks.cct --view threads | jq .rows[0].total[0])
	press 8 '\[processes\]'
	shows "total $all ns"
	press u '\[threads\]'
	run ! shows "thread [a-z0-9-]+ \\($tid\\)"
}

@test "a report on a terminal names the command that comes next" {
	need_terminal
	local row hottest
	next() { # next ARGUMENT... : the line, of a report with these
		PAGER=cat script -qec "'$DENDRO' report $*" typescript >/dev/null </dev/null
		grep -a '^To ' typescript | tr -d '\r'
	}
	hottest=$("$DENDRO" report --format json --view functions --kernel none reader.data |
		jq -r '[.rows[] | select(.kind == "user")] | max_by(.self[0]).name')
	expect_equal functions "$(next --view functions --kernel none reader.data)" \
		"To see its hottest code: dendro annotate $hottest reader.data"
	"$DENDRO" annotate "$hottest" reader.data | grep -q "$hottest"
	# A profile has no code, and one process has no other beside it.
	expect_equal "of a profile" "$(next --view functions reader.cct)" \
		"To walk through it: dendro browse reader.cct"
	expect_equal "one process" "$(next --view processes hot.data)" \
		"To walk through it: dendro browse hot.data"
	row=$("$DENDRO" report --format json --view processes hot.data reader.cct |
		jq -r '.rows[0].name')
	expect_equal processes "$(next --view processes hot.data reader.cct)" \
		"To see the costliest alone: dendro report --comm $row hot.data reader.cct"
	expect_equal piped "$("$DENDRO" report --view functions reader.data | grep -c '^To see')" 0
}
