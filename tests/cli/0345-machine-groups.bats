# A group of events on the whole machine.
# alone: a sample gets what all programs counted on its processor since the sample before it

load lib

setup() {
	need_events
	cd "$BATS_TEST_TMPDIR"
}

@test "a group of events can be recorded on the whole machine" {
	need_root
	record_group machine.data -a -F 1999 -- "$WORKLOADS/faulter" 2
	report_json machine.data --view functions --comm faulter >json
	expect_near "faults in dense()" "$(cost_of json dense 1)" 2400 10
}
