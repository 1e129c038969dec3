# record --dry-run: says what would be recorded. Nothing is, and what the kernel refuses is refused.

load lib

setup() {
	need_events
	cd "$BATS_TEST_TMPDIR"
}

line() { # line NAME : what the plan says
	sed -n "s/^$1 *//p" plan
}

@test "nothing runs and nothing is written" {
	"$DENDRO" record --dry-run -e cpu-clock -o other.data --phase-fifo phases \
		--control fifo:control -- touch ran >plan 2>messages
	cat plan
	expect_equal files "$(echo *)" "messages plan"
	expect_equal output "$(line output)" other.data
	touch other.data
	"$DENDRO" record --dry-run -e cpu-clock -o other.data -- true >plan
	expect_equal output "$(line output)" "other.data; the file that is there is kept as other.data.old"
	expect_equal size "$(stat -c %s other.data)" 0
}

@test "the plan is what is recorded then" {
	local options=(-e cpu-clock@500Hz,page-faults@7:u --stack-size 8192 -m 256K -o plan.data)
	"$DENDRO" record --dry-run "${options[@]}" -- sh -c 'exit 0' >plan
	cat plan
	grep -q '^events *cpu-clock.*, 500 times a second and CPU, user and kernel mode$' plan ||
		grep -q '^events *cpu-clock.*, 500 times a second and CPU, user mode$' plan
	grep -q '^ *page-faults:u, one in 7, user mode$' plan
	[[ "$(line targets)" == "the command and its children: sh -c exit 0; "* ]]
	expect_equal stacks "$(line stacks)" "at most 8 KiB of each copied"
	[[ "$(line rings)" == *" of 256 KiB for samples, "* ]]
	expect_equal ends "$(line ends)" "with the command"
	"$DENDRO" record -q "${options[@]}" -- sh -c 'exit 0'
	report_json plan.data >tree
	expect_equal events "$(jq -r '[.metrics[].event] | join(" ")' tree)" \
		"$(sed -n '/^events/,/^targets/p' plan | sed '/^targets/d; s/^events//; s/^ *//; s/,.*//' |
			tr '\n' ' ' | sed 's/ $//')"
}

@test "targets that run already are counted" {
	sleep 60 3>&- &
	local process=$!
	"$DENDRO" record --dry-run -e cpu-clock -p $process -d 2 >plan
	kill $process
	cat plan
	[[ "$(line targets)" == "1 thread of 1 process running already; "* ]]
	expect_equal ends "$(line ends)" "after 2 s"
}

@test "what is refused is refused with the same words and status" {
	need_nobody
	local status=0 other=0
	chmod 755 .
	(cd / && as_nobody "$DENDRO" record --dry-run -a -o /tmp/none.data) >plan 2>dry || status=$?
	(cd / && as_nobody "$DENDRO" record -a -d 0.1 -o /tmp/none.data) >out 2>real || other=$?
	cat dry
	expect_equal status $status $other
	[ $status -ne 0 ] || skip "everybody may record everything here"
	cmp dry real
	[ ! -s plan ]
	refuses "event 'nosuch'" -- "$DENDRO" record --dry-run -e nosuch true
	expect_equal "status without a command" "$("$DENDRO" record --dry-run -e cpu-clock ./nosuch 2>/dev/null || echo $?)" 127
	refuses "cannot write into" -- "$DENDRO" record --dry-run -e cpu-clock -o nosuch/x.data true
	refuses "--dry-run" -- "$DENDRO" record --dry-run -e cpu-clock -o - true
}
