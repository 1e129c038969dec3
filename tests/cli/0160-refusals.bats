# Refused recordings: the message names what refuses and what would permit the recording, the exit
# status is not 0, and no file is left that looks like a recording.
# alone: it sets kernel.perf_event_paranoid, which decides what other tests may do as nobody

load lib

PARANOID=/proc/sys/kernel/perf_event_paranoid

setup() {
	need_events
	cd "$BATS_TEST_TMPDIR"
	chmod 777 .
}

teardown() {
	[ ! -e "$BATS_TEST_TMPDIR/paranoid" ] || cat "$BATS_TEST_TMPDIR/paranoid" >$PARANOID
}

# The level does not affect recordings by root; teardown restores it.
set_paranoid() {
	[ -w $PARANOID ] || skip "kernel.perf_event_paranoid can't be set here"
	[ -e paranoid ] || cat $PARANOID >paranoid
	echo "$1" >$PARANOID 2>/dev/null || skip "kernel.perf_event_paranoid can't be set here"
}

without_events() { # without_events ERRNO COMMAND... : seccomp refuses perf_event_open
	"$ROOT/tests/cli/without_system_call.py" perf_event_open "$@"
}

need_namespaces() {
	need unshare
	unshare "$@" true 2>/dev/null || skip "namespaces can't be made here"
}

# expect_refusal WORD... -- COMMAND... : one message, and nothing was recorded
expect_refusal() {
	rm -f dendro.data
	refuses "$@"
	[ ! -e dendro.data ]
}

@test "the message names a level of kernel.perf_event_paranoid, which then permits the recording" {
	need_nobody
	set_paranoid 2
	expect_refusal "whole machine" "sysctl kernel.perf_event_paranoid=0" -- as_nobody "$DENDRO" record -a -d 0.1
	expect_refusal "whole machine" "CAP_PERFMON" -- as_nobody "$DENDRO" record -C 0 -d 0.1
	expect_refusal "'cpu-clock:k'" "sysctl kernel.perf_event_paranoid=1" -- \
		as_nobody "$DENDRO" record -e cpu-clock:k true
	set_paranoid 1
	as_nobody "$DENDRO" record -q -e cpu-clock:k -o kernel.data true
	expect_refusal "whole machine" "kernel.perf_event_paranoid is 1" -- as_nobody "$DENDRO" record -a -d 0.1
	set_paranoid 0
	as_nobody "$DENDRO" record -q -a -e cpu-clock -d 0.1 -o whole.data
}

@test "processes of other users are refused at any level, and named by their IDs" {
	need_nobody
	local level
	for level in 2 0; do
		set_paranoid $level
		expect_refusal "Observing thread 1 is not permitted" CAP_SYS_PTRACE -- as_nobody "$DENDRO" record -p 1 -d 0.1
		expect_refusal "Observing thread 1 is not permitted" -- as_nobody "$DENDRO" record -t 1 -d 0.1
	done
}

@test "what an ordinary user lacks is one line; -v prints what follows from it" {
	need_nobody
	set_paranoid 2
	local events
	for events in "" "-e cpu-clock"; do
		# shellcheck disable=SC2086
		as_nobody "$DENDRO" record $events -o one.data true 2>err
		cat err
		expect_equal lines "$(grep -c '^dendro record: ' err)" 1
		grep -q 'Only user mode is recorded' err
		lacks 'hardware counters' err || [ -z "$events" ]
	done
	"$DENDRO" record -o root.data true 2>root.err
	grep 'no hardware counters' root.err || return 0 # this machine has some
	as_nobody "$DENDRO" record -o one.data true 2>err
	grep -q 'Only user mode.*no hardware counters' err
	as_nobody "$DENDRO" record -v -e cpu-clock -o all.data true 2>err
	grep -q 'handlers on signal stacks will have no callers' err
}

@test "where a distribution denies events to ordinary users, the level is named" {
	need_nobody
	set_paranoid 3
	# Other kernels know no such level.
	as_nobody "$DENDRO" record -o own.data true 2>err ||
		grep -q 'kernel.perf_event_paranoid is 3' err
	grep -q 'kernel.perf_event_paranoid is 3' err
	grep -q 'sysctl kernel.perf_event_paranoid=[12]' err
}

@test "a seccomp profile that refuses every event is named, instead of privilege" {
	need python3
	local answer target
	for answer in EPERM EACCES ENOSYS; do
		for target in "-a -d 0.1" "-p $$ -d 0.1" "true" "-e cycles true" "-e cpu-clock:k true"; do
			# shellcheck disable=SC2086
			expect_refusal "seccomp profile" "--cap-add PERFMON" -- without_events $answer "$DENDRO" record $target
			lacks -q 'no hardware counters' <<<"$(without_events $answer "$DENDRO" record -o x true 2>&1)"
		done
	done
}

@test "root of a user namespace can record only its own programs, and the message says why" {
	need_namespaces -Ur
	[ "$(<$PARANOID)" -gt 0 ] || skip "everybody may record everything here"
	expect_refusal "outside of the container" -- unshare -Ur "$DENDRO" record -a -d 0.1
	[ "$(<$PARANOID)" -gt 2 ] || unshare -Ur "$DENDRO" record -q -e cpu-clock -o x.data true
}

@test "in a container without /proc or /sys the message names the missing one" {
	need_root
	need_namespaces -m
	# shellcheck disable=SC2016
	local hide='mount -t tmpfs none "$1" && shift && exec "$@"' target
	for target in "-a -d 0.1" "-e cpu-clock true"; do
		# shellcheck disable=SC2086
		expect_refusal "mount -t proc proc /proc" -- unshare -m sh -c "$hide" sh /proc "$DENDRO" record $target
		# shellcheck disable=SC2086
		expect_refusal "mount -t sysfs sysfs /sys" -- unshare -m sh -c "$hide" sh /sys "$DENDRO" record $target
	done
	expect_refusal "mount -t proc proc /proc" -- \
		unshare -m sh -c "$hide" sh /proc "$DENDRO" record -p 1 -d 0.1
}

@test "without tracefs, messages about tracepoints and resources say how to mount it" {
	need_root
	need_without_tracefs
	local event
	for event in sched:sched_switch read-bytes "syscalls:sys_exit_read/weight=ret/"; do
		expect_refusal "mount -t tracefs" -- without_tracefs "$DENDRO" record -e $event true
	done
	# The rest does not need it.
	without_tracefs "$DENDRO" record -q -e cpu-clock,call:libc:malloc -o x.data true
}

@test "messages about tracepoints and probes name the privilege, or the mount options for a group" {
	need_nobody
	set_paranoid 2
	local event tracefs=/sys/kernel/tracing
	expect_refusal "probes on functions need CAP_PERFMON" -- as_nobody "$DENDRO" record -e call:libc:malloc true
	expect_refusal "probes on functions need CAP_PERFMON" -- as_nobody "$DENDRO" record -a -e alloc-bytes true
	as_nobody test -r $tracefs/available_events && skip "everybody may read tracefs here"
	for event in sched:sched_switch read-bytes; do
		expect_refusal "remount,mode=750,gid=GROUP" -- as_nobody "$DENDRO" record -e $event true
	done
}

@test "in a separate pid namespace, processes have the IDs of that namespace" {
	need_root
	need_namespaces -pf --mount-proc
	# shellcheck disable=SC2016
	unshare -pf --mount-proc sh -c '"$1" 2 & "$2" record -q -e cpu-clock -p $! -d 0.5 -o x.data; kill $!' \
		sh "$WORKLOADS/dispatch" "$DENDRO"
	report_json x.data --view functions >functions
	[ "$(total_of functions dispatch_2)" -gt 0 ]
	refuses "cannot record process 4194304" -- unshare -pf --mount-proc "$DENDRO" record -p 4194304
}

@test "an address that a debug register cannot watch is refused with the reason" {
	expect_refusal "multiple of its length" -- "$DENDRO" record -e mem:0x1003/8:w true
	expect_refusal "No debug register is free" "--no-deep-stacks" -- "$DENDRO" record \
		-e mem:0x1000:w,mem:0x2000:w,mem:0x3000:w,mem:0x4000:w,mem:0x5000:w,mem:0x6000:w,mem:0x7000:w \
		-e mem:0x8000:w,mem:0x9000:w,mem:0xa000:w,mem:0xb000:w,mem:0xc000:w,mem:0xd000:w,mem:0xe000:w \
		-e mem:0xf000:w,mem:0xf100:w,mem:0xf200:w true
}

@test "an event of another processor is missing here, which is not wrong use" {
	local name=amd64_fam19h_zen4::RETIRED_INSTRUCTIONS status=0
	[ "$(uname -m)" != x86_64 ] || ! grep -q AuthenticAMD /proc/cpuinfo || name=skx::INST_RETIRED
	expect_refusal "$name" "dendro list" -- "$DENDRO" record -e $name true
	"$DENDRO" record -e $name true 2>/dev/null || status=$?
	expect_equal status "$status" 1
}

@test "the message about a hardware event without a counter names one to record instead" {
	! "$DENDRO" record -q -e cycles -o x.data true 2>/dev/null || skip "this machine has counters"
	local event
	for event in cycles LLC-loads r1c2; do
		expect_refusal "'$event'" "-e cpu-clock" -- "$DENDRO" record -e $event true
		expect_refusal "'$event'" "-e cpu-clock" -- "$DENDRO" record -e cpu-clock,$event -p $$ -d 0.1
	done
}

@test "an unknown command or option is answered with the nearest one" {
	answers() { # answers ANSWER WORD... : to dendro WORD...
		local answer=$1
		shift
		run "$DENDRO" "$@"
		expect_equal "status of $*" "$status" 129
		expect_equal "answer to $*" "${lines[0]}" "$answer"
	}
	answers "dendro: unknown command 'reprot'; did you mean 'report'?" reprot
	answers "dendro: unknown command 'recrd'; did you mean 'record'?" help recrd
	answers "dendro: unknown command 'xyzzyx'." xyzzyx
	answers "dendro: unknown option '--verison'; did you mean '--version'?" --verison
	answers "dendro report: unknown option '--vew'; did you mean '--view'?" report --vew
	answers "dendro doctor: unknown check 'brances'; did you mean 'branches'?" doctor brances
}
