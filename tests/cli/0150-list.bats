# dendro list: which events can be recorded here, which cannot, and why.

load lib

setup() {
	cd "$BATS_TEST_TMPDIR"
}

@test "software events are listed with their aliases and a description" {
	need_events
	"$DENDRO" list >list
	grep -x 'Software events' list
	grep -E '^  page-faults, faults +page faults, minor and major$' list
	grep -E '^  cpu-clock +time on the CPU' list
}

@test "events that are listed as recordable can be recorded" {
	need_events
	"$DENDRO" list -f json software hardware cache resource sched:sched_switch >list || true
	jq -r '.events[] | select(.recordable and (.spelling | not)) | .name' list >names
	[ -s names ]
	while read -r name; do
		"$DENDRO" record -q -e "$name" -o x.data true
	done <names
}

@test "events that cannot be recorded are counted with the reason, and named with -a" {
	need_events
	"$DENDRO" list -f json >json
	local name note
	name=$(jq -r '[.events[] | select(.kind == "hardware" and (.recordable | not)) | .name][0] // ""' json)
	[ -n "$name" ] || skip "this machine has every generic hardware event"
	lacks -q "^  $name" <("$DENDRO" list)
	"$DENDRO" list -a >list
	grep -q "^  $name" list
	note=$(jq -r '.kinds[] | select(.kind == "hardware") | .note' json)
	grep -qF -e "${note:-(not here)}" list
	refuses -- "$DENDRO" list "$name"
}

@test "a pattern is a part of a name, a glob over whole names, or a kind" {
	local pattern expected
	while IFS='|' read -r pattern expected; do
		expect_equal "$pattern" "$("$DENDRO" list -f json "$pattern" 2>/dev/null |
			jq -r '[.events[] | select(.kind == ("hardware", "cache", "software")) | .name] | join(" ")')" \
			"$expected"
	done <<-'CASES'
		migr|cpu-migrations
		MIGR|cpu-migrations
		*-faults|page-faults minor-faults major-faults alignment-faults emulation-faults
		faults|page-faults minor-faults major-faults alignment-faults emulation-faults
		m[ai]*-faults|minor-faults major-faults
		idle-cycles-frontend|stalled-cycles-frontend
		c?|context-switches
		iTLB|iTLB-loads iTLB-load-misses
	CASES
	"$DENDRO" list -f json sw | jq -e '[.events[].kind] | unique == ["software"]'
	status=0
	"$DENDRO" list -f json cache >json || status=$?
	jq -e '[.events[].kind] | unique == ["cache"]' json
}

@test "a pattern that matches nothing fails with near names" {
	refuses "no event here matches 'cpu-clok'" "did you mean cpu-clock" -- "$DENDRO" list cpu-clok
	refuses "no event here matches 'zzzzzzzzzzzzzzz'" -- "$DENDRO" list zzzzzzzzzzzzzzz
	# What does match is listed all the same.
	status=0
	"$DENDRO" list cpu-clok task-clock >list 2>err || status=$?
	expect_equal status "$status" 1
	grep -q task-clock list
	grep -q cpu-clok err
}

@test "events of this processor have unit masks with -v" {
	local forced=skx
	[ "$(uname -m)" = x86_64 ] || forced=arm_n1
	export LIBPFM_FORCE_PMU=$forced
	"$DENDRO" list -a -f json processor >json || true
	[ "$(jq '.events | length' json)" -gt 20 ] || skip "libpfm4 does not know $forced"
	expect_equal "parts without -v" "$(jq '[.events[].parts[]] | length' json)" 0
	jq -e 'all(.events[]; .description != "")' json
	[ $forced = skx ] || return 0
	"$DENDRO" list -v -f json BR_INST_RETIRED >json || true
	jq -e '.events[] | select(.name == "BR_INST_RETIRED") | .parts[] | select(.name == "NEAR_CALL")' json
}

@test "tracepoints are listed with their fields" {
	need_root
	[ -r /sys/kernel/tracing/available_events ] || skip "tracefs is not mounted"
	# Of one system: probes that others set and remove meanwhile make the whole list unsteady.
	"$DENDRO" list -f json 'sched:*' >json
	diff <(jq -r '.events[].name' json) <(cd /sys/kernel/tracing/events/sched && printf 'sched:%s\n' */ | tr -d / | sort)
	"$DENDRO" list sched:sched_switch >list
	grep -E '^  sched:sched_switch  .*prev_pid.*next_comm' list
	"$DENDRO" list -v -f json sched:sched_switch |
		jq -e '.events[0].parts | any(.name == "prev_comm" and .description == "char[16]")'
}

@test "without tracefs the list names the command that mounts it" {
	need_root
	need_without_tracefs
	without_tracefs "$DENDRO" list >list
	grep -A1 -E '^Not here: .*Tracepoints' list | grep -q 'mount -t tracefs'
	grep -E '^  read-bytes +\(not here\)' list
	refuses "no event here matches 'sched_sw'" "mount -t tracefs" -- \
		without_tracefs "$DENDRO" list sched_sw
}

@test "no line is wider than the terminal" {
	export LIBPFM_FORCE_PMU=skx
	COLUMNS=72 "$DENDRO" list -a -v software hardware cache processor >list || true
	lacks -nE '.{73,}' list
	# Without a terminal each event has one line, for grep.
	expect_equal "lines of one event" "$("$DENDRO" list task-clock | grep -c 'each thread')" 1
}

@test "a list is paged through PAGER on a terminal only, and --no-pager" {
	need_terminal
	PAGER="sed s/^/paged:/" script -qec "'$DENDRO' list software" typescript >/dev/null </dev/null
	grep -q '^paged:' typescript
	PAGER="sed s/^/paged:/" script -qec "'$DENDRO' list --no-pager software" typescript >/dev/null </dev/null
	lacks '^paged:' typescript
	PAGER="sed s/^/paged:/" "$DENDRO" list software >list
	lacks '^paged:' list
}

@test "wrong use gives 129" {
	for arguments in "--no-such-option" "-f yaml" "-f"; do
		status=0
		# shellcheck disable=SC2086
		"$DENDRO" list $arguments 2>err || status=$?
		expect_equal "$arguments" "$status" 129
		[ -s err ]
	done
	"$DENDRO" list --help | grep -q PATTERN
}

@test "where no event is permitted the reason is given once for each kind" {
	need_events
	need python3
	status=0
	"$ROOT/tests/cli/without_system_call.py" perf_event_open EPERM "$DENDRO" list >list || status=$?
	expect_equal status "$status" 1
	grep -q 'seccomp' list
	lacks -q '^Software events' list
	"$ROOT/tests/cli/without_system_call.py" perf_event_open ENOSYS "$DENDRO" list -f json software >json || true
	jq -e '.kinds[] | select(.kind == "software") | .note | contains("hidden")' json
}
