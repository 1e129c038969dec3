# What reads program files while recording has no rights.

# shellcheck disable=SC2164
load lib

setup() {
	need_events
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	[ -z "${recorder-}" ] || kill -KILL $recorder "${builder-}" "${command-}" 2>/dev/null || true
	[ -z "${reader-}" ] || kill -KILL "$reader" 2>/dev/null || true
	[ -z "${source-}" ] || kill -KILL "$source" 2>/dev/null || true
}

# start_recorder OPTION...: sets $recorder, $builder, $command
start_recorder() {
	need pgrep
	setsid "$DENDRO" record -q -F 997 -e cpu-clock -o live.cct "$@" -- "$WORKLOADS/deep" 600 bottom 2>messages 3>&- &
	recorder=$!
	wait_until pgrep -x -P $recorder deep
	command=$(pgrep -x -P $recorder deep)
	builder=$(pgrep -P $recorder | grep -vx "$command")
	"$BATS_TEST_DIRNAME/until_worked" 30 "$command"
}

server_of_builder() { pgrep -P "$builder"; }

finish() {
	kill -TERM $recorder
	wait $recorder || true
	cat messages
}

status_of() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$2/status"; }

@test "the process that reads program files has no rights, and has all names" {
	start_recorder
	expect_equal "capabilities" "$(status_of CapEff "$builder") $(status_of CapPrm "$builder")" "0000000000000000 0000000000000000"
	expect_equal "no new privileges" "$(status_of NoNewPrivs "$builder")" 1
	expect_equal "filter of system calls" "$(status_of Seccomp "$builder")" 2
	if [ "$(id -u)" = 0 ]; then
		expect_equal "user" "$(status_of Uid "$builder" | tr '\t' ' ')" "65534 65534 65534 65534"
		expect_equal "groups" "$(status_of Groups "$builder" | tr -d ' ')" ""
	fi
	local server
	server=$(server_of_builder)
	expect_equal "files of the server" "$(ls "/proc/$server/fd" | wc -l)" 4
	finish
	wait_until test ! -e "/proc/$server"
	"$DENDRO" report --format json --view functions live.cct |
		jq -e '(.quality.unwind | .complete + .stack_cut) > 20 and any(.rows[].name; . == "descend")'
}

@test "with --no-sandbox it keeps them, and opens files itself" {
	start_recorder --no-sandbox
	expect_equal "no new privileges" "$(status_of NoNewPrivs "$builder")" "$(status_of NoNewPrivs $$)"
	expect_equal "other processes" "$(server_of_builder)" ""
	finish
	[ -s live.cct ]
}

@test "without the process that opens files there are call paths, without names" {
	start_recorder
	kill -KILL "$(server_of_builder)"
	finish
	"$DENDRO" report --format json live.cct | jq -e '[.metrics[].samples] | add > 20'
}

@test "what has been replaced by a FIFO is not opened" {
	cp "$WORKLOADS/cxx" program
	"$DENDRO" record -q -F 997 -e cpu-clock -o live.cct -- sh -c './program 0.3; rm program; mkfifo program'
	"$DENDRO" report --format json live.cct | jq -e '[.metrics[].samples] | add > 20'
	[ -p program ]
}

# expect_no_rights PID : as the builder of a recording
expect_no_rights() {
	expect_equal "capabilities" "$(status_of CapEff "$1") $(status_of CapPrm "$1")" "0000000000000000 0000000000000000"
	expect_equal "no new privileges" "$(status_of NoNewPrivs "$1")" 1
	expect_equal "filter of system calls" "$(status_of Seccomp "$1")" 2
	if [ "$(id -u)" = 0 ]; then
		expect_equal "user" "$(status_of Uid "$1" | tr '\t' ' ')" "65534 65534 65534 65534"
	fi
}

child_of() { pgrep -P "$1" -x "dendro build"; }

@test "what parses for dendro top has no rights, and top has all names" {
	need pgrep
	"$WORKLOADS/deep" 600 bottom 3>&- &
	command=$!
	setsid "$DENDRO" top -q -F 997 -e cpu-clock -p $command --interval 200ms -o top.cct >shown 2>messages 3>&- &
	recorder=$!
	wait_until grep -q 'descend' shown
	local screen
	screen=$(pgrep -P $recorder)
	builder=$(child_of "$screen")
	expect_no_rights "$builder"
	kill -INT $recorder
	wait $recorder
	"$DENDRO" report --format json --view functions top.cct | jq -e 'any(.rows[].name; . == "descend")'
	wait_until test ! -e "/proc/$builder"
}

@test "dendro top says that what parses was ended" {
	need pgrep
	"$WORKLOADS/deep" 600 bottom 3>&- &
	command=$!
	setsid "$DENDRO" top -q -F 997 -e cpu-clock -p $command --interval 200ms >shown 2>messages 3>&- &
	recorder=$!
	wait_until grep -q ' samples, ' shown
	builder=$(child_of "$(pgrep -P $recorder)")
	kill -SEGV "$builder"
	wait $recorder || true
	grep -q 'the process that reads the records was ended by signal 11' messages
}

@test "what parses for report --follow has no rights" {
	need pgrep
	"$WORKLOADS/deep" 600 bottom 3>&- &
	command=$!
	"$DENDRO" record -q -F 997 -e cpu-clock -o grown.data -p $command 3>&- &
	recorder=$!
	wait_until [ -s grown.data ]
	"$DENDRO" report --follow --no-pager grown.data >shown 2>messages 3>&- &
	reader=$!
	wait_until grep -q 'descend' shown
	expect_no_rights "$(child_of $reader)"
	kill -INT $recorder
	wait $reader
	grep -q '^call paths ' shown
}

# start_reader COMMAND... : waits for a recording, which does not come; sets $reader
start_reader() {
	mkfifo -m 600 input
	exec 4<>input
	"$DENDRO" "$@" <input >shown 2>messages 3>&- 4>&- &
	reader=$!
	wait_until has_filter $reader
}

has_filter() { [ "$(status_of Seccomp "$1")" = 2 ]; }

@test "root's commands that read keep what they need, and write what they did" {
	[ "$(id -u)" = 0 ] || skip "not root"
	case "$DENDRO" in *asan*) skip "AddressSanitizer needs other system calls" ;; esac
	record made.data -e cpu-clock -- "$WORKLOADS/cxx" 0.2
	start_reader report -i -
	# CAP_DAC_READ_SEARCH and CAP_SYSLOG
	expect_equal "capabilities" $((0x$(status_of CapEff $reader) & ~0x400000004)) 0
	expect_equal "no new privileges" "$(status_of NoNewPrivs $reader)" 1
	kill -KILL $reader
	local options
	for options in "" "--view functions" "--view lines" "--format json"; do
		# shellcheck disable=SC2086
		"$DENDRO" report $options made.data >confined
		# shellcheck disable=SC2086
		"$DENDRO" report --no-sandbox $options made.data >free
		cmp confined free
	done
	"$DENDRO" report --html page.html made.data
	"$DENDRO" build -o made.cct made.data
	"$DENDRO" export --format pprof -o made.pb.gz made.data
	"$DENDRO" merge -o sum.cct made.cct made.data
	[ -s page.html ] && [ -s made.cct ] && [ -s made.pb.gz ] && [ -s sum.cct ]
	expect_equal "rights of a result" "$(stat -c %a made.cct)" "$(printf %o $((0666 & ~0$(umask))))"
	# What is the input itself is still refused, and a folder that is not there.
	run "$DENDRO" build -o made.data made.data
	[[ $output == *"is the input itself"* ]]
	run "$DENDRO" build -o none/made.cct made.data
	[[ $output == *"none/made.cct: No such file"* ]]
}

@test "what root's commands keep their rights for is said" {
	[ "$(id -u)" = 0 ] || skip "not root"
	record made.data -e cpu-clock -- "$WORKLOADS/cxx" 0.1
	DEBUGINFOD_URLS=http://127.0.0.1:1 "$DENDRO" report --debuginfod=1 made.data >/dev/null 2>messages
	grep -q 'with all rights of this user: --debuginfod' messages
}
