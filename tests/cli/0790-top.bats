# A profile that is shown while it is recorded: dendro top, where there is no terminal.

# shellcheck disable=SC2164
load lib

setup() {
	need_events
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	[ -z "${SOCKET-}" ] || tmux -L "$SOCKET" kill-server 2>/dev/null || true
	[ -z "${top-}" ] || kill -KILL "$top" 2>/dev/null || true
	[ -z "${target-}" ] || kill -KILL "$target" 2>/dev/null || true
}

# rows_of_last FILE : total and self percent and name of each row of the last refresh
rows_of_last() {
	awk 'BEGIN { RS = "" } { last = $0 } END { print last }' "$1" | tail -n +3 |
		sed -E 's/^ *([0-9.]+)% +([0-9.]+)% +[0-9]+  (.*)$/\1 \2 \3/; s/  [^ ]+$//; s/ \([a-z0-9]+\)$//' | sort
}

# rows_of_profile FILE VIEW : likewise, of the profile
rows_of_profile() {
	"$DENDRO" report --format json --view "$2" "$1" |
		jq -r '.metrics[0].total as $all | .rows[] | "\(.total[0])\t\(.self[0])\t\($all)\t\(.name)"' |
		awk -F '\t' '{ printf "%.2f %.2f %s\n", 100 * $1 / $3, 100 * $2 / $3, $4 }' | sort
}

samples_of_last() { # samples_of_last FILE : what the line above the last table says
	grep '^dendro top: ' "$1" | tail -1 | sed -E 's/.* ([0-9]+) samples?, .*/\1/'
}

@test "the last refresh is the profile that is stored" {
	for view in functions modules processes; do
		"$DENDRO" top -q -F 997 -e cpu-clock --interval 200ms --rows 100000 --view $view -o last.cct \
			-- "$WORKLOADS/cxx" 0.7 >shown
		[ "$(grep -c '^dendro top: ' shown)" -ge 2 ]
		diff <(rows_of_last shown) <(rows_of_profile last.cct $view)
		[ "$(samples_of_last shown)" -eq "$("$DENDRO" report --format json last.cct | jq .metrics[0].samples)" ]
	done
}

@test "the stored profile has its samples one by one" {
	"$DENDRO" top -q -F 997 -e cpu-clock -o top.cct -- "$WORKLOADS/cxx" 0.3 >shown
	"$DENDRO" report --view threads --time 10%-90% top.cct | grep -q cxx
	expect_at_least "complete paths" "$("$DENDRO" report --format json top.cct | jq .quality.unwind.complete)" \
		"$(samples_of_last shown)" 90
}

@test "each refresh has the samples of those before" {
	"$WORKLOADS/threads" 600 3>&- &
	target=$!
	"$DENDRO" top -q -F 997 -e cpu-clock -p $target -n 4 --interval 300ms >shown
	[ "$(grep -c '^dendro top: ' shown)" -eq 4 ]
	grep '^dendro top: ' shown | sed -E 's/.*no samples so far.*/0/; s/.* ([0-9]+) samples?, .*/\1/' >counts
	sort -n -c counts
	kill -0 $target
}

@test "-n and a closed pipe end the recording" {
	"$DENDRO" top -q -e cpu-clock -n 1 --interval 100ms -- sleep 600 >shown || [ $? -ge 128 ]
	"$DENDRO" top -q -e cpu-clock --interval 100ms -- "$WORKLOADS/threads" 600 | head -1 >shown
	grep -q '^dendro top: ' shown
}

@test "the exit status is the command's, and its output goes to standard error" {
	run -7 "$DENDRO" top -q -- sh -c 'exit 7'
	run -127 "$DENDRO" top -q -- ./not-there
	"$DENDRO" top -q -- echo spoken >shown 2>errors
	grep -qx spoken errors
	lacks spoken shown
	run -129 "$DENDRO" top
	[[ "$output" == *"dendro top: nothing to record"* ]]
}

@test "an interrupt shows what came until then" {
	"$WORKLOADS/threads" 600 3>&- &
	target=$!
	"$DENDRO" top -q -e cpu-clock -p $target --interval 100ms -o cut.cct >shown 3>&- &
	top=$!
	wait_until grep -q ' samples, ' shown
	kill -INT $top
	wait $top
	[ "$(samples_of_last shown)" -eq "$("$DENDRO" report --format json cut.cct | jq .metrics[0].samples)" ]
}

@test "the profile says that a recorder was killed" {
	"$WORKLOADS/threads" 600 3>&- &
	target=$!
	"$DENDRO" top -q -e cpu-clock -p $target --interval 100ms -o killed.cct >shown 3>&- &
	top=$!
	wait_until grep -q ' samples, ' shown
	kill -KILL $top
	wait_until grep -q 'the recorder did not finish' shown
	wait_until [ -s killed.cct ]
	"$DENDRO" report killed.cct | grep -q 'the recorder did not finish'
}

start_screen() { # start_screen COLUMNS ROWS OPTION... : dendro top on a terminal
	local columns=$1 rows=$2
	shift 2
	need_terminal
	SOCKET=top-$((++n_screens)) # a server that was killed has its socket for a moment more
	export TMUX_TMPDIR=$BATS_TEST_TMPDIR
	tmux -L $SOCKET -f /dev/null -u new-session -d -x "$columns" -y "$rows" \
		"cd '$BATS_TEST_TMPDIR'; LC_ALL=C.UTF-8 '$DENDRO' top $* 2>errors; echo ended with \$?; sleep 600"
}

screen() {
	tmux -L $SOCKET capture-pane -p
}

shows() { # shows RE : the screen has a line that matches
	screen | grep -qE -e "$1"
}

press() { # press KEY RE : until the screen has what the key leads to
	tmux -L $SOCKET send-keys "$1"
	wait_until shows "$2" || {
		screen
		return 1
	}
}

shown_samples() { # that the title says
	screen | head -1 | sed -nE 's/.* ([0-9]+) samples?, .*/\1/p'
}

has_more_samples() { # has_more_samples N
	[ "$(shown_samples)" -gt "$1" ]
}

@test "the screen grows, and the cursor stays on its row" {
	start_screen 110 30 -q -e cpu-clock --interval 200ms -- "$WORKLOADS/reader" 600
	wait_until shows 'samples, .* cpu-clock'
	wait_until shows '▸ reader'
	press p '▾ read_once'
	press / '^ /'
	press read_once 'read_once'
	press Enter '^ total'
	local before
	before=$(shown_samples)
	screen | tail -3 | grep -q '^ read_once '
	wait_until has_more_samples "$before"
	before=$(shown_samples)
	wait_until has_more_samples "$before"
	screen | tail -3 | grep -q '^ read_once '
	shows '▾ read_once'
	press 3 '\[functions\]'
	press q 'ended with'
}

@test "a frozen screen stays, and what it shows can be stored" {
	start_screen 110 30 -q -e cpu-clock --interval 100ms -- "$WORKLOADS/reader" 600
	wait_until shows 'samples, .* cpu-clock'
	press x 'frozen: '
	local before after
	before=$(shown_samples)
	press S 'Stored in top.cct'
	press S 'Stored in top-2.cct'
	after=$(shown_samples)
	[ "$before" -eq "$after" ]
	[ "$("$DENDRO" report --format json top.cct | jq .metrics[0].samples)" -eq "$before" ]
	cmp top.cct top-2.cct
	press x '^ dendro top  [0-9]'
	wait_until has_more_samples "$before"
	press q 'ended with 130'
}

@test "what was recorded stays on the screen when it has ended" {
	start_screen 80 24 -e cpu-clock -o kept.cct -- sh -c "'echo nothing-on-the-screen; $WORKLOADS/cxx 0.3; exit 7'"
	wait_until shows 'ended: '
	run ! shows nothing-on-the-screen
	local samples
	samples=$(shown_samples)
	press q 'ended with 7'
	wait_until [ -s kept.cct ]
	[ "$("$DENDRO" report --format json kept.cct | jq .metrics[0].samples)" -eq "$samples" ]
}

@test "an interrupt ends the screen, and a failure is told after it" {
	start_screen 80 24 -q -e cpu-clock -- "$WORKLOADS/reader" 600
	wait_until shows 'samples, .* cpu-clock'
	press C-c 'ended with 130'
	tmux -L $SOCKET kill-server
	start_screen 80 24 -p 999999999
	wait_until shows 'ended with 1'
	grep -q 'dendro top: ' errors
}

@test "the last seconds alone have exactly the samples of that time" {
	"$DENDRO" top -q -F 997 -e cpu-clock --last 300ms --interval 200ms --view processes -o all.cct \
		-- sh -c "'$WORKLOADS/reader' 0.5; '$WORKLOADS/threads' 3" >shown
	grep -q '^dendro top: last 0.3 of ' shown
	# One of them had nothing of the first program any more; the file and the last table have both.
	awk 'BEGIN { RS = "" } /: last / && /threads/ && !/reader/ { found = 1 } END { exit !found }' shown
	for name in reader threads; do
		"$DENDRO" report --view processes all.cct | grep -q $name
		rows_of_last shown | grep -q $name
	done
	start_screen 110 30 -q -e cpu-clock -F 997 --last 400ms --interval 200ms -o whole.cct -- "$WORKLOADS/reader" 600
	wait_until shows 'last 0.4 of '
	press x 'frozen: last'
	press S 'Stored in top.cct'
	local samples range
	samples=$(shown_samples)
	press x '^ dendro top  last'
	press w '^ dendro top  [0-9.]+ s, '
	has_more_samples "$samples"
	press w '^ dendro top  last 0.4 of '
	press q 'ended with'
	wait_until [ -s whole.cct ]
	[ "$("$DENDRO" report --format json top.cct | jq .metrics[0].samples)" -eq "$samples" ]
	# Of all samples, those are of that time.
	range=$("$DENDRO" report --format json top.cct |
		jq -r '.times | "\(.from_ns / 1000 | floor)us-\(.duration_ns / 1000 + 1 | floor)us"')
	[ "$("$DENDRO" report --format json --time "$range" whole.cct | jq .metrics[0].samples)" -eq "$samples" ]
}
