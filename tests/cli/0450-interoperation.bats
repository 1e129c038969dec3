# Other programs read the recordings and output of dendro, and count the same samples.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record packed.data -- "$WORKLOADS/dispatch" 1
	record plain.data -z 0 -- "$WORKLOADS/dispatch" 1
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

samples() {
	report_json "$1" --view functions | jq '.metrics[0].samples'
}

@test "perf script counts the same samples, without warnings" {
	need perf
	local file
	for file in packed.data plain.data; do
		perf script -i $file -F event,time -G >lines 2>errors
		expect_equal "complaints about $file" "$(cat errors)" ""
		expect_equal "samples of $file" "$(grep -c . lines)" "$(samples $file)"
	done
}

@test "perf report finds the functions, without warnings" {
	need perf
	local file
	for file in packed.data plain.data; do
		perf report --stdio --no-inline -i $file >out 2>errors
		expect_equal "complaints about $file" "$(cat errors)" ""
		grep -q 'worker' out
		grep -q 'Total Lost Samples: 0' out
	done
}

@test "perf reads what dendro writes to a pipe" {
	need perf
	record - -- "$WORKLOADS/dispatch" 0.5 >piped.data
	perf report -i - --stdio --no-inline <piped.data >out 2>errors
	grep -q worker out
	lacks 'failed to decompress' errors
	perf script -i - -F event,time -G <piped.data >lines 2>errors
	expect_equal samples "$(grep -c . lines)" "$(samples piped.data)"
	# A level is used for a pipe, too.
	record - -z 1 -- "$WORKLOADS/dispatch" 0.5 >packed.pipe
	[ "$(samples packed.pipe)" -gt 100 ]
	[ "$(stat -c %s packed.pipe)" -lt $(($(stat -c %s piped.data) / 2)) ]
}

@test "perf buildid-list names the kernel and each program file" {
	need perf
	need_root
	record - -- "$WORKLOADS/dispatch" 0.2 >piped.data
	perf buildid-list -i packed.data >list
	grep -q '^[0-9a-f]\{40\} \[kernel.kallsyms\]$' list
	[ "$(grep -c "/dispatch$" list)" -eq 1 ]
	[ "$(grep "/dispatch$" list | cut -d ' ' -f 1)" = "$(readelf -n "$WORKLOADS/dispatch" |
		awk '/Build ID/ { print $3 }')" ]
	[ "$(grep -c '/libc.so.6$' list)" -eq 1 ]
	perf buildid-list -i piped.data >piped.list
	[ "$(grep -c "/dispatch$" piped.list)" -eq 1 ]
}

@test "perf buildid-list names every file that has samples" {
	need perf
	need_root
	record many.data -- sh -c 'ls -lR /usr/lib >/dev/null; grep -c a /usr/bin/* >/dev/null; :'
	"$DENDRO" script many.data | sed -nE 's/^\t.* \((\/.*)\)( \[[a-z]+\])?$/\1/p' | sort -u >files
	[ "$(grep -c . files)" -ge 4 ]
	perf buildid-list -i many.data | cut -d ' ' -f 2- | sort >listed
	expect_equal "files without a build ID" "$(comm -23 files listed)" ""
}

# build_id FILE
build_id() {
	readelf -n "$1" | awk '/Build ID/ { print $3 }'
}

# A program that works in the vdso, in a library that it deletes while it is loaded, in one that it
# deletes and unloads, in one without a file, and in the kernel.
make_loader() {
	cat >loader.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <fcntl.h>
		#include <stdio.h>
		#include <sys/mman.h>
		#include <sys/sendfile.h>
		#include <time.h>
		#include <unistd.h>

		static void *work(const char *path)
		{
			void *library = dlopen(path, RTLD_NOW);
			void (*function)(void) = library ? (void (*)(void))dlsym(library, "work") : 0;

			unlink(path);
			if (function)
				function();
			return function ? library : 0;
		}

		int main(void)
		{
			struct timespec now;
			char path[64];
			int fd = memfd_create("nameless", 0), from = open("./libnameless.so", O_RDONLY);

			for (int i = 0; i < 5000000; i++)
				clock_gettime(CLOCK_MONOTONIC, &now);
			for (int i = 0; i < 30; i++)
				munmap(mmap(0, 1 << 24, PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0), 1 << 24);
			sendfile(fd, from, 0, 1 << 24);
			snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
			void *gone = work("./libgone.so");
			return !gone || dlclose(gone) || !work("./libdeleted.so") || !work(path);
		}
	END
	echo 'void work(void) { for (volatile long i = 0; i < 100000000; i++) ; }' >library.c
	local name
	for name in gone deleted nameless; do
		gcc -O1 -shared -fPIC -Wl,--build-id -Wl,-soname,$name -o lib$name.so library.c
		echo "$(build_id lib$name.so) $name"
	done >built
	gcc -O1 -Wl,--build-id -o loader loader.c -ldl
	python3 - >vdso.so <<-'END'
		import sys
		at = [line.split()[0] for line in open("/proc/self/maps") if line.rstrip().endswith("[vdso]")]
		start, end = (int(end, 16) for end in at[0].split("-"))
		with open("/proc/self/mem", "rb") as memory:
		    memory.seek(start)
		    sys.stdout.buffer.write(memory.read(end - start))
	END
}

@test "perf buildid-list names every module that has samples" {
	need perf gcc readelf python3
	need_root
	make_loader
	record loader.data -- ./loader
	# Lines 'BUILD-ID NAME', the name as dendro has it.
	perf buildid-list -i loader.data | sed -E 's/\[kernel.kallsyms\]/[kernel]/; s/ .*\// /' >list
	report_json loader.data --view modules >modules.json
	jq -r '.rows[] | select(.kind != "process" and .kind != "marker") | .module' modules.json |
		sort -u >modules
	cut -d ' ' -f 2- list | sort -u >listed
	expect_equal "modules without a build ID" "$(comm -23 modules listed)" ""
	local name
	for name in '[kernel]' '[vdso]' loader libgone.so libdeleted.so 'memfd:nameless (deleted)' libc.so.6; do
		grep -qxF "$name" modules
	done
	grep -qxF "$(build_id loader) loader" list
	grep -qxF "$(build_id vdso.so) [vdso]" list
	grep -qxF "$(awk '$2 == "gone" { print $1 }' built) libgone.so" list
	grep -qxF "$(awk '$2 == "deleted" { print $1 }' built) libdeleted.so" list
	grep -qF "$(awk '$2 == "nameless" { print $1 }' built) " list
}

# Lines of samples from the CPU on, without the names of functions in their fields. Tasks that are
# dead have the tid -1, and only dendro knows their names.
listed_fields() {
	grep $'^[^\t]' | sed -E 's/^[^[]*(\[[0-9]+\] )/\1/; s/[[:space:]]*$//; s/function=[^ ]*/function=/' |
		sort
}

@test "fields of tracepoints are printed as by perf script" {
	need_root
	need perf
	[ -r /sys/kernel/tracing/events/sched/sched_switch/format ] || skip "tracefs is not mounted"
	"$DENDRO" record -q -a -c 1 -z 0 -e sched:sched_switch -e raw_syscalls:sys_enter -e irq:softirq_entry \
		-o fields.data -- sleep 0.1
	diff <(perf script --no-inline -i fields.data 2>/dev/null | listed_fields) \
		<("$DENDRO" script fields.data | listed_fields)
	"$DENDRO" script fields.data | grep -q ' sched:sched_switch: prev_comm=.* ==> next_comm='
	perf record -q -e sched:sched_switch -e raw_syscalls:sys_enter -g -a -o theirs.data -- sleep 0.1 \
		>out 2>&1 || skip "perf cannot record here"
	diff <(perf script -i theirs.data --no-inline 2>/dev/null | listed_fields) \
		<("$DENDRO" script theirs.data | listed_fields)
}

@test "perf data convert counts the same samples" {
	need perf
	perf data convert --to-json converted.json -i packed.data >out 2>&1 ||
		{ grep -qi 'unknown option\|not compiled' out && skip "this perf can't convert"; }
	expect_equal samples "$(jq '.samples | length' converted.json)" "$(samples packed.data)"
}

@test "hotspot's perfparser reads an uncompressed recording and counts the same samples" {
	local parser
	parser=$("$ROOT/tests/deps/perfparser") || skip "hotspot-perfparser is not here and can't be fetched"
	"$parser" --input plain.data --output parsed >out 2>&1
	expect_equal samples "$(python3 "$ROOT/tests/oracle/perfparser_samples.py" parsed)" \
		"$(samples plain.data)"
}

@test "stackcollapse reads dendro script" {
	"$DENDRO" script packed.data >script
	# The collapsing that stackcollapse-perf.pl does, in short: a header, frames, an empty line.
	awk 'BEGIN { RS = ""; FS = "\n" } { path = ""
		for (i = NF; i > 1; i--) { split($i, f, " "); sub(/\+0x[0-9a-f]+$/, "", f[2])
			path = path ";" f[2] } n[path]++ }
		END { for (p in n) print p, n[p] }' script >collapsed
	cat collapsed
	grep -q ';main;dispatch_1;worker ' collapsed
	expect_equal samples "$(awk '{ n += $NF } END { print n }' collapsed)" "$(samples packed.data)"
}

@test "dendro script prints perf script's lines" {
	need perf
	perf script -i plain.data --no-inline 2>/dev/null >theirs
	"$DENDRO" script plain.data >ours
	expect_equal headers "$(grep -c $'^[^\t]' ours)" "$(grep -c $'^[^\t]' theirs)"
	diff <(grep $'^[^\t]' theirs | sed 's/[[:space:]]*$//' | head -50) \
		<(grep $'^[^\t]' ours | sed 's/[[:space:]]*$//' | head -50)
}

@test "addresses, weights and branches are printed as by perf script" {
	need perf python3
	local options
	for options in "" --callchain --weight-struct "--callchain --weight-struct"; do
		# shellcheck disable=SC2086
		python3 "$ROOT/tests/oracle/branch_recording.py" branches.data $options
		diff <(perf script -i branches.data -F +addr,+weight,+brstack 2>/dev/null) \
			<("$DENDRO" script -F +addr,+weight,+brstack branches.data)
		diff <(perf script -i branches.data 2>/dev/null) <("$DENDRO" script branches.data)
	done
	"$DENDRO" script -F +brstack -F +addr branches.data >two
	diff <(perf script -i branches.data -F +brstack,+addr 2>/dev/null) two
}

@test "fields that the samples lack are left out, and unknown ones are refused" {
	diff <("$DENDRO" script plain.data) <("$DENDRO" script --fields=+addr,+weight,+brstack plain.data)
	refuses "not 'insn'" -- "$DENDRO" script -F insn plain.data
	refuses "not '+insn'" -- "$DENDRO" script -F +addr,+insn plain.data
}

@test "a recording through a pipe is read by dendro and perf" {
	need perf
	"$DENDRO" record -q -e cpu-clock -F 997 -o - -- "$WORKLOADS/dispatch" 0.5 >piped.data
	local n
	n=$(report_json - --view functions <piped.data | jq '.metrics[0].samples')
	[ "$n" -gt 20 ]
	expect_equal "perf's samples" "$(perf script -i - -F event -G <piped.data 2>/dev/null | grep -c .)" "$n"
}
