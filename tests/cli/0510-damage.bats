# Files cut at any byte and files with wrong bytes: the part before the damage is shown, and nothing
# crashes.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record packed.data --stack-size 4096 -- "$WORKLOADS/dispatch" 0.4
	record plain.data --stack-size 4096 -z 0 -- "$WORKLOADS/dispatch" 0.3
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
	rm -f every.json
}

teardown() {
	[ ! -e every.json ] || jq -n 'reduce inputs as $report (0; . + 1)' every.json >reports
}

# survives FILE : no signal, no sanitizer (99), no hang; prints the samples read. What it writes in
# JSON is added to every.json.
survives() {
	local status=0
	timeout 60 "$DENDRO" report --view functions --format json "$1" >json 2>errors || status=$?
	if [ $status -ge 99 ]; then
		echo "status $status for $1:" >&2
		head -20 errors >&2
		cp "$1" "$ROOT/build/damaged.data"
		return 1
	fi
	cat json >>every.json
	if [ -s json ]; then sed -n 's/^"quality":{"samples":\([0-9]*\),.*/\1/p' json; else echo 0; fi
}

survives_damage() { # survives_damage FILE TIMES
	local file
	rm -f wrong.data.*
	python3 "$ROOT/tests/oracle/damage.py" --each "$2" "$1" wrong.data
	for file in wrong.data.*; do
		survives "$file" >/dev/null
	done
}

cut_everywhere() { # cut_everywhere FILE STEPS
	local size i n before=0
	size=$(stat -c %s "$1")
	for ((i = 0; i <= $2; i++)); do
		head -c $((size * i / $2 - (i * 7919 % 13) * (i > 0 && i < $2))) "$1" >cut.data
		n=$(survives cut.data)
		[ "$n" -ge "$before" ] || { echo "$n samples after $before at $i/$2"; return 1; }
		before=$n
	done
	expect_equal "samples of the whole file" "$before" "$(survives "$1")"
	[ "$before" -gt 50 ]
}

@test "a compressed recording may end at any byte" {
	cut_everywhere packed.data 60
}

@test "a plain recording may end at any byte" {
	cut_everywhere plain.data 60
}

@test "the report of a cut recording says that it is cut" {
	head -c $(($(stat -c %s packed.data) * 9 / 10)) packed.data >cut.data
	run "$DENDRO" report cut.data
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" =~ ends|cut|truncated|incomplete ]]
}

@test "a corrupt record gives an error with its offset, and the samples before it are shown" {
	python3 "$ROOT/tests/oracle/damage.py" --zero-size 0.5 <plain.data >wrong.data
	local status=0 offset
	python3 "$ROOT/tests/oracle/walk_records.py" wrong.data 2>why || true
	offset=$(sed 's/.* at \([0-9]*\) has size.*/\1/' why)
	"$DENDRO" report --view functions --format json wrong.data >json 2>errors || status=$?
	cat errors
	[ $status -ne 0 ]
	[[ "$(<errors)" == *"$offset"* || "$(<errors)" == *"$(printf '%x' "$offset")"* ]]
	expect_equal "samples before" "$(jq '.quality.samples' json)" "$(walked_samples wrong.data)"
}

@test "other machines' recordings may end at any byte" {
	need_recordings
	local file size i
	for file in quipper.piped.lost_samples-4.4 lpd.sleep.compressed lpd.sleep.compressed.pipe \
		simpleperf.read-group quipper.group_desc-4.14 lpd.fibo.compressed2.pipe; do
		size=$(stat -c %s "$SHARED/recordings/$file.data")
		for ((i = 1; i < 12; i++)); do
			head -c $((size * i / 12 + i)) "$SHARED/recordings/$file.data" >cut.data
			survives cut.data >/dev/null
		done
	done
}

@test "wrong bytes in a recording do not crash dendro" {
	survives_damage packed.data 60
	survives_damage plain.data 60
}

@test "wrong bytes in other machines' recordings do not crash dendro" {
	need_recordings
	local file
	for file in "$SHARED"/recordings/*.data; do
		survives_damage "$file" 5
	done
}

@test "an empty file, a text file and a directory are refused with a reason" {
	: >empty
	echo "no recording" >text
	local file
	for file in empty text "$BATS_FILE_TMPDIR"; do
		refuses "$file" -- "$DENDRO" report "$file"
	done
}
