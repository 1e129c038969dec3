# dendro doctor: what it says can be recorded can be recorded, and what it says can't be can't; the
# command that it names changes the answer.
# alone: it sets kernel.perf_event_paranoid, which decides what other tests may do as nobody

load lib

PARANOID=/proc/sys/kernel/perf_event_paranoid
KPTR=/proc/sys/kernel/kptr_restrict

setup() {
	cd "$BATS_TEST_TMPDIR"
	chmod 777 .
}

teardown() {
	[ ! -e "$BATS_TEST_TMPDIR/paranoid" ] || cat "$BATS_TEST_TMPDIR/paranoid" >$PARANOID
	[ ! -e "$BATS_TEST_TMPDIR/kptr" ] || cat "$BATS_TEST_TMPDIR/kptr" >$KPTR
}

need_settings() {
	need_nobody
	[ -w $PARANOID ] && [ -w $KPTR ] || skip "the kernel's settings can't be changed here"
	cat $PARANOID >paranoid
	cat $KPTR >kptr
}

state_of() { # state_of CHECK [COMMAND...]
	local check=$1
	shift
	"$@" "$DENDRO" doctor --json "$check" | jq -r '.checks[0].state'
}

remedy_of() {
	local check=$1
	shift
	"$@" "$DENDRO" doctor --json "$check" | jq -r '.checks[0].remedy'
}

@test "each check has a finding in JSON and a line in text, in the order of the help" {
	"$DENDRO" doctor --json >json || [ $? -eq 1 ]
	jq -e '.schema == 1 and .cpus >= 1 and ([.checks[].state] - ["yes", "limited", "no"] == [])' json
	"$DENDRO" doctor --help | tr -d '\n' | sed 's/.*one or more of: //; s/\. *Default.*//; s/, */\n/g' | grep . >named
	jq -r '.checks[].check' json >found
	diff named found
	"$DENDRO" doctor >text || [ $? -eq 1 ]
	expect_equal lines "$(grep -cE '^[a-zB].{15}  (yes|limited|no) ' text)" "$(wc -l <found)"
}

@test "the exit status is that of the checks that are named" {
	local check expected
	"$DENDRO" doctor --json >json || [ $? -eq 1 ]
	while read -r check expected; do
		status=0
		"$DENDRO" doctor "$check" >text || status=$?
		expect_equal "$check" "$status" "$expected"
	done < <(jq -r '.checks[] | .check + " " + (if .state == "no" then "1" else "0" end)' json)
	refuses "did you mean 'branches'" -- "$DENDRO" doctor brances
}

@test "what it says of this user is what recordings find" {
	local check
	while IFS='|' read -r check command; do
		status=0
		eval "$command" >out 2>&1 || status=$?
		case $(state_of "$check") in
		yes) expect_equal "$check" "$status" 0 ;;
		no) [ "$status" -ne 0 ] ;;
		esac
	done <<-'CASES'
		own-programs|"$DENDRO" record -q -e cpu-clock:u -o x.data true
		whole-machine|"$DENDRO" record -q -a -e cpu-clock -o x.data true
		hardware-events|"$DENDRO" record -q -e instructions:u -o x.data true
		tracepoints|"$DENDRO" record -q -e sched:sched_switch -o x.data true
		probes|"$DENDRO" record -q -e call:libc:malloc -o x.data true
	CASES
}

@test "the named command permits what was refused" {
	local check command
	need_events
	need_settings
	for check in whole-machine kernel-code; do
		echo 2 >$PARANOID
		expect_equal "$check" "$(state_of $check as_nobody)" no
		command=$(remedy_of $check as_nobody)
		[[ $command == "sysctl kernel.perf_event_paranoid="* ]]
		echo "${command#*=}" >$PARANOID
		expect_equal "$check, changed" "$(state_of $check as_nobody)" yes
	done
	expect_equal "probes" "$(state_of probes as_nobody)" no
}

@test "hidden names of the kernel are found, and what shows them" {
	local command
	need_events
	need_settings
	for setting in "2 0" "2 1" "1 1"; do
		read -r level restrict <<<"$setting"
		echo "$level" >$PARANOID
		echo "$restrict" >$KPTR
		expect_equal "$setting" "$(state_of kernel-names as_nobody)" limited
		while [ "$(state_of kernel-names as_nobody)" != yes ]; do
			command=$(remedy_of kernel-names as_nobody)
			[ "$command" != "${last-}" ]
			last=$command
			case $command in
			"sysctl kernel.perf_event_paranoid="*) echo "${command#*=}" >$PARANOID ;;
			"sysctl kernel.kptr_restrict="*) echo "${command#*=}" >$KPTR ;;
			*) echo "no command for $setting: $command" && false ;;
			esac
		done
	done
}

@test "a program without symbols that runs is named, and with symbols it is not" {
	need_root
	need gcc
	printf '#include <stdio.h>\nint main(void) { return getchar(); }\n' >p.c
	gcc -o having-names p.c
	strip -o lacking-names having-names
	mkfifo input
	local program
	for program in having-names lacking-names; do
		# More than any other program has processes: the first one that is named.
		for ((i = 0; i < 100; i++)); do
			"./$program" <input &
		done
		exec 9>input
		wait_until eval '[ "$(pgrep -cx "$program")" -eq 100 ]'
		"$DENDRO" doctor --json function-names >$program.json
		exec 9>&-
		wait
	done
	jq -e '.checks[0] | .state == "limited" and (.text | test("functions: lacking-names"))' \
		lacking-names.json
	jq -e '.checks[0].text | test("having-names") | not' having-names.json
}

@test "without the system call it says what denies it" {
	need_events
	need python3
	"$ROOT/tests/cli/without_system_call.py" perf_event_open EPERM "$DENDRO" doctor --json own-programs \
		>json || [ $? -eq 1 ]
	jq -e '.checks[0] | .state == "no" and (.text | test("seccomp"))' json
}

@test "what doctor says of breakpoints is so" {
	need_events
	need gcc nm
	cd "$BATS_TEST_TMPDIR"
	# What begins as zeros is cleared by the kernel, on some processors byte by byte.
	echo 'volatile long watched = 1; int main(void) { for (int i = 0; i < 20; i++) watched = i; }' |
		gcc -O1 -no-pie -x c -o writer -
	local address found
	address=$(nm writer | awk '$3 == "watched" { print $1 }')
	"$DENDRO" doctor >found || true
	found=$(grep '^breakpoints' found)
	"$DENDRO" record -e "mem:0x$address/8:w" -c 1 -o mem.data ./writer 2>note ||
		skip "no breakpoints here: $(cat note)"
	if [[ "$found" == *"do nothing in this virtual machine"* ]]; then
		grep -q 'debug registers do nothing in this virtual machine' note
		expect_equal hits "$(report_json mem.data --view functions | jq '.metrics[0].samples')" 0
	else
		lacks 'debug registers' note
		expect_equal hits "$(report_json mem.data --view functions | jq '.metrics[0].samples')" 20
	fi
}
