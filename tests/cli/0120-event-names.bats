# Names of events that -e accepts, as far as a machine without hardware counters can open them; perf
# shows which events were opened.

load lib

setup() {
	need_events
	cd "$BATS_TEST_TMPDIR"
}

# attr_of FILE EVENT : the event's attr, as perf reads it from the recording.
attr_of() {
	perf evlist -v -i "$1" 2>/dev/null | grep "^$2: "
}

refuse() { # refuse EVENTS PATTERN
	local output status=0
	output=$("$DENDRO" record -q -o refused.data -e "$1" true 2>&1) || status=$?
	[ "$status" -ne 0 ] && [[ $output =~ $2 ]] || {
		echo "-e $1: status $status, expected '$2' in: $output"
		return 1
	}
}

@test "each event may have its own rate" {
	need perf
	"$DENDRO" record -q -o x.data -F 100 -e cpu-clock:u@f50,page-faults:u@3 -e cs:u true
	[[ $(attr_of x.data cpu-clock:u) == *"{ sample_period, sample_freq }: 50,"*"freq: 1"* ]]
	[[ $(attr_of x.data page-faults:u) == *"{ sample_period, sample_freq }: 3,"* ]]
	[[ $(attr_of x.data page-faults:u) != *"freq: 1"* ]]
	[[ $(attr_of x.data cs:u) == *"{ sample_period, sample_freq }: 100,"*"freq: 1"* ]]
}

@test "terms of a PMU become the attr fields that its format in sysfs names" {
	need perf
	[ "$(cat /sys/bus/event_source/devices/software/type)" = 1 ] || skip "sysfs shows no PMUs"
	"$DENDRO" record -q -o x.data -e software/config=2,period=1,name=faults-by-number/u true
	[[ $(attr_of x.data faults-by-number) == *"type: 1,"*"config: 0x2,"*"exclude_kernel: 1"* ]]
	[ "$(report_json x.data --view functions | jq '.metrics[0].samples')" -gt 0 ]
}

@test "modifiers after a group apply to all its members" {
	need perf
	"$DENDRO" record -q -o x.data -e '{cpu-clock,page-faults}:u' true
	expect_equal names "$(perf evlist -i x.data | grep -v dummy | tr '\n' ' ')" \
		"cpu-clock:u page-faults:u "
}

@test "the message about an unknown name explains it" {
	refuse cpu-clock,cpu-clock 'listed twice.*name='
	refuse cpu-clok 'did you mean cpu-clock'
	refuse cpu-clock@fast 'rate.*@100000.*@f99'
	refuse cpu-clock:x 'unknown modifier'
	refuse '{cpu-clock,cs' 'A group of events has'
	refuse no_such_pmu/event=1/ "no PMU 'no_such_pmu'"
	refuse software/evnt=1/ 'software has no term'
}

@test "without libpfm4, other names are known, and the message about those of a processor says so" {
	hidden() { without_library 'libpfm\.so\.4' "$DENDRO" "$@"; }
	hidden record -q -o x.data -e cpu-clock true
	refuses "libpfm4, which cannot be loaded" -- hidden record -o x.data -e UOPS_ISSUED:ANY true
	hidden list >list
	grep -q cpu-clock list
}
