# record --follow: what variables lead to on the heap, read from the living process, of a program
# whose shares are known.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

build() { # build NAME COMPILER FLAG...
	local name=$1 compiler=$2
	shift 2
	"$compiler" -std=gnu17 -D_GNU_SOURCE -I "$ROOT" "$@" -o "$name" \
		"$ROOT/tests/workloads/followed.c"
}

# follow FILE OPTION... -- COMMAND...
follow() {
	local file=$1
	shift
	"$DENDRO" record -e cpu-clock -F 997 --no-jitter -o "$file" "$@" 2>"$file.log" >/dev/null
}

make_recordings() {
	need_events
	need jq gcc
	cd "$BATS_FILE_TMPDIR"
	build gcc-O0 gcc -g -O0
	build gcc-O2 gcc -g -O2
	build inlined gcc -g -O2 -DINLINED
	build none gcc -O2
	# Of samples in the kernel, the user's registers are told by the kernel's own types.
	[ ! -e /sys/kernel/btf/vmlinux ] || build kernel gcc -g -O2 -DIN_KERNEL
	! command -v clang >/dev/null || build clang-O2 clang -g -O2
	local program
	for program in gcc-O0 gcc-O2 inlined clang-O2 kernel; do
		[ ! -e $program ] || follow $program.data --follow 'run:machine->op->opcode' \
			--follow 'run: machine->op->name' --follow 'run:machine->next->opcode' -- \
			./$program 1
	done
	follow without.recorded -- ./gcc-O2 0.2
	# Where the kernel permits no BPF program, all is read later.
	"$ROOT/tests/cli/without_system_call.py" bpf EPERM "$DENDRO" record -e cpu-clock -F 997 \
		--no-jitter -o later.recorded --follow 'run:machine->op->opcode' -- ./gcc-O2 1 \
		2>later.recorded.log >/dev/null
	build leaf gcc -g -O2 -DLEAF
	follow leaf.recorded --follow 'run:machine->op->opcode' --follow 'run: machine->op->name' \
		--follow 'run:machine->opcode' -- ./leaf 2
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# The samples with a value that ends so, then all that know one.
samples_with() { # samples_with FILE VALUE EXPRESSION
	values "$1" '.variables[0] | "\([.values[] | select(.value | endswith($ENV.value)) |
		.samples] | add) \(.known)"' run "$3"
}

@test "follow: fields on the heap have the shares that are known by construction" {
	local file value share n all
	for file in *.data; do
		while read -r value share; do
			read -r n all < <(value=$value samples_with "$file" "$value" 'machine->op->opcode')
			[ "$all" -gt 200 ]
			expect_share "$file: $value" "$n" "$all" "$share" 10
		done <<-END
			ADD 5
			LOAD 3
			STORE 2
		END
		read -r n all < <(value='"add"' samples_with "$file" '"add"' 'machine->op->name')
		expect_share "$file: add" "$n" "$all" 5 10
	done
}

@test "follow: what was read later is counted; what the sample has in itself is not" {
	local file
	for file in *.data; do
		# All, but for a few whose read was too late on a busy machine.
		values "$file" '.variables[] | .read_later + .read_at_sample == .known' \
			run 'machine->op->opcode' | grep -qx true
		values "$file" '.variables[] | .read_later == 0' run now | grep -qx true
		values "$file" '.read_at_sample as $n | .read_later | $n + .samples + ([.not_read[]] | add) > 200' run now |
			grep -qx true
	done
	[ "$(values inlined.data '.inlined > 0' run now)" = true ]
	run "$DENDRO" values -i gcc-O2.data run machine
	[ "$status" -eq 0 ]
	grep -q 'memory was not read: nothing is mapped there' <<<"$output"
}

@test "follow: at the leaf, a BPF program reads at the sample itself, and both ways are told apart" {
	local opcode expression
	if grep 'no BPF program' leaf.recorded.log; then
		skip "the kernel refuses the BPF program: $(grep -o 'at the sample: .*' leaf.recorded.log)"
	fi
	grep -q 'by a BPF program, at the sample itself' leaf.recorded.log
	values leaf.recorded '.read_at_sample > 100' run now | grep -qx true
	for expression in 'machine->op->opcode' 'machine->op->name' 'machine->opcode'; do
		values leaf.recorded '.variables[] | .read_at_sample > .read_later and
			.read_at_sample + .read_later == .known' run "$expression" | grep -qx true
	done
	values leaf.recorded '.variables[] | .read_at_sample == 0' run now | grep -qx true
	# What was read at the sample is what it was, which the sample knows: no row is another one.
	for opcode in ADD LOAD STORE; do
		rows_of -i leaf.recorded --split 'run:machine->opcode' --where "run:now == $opcode" >rows
		cat rows
		grep -q "^\[machine->opcode = $opcode\] " rows
		lacks -E "= (ADD|LOAD|STORE)\\] " < <(grep -v "= $opcode\\]" rows)
	done
}

@test "follow: of callers, a BPF program reads at the sample, too, from the second sample of the same calls on" {
	local opcode file
	[ "$(uname -m)" = x86_64 ] || skip "elsewhere, functions that call none keep no return address"
	! grep 'no BPF program' gcc-O2.data.log || skip "the kernel refuses the BPF program"
	for file in *.data; do
		echo "$file"
		values "$file" '.variables[] | .read_at_sample > .read_later' run \
			'machine->op->opcode' | grep -qx true
		values "$file" '.variables[] | .read_at_sample > .read_later' run 'machine->op->name' |
			grep -qx true
	done
	# The sample knows what it was.
	for file in gcc-O0 gcc-O2 inlined kernel; do
		[ -e $file.data ] || continue
		for opcode in ADD LOAD STORE; do
			rows_of -i $file.data --split 'run:machine->op->opcode' \
				--where "run:now == $opcode" >rows
			cat rows
			grep -q "^\[machine->op->opcode = $opcode\] " rows
			lacks -E "= (ADD|LOAD|STORE)\\] " < <(grep -v "= $opcode\\]" rows)
		done
	done
}

@test "follow: where the kernel permits no BPF program, all is read later" {
	grep -q 'no BPF program' later.recorded.log
	values later.recorded '.variables[] | .read_at_sample == 0 and .read_later == .known and
		.known > 200' run 'machine->op->opcode' | grep -qx true
}

@test "follow: --no-deep-stacks reads at the sample, too" {
	follow bare.recorded --no-deep-stacks --follow 'run:machine->opcode' -- ./leaf 1
	! grep -q 'no BPF program' bare.recorded.log || skip "the kernel refuses the BPF program"
	values bare.recorded '.read_at_sample > 50' run now | grep -qx true
}

@test "follow: without it, nothing is known, and nothing is said of it" {
	values without.recorded '.variables[0].known == 0 and .read_later.samples == 0' run \
		'machine->op->opcode' | grep -qx true
	run "$DENDRO" values -i without.recorded run 'machine->op->opcode'
	lacks later <<<"$output"
}

@test "follow: a pointer to nowhere is counted with its reason, and what was read before is there" {
	values gcc-O2.data '.variables[0] | .known == 0 and .missing["in memory that the sample does not have"] > 200' \
		run 'machine->next->opcode' | grep -qx true
	# The other two expressions of the same samples are known.
	values gcc-O2.data '.variables[0].known > 200' run 'machine->op->opcode' | grep -qx true
	grep -q 'memory was not read for .* samples: nothing is mapped there' gcc-O2.data.log
}

# Samples in the rows below run(), "add later".
rows_of() { # rows_of OPTION...
	"$DENDRO" report --format json --min 0 "$@" >tree.json
	ask tree.json 'weight_per_sample as $w | [named_nodes[] | select(.kind == "marker" and
		(.name | startswith("[machine")))] | group_by(.name)[] |
		"\(.[0].name) \(map(.total[0]) | add / $w | round)"'
}

@test "follow: --split has rows that say so, in recordings and in stored profiles" {
	rows_of -i later.recorded --split 'run:machine->op->opcode' >rows
	cat rows
	grep -q '^\[machine->op->opcode = ADD, read later\] ' rows
	lacks -E '(ADD|LOAD|STORE)\] ' rows
	# What the kernel has read at samples has no such mark.
	local n
	rows_of -i gcc-O2.data --split 'run:machine->op->opcode' >rows
	cat rows
	n=$(sed -n 's/.*\(ADD\|LOAD\|STORE\)\] //p' rows | awk '{ n += $1 } END { print n + 0 }')
	values gcc-O2.data ".variables[0].read_at_sample == $n" run 'machine->op->opcode' |
		grep -qx true
	rows_of -i later.recorded --split 'run:machine->op->opcode' >rows
	"$DENDRO" build -i later.recorded -o split.cct --split 'run:machine->op->opcode' 2>/dev/null
	rows_of -i split.cct >stored
	diff rows stored
	run "$DENDRO" report -i split.cct
	grep -qE 'samples? split by a value that was read a moment later' <<<"$output"
	# The sample has this one in itself.
	"$DENDRO" build -i gcc-O2.data -o split.cct --split run:now 2>/dev/null
	run "$DENDRO" report -i split.cct
	lacks later <<<"$output"
}

@test "follow: --where takes the samples, and says by what" {
	local n
	n=$(value=LOAD samples_with later.recorded LOAD 'machine->op->opcode' | cut -d' ' -f1)
	run "$DENDRO" report -i later.recorded --where 'run:machine->op->opcode == LOAD'
	grep -q 'samples for which --where was' <<<"$output"
	grep -Eq "^events +$n samples" <<<"$output"
}

@test "follow: perf and archives read such a recording" {
	need perf
	local n
	n=$(perf script -i gcc-O2.data -F comm,tid 2>perf.log | grep -c gcc-O2)
	[ "$n" -gt 200 ]
	lacks -i error perf.log
	"$DENDRO" archive -i gcc-O2.data -o followed.tar.zst 2>/dev/null
	"$DENDRO" values --format json -i followed.tar.zst run 'machine->op->opcode' |
		jq -e '.variables[0].known > 200'
}

# Until the program, and who reads for it, have had their turns: others are busy, too.
follow_running() { # follow_running OPTION...
	for _ in 1 2 3 4 5 6; do
		follow running.recorded --follow 'run:machine->op->opcode' "$@" -d 1
		values running.recorded '.variables[0].known > 20' run 'machine->op->opcode' >enough
		! grep -qx true enough || return 0
	done
	return 1
}

@test "follow: processes that run already, and the whole machine" {
	./gcc-O2 300 &
	local pid=$!
	follow_running -p $pid
	need_root
	follow_running -a
	kill $pid
}

@test "follow: parts and pipes have what was read, too" {
	follow parts --follow 'run:machine->op->opcode' --switch-output=300ms -- ./gcc-O2 1
	local part n=0
	for part in parts.2*; do
		# The first one may end before anything can be read, and the last one may begin just
		# before the command ends.
		! values "$part" '.variables[0].known > 0' run 'machine->op->opcode' | grep -qx true ||
			n=$((n + 1))
	done
	[ $n -gt 1 ]
	"$DENDRO" record -q -e cpu-clock -o - --follow 'run:machine->op->opcode' -- ./gcc-O2 0.5 |
		"$DENDRO" report --split 'run:machine->op->opcode' -i - >piped
	grep -q 'machine->op->opcode = ' piped
}

@test "follow: what finds nothing is said, and what cannot be is refused" {
	follow none.recorded --follow 'run:machine->op' --follow 'nowhere:x' -- ./none 0.2
	grep -q "'run' has no debug information" none.recorded.log
	grep -q "no stack had a frame of 'nowhere'" none.recorded.log
	follow wrong.recorded --follow 'run:machine->colour' -- ./gcc-O2 0.2
	grep -q "'run' had no such variable or member of 'machine->colour'" wrong.recorded.log
	run "$DENDRO" record --follow 'run' -- true
	[ "$status" -eq 129 ]
	run "$DENDRO" record --follow 'run:machine->op' -o profile.cct -- true
	[ "$status" -eq 129 ]
	grep -q "a profile, which has no variables" <<<"$output"
	run "$DENDRO" record --follow 'run:machine->op' --call-graph fp -- true
	[ "$status" -eq 129 ]
	grep -q "needs the registers of samples" <<<"$output"
}

@test "follow: without the process that reads, the recording goes on, and says so" {
	follow killed.recorded --follow 'run:machine->op->opcode' -- sh -c '
		for process in /proc/[0-9]*; do
			[ "$(cut -d" " -f4 $process/stat 2>/dev/null)" != $PPID ] ||
				[ ${process#/proc/} = $$ ] || kill -9 ${process#/proc/}
		done
		exec ./gcc-O2 0.5'
	grep -q "has ended early" killed.recorded.log
	grep -q "was ended by signal 9" killed.recorded.log
	values killed.recorded '.variables[0].known == 0 and .read_later.not_read["not in time"] > 100' \
		run 'machine->op->opcode' | grep -qx true
}
