# Stacks with pages that nothing has touched: the kernel's copies end there until the recorder has read
# these pages once.
# alone: a recorder of the whole machine, in another test, would read the pages as well

load lib

SIZES="4096 12288 40000 200000 1048576"

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	local size
	for size in $SIZES; do
		record main-$size.data -- "$WORKLOADS/stack_holes" 0.5 $size
		record thread-$size.data -- "$WORKLOADS/stack_holes" 0.5 $size thread
	done
	record long.data -- "$WORKLOADS/stack_holes" 1.5 40000
	record late.data -- "$WORKLOADS/stack_holes" 0.7 40000 late
	# Rounds are short in the first second.
	record quiet-thread.data -- "$WORKLOADS/stack_holes" 1.2 40000 late-thread
	record quiet-deep.data -- "$WORKLOADS/stack_holes" 1.2 200000 late
	record bare.data --no-deep-stacks -- "$WORKLOADS/stack_holes" 0.3 40000
	record bare-thread.data --no-deep-stacks -- "$WORKLOADS/stack_holes" 0.3 40000 thread
	record whole.data --no-deep-stacks -- "$WORKLOADS/recursion" 0.3
	attach bare-attached --no-deep-stacks
	attach attached
}

# attach NAME [OPTION...] : records a thread that already runs below its hole.
attach() {
	local name=$1
	shift
	"$WORKLOADS/stack_holes" 20 40000 thread &
	local pid=$!
	wait_until has_threads $pid 2
	sleep 0.1
	record $name.data "$@" -p $pid -- "$ROOT/tests/cli/until_worked" 50 $pid
	kill $pid
	wait $pid || true
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

need_memory_of_others() {
	[ "$(id -u)" -eq 0 ] || [ "$(holes long.data)" -lt 100 ] ||
		skip "this user may not read other processes' memory"
}

holes() {
	report_json "$1" | jq .quality.unwind.stack_hole
}

# below_hole FILE : of the samples below the hole: how many there are, how many end at it, and the
# number of the last of these.
below_hole() {
	"$DENDRO" script "$1" | awk '
		/below_hole/ { is_below = 1 }
		/\[untouched page in the stack\]/ { is_cut = 1 }
		/^$/ && is_below { n++; if (is_cut) { n_cut++; last = n } }
		/^$/ { is_below = is_cut = 0 }
		END { print n + 0, n_cut + 0, last + 0 }'
}

@test "once the recorder has looked, no copy ends at an untouched page" {
	need_memory_of_others
	local file n n_cut last
	for file in main-*.data thread-*.data long.data attached.data; do
		read -r n n_cut last < <(below_hole $file)
		echo "$file: $n samples, $n_cut cut, the last of these is number $last"
		[ "$n" -gt 100 ]
		expect_equal "the last cut sample of $file" "$last" "$n_cut"
	done
}

# How soon the recorder looks is the scheduler's business, with a priority above that of the program:
# rounds are 2 ms apart, samples 1 ms. 15 ms are allowed.
@test "few samples pass until then: 99 of 100 paths of a second are complete" {
	need_root
	local n n_cut last
	read -r n n_cut last < <(below_hole long.data)
	expect_at_least "whole samples" $((n - n_cut)) "$n" 99
	report_json long.data >long
	expect_complete long 98.5
}

# cut_later FILE : of each thread, how many samples after its first fifteen end at an untouched page: how
# soon the recorder looks is the scheduler's business here, too.
cut_later() {
	"$DENDRO" script "$1" | awk '
		/^[^ \t]/ { match($0, / [0-9]+ \[/); n = ++count[substr($0, RSTART, RLENGTH)] }
		/\[untouched page in the stack\]/ && n > 15 { n_cut++ }
		END { print n_cut + 0 }'
}

@test "no sample after the first fifteen of a thread ends at an untouched page" {
	need_root
	local file
	for file in main-*.data thread-*.data long.data; do
		expect_equal "cut samples of $file" "$(cut_later $file)" 0
	done
}

@test "pages of frames that are not there yet are read before anything is cut" {
	need_root
	local n n_cut last
	read -r n n_cut last < <(below_hole late.data)
	[ "$n" -gt 100 ]
	expect_equal "cut samples" "$n_cut" 0
	expect_equal "cut samples of the thread" "$(cut_later late.data)" 0
}

@test "a stack that is new to a quiet recorder is looked at with its first sample" {
	need_root
	"$DENDRO" record -v -e cpu-clock -o tried.data true 2>tried
	grep -q 'stacks that threads had left' tried || skip "BPF programs can't be used here"
	local file n n_cut last
	for file in quiet-thread.data quiet-deep.data; do
		read -r n n_cut last < <(below_hole $file)
		echo "$file: $n samples, $n_cut cut, the last of these is number $last"
		[ "$n" -gt 500 ]
		expect_equal "the last cut sample of $file" "$last" "$n_cut"
		[ "$n_cut" -le 5 ]
	done
}

@test "with --no-deep-stacks the pages stay untouched, and paths end with that reason" {
	local name n n_cut last
	for name in bare bare-thread bare-attached; do
		read -r n n_cut last < <(below_hole $name.data)
		expect_equal "cut samples of $name" "$n_cut" "$n"
		[ "$n" -gt 100 ]
	done
	"$DENDRO" report bare.data | grep -q 'untouched page in the stack'
}

@test "stacks without such pages have no path that ends there" {
	expect_equal "holes" "$(holes whole.data)" 0
}

# Reading what was never written makes no page of it, but where the kernel has no page of zeros.
has_zero_page() {
	python3 -c '
import mmap
def resident():
    with open("/proc/self/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Anonymous:"))
memory = mmap.mmap(-1, 8 << 20, mmap.MAP_PRIVATE)
before = resident()
sum(memory[i] for i in range(0, 8 << 20, 4096))
raise SystemExit(resident() - before > 4096)'
}

@test "the memory of the program stays as it is" {
	need_memory_of_others
	need python3
	has_zero_page || skip "this kernel has no page of zeros for what was never written"
	"$WORKLOADS/stack_holes" 20 200000 thread &
	local pid=$!
	wait_until has_threads $pid 2
	sleep 0.1
	local before after
	before=$(awk '/RssAnon/ { print $2 }' /proc/$pid/status)
	record resident.data -p $pid -d 0.3
	after=$(awk '/RssAnon/ { print $2 }' /proc/$pid/status)
	kill $pid
	wait $pid || true
	echo "resident anonymous memory: $before KiB before, $after KiB after"
	[ "$after" -lt $((before + 50)) ]
}

@test "a path that ends at an untouched page is walked alike from its case" {
	rm -rf case
	"$DENDRO" debug-unwind bare.data -s 20 --export case >shown
	grep -q 'cut at a page that was not in memory' shown
	grep -q '^stack [0-9]* hole [0-9a-f]*$' case/case
	grep -q '^end stack_hole$' case/case
}
