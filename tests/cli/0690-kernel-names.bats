# Names of kernel code: BPF programs that are loaded and unloaded, and kernels that hide addresses.

load lib

setup_file() {
	load lib
	prepare build
}

build() {
	need_events
	need gcc
	cd "$BATS_FILE_TMPDIR"
	gcc -D_GNU_SOURCE -O2 -o bpf_programs "$ROOT/tests/workloads/bpf_programs.c" 2>build.errors ||
		skip "no headers for bpf(2)"
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

need_bpf() {
	local status=0
	need_root
	./bpf_programs try 0 >try.out || status=$?
	[ $status -eq 0 ] || skip "$(tail -n 1 try.out)"
}

# program_samples REPORT NAME : samples in the BPF program of that name
program_samples() {
	ask "$1" '[.rows[] | select(.module == "[bpf]" and (.name | test("^bpf_prog_[0-9a-f]+_" + $n + "$")))
		| .self[0]] | add // 0 | . / 1e6 | round' --arg n "$2"
}

rows_of() { # rows_of REPORT NAME
	ask "$1" '[.rows[] | select(.name | test("_" + $n + "$"))] | length' --arg n "$2"
}

@test "successive BPF programs at one address have their own names and shares" {
	need_bpf
	record bpf.data -- ./bpf_programs first 0.4 second 0.8 first 0.4 >bpf.out
	sed 's/^/#> /' bpf.out >&3
	report_json bpf.data --view functions >bpf.functions
	local first second
	first=$(program_samples bpf.functions first)
	second=$(program_samples bpf.functions second)
	[ $((first + second)) -gt 500 ]
	expect_share first "$first" $((first + second)) 1 2
	expect_equal "rows of a program loaded twice" "$(rows_of bpf.functions first)" 1
	report_json bpf.data >bpf.tree
	expect_equal "unnamed code" "$(jq '.quality.unnamed_code' bpf.tree)" 0
}

@test "a BPF program that was loaded before the recording has its name, too" {
	need_bpf
	./bpf_programs early 600 >early.out 3>&- &
	local pid=$!
	wait_until test -s early.out
	record early.data -p $pid "$ROOT/tests/cli/until_worked" 60 $pid
	stop $pid
	report_json early.data --view functions >early.functions
	expect_at_least "samples in it" "$(program_samples early.functions early)" \
		"$(jq '.metrics[0].samples' early.functions)" 80
}

# The kernel hands the record of a BPF program to one recorder after the other, larger each time.
@test "recorders beside each other have the times of BPF programs" {
	need_bpf
	need perf
	record outer.data -a -z 0 -- "$DENDRO" record -q -a -z 0 -o middle.data -- \
		"$DENDRO" record -q -a -z 0 -o inner.data -- ./bpf_programs first 0.2 second 0.2 >bpf.out
	local of
	for of in outer middle inner; do
		perf script --no-inline -i $of.data --show-bpf-events --ns 2>perf.errors |
			grep -a 'PERF_RECORD_KSYMBOL .*_\(first\|second\)$' >$of.programs
		cat $of.programs
		expect_equal "begins and ends in $of" "$(wc -l <$of.programs)" 4
		lacks ' 0[.]000000000: ' $of.programs
		report_json $of.data --view functions >$of.functions
		"$DENDRO" report $of.data | lacks "arrived too late"
		[ "$(program_samples $of.functions first)" -gt 50 ]
		[ "$(program_samples $of.functions second)" -gt 50 ]
	done
}

@test "perf reads recordings with BPF programs, and has the same names" {
	need_bpf
	need perf
	record perf.data -z 0 -- ./bpf_programs first 0.3 second 0.3 >perf.out
	perf script --no-inline -i perf.data -F ip,sym 2>perf.errors >perf.txt
	grep -q "bpf_prog_[0-9a-f]*_first" perf.txt
	grep -q "bpf_prog_[0-9a-f]*_second" perf.txt
}

@test "names of kernel code are the same as perf's, even at a function's first instruction" {
	need_root
	need perf
	"$DENDRO" record -q -a -z 0 -F 4999 -e cpu-clock -o system.data -- \
		sh -c 'ls -lR /usr >/dev/null; cat /proc/*/maps >/dev/null 2>&1; true'
	perf script -i system.data --no-inline -F ip,sym 2>perf.errors |
		awk '/^[ \t]*ffffffff[89a-f]/ && $2 != "[unknown]" { print $1, $2 }' | sort -u >perf.names
	"$DENDRO" script system.data |
		awk '/^[ \t]*ffffffff[89a-f]/ { sub(/\+0x.*/, "", $2); print $1, $2 }' | sort -u >our.names
	[ "$(wc -l <perf.names)" -gt 500 ]
	# Any of several names of one address is right. perf names what follows a call, where that is
	# the padding behind a function, or another symbol (sysret32_from_system_call), dendro the call.
	# perf knows only the BPF programs that are loaded now.
	awk '$2 ~ /[tTwW]/ { print $1, $3 }' /proc/kallsyms >aliases
	awk 'FILENAME == "aliases" {
			names[$1] = names[$1] " " $2 " "; at[$2] = at[$2] " " $1
			if ($1 != last) { before[$1] = last; last = $1 }
			next }
		FILENAME == "our.names" { our[$1] = $2; next }
		our[$1] == $2 || $2 ~ /^__pfx_/ || $2 ~ /^bpf_prog_/ || our[$1] ~ /^bpf_prog_/ { next }
		{ n = split(at[$2], starts, " "); same = 0
		  for (i = 1; i <= n; i++) same = same || index(names[starts[i]], " " our[$1] " ")
		  same = same || index(at[$2], $1) && index(names[before[$1]], " " our[$1] " ")
		  if (!same) print $1, "perf:", $2, "dendro:", our[$1] }' \
		aliases our.names perf.names >differences
	cat differences
	[ ! -s differences ]
}

@test "where the kernel hides its addresses, recorder and report say so" {
	need_root
	need setpriv
	setpriv --bounding-set=-syslog cat /proc/kallsyms | grep -vq "^0000000000000000" &&
		skip "this kernel hides its addresses from nobody"
	setpriv --bounding-set=-syslog "$DENDRO" record -F 997 -e cpu-clock -o hidden.data -- \
		sh -c 'ls -lR /usr >/dev/null' 2>hidden.errors
	expect_equal "notes of the recorder" "$(grep -c "kernel functions will have no names" hidden.errors)" 1
	grep -q "CAP_SYSLOG" hidden.errors
	"$DENDRO" report hidden.data >hidden.txt
	grep -q "the kernel hid its addresses" hidden.txt
	report_json hidden.data --view functions >hidden.functions
	ask hidden.functions '[.rows[] | select(.kind == "kernel")] | length > 0 and
		all(.name | startswith("0x"))' | grep -qx true
}

@test "--vmlinux accepts only the kernel that was recorded" {
	record kernel.data -- ls -lR /usr >/dev/null
	refuses "build ID" -- "$DENDRO" report --vmlinux "$DENDRO" kernel.data
	refuses "cannot be read" -- "$DENDRO" report --vmlinux /missing kernel.data
}

@test "inlined functions, lines and code of the kernel are read from a vmlinux" {
	need_root
	record kernel.data -- ls -lR /usr >/dev/null
	kernel_functions kernel.data >names
	local name
	name=$(head -n 1 names)
	make_vmlinux "$name"
	"$DENDRO" annotate --format json "$name" kernel.data >without.json
	expect_equal "why there is no code" "$(jq -r '.functions[0].problem' without.json)" \
		"no file with the kernel's code was found (--vmlinux FILE)"
	report_json kernel.data --vmlinux vmlinux --view functions >with.functions
	expect_equal inlined "$(jq -r --arg n "inlined_in_$name" '.rows[] | select(.name == $n) | .kind' \
		with.functions)" inline
	"$DENDRO" annotate --vmlinux vmlinux --format json "$name" kernel.data >with.json
	expect_equal problem "$(jq -r '.functions[0].problem' with.json)" null
	expect_equal "code with cost" "$(jq -r '[.functions[0].instructions[] | select(.self[0] > 0) | .text] |
		unique | join(" ")' with.json)" nop
	expect_equal line "$(jq -r '.functions[0].lines[0] | "\(.file) \(.inlined[0].name)"' with.json)" \
		"$PWD/kernel.c inlined_in_$name"
	refuses "build ID" -- "$DENDRO" annotate --vmlinux "$DENDRO" "$name" kernel.data
}

# with_host_name FILE HOST : the file as if perf had run on that host, whose name is as long as ours
with_host_name() {
	python3 - "$1" "$(uname -n)" "$2" <<-'END'
		import sys
		path, old, new = sys.argv[1], sys.argv[2].encode(), sys.argv[3].encode()
		bytes_of = open(path, "rb").read()
		assert len(old) == len(new) and old + bytes(1) in bytes_of
		open(path, "wb").write(bytes_of.replace(old + bytes(1), new + bytes(1)))
	END
}

@test "recordings of perf have kernel names only where this kernel made them" {
	need_root
	need perf python3
	perf record -q -e cpu-clock -B -N -a -o perf.data -- ls -lR /usr >perf.out 2>perf.errors ||
		skip "perf cannot record here"
	kernel_functions perf.data >own
	[ "$(wc -l <own)" -gt 0 ]
	with_host_name perf.data "$(uname -n | tr 'a-z0-9' 'b-za1-90')"
	"$DENDRO" report perf.data >foreign.txt
	grep -q "recorded on another kernel (Linux $(uname -r) on " foreign.txt
	report_json perf.data --view functions >foreign.functions
	# BPF programs, which other processes may run, are named by the recording.
	ask foreign.functions '[.rows[] | select(.kind == "kernel" and .module != "[bpf]")] | length > 0 and
		all(.name | startswith("0x"))' | grep -qx true
}

# own_run COMMAND... : the command with an empty /run for itself
own_run() {
	unshare --mount sh -c 'mount -t tmpfs none /run && exec "$@"' sh "$@"
}

need_own_run() {
	need_root
	need unshare
	own_run true 2>mount.errors || skip "no other /run can be mounted: $(tail -n 1 mount.errors)"
}

@test "true is recorded, with and without kept kernel names" {
	need_own_run
	own_run sh -c '"$1" record -q -o without.data true && "$1" record -q -o with.data true' \
		sh "$DENDRO"
	"$DENDRO" report without.data >without.txt
	"$DENDRO" report with.data >with.txt
}

@test "kept kernel names are the kernel's own, and are read once a boot" {
	need_own_run
	[ -e /sys/kernel/btf/vmlinux ] || skip "the kernel does not describe its iterators (BTF)"
	own_run sh -c '"$1" record -q -e cpu-clock -o first.data -- ls -lR /usr >/dev/null &&
		stat -c "%a %u" /run/dendro && stat -c "%a %u %i" /run/dendro/* >files &&
		"$1" record -q -e cpu-clock -o second.data -- ls -lR /usr >/dev/null &&
		stat -c "%a %u %i" /run/dendro/* | cmp - files' sh "$DENDRO" >folder ||
		skip "names were not kept: no BPF iterator of symbols (Linux 6.1)"
	expect_equal folder "$(cat folder)" "700 0"
	expect_equal file "$(cut -d ' ' -f 1-2 files)" "600 0"
	awk '{ print $3 }' /proc/kallsyms | sort -u >listed
	for recording in first second; do
		kernel_functions $recording.data | sort -u >names
		[ "$(wc -l <names)" -gt 10 ]
		comm -23 names listed | lacks -v '^bpf_prog_'
	done
}

@test "kernel names that somebody else may have put there are not used" {
	need_own_run
	own_run sh -c '"$1" record -q -o first.data true && chmod 755 /run/dendro &&
		stat -c %i /run/dendro/* >before && echo broken >>/run/dendro/kernel-names &&
		"$1" record -q -o open.data true && stat -c %i /run/dendro/* | cmp - before &&
		chmod 700 /run/dendro && "$1" record -q -o damaged.data true' sh "$DENDRO" ||
		skip "names were not kept"
	"$DENDRO" report open.data >open.txt
	"$DENDRO" report damaged.data >damaged.txt
}
