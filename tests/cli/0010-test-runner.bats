# tests/run: counts and exit statuses, and which files run at the same time.

load lib

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# make_file NAME [LINE...] : a bats file of these lines
make_file() {
	local name=$1
	shift
	printf '%s\n' "$@" >"$name.bats"
}

# run_files STATUS ARGUMENT... : runs files with four jobs; its output goes to the file output
run_files() {
	local expected=$1 status=0
	shift
	"$ROOT/tests/run" --jobs 4 "$@" >output 2>&1 || status=$?
	cat output
	expect_equal status $status "$expected"
}

# A test that logs its begin and end, and takes a moment.
noting() { # noting NAME [MARKER]
	make_file "$1" "${2:-#}" '@test "it" {' "echo begin $1 >>notes" 'sleep 0.2' \
		"echo end $1 >>notes" '}'
}

@test "passed, failed and skipped tests are counted, and failed ones are shown" {
	make_file one '@test "good" { true; }' '@test "bad" { echo because; false; }' \
		'@test "left out" { skip "no reason"; }'
	make_file two '@test "better" { true; }'
	run_files 1 one.bats two.bats
	expect_equal "last line" "$(tail -n 1 output)" "2 passed, 1 failed, 1 skipped"
	grep -q 'FAILED: bad' output
	grep -q 'because' output
	grep -q 'skipped: left out: no reason' output
	run_files 0 two.bats
	expect_equal "last line" "$(tail -n 1 output)" "1 passed, 0 failed, 0 skipped"
}

@test "a file that breaks off or does not exist is a failure" {
	printf '#!/bin/sh\necho 1..3\necho "ok 1 - first"\nexit 3\n' >breaks
	chmod +x breaks
	run_files 1 breaks missing
	expect_equal "last line" "$(tail -n 1 output)" "1 passed, 2 failed, 0 skipped"
	grep -q 'ended early with status 3' output
	grep -q 'missing: No such file' output
}

@test "files for which no time is left are named, and count as skipped" {
	make_file one '@test "good" { true; }'
	make_file two '@test "better" { true; }'
	run_files 0 --until "$(date +%s)" one.bats two.bats
	grep -qx 'one.bats: skipped: no time was left' output
	expect_equal "last line" "$(tail -n 1 output)" "0 passed, 0 failed, 2 skipped"
	run_files 0 --until "$(($(date +%s) + 600))" one.bats two.bats
	expect_equal "last line" "$(tail -n 1 output)" "2 passed, 0 failed, 0 skipped"
}

@test "files run at the same time, and the output of each stays together" {
	local name
	# Each waits for the other two.
	for name in a b c; do
		make_file $name '@test "meets the others" {' "echo '#> first $name' >&3" "touch $name" \
			'until [ -e a ] && [ -e b ] && [ -e c ]; do sleep 0.01; done' \
			"echo '#> second $name' >&3" '}'
	done
	run_files 0 a.bats b.bats c.bats
	for name in a b c; do
		expect_equal "output of $name" \
			"$(grep -A 2 "^$name.bats" output | sed 's/ (.*//' | tr -s '\n ' ' ')" \
			"$name.bats: 1 passed, 0 failed, 0 skipped first $name second $name "
	done
}

@test "a file marked as alone runs after the others, and nothing runs meanwhile" {
	noting whole '# alone: it wants the whole machine'
	noting last '# alone: it does, too'
	noting first
	noting second
	run_files 0 whole.bats first.bats last.bats second.bats
	expect_equal "at the end" "$(tail -n 4 notes | tr '\n' ' ')" \
		"begin whole end whole begin last end last "
}

@test "files that take turns do not run at the same time" {
	noting one '# in turn (folder): they write to the same one'
	noting two '# in turn (folder): they write to the same one'
	noting three '# in turn (folder): they write to the same one'
	run_files 0 one.bats two.bats three.bats
	expect_equal order "$(tr '\n' ' ' <notes)" \
		"begin one end one begin two end two begin three end three "
}

@test "each file is a session of its own, whose processors' time is told" {
	make_file busy '@test "busy" {' 'ps -o sid= -p $$ >session' 'timeout 1 sh -c "while :; do :; done" || true' '}'
	run_files 0 busy.bats
	[ "$(cat session)" -ne "$(ps -o sid= -p $$)" ]
	grep -qE '^busy.bats: .* s, CPU (0\.[2-9]|[1-9][0-9]*\.[0-9]) s\)$' output
}

@test "what runs ends with tests/run" {
	local runner
	make_file endless '@test "endless" {' 'touch begun' 'exec sleep 3600.5' '}'
	"$ROOT/tests/run" endless.bats >output 2>&1 3>&- &
	runner=$!
	has_begun() { [ -e begun ]; }
	wait_until has_begun
	kill "$runner"
	! wait "$runner"
	expect_equal "left" "$(pgrep -fx 'sleep 3600.5')" ""
}

@test "the kernel does not lower the highest rate while tests run, and then may again" {
	need_root
	local share=/proc/sys/kernel/perf_cpu_time_max_percent
	[ -w "$share" ] || skip "the highest rate cannot be set here"
	local before
	before=$(cat "$share")
	make_file rate '@test "rate" {' "cat $share >share" '}'
	run_files 0 rate.bats
	grep -qxE '0|100' share
	expect_equal "share afterwards" "$(cat "$share")" "$before"
}
