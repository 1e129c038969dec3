# The cost of each system call, and the functions that made it: shares known by construction.

# shellcheck disable=SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record reader.data -- "$WORKLOADS/reader" 2
	report_json reader.data --view syscalls >calls
	ask calls '.metrics[0].total > 0' | grep -q true
	report_json reader.data | jq -e '[.frames[] | select(.kind == "kernel" and (.name | test("^ksys_read|sys_read$")))]
		| length > 0' || skip "the kernel's functions have no names"
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

samples_of() { # samples_of NAME... : below a system call, the functions that made it
	ask calls '[nodes | select((.path[1:] | join(" ")) == $path).total] | add // 0 | round' --arg path "$*"
}

@test "a system call has the kernel's cost, shared by those who made it" {
	local reads all
	report_json reader.data >tree
	all=$(ask tree '.quality.samples')
	reads=$(samples_of read)
	expect_at_least "samples in read" "$reads" "$all" 85
	expect_equal "the kernel's function" "$reads" \
		"$(ask tree 'samples_under(.name | test("^(__[a-z0-9]+_|k)sys_read$"))')"
	expect_share reader_1 "$(ask calls 'samples_under(.name == "reader_1")')" \
		"$(ask calls 'samples_under(.name == "read_once")')" 1 3
}

@test "system calls, interrupts, faults and user code add up to the whole" {
	jq -e '.nodes as $n | ([$n[] | select(.[0] == 0) | .[3][0]] | add) == $n[0][3][0]' calls
	jq -e '([.nodes[][2][0]] | add) == .metrics[0].total' calls
	jq -e '. as $r | all(.nodes[]; .[0] != 0 or ($r.frames[.[1]].module == ""))' calls
}

@test "a stored profile has the system calls of its recording" {
	local format
	"$DENDRO" build -o reader.cct reader.data
	for format in json csv; do
		"$DENDRO" report --view syscalls -f $format reader.data >theirs
		"$DENDRO" report --view syscalls -f $format reader.cct >ours
		cmp theirs ours
	done
}

@test "text shows who made a call, and where the kernel's functions are" {
	"$DENDRO" report --view syscalls reader.data | tee text
	grep -Eq '^ *[0-9.]+% +(\+-[0-9.]+ +)?read$' text
	grep -Eq '^ *[0-9.]+% .*read_once +reader$' text
	grep -q -- "--view paths --root '\*sys_read'" text
	"$DENDRO" report --view paths --root '*sys_read' reader.data | grep -q 'Paths that begin with'
}
