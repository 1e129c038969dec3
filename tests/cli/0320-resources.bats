# Resources of which each call path uses a known amount: costs are exact where every occurrence is
# sampled, and otherwise within 4.5 standard errors.

load lib

need_tracepoints() {
	need_root
	[ -r /sys/kernel/tracing/events/raw_syscalls/sys_enter/id ] ||
		[ -r /sys/kernel/debug/tracing/events/raw_syscalls/sys_enter/id ] ||
		skip "no tracepoints of system calls are to be seen in tracefs"
}

need_probes() {
	need_root
	[ -r /sys/bus/event_source/devices/uprobe/type ] || skip "this kernel has no uprobe PMU"
}

# record_each FILE OPTION... -- COMMAND... : records with rings that hold all samples, however busy
# the machine is
record_each() {
	local file=$1
	shift
	"$DENDRO" record -q --stack-size 4096 -m 32M -o "$file" "$@"
}

# record_all FILE OPTION... : records the resources of tests/workloads/resources.c
record_all() {
	record_each "$@" -- "$WORKLOADS/resources"
}

# weight REPORT EVENT FUNCTION : an event's cost in the function's subtrees
weight() {
	ask "$1" '([.metrics[].event] | index($event)) as $metric
		| def walk_down: if .name == $name then .total[$metric]
			else (.children[] | walk_down) end;
		[tree | walk_down] | add // 0' --arg event "$2" --arg name "$3"
}

# expect_weights REPORT EVENT FUNCTION WEIGHT FUNCTION WEIGHT...
expect_weights() {
	local report=$1 event=$2
	shift 2
	while [ $# -gt 0 ]; do
		expect_equal "$event of $1" "$(weight "$report" "$event" "$1")" "$2"
		shift 2
	done
}

# The tree holds the cost of all samples that were read; none is left out because it has no weight.
conserved() {
	jq -e '[.metrics[].total] as $all | .nodes[0][3] == $all and .quality.unweighed == 0 and
		([.nodes[][2]] | transpose | map(add)) == $all' \
		"$1"
}

setup() {
	need_events
	cd "$BATS_TEST_TMPDIR"
}

@test "bytes read and written are exact in each context" {
	need_tracepoints
	record_all io.data -e read-bytes,write-bytes -e 'syscalls:sys_exit_read/weight=ret/'
	report_json io.data >io
	conserved io
	expect_weights io read-bytes read_some 100000 read_more 165000 write_some 0 call_often 0
	expect_weights io write-bytes write_some 25000 read_some 0 main 25000
	expect_weights io 'syscalls:sys_exit_read/weight=ret/' read_some 100000 read_more 0
	expect_equal units "$(jq -c '[.metrics[].unit]' io)" '["bytes","bytes","events"]'
	expect_paths io __libc_pread "main read_more __libc_pread"
}

@test "system calls are exact in each context" {
	need_tracepoints
	record_all calls.data -e syscalls
	report_json calls.data >calls
	conserved calls
	expect_weights calls syscalls ask_kernel 150 read_some 110 read_more 80 write_some 100
}

@test "a pattern selects each tracepoint that matches" {
	need_tracepoints
	record_each pattern.data -e 'raw_syscalls:sys_[a-e]*' -- true
	report_json pattern.data >pattern
	conserved pattern
	expect_equal events "$(jq -c '[.metrics[].event]' pattern)" \
		'["raw_syscalls:sys_enter","raw_syscalls:sys_exit"]'
	refuses "No tracepoint" "'raw_syscalls:x*'" -- "$DENDRO" record -e 'raw_syscalls:x*' true
}

@test "bytes allocated are exact in each context, and none is counted twice" {
	need_probes
	record_all heap.data -e alloc-bytes
	report_json heap.data >heap
	conserved heap
	expect_weights heap alloc-bytes allocate_plainly 100000 allocate_variously 3046680
	expect_equal unit "$(jq -r '.metrics[0].unit' heap)" bytes
	expect_weights heap alloc-bytes malloc 107000 realloc 3020000
}

@test "calls, and the sums of their arguments, are exact in each context" {
	need_probes
	local program=$WORKLOADS/resources
	record_all calls.data -e "call:$program:called" -e "uprobe:$program:called/weight=arg7/" \
		-e "uprobe:$program:called/weight=arg1*arg7,unit=bytes/"
	report_json calls.data >calls
	conserved calls
	expect_weights calls "call:$program:called" call_seldom 200 call_often 600 main 800
	expect_weights calls "uprobe:$program:called/weight=arg7/" call_seldom 600 call_often 3000
	expect_weights calls "uprobe:$program:called/weight=arg1*arg7,unit=bytes/" \
		call_seldom 1200 call_often 6000
	expect_paths calls called "main call_often called" "main call_seldom called"
	expect_equal complete "$(jq .quality.unwind.complete calls)" 2400
}

@test "page faults are exact in each context" {
	record_all faults.data -c 1 -e page-faults
	report_json faults.data >faults
	conserved faults
	expect_weights faults page-faults touch 256
	expect_paths faults touch "main fault_often fault touch" "main fault_seldom fault touch"
	expect_equal often "$(ask faults '[nodes | select(from_main ==
		"main fault_often fault touch") | .total] | add')" 192
}

@test "a sample represents a period of occurrences, and the values of all of them" {
	need_probes
	local program=$WORKLOADS/resources
	record_all sampled.data -c 9 -e "call:$program:called,page-faults" \
		-e "uprobe:$program:called/weight=arg7/"
	report_json sampled.data >sampled
	conserved sampled
	expect_equal samples "$(jq '.metrics[0].samples' sampled)" $((800 / 9))
	expect_equal weight "$(jq '.metrics[0].total' sampled)" $((800 / 9 * 9))
	expect_share "calls of call_often" "$(($(weight sampled "call:$program:called" call_often) / 9))" \
		$((800 / 9)) 600 800
	awk -v got="$(weight sampled "uprobe:$program:called/weight=arg7/" call_often)" 'BEGIN {
		error = 4.5 * 9 * 5 * sqrt(600 / 9)
		exit !(got >= 3000 - error && got <= 3000 + error)
	}'
	awk -v got="$(weight sampled page-faults touch)" 'BEGIN {
		error = 4.5 * 9 * sqrt(256 / 9)
		exit !(got >= 256 - error && got <= 256 + error)
	}'
}

@test "the cost per call is right by context: equal time, half the calls" {
	need_probes
	local program=$WORKLOADS/figure1 calls_a calls_b a b
	"$DENDRO" record -q -o figure1.data -e cpu-clock -e "call:$program:c" -- "$program" 2
	report_json figure1.data >figure1
	conserved figure1
	calls_a=$(weight figure1 "call:$program:c" a)
	calls_b=$(weight figure1 "call:$program:c" b)
	[ "$calls_a" -gt 20 ]
	expect_equal "calls from b" "$calls_b" $((2 * calls_a))
	a=$(ask figure1 '[nodes | select(from_main == "main a c") | .total] | add | round')
	b=$(ask figure1 '[nodes | select(from_main == "main b c") | .total] | add | round')
	expect_share "time of c under a" "$a" $((a + b)) 1 2
	awk -v a="$a" -v b="$b" -v calls_a="$calls_a" -v calls_b="$calls_b" 'BEGIN {
		ratio = (a / calls_a) / (b / calls_b)
		error = 4.5 * 2 * sqrt(1 / a + 1 / b)
		printf "cost per call: %.2f times\n", ratio
		exit !(ratio >= 2 - error && ratio <= 2 + error)
	}'
}

@test "a filter selects by fields, and the message about a refused one has the kernel's reason" {
	need_tracepoints
	record_all filtered.data -e syscalls:sys_exit_read --filter 'ret == 1000' \
		-e read-bytes --filter 'ret > 500' --filter 'ret < 3000'
	report_json filtered.data >filtered
	expect_weights filtered syscalls:sys_exit_read read_some 100
	expect_weights filtered read-bytes read_some 100000 read_more 0
	refuses "'no_such_field > 1'" syscalls:sys_exit_read fields -- \
		"$DENDRO" record -q -e syscalls:sys_exit_read --filter 'no_such_field > 1' -o x.data true
	refuses "--filter must follow an -e" -- "$DENDRO" record -e cpu-clock --filter 'a > 1' true
	refuses "--filter must follow an -e" -- "$DENDRO" record --filter 'a > 1' true
}

@test "children are counted, and a recording through a pipe has the same costs as a file" {
	need_tracepoints
	record_each - -e read-bytes -- \
		sh -c "'$WORKLOADS/resources' & '$WORKLOADS/resources'; wait" >piped.data
	"$DENDRO" report --format json - <piped.data >piped
	conserved piped
	expect_weights piped read-bytes read_some 200000 read_more 330000
	expect_equal unit "$(jq -r '.metrics[0].unit' piped)" bytes
}

@test "calls in children and threads are counted, and forks still work" {
	need_probes
	need_tracepoints
	record_each family.data -e alloc-bytes -- \
		sh -c "for i in 1 2 3 4; do '$WORKLOADS/resources' & done; wait"
	report_json family.data >family
	conserved family
	expect_weights family alloc-bytes allocate_plainly 400000 allocate_variously 12186720
}

# The definitions of this recorder's probes in tracefs.
probes_of() {
	grep -h "dendro_$1_" /sys/kernel/tracing/uprobe_events /sys/kernel/debug/tracing/uprobe_events \
		2>/dev/null || true
}

@test "probes are removed at the end, and probes of a killed recorder by the next recording" {
	need_probes
	need_tracepoints
	need pgrep
	local recorder
	"$DENDRO" record -q -o killed.data -e call:libc:malloc -- sleep 600 3>&- &
	recorder=$!
	has_probes() { [ -n "$(probes_of $recorder)" ]; }
	wait_until has_probes
	local commands
	commands=$(pgrep -P $recorder)
	stop $recorder
	# shellcheck disable=SC2086
	kill $commands
	"$DENDRO" record -q -o next.data -e call:libc:malloc -- true &
	wait $!
	expect_equal "probes of the killed one" "$(probes_of $recorder)" ""
	expect_equal "probes of the next one" "$(probes_of $!)" ""
}

@test "perf reads recordings of tracepoints and probes, and counts the same samples" {
	need perf
	need_tracepoints
	need_probes
	local line
	record_all perf.data -e read-bytes,syscalls,alloc-bytes -e "call:$WORKLOADS/resources:called"
	perf script -i perf.data -F event,time -G >lines 2>errors
	expect_equal complaints "$(cat errors)" ""
	report_json perf.data >report
	expect_equal samples "$(grep -c . lines)" "$(jq '.quality.samples' report)"
	perf script -i perf.data -G >lines
	expect_equal "reads of 1000 bytes" "$(grep -c 'read-bytes: *0x3e8$' lines)" 100
	perf report --stdio --no-inline -i perf.data >out 2>errors
	expect_equal complaints "$(cat errors)" ""
	grep -q 'called' out
	record_all - -e read-bytes |
		perf script -i - -G >lines 2>errors
	expect_equal complaints "$(cat errors)" ""
	expect_equal "reads of 1000 bytes" "$(grep -c '0x3e8$' lines)" 100
}

@test "arguments of 32-bit functions come from the stack" {
	need_probes
	# 32-bit headers after the 64-bit ones: see 0210-32-bit.bats.
	gcc -m32 -idirafter /usr/include/x86_64-linux-gnu -D_GNU_SOURCE -O2 -fomit-frame-pointer \
		-o resources32 "$ROOT/tests/workloads/resources.c" 2>/dev/null ||
		skip "32-bit programs can't be built here (lib32gcc-12-dev, libc6-dev-i386)"
	./resources32 || skip "this kernel runs no 32-bit programs"
	record_each 32.data -e "uprobe:./resources32:called/weight=arg7/" \
		-e "uprobe:./resources32:called/weight=arg1/" -- ./resources32
	report_json 32.data >32
	conserved 32
	expect_weights 32 "uprobe:./resources32:called/weight=arg7/" call_seldom 600 call_often 3000
	expect_weights 32 "uprobe:./resources32:called/weight=arg1/" call_seldom 400 call_often 1200
}

@test "samples without the data of their weight are counted and shown" {
	need_probes
	local event="uprobe:$WORKLOADS/resources:called/weight=arg7/"
	"$DENDRO" record -q --stack-size 0 -o bare.data -e "$event" -e "${event/arg7/arg1}" -- \
		"$WORKLOADS/resources"
	report_json bare.data >bare
	expect_equal unweighed "$(jq -c '[.quality.unweighed, .metrics[0].samples, .metrics[].total]' bare)" \
		"[800,800,0,1600]"
	"$DENDRO" report bare.data >text
	grep -q '800 samples carry no weight and count as 0' text
}

@test "return probes have the caller's path" {
	need_probes
	record_all returns.data -e "uretprobe:$WORKLOADS/resources:called"
	report_json returns.data >returns
	expect_weights returns "uretprobe:$WORKLOADS/resources:called" call_seldom 200 call_often 600
}

@test "the function that an IFUNC chose is probed" {
	need_probes
	cat >copy.c <<-'C'
		#include <stdlib.h>
		#include <string.h>

		static char from[1000], to[1000];

		__attribute__((noinline)) static void copy(size_t n)
		{
			for (int i = 0; i < 50; i++)
				memcpy(to, from, n);
			__asm__("");
		}

		int main(int argc, char **argv)
		{
			(void)argv;
			copy(699 + (size_t)argc);
			return 0;
		}
	C
	gcc -O1 -fno-builtin -o copy copy.c
	local event=uprobe:libc:memcpy/weight=arg3,unit=bytes/
	record_each copies.data -e "$event" -- ./copy
	report_json copies.data >copies
	expect_weights copies "$event" copy 35000
}

@test "libraries and programs are found by their names" {
	need_probes
	record_each heap.data -e call:libc:malloc -- "$WORKLOADS/resources"
	[ "$(report_json heap.data | jq '.metrics[0].samples')" -ge 110 ]
	cd "$WORKLOADS"
	PATH=$PWD:$PATH "$DENDRO" record -q --stack-size 4096 -o "$BATS_TEST_TMPDIR/found.data" \
		-e call:resources:called -- resources
	expect_equal calls "$(report_json "$BATS_TEST_TMPDIR/found.data" | jq '.metrics[0].total')" 800
}

@test "calls that can't be counted are refused with the reason" {
	need_tracepoints
	need_probes
	local tracepoint=syscalls:sys_exit_read
	refuses "no tracepoint 'sys_exit_raed'" sys_exit_read -- \
		"$DENDRO" record -e syscalls:sys_exit_raed true
	refuses "no field 'rat'" "nr, ret" -- "$DENDRO" record -e "$tracepoint/weight=rat/" true
	refuses "no integer 'comm'" pid -- "$DENDRO" record -e sched:sched_wakeup/weight=comm/ true
	refuses terms -- "$DENDRO" record -e "$tracepoint/wait=ret/" true
	refuses terms -- "$DENDRO" record -e "$tracepoint/weight=ret,unit=miles/" true
	refuses "'libnone'" "give its path" -- "$DENDRO" record -e call:libnone:f true
	refuses "no symbol for a function 'maloc'" malloc -- "$DENDRO" record -e call:libc:maloc true
	refuses "not an ELF file" -- "$DENDRO" record -e call:/etc/passwd:f true
	refuses "No such file" -- "$DENDRO" record -e call:/no/such:f true
	refuses call:LIB:FUNCTION -- "$DENDRO" record -e call:libc true
	refuses call:LIB:FUNCTION -- "$DENDRO" record -e call::f true
	refuses arg1 -- "$DENDRO" record -e uprobe:libc:malloc/weight=arg17/ true
	refuses "'size'" -- "$DENDRO" record -e uprobe:libc:malloc/weight=size/ true
	refuses "a return has no arguments" -- "$DENDRO" record -e uretprobe:libc:malloc/weight=arg1/ true
}

@test "without tracefs the message names the command that mounts it; probes work without" {
	need_tracepoints
	need_probes
	need_without_tracefs
	refuses "mount -t tracefs nodev /sys/kernel/tracing" -- \
		without_tracefs "$DENDRO" record -o x.data -e syscalls:sys_exit_read true
	refuses "mount -t tracefs nodev /sys/kernel/tracing" -- \
		without_tracefs "$DENDRO" record -o x.data -e read-bytes true
	without_tracefs "$DENDRO" record --stack-size 4096 -o probed.data -e alloc-bytes -- "$WORKLOADS/resources" 2>said
	grep -q "not in new threads and children" said
	report_json probed.data >probed
	expect_weights probed alloc-bytes allocate_plainly 100000
	without_tracefs "$DENDRO" record -q --stack-size 4096 -o forks.data -e call:libc:malloc -- \
		sh -c "'$WORKLOADS/resources' & wait \$!"
}

@test "without privilege the message names what permits the event" {
	need_tracepoints
	need_probes
	need setpriv
	chmod 755 .
	nobody() {
		setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all "$@"
	}
	nobody "$DENDRO" --version >/dev/null 2>&1 || skip "nobody can't run dendro here"
	refuses "root" -- nobody "$DENDRO" record -o /dev/null -e alloc-bytes "$WORKLOADS/resources"
	[ ! -x /sys/kernel/tracing ] || nobody test ! -x /sys/kernel/tracing || skip "tracefs is open to all"
	refuses "root" "gid=GROUP" -- nobody "$DENDRO" record -e syscalls:sys_exit_read true
}
