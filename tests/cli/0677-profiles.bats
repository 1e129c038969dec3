# Profiles that dendro build stores: reports of them are those of the recording.

# shellcheck disable=SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_switches
	cd "$BATS_FILE_TMPDIR"
	record cxx.data -- "$WORKLOADS/cxx" 0.5
	"$DENDRO" record -q -F 997 -e cpu-clock -e page-faults -e off-cpu -o threads.data -- \
		"$WORKLOADS/threads" 0.3
	"$DENDRO" record -q -F 997 -o two.data -- sh -c '"$0" 0.2 & "$1" 0.2; wait' \
		"$WORKLOADS/threads" "$WORKLOADS/cxx"
	"$DENDRO" build -o two.cct two.data
	"$DENDRO" build -o cxx.cct cxx.data
	"$DENDRO" build -o threads.cct threads.data
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# Text names the file in its header.
expect_equal_reports() { # expect_equal_reports NAME OPTION...
	local name=$1
	shift
	"$DENDRO" report "$@" "$name.data" >theirs
	"$DENDRO" report "$@" "$name.cct" | sed "s|$name\.cct|$name.data|" >ours
	cmp theirs ours
}

@test "reports of a profile are those of its recording" {
	local name
	for name in cxx threads; do
		expect_equal_reports $name
		expect_equal_reports $name --format json
		expect_equal_reports $name --format csv
		expect_equal_reports $name --format json --view functions --kernel none
		expect_equal_reports $name --format json --view callers --by thread
		expect_equal_reports $name --format csv --view lines
		expect_equal_reports $name --format json --no-inline --raw-names
		expect_equal_reports $name --view lines --no-inline
		expect_equal_reports $name --view modules --by process --kernel only
		expect_equal_reports $name --format json --view functions --kernel only
		expect_equal_reports $name --view processes --by thread --values
	done
}

# expect_equal_filtered NAME OPTION...: in several views.
expect_equal_filtered() {
	expect_equal_reports "$@" --format json
	expect_equal_reports "$@" --format csv --view functions
	expect_equal_reports "$@"
	expect_equal_reports "$@" --view processes --by thread
}

@test "samples are chosen in a profile as in its recording" {
	local pid tid
	pid=$("$DENDRO" report --format json --view processes --by process two.data |
		jq '[.rows[] | select(.name == "threads") | .id][0]')
	tid=$("$DENDRO" report --format json --view processes --by thread threads.data |
		jq '[.rows[] | select(.kind == "thread") | .id][1]')
	expect_equal_filtered two --pid "$pid"
	expect_equal_filtered two --cpu 0
	expect_equal_filtered two --comm 'thr*,sh'
	expect_equal_filtered two --comm cxx --cpu 1-99
	expect_equal_filtered threads --tid "$tid"
	expect_equal_filtered threads --event off-cpu --cpu 0
	expect_equal_filtered threads --event 'page*' --event cpu-clock --tid "$tid"
	expect_equal_filtered cxx --cpu 9999
	"$DENDRO" report --format json --pid "$pid" two.cct | jq -e '.metrics[0].samples > 0'
}

@test "of a profile, too, it is known which filter no sample passes" {
	local filter
	for filter in '--comm nosuch' '--comm thread' '--pid 1 --cpu 0-99' '--cpu 9999'; do
		# shellcheck disable=SC2086
		"$DENDRO" report $filter two.data 2>theirs >/dev/null
		# shellcheck disable=SC2086
		"$DENDRO" report $filter two.cct 2>ours >/dev/null
		[ -s theirs ]
		cmp theirs ours
	done
}

@test "a profile of chosen samples has these alone, and more can be left out" {
	"$DENDRO" build --event cpu-clock --cpu 0 -o chosen.cct threads.data
	"$DENDRO" report --format json --event cpu-clock --cpu 0 threads.data >theirs
	"$DENDRO" report --format json chosen.cct >ours
	cmp theirs ours
	"$DENDRO" report --format csv --event cpu-clock --cpu 0 --comm main threads.data >theirs
	"$DENDRO" report --format csv --comm main chosen.cct >ours
	cmp theirs ours
	refuses "the recording has no event 'off-cpu'" -- \
		"$DENDRO" report --event off-cpu chosen.cct
}

@test "samples are chosen in a profile without any, too" {
	"$DENDRO" build --cpu 9999 -o none.cct threads.data
	"$DENDRO" report --format json --event cpu-clock --cpu 9999 threads.data >theirs
	"$DENDRO" report --format json --event cpu-clock --cpu 0 none.cct >ours
	cmp <(jq .metrics theirs) <(jq .metrics ours)
	"$DENDRO" report --cpu 0 none.cct
}

@test "exports of a profile are those of its recording" {
	"$DENDRO" export --format folded --by thread threads.data >theirs
	"$DENDRO" export --format folded --by thread threads.cct >ours
	cmp theirs ours
	# The order of lines is that of the first samples, in a profile that of all its samples.
	"$DENDRO" export --format folded --cpu 0 threads.data | sort >theirs
	"$DENDRO" export --format folded --cpu 0 threads.cct | sort >ours
	cmp theirs ours
	"$DENDRO" export --format pprof cxx.data | gzip -dc >theirs
	"$DENDRO" export --format pprof cxx.cct | gzip -dc >ours
	cmp theirs ours
}

@test "a profile needs no other file, and is small" {
	cp "$WORKLOADS/cxx" program
	record program.data -- ./program 0.3
	"$DENDRO" build -o program.cct program.data
	"$DENDRO" report --format json program.cct >before
	rm program
	"$DENDRO" report --format json program.cct >after
	cmp before after
	[ "$(stat -c %s program.cct)" -lt 20000 ]
}

@test "a profile goes through a pipe" {
	"$DENDRO" build -o - cxx.data | cmp - cxx.cct
	"$DENDRO" report --format json cxx.cct >theirs
	"$DENDRO" report --format json -i - <cxx.cct >ours
	cmp theirs ours
	# shellcheck disable=SC2002
	cat cxx.cct | "$DENDRO" report --format json - >ours
	cmp theirs ours
}

change_byte() { # change_byte FROM TO AT
	local value
	cp "$1" "$2"
	value=$(od -An -tu1 -j "$3" -N 1 "$1")
	# shellcheck disable=SC2059
	printf "\\x$(printf %x $((value ^ 255)))" |
		dd of="$2" bs=1 seek="$3" conv=notrunc status=none
}

@test "a profile that was cut or changed is refused, and says where" {
	local size i
	size=$(stat -c %s cxx.cct)
	head -c $((size / 2)) cxx.cct >cut.cct
	refuses 'the profile was cut off: it ends at byte' -- "$DENDRO" report cut.cct
	# zstd does not use some bits of a frame's first bytes: what says the same is as good.
	"$DENDRO" report cxx.cct >ours
	for i in {1..19}; do
		change_byte cxx.cct bad.cct $((size * i / 20))
		run "$DENDRO" report bad.cct
		echo "byte $((size * i / 20)): status $status: $output"
		[ "$status" -eq 0 ] || {
			expect_equal status "$status" 1
			[[ $output == *"the profile is damaged: "* ]]
			continue
		}
		"$DENDRO" report bad.cct | sed 's/bad\.cct/cxx.cct/' | cmp - ours
	done
	cp cxx.cct later.cct
	printf '\007' | dd of=later.cct bs=1 seek=8 conv=notrunc status=none
	refuses 'the profile has version 7 of the format' -- "$DENDRO" report later.cct
}

@test "what a profile cannot answer is refused with the way to it" {
	local command
	for command in annotate script archive debug-unwind; do
		refuses "cxx.cct is a profile that dendro build has made: dendro $command needs the recording" \
			-- "$DENDRO" $command -i cxx.cct
	done
	refuses 'give --symfs to dendro build' -- "$DENDRO" report --symfs / cxx.cct
	refuses 'give --debuginfod to dendro build' -- "$DENDRO" report --debuginfod cxx.cct
	DENDRO_DEBUGINFOD=1 DEBUGINFOD_URLS=http://localhost:9 "$DENDRO" report cxx.cct
	refuses 'give --vmlinux to dendro build' -- "$DENDRO" report --vmlinux /x cxx.cct
	refuses 'cxx.cct is a profile already' -- "$DENDRO" build -o x.cct cxx.cct
	run "$DENDRO" build cxx.data
	expect_equal status "$status" 129
	[[ $output == *"name the profile's file: -o FILE.cct."* ]]
	refuses 'No such file or directory' -- "$DENDRO" build -o missing/x.cct cxx.data
	refuses 'No space left on device' -- "$DENDRO" build -o /dev/full cxx.data
}
