# Loaded by every *.bats: paths, and functions to record and to query reports. Overridable:
# DENDRO, STATIC, WORKLOADS, UNWIND_CASES, VALUE_CASES, WINDOWS, SHARED.
# shellcheck shell=bash disable=SC2016

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export ROOT
export DENDRO=${DENDRO:-$ROOT/build/dendro}
export STATIC=${STATIC:-$ROOT/build/dendro-static}
export WORKLOADS=${WORKLOADS:-$ROOT/build/workloads}
export UNWIND_CASES=${UNWIND_CASES:-$(dirname "$DENDRO")/tests/oracle/unwind_cases}
export VALUE_CASES=${VALUE_CASES:-$(dirname "$DENDRO")/tests/oracle/value_cases}
export WINDOWS=${WINDOWS:-$(dirname "$DENDRO")/tests/bench/windows}
export SHARED=${SHARED:-$ROOT/../shared}
export LC_ALL=C
# The options of this machine's and this user's files are not those of the tests.
export DENDRO_CONFIG=
unset PAGER

# prepare FUNCTION [ARGUMENT...] : the work of setup_file. Debian's bats counts a skip in there as a
# failure, so its reason is kept for the tests, whose setup calls skip_unprepared.
# shellcheck disable=SC2317
prepare() {
	(
		skip() {
			printf '%s\n' "${1:-}" >"$BATS_FILE_TMPDIR/missing"
			exit 0
		}
		"$@"
	)
}

skip_unprepared() {
	[ ! -e "$BATS_FILE_TMPDIR/missing" ] || skip "$(<"$BATS_FILE_TMPDIR/missing")"
}

# Stops the test, skipped, where this machine does not let us sample our own programs.
need_events() {
	local paranoid=/proc/sys/kernel/perf_event_paranoid
	[ -e $paranoid ] || skip "this kernel has no perf events"
	[ "$(id -u)" -eq 0 ] || [ "$(<$paranoid)" -le 2 ] ||
		skip "perf_event_paranoid is $(<$paranoid) and this is not root"
}

# Stops the test, skipped, where time off the CPU cannot be recorded.
need_switches() {
	need_events
	need_root
	[ -r /sys/kernel/tracing/events/sched/sched_switch/id ] ||
		[ -r /sys/kernel/debug/tracing/events/sched/sched_switch/id ] ||
		skip "tracefs is not mounted: mount -t tracefs nodev /sys/kernel/tracing"
}

# without_library NAME COMMAND... : an empty file is in the place of that library, a regular expression
without_library() {
	need_root
	need unshare ldconfig
	unshare --mount true 2>/dev/null || skip "no mount namespace can be made here"
	local library
	library=$(ldconfig -p | sed -n "s/.*$1 .*=> //p" | head -n 1)
	[ -n "$library" ] || skip "$1 is not in a place that ldconfig knows"
	unshare --mount sh -c 'mount --bind /dev/null "$1" && shift && exec "$@"' sh \
		"$(realpath "$library")" "${@:2}"
}

need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

need() {
	local tool
	for tool; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
}

# A user without rights, who can run the program under test.
as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

need_nobody() {
	need_root
	need setpriv
	as_nobody test -x "$DENDRO" || skip "nobody cannot reach the program under test"
}

need_terminal() {
	need script
	script -qec true /dev/null >/dev/null 2>&1 </dev/null || skip "no pseudo-terminal can be made here"
}

# Stops the test where no page can be looked at.
need_browser() {
	need node "${CHROMIUM:-/usr/bin/chromium}"
	[ -d "$ROOT/build/npm/node_modules/playwright-core" ] ||
		skip "npm packages are not installed (tests/deps/npm/install)"
	[ -e browser-errors ] ||
		node --input-type=module -e "import { openBrowser } from '$ROOT/tests/page/open.mjs';
			await (await openBrowser()).close()" 2>browser-errors || echo failed >>browser-errors
	[ ! -s browser-errors ] || skip "chromium does not start here: $(head -n 1 browser-errors)"
}

need_recordings() {
	[ -d "$SHARED/recordings" ] || skip "the folder with other machines' recordings is missing"
}

# record FILE [OPTION...] -- COMMAND... : records the command's time on the CPU, or the events of -e.
# Without jitter, so that all samples of a clock weigh the same: tests count samples by their weights.
record() {
	local file=$1
	shift
	[ "$1" = -e ] || set -- -e cpu-clock "$@"
	"$DENDRO" record -q -F 997 --no-jitter -o "$file" "$@"
}

report_json() { # report_json FILE [OPTION...]
	local file=$1
	shift
	"$DENDRO" report --format json "$@" "$file"
}

# ask FILE FILTER [ARGS] : a jq filter with the definitions of tree.jq
ask() {
	local file=$1 filter=$2
	shift 2
	jq -r "$@" "include \"tree\" {search: \"$ROOT/tests/cli\"}; $filter" "$file"
}

# Inclusive samples of a function, from --view functions --format json.
total_of() { # total_of FILE NAME
	ask "$1" 'rows_named($name) | total' --arg name "$2"
}

# wait_until COMMAND... : waits until it succeeds, at most five minutes, which is long enough on any
# busy machine.
wait_until() {
	local end=$((SECONDS + 300))
	while [ $SECONDS -lt $end ]; do
		! "$@" || return 0
		sleep 0.1
	done
	echo "not within five minutes: $*"
	return 1
}

has_threads() { # has_threads PID N : the process runs with so many
	[ "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l)" -eq "$2" ]
}

has_samples() { # has_samples FILE N : a recording under way holds more than that
	[ -s "$1" ] && [ "$(report_json "$1" --view functions 2>/dev/null |
		jq '.metrics[0].samples // 0')" -gt "$2" ] 2>/dev/null
}

# stop PROCESS... : kills them, and waits until they have ended
stop() {
	kill -KILL "$@"
	wait "$@" || true
}

# expect_share WHAT COUNT OF NUMERATOR DENOMINATOR : COUNT is within 4.5 standard errors of a binomial
# share, which one in 150 000 exceeds by chance. A run of make test looks at about 100 shares, so by
# Bonferroni's bound one run in 1 500 fails by chance; with three standard errors (one in 370), it
# would be one in four.
expect_share() {
	awk -v what="$1" -v count="$2" -v n="$3" -v a="$4" -v b="$5" 'BEGIN {
		if (n <= 0) { printf "%s: no samples\n", what; exit 1 }
		p = a / b
		error = sqrt(p * (1 - p) / n)
		share = count / n
		printf "%s: %.2f %% of %d, expected %.2f +- %.2f\n", what, 100 * share, n, 100 * p,
		       450 * error
		exit !(share >= p - 4.5 * error && share <= p + 4.5 * error)
	}'
}

# expect_at_least WHAT COUNT OF PERCENT
expect_at_least() {
	awk -v what="$1" -v count="$2" -v n="$3" -v percent="$4" 'BEGIN {
		printf "%s: %d of %d (%.2f %%), at least %s %% expected\n", what, count, n,
		       (n > 0 ? 100 * count / n : 0), percent
		exit !(n > 0 && 100 * count >= percent * n)
	}'
}

expect_equal() { # expect_equal WHAT GOT EXPECTED
	[ "$2" = "$3" ] || {
		echo "$1: got '$2', expected '$3'"
		return 1
	}
}

# take NAME COMMAND... : NAME.data, its .tree and .functions, and what the command prints in NAME.out
take() {
	local name=$1
	shift
	record "$name.data" -- "$@" >"$name.out"
	report_json "$name.data" >"$name.tree"
	report_json "$name.data" --view functions >"$name.functions"
}

# expect_ratio NAME FUNCTION PARTS FUNCTION PARTS... : shares of their common total
expect_ratio() {
	local name=$1 sum=0 parts=0 i
	shift
	local -a functions=("$@") counts=()
	for ((i = 0; i < $#; i += 2)); do
		counts[i]=$(total_of "$name.functions" "${functions[i]}")
		sum=$((sum + counts[i]))
		parts=$((parts + functions[i + 1]))
	done
	for ((i = 0; i < $#; i += 2)); do
		expect_share "${functions[i]}" "${counts[i]}" "$sum" "${functions[i + 1]}" "$parts"
	done
}

# expect_below NAME PATTERN FUNCTION PERCENT: the share of a function's samples under such a path
expect_below() {
	local all right
	all=$(ask "$1.tree" '[nodes | select(.name == $f) | .total] | add // 0 | round' --arg f "$3")
	right=$(ask "$1.tree" '[nodes | select(.name == $f and (from_main | test($p))) | .total]
		| add // 0 | round' --arg f "$3" --arg p "$2")
	expect_at_least "$3 below $2" "$right" "$all" "$4"
}

# expect_every_level NAME : the recursion of tests/workloads/recursion.c
expect_every_level() {
	local deepest
	deepest=$(ask "$1.tree" '[nodes | select(.name == "deepest_work") | from_main] | unique | .[]')
	echo "$deepest"
	grep -qx "main\( recurse\)\{50\} deepest_work" <<<"$deepest" &&
		grep -qx "main\( even odd\)\{25\} deepest_work" <<<"$deepest" &&
		grep -qx "main plain deepest_work" <<<"$deepest" &&
		expect_equal "distinct paths" "$(wc -l <<<"$deepest")" 3
}

# The samples in a file and their weight, by a record walker that shares no code with dendro. It
# reports damage on standard error, and counts the samples before it.
walked_samples() { # walked_samples FILE [OPTION]
	python3 "$ROOT/tests/oracle/walk_records.py" "${@:2}" "$1" 2>walker-errors |
		awk -F '\t' '{ n += $3 } END { print n + 0 }'
}
walked_weight() {
	python3 "$ROOT/tests/oracle/walk_records.py" "$1" 2>walker-errors |
		awk -F '\t' '{ n += $4 } END { printf "%.0f\n", n }'
}

# without_tracefs COMMAND... : runs it where no tracefs is mounted; see tests/cli/without_tracefs.
without_tracefs() {
	"$ROOT/tests/cli/without_tracefs" "$@"
}
need_without_tracefs() {
	without_tracefs true || skip "no mount namespace without tracefs can be made here"
}

# A failing `! command` or `a && b` stops a bats test only in the last line; these functions always do.
lacks() { # lacks GREP_ARGUMENTS... : grep finds nothing
	local status=0
	grep "$@" || status=$?
	[ $status -eq 1 ]
}

# refuses WORD... -- COMMAND... : fails with a status below 99 and a message that contains all words
refuses() {
	local -a words=()
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	local message status=0 word
	message=$("$@" 2>&1) || status=$?
	echo "status $status: $message"
	[ $status -ne 0 ] || return 1
	[ $status -lt 99 ] || [ $status -eq 129 ] || return 1
	for word in "${words[@]}"; do
		[[ "$message" == *"$word"* ]] || {
			echo "'$word' is not in the message"
			return 1
		}
	done
}

# make_vmlinux FUNCTION... : makes vmlinux of the running kernel, with code and debug information of
# these functions, from kernel.c.
make_vmlinux() {
	need gcc ld python3
	[ -r /sys/kernel/notes ] || skip "the kernel tells no build ID"
	grep -qm 1 '^ffffffff8.* _stext$' /proc/kallsyms ||
		skip "no kernel of x86-64 whose addresses are shown"
	local id
	id=$(python3 "$ROOT/tests/cli/make_vmlinux.py" . "$@")
	gcc -O2 -g -mcmodel=kernel -fno-pic -ffreestanding -fno-builtin -fcf-protection=none \
		-ffunction-sections -fno-asynchronous-unwind-tables -c -o kernel.o kernel.c
	ld --build-id="0x$id" -e 0 -T kernel.ld -o vmlinux kernel.o
}

# kernel_functions RECORDING : the kernel's functions in it, the costliest first, without those that
# share their name or their address with another
kernel_functions() {
	report_json "$1" --view functions | jq -r '.rows[] | select(.kind == "kernel" and
		.module == "[kernel]" and (.name | test("^[a-z][a-z0-9_]*$"))) | .name' |
		awk 'NR == FNR { at[$1]++; named[$3]++; address[$3] = $1; next }
			named[$1] == 1 && at[address[$1]] == 1' /proc/kallsyms -
}

# Runs a command whose output a reader of the tests wants to see even where they pass.
show() {
	local output status=0
	output=$("$@") || status=$?
	printf '%s\n' "$output" | sed 's/^/#> /' >&3
	return $status
}

# expect_complete REPORT PERCENT : so many of the samples of tasks with user memory have complete
# paths. Samples in exec and exit, where there is none, are counted separately.
expect_complete() {
	local complete all
	read -r complete all < <(jq -r '.quality | .unwind as $u
		| "\($u.complete) \(.samples - $u.no_user_part - $u.exec - $u.exiting)"' "$1")
	jq -c '.quality.unwind | with_entries(select(.value > 0))' "$1"
	expect_at_least "complete paths of $(basename "$1")" "$complete" "$all" "$2"
}

# Whether this is a guest of PVM: page faults begin outside of its kernel, so samples that find no
# stack, as its page is just being made, may have no frame of the kernel that says so.
has_unseen_faults() {
	grep -q ' pvm_irq_enable$' /proc/kallsyms
}

# expect_reasons REPORT REASON... : no path ends early for any other reason
expect_reasons() {
	local report=$1 got
	shift
	got=$(jq -r '.quality.unwind | to_entries[] | select(.value > 0) | "\(.key) \(.value)"' "$report")
	printf '%s\n' complete no_user_part exec exiting "$@" >allowed
	! awk '{ print $1 }' <<<"$got" | grep -vxFf allowed || {
		echo "$(basename "$report"): $got"
		return 1
	}
}

# expect_paths REPORT FUNCTION PATH... : the function's paths from main on, all of them
expect_paths() {
	local report=$1 function=$2 got
	shift 2
	got=$(ask "$report" '[nodes | select(.name == $name) | from_main] | unique | .[]' \
		--arg name "$function")
	expect_equal "paths to $function" "$got" "$(printf '%s\n' "$@" | sort)"
}

# expect_parts REPORT FUNCTION PARTS FUNCTION PARTS... : shares of the functions' common cost
expect_parts() {
	local report=$1 sum=0 parts=0 i
	shift
	local -a functions=("$@") counts=()
	for ((i = 0; i < $#; i += 2)); do
		counts[i]=$(ask "$report" 'samples_under(.name == $name)' --arg name "${functions[i]}")
		sum=$((sum + counts[i]))
		parts=$((parts + functions[i + 1]))
	done
	for ((i = 0; i < $#; i += 2)); do
		expect_share "${functions[i]}" "${counts[i]}" "$sum" "${functions[i + 1]}" "$parts"
	done
}

# Stops the test where the kernel can't read groups in threads (before 6.12).
record_group() { # record_group FILE OPTION... -- COMMAND...
	local file=$1 said
	shift
	said=$("$DENDRO" record -q -o "$file" -e '{task-clock,page-faults}:S' "$@" 2>&1) && return
	case $said in
	*"Exclude new threads and children with -i"*) skip "this kernel can't read groups in new threads" ;;
	esac
	echo "$said"
	false
}

# The inclusive cost of a function, for the event of that number.
cost_of() { # cost_of FUNCTIONS NAME EVENT
	jq --arg name "$2" --argjson event "$3" \
		'[.rows[] | select(.name == $name) | .total[$event]] | add // 0' "$1"
}

expect_near() { # expect_near WHAT VALUE EXPECTED PERCENT
	awk -v what="$1" -v value="$2" -v expected="$3" -v percent="$4" 'BEGIN {
		printf "%s: %g, expected %g +- %g %%\n", what, value, expected, percent
		off = value - expected
		exit !((off < 0 ? -off : off) <= expected * percent / 100)
	}'
}

values() { # values FILE FILTER ARGUMENT... : what the filter finds in the JSON of dendro values
	local file=$1 filter=$2
	shift 2
	"$DENDRO" values --format json -i "$file" "$@" | jq -r "$filter"
}
