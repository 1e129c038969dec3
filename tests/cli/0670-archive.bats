# dendro archive: reports of an archive are the same where the files are missing or different.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

compile() { # compile NAME [OPTION...]
	local name=$1
	shift
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g "$@" -o "$name" "$ROOT/tests/workloads/inlined.c"
}

# One program with debug information, one with a separate debug file, and one without.
make_recordings() {
	need_events
	need gcc objcopy strip
	cd "$BATS_FILE_TMPDIR"
	mkdir programs
	compile programs/whole
	compile programs/separate
	objcopy --only-keep-debug programs/separate programs/separate.debug
	objcopy --strip-all --add-gnu-debuglink=programs/separate.debug programs/separate
	cp "$WORKLOADS/stripped/dispatch" programs/dispatch
	record all.data -- sh -c 'programs/whole 0.3; programs/separate 0.3; programs/dispatch 0.3'
	report_all originals
	"$DENDRO" archive -q -o all.archive all.data
	cp -r programs elsewhere
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
	[ -d programs ] || cp -r elsewhere programs
}

# Writes reports of all.data, in the current folder, below FOLDER;
# of $FUNCTION, if not of "innermost", in $FORMATS, if not all, and of the processes $PIDS alone, if
# any are named.
report_all() { # report_all FOLDER [COMMAND...]
	local folder=$1 view format
	shift
	local -a picked=()
	[ -z "${PIDS:-}" ] || picked=(--pid "$PIDS")
	mkdir -p "$folder"
	for view in tree callers functions lines modules processes; do
		for format in ${FORMATS:-text json csv}; do
			"$@" "$DENDRO" report "${picked[@]}" --min 0 --view $view --format $format \
				all.data >"$folder/$view.$format"
		done
	done
	"$@" "$DENDRO" report "${picked[@]}" --no-inline --format json all.data >"$folder/no-inline"
	"$@" "$DENDRO" report "${picked[@]}" --merge-copies --raw-names all.data >"$folder/raw-names"
	"$@" "$DENDRO" annotate "${picked[@]}" --no-source --format json \
		"${FUNCTION:-innermost}" all.data >"$folder/annotate"
	"$@" "$DENDRO" annotate "${picked[@]}" --no-source --asm \
		"${FUNCTION:-innermost}" all.data >"$folder/assembly"
	"$@" "$DENDRO" script all.data | awk -v pids="${PIDS:-}" 'BEGIN { RS = ""; ORS = "\n\n" }
		{ pid = $0; sub(/ +\[[0-9]+\] .*/, "", pid); sub(/.* /, "", pid); sub(/\/.*/, "", pid) }
		pids == "" || index("," pids ",", "," pid ",")' >"$folder/script"
}

# expect_same FOLDER [ORIGINALS] : its reports equal those of the original, byte for byte, except
# for the packages that have missing symbols, which only the machine itself knows
expect_same() {
	[ "$(find "$1" -type f -size +0 | wc -l)" -eq $((5 + 6 * $(wc -w <<<"${FORMATS:-text json csv}"))) ]
	diff -r -I '^Symbols of stripped files: ' -I '^Debug packages contain ' \
		"${2:-$BATS_FILE_TMPDIR/originals}" "$1"
}

# bare_root FOLDER : a root that contains only dendro
bare_root() {
	need_root
	need chroot
	local library
	mkdir -p "$1$(dirname "$DENDRO")" "$1/tmp"
	cp "$DENDRO" "$1$DENDRO"
	# Those that it loads late are in it by their names alone.
	for library in $(ldd "$DENDRO" | grep -o '/[^ ]*') \
		$(grep -aoE 'lib(capstone|pfm)\.so\.[0-9]+' "$DENDRO" | sort -u |
			while read -r name; do ldconfig -p | sed -n "s/.*$name .*=> //p" | head -n 1; done); do
		mkdir -p "$1$(dirname "$library")"
		cp "$library" "$1$library"
	done
}

# AddressSanitizer reads its options in /proc.
in_bare_root() { # in_bare_root FOLDER COMMAND...
	if ldd "$DENDRO" | grep -q libasan; then
		mkdir -p "$1/proc"
		unshare -m sh -c 'mount --bind /proc "$0/proc" && exec chroot "$0" "$@"' "$@"
	else
		chroot "$@"
	fi
}

# expect_same_in_bare_root : compares reports of the current folder's all.data with those of its
# archive in a bare root
expect_same_in_bare_root() {
	bare_root root
	report_all before
	"$DENDRO" archive -q -o root/all.data all.data || [ $? -eq 2 ]
	report_all after in_bare_root root
	expect_same after before
	rm -r root
}

@test "an archive has the same reports after the programs are deleted" {
	rm -r programs
	mkdir gone && cp all.archive gone/all.data && cd gone
	report_all reports
	expect_same reports
	grep -q '"kind":"inline"' reports/tree.json
}

@test "an archive has the same reports where other programs have the same paths" {
	rm -r programs && mkdir programs
	compile programs/whole -O1
	cp programs/whole programs/separate
	cp "$WORKLOADS/stripped/dispatch" programs/dispatch
	mkdir others && cp all.archive others/all.data && cd others
	report_all reports
	expect_same reports
	rm -r "$BATS_FILE_TMPDIR/programs"
}

@test "an archive has the same reports in a root that contains only dendro" {
	bare_root root
	cp all.archive root/all.data
	report_all reports in_bare_root root
	expect_same reports
	rm -r root
}

@test "an archive of the whole machine has the same reports elsewhere: libraries, kernel, JIT code" {
	need_root
	mkdir -p machine && cd machine
	local -a script=("$(type -P python3 || echo :)" -c
		'import json; [json.dumps(list(range(1000))) for i in range(700)]')
	printf 'let sum = 0; for (let i = 0; i < 1e8; i++) sum += i %% 7;' >sum.js
	# What else runs here may end, and take its files away, before it is packed.
	cat >run <<-'SH'
		noted() {
			sh -c 'echo $$ >>pids && exec "$@"' sh "$@"
		}
		noted "$@"
		! command -v node || noted node --perf-basic-prof sum.js
		noted ls -lR /usr/lib
	SH
	record all.data -a -- sh run "${script[@]}" >/dev/null
	PIDS=$(paste -sd , pids)
	FUNCTION=$(report_json all.data --pid "$PIDS" --view functions |
		jq -r '[.rows[] | select(.kind == "user")] | max_by(.self[0]).name')
	FORMATS=json expect_same_in_bare_root
	grep -q '"kind":"kernel"' before/tree.json
}

@test "an archive of perf's recording has the jitdump" {
	need perf gcc
	mkdir -p dumped && cd dumped
	gcc -D_GNU_SOURCE -O2 -o jitdump "$ROOT/tests/workloads/jitdump.c" 2>build.errors ||
		skip "code for this processor is not in the workload"
	perf record -q -k mono -e cpu-clock -F 997 --call-graph dwarf,8192 -o all.data ./jitdump 0.5 \
		>path 2>perf.errors || skip "perf can't record here: $(tail -n 1 perf.errors)"
	FUNCTION=moved expect_same_in_bare_root
	grep -q 'decq' before/assembly || [ "$(uname -m)" != x86_64 ]
}

@test "an archive has the kernel's debug information" {
	need_root
	mkdir -p kernel && cd kernel
	record all.data -- ls -lR /usr >/dev/null
	local name
	name=$(kernel_functions all.data | head -n 1)
	make_vmlinux "$name"
	report_json all.data --vmlinux vmlinux >before.tree
	"$DENDRO" annotate --asm --vmlinux vmlinux "$name" all.data >before.code
	grep -q "inlined_in_$name" before.tree
	"$DENDRO" archive -q --vmlinux vmlinux -o archive all.data
	refuses "build ID" -- "$DENDRO" archive --vmlinux "$DENDRO" -o refused all.data
	[ ! -e refused ]
	rm vmlinux
	report_json archive >after.tree
	"$DENDRO" annotate --asm "$name" archive >after.code
	cmp before.tree after.tree
	cmp before.code after.code
}

@test "source files are not in an archive" {
	mkdir -p sources && cd sources
	cp "$ROOT"/tests/workloads/*.[ch] .
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -o program inlined.c
	record all.data -- ./program 0.2
	"$DENDRO" archive -q -o archive all.data
	"$DENDRO" annotate innermost archive >here
	lacks -q 'the source file is' here
	touch -d '+1 hour' inlined.c
	rm program
	"$DENDRO" annotate innermost archive >newer
	grep -q 'newer than the recording' newer
	mkdir moved && mv inlined.c work.h moved
	"$DENDRO" annotate innermost archive >gone
	grep -q 'the source file is missing (--source-path FROM=TO)' gone
	touch -d '-1 hour' moved/inlined.c
	"$DENDRO" annotate --source-path "$PWD=$PWD/moved" innermost archive >found
	cmp here found
}

# Debug files name further files: .dwo files, packages of them, and dwz's supplementary files.
@test "an archive has the files that debug information names" {
	mkdir -p named && cd named
	compile split -gsplit-dwarf
	compile packaged -gsplit-dwarf -gdwarf-4
	if command -v dwp >/dev/null; then
		dwp -e packaged -o packaged.dwp
		rm -f packaged-*.dwo
	fi
	compile one && compile two -fno-ipa-cp && compile apart
	! command -v dwz >/dev/null || dwz -m shared one two apart
	objcopy --only-keep-debug apart apart.debug
	strip apart
	objcopy --add-gnu-debuglink=apart.debug apart
	local name
	for name in split packaged one two apart; do
		record $name.data -- ./$name 0.2
		report_json $name.data >$name.before
		grep -q '"kind":"inline"' $name.before
		"$DENDRO" annotate --format json --no-source innermost $name.data >$name.before.code
		"$DENDRO" archive -q -o $name.archive $name.data
	done
	rm -f split packaged one two apart ./*.debug ./*.dwo ./*.dwp shared
	for name in split packaged one two apart; do
		report_json $name.archive >$name.after
		cmp $name.before $name.after
		"$DENDRO" annotate --format json --no-source innermost $name.archive >$name.after.code
		cmp $name.before.code $name.after.code
	done
}

@test "two archives of one recording are equal" {
	"$DENDRO" archive -q -o again.archive all.data
	cmp all.archive again.archive
	"$DENDRO" archive -q all.data
	cmp all.archive all.data.archive
}

@test "an archive of an archive is equal to the first" {
	rm -r programs
	"$DENDRO" archive -q -o twice.archive all.archive
	cmp all.archive twice.archive
}

@test "perf reads an archive like the recording" {
	need perf
	perf script -i all.data >script.before 2>/dev/null || skip "this perf does not read our recordings"
	perf script -i all.archive >script.after 2>/dev/null
	cmp script.before script.after
	[ -s script.after ]
}

@test "a recording that went through a pipe is packed, too" {
	"$DENDRO" record -q -F 997 -e cpu-clock -o - -- programs/whole 0.2 >piped.data
	report_json piped.data >piped.before
	"$DENDRO" archive -q -o piped.archive piped.data
	rm -r programs
	report_json piped.archive >piped.after
	cmp piped.before piped.after
	report_json - <piped.archive >piped.after
	cmp piped.before piped.after
}

@test "a recording that was cut is packed, too" {
	head -c $(($(stat -c %s all.data) * 3 / 4)) all.data >cut.data
	report_json cut.data >cut.before
	"$DENDRO" archive -q -o cut.archive cut.data
	rm -r programs
	report_json cut.archive >cut.after
	cmp cut.before cut.after
	"$DENDRO" report cut.archive | grep -q 'the file ends'
}

@test "perf's recordings are packed, too" {
	need perf
	perf record -q -e cpu-clock -F 997 --call-graph dwarf,8192 -o foreign.data programs/whole 0.2 \
		>/dev/null 2>&1 || skip "perf can't record here"
	report_json foreign.data >foreign.before
	"$DENDRO" archive -q -o foreign.archive foreign.data
	rm -r programs
	report_json foreign.archive >foreign.after
	cmp foreign.before foreign.after
	perf script -i foreign.data >script.before 2>/dev/null
	perf script -i foreign.archive >script.after 2>/dev/null
	cmp script.before script.after
}

@test "files that can't be packed are listed, and the exit status is 2" {
	rm programs/whole
	echo other >programs/dispatch
	local status=0
	"$DENDRO" archive -o lacking.archive all.data 2>messages || status=$?
	cat messages
	expect_equal status $status 2
	grep -q 'programs/whole was not packed: it is missing' messages
	grep -q 'programs/dispatch was not packed: it is not an ELF file' messages
	report_json all.data >lacking.before
	rm -r programs
	cp -r elsewhere programs
	report_json lacking.archive >lacking.after
	cmp lacking.before lacking.after
}

@test "files that an archive lacks are read from a sysroot" {
	rm programs/whole
	"$DENDRO" archive -q -o lacking.archive all.data || true
	rm -r programs
	cp -r elsewhere programs
	report_json lacking.archive --symfs / >whole.after
	report_json all.data >whole.before
	cmp whole.before whole.after
}

@test "on a full disk no incomplete archive is left, and an older one is kept" {
	need_root
	need unshare mount
	unshare -m true || skip "no namespace may be made here"
	mkdir -p small
	unshare -m sh -c "mount -t tmpfs -o size=64k tmpfs small && echo before >small/out &&
		! '$DENDRO' archive -q -o small/out all.data 2>messages && cat small/out && ls -A small" >left
	cat messages left
	grep -q 'No space left' messages
	expect_equal left "$(cat left)" $'before\nout'
}

@test "wrong use is refused" {
	refuses 'name a file' -- "$DENDRO" archive - </dev/null
	refuses 'recording itself' -- "$DENDRO" archive -o all.data all.data
	refuses 'missing.data' -- "$DENDRO" archive missing.data
	refuses 'no/such/folder' -- "$DENDRO" archive -o no/such/folder/out all.data
}

# A damaged archive lacks files or gives an error with the offset, and does not crash dendro.
@test "damaged archives are read up to the damage" {
	local i size
	size=$(stat -c %s all.archive)
	for i in 1 2 3 4 5 6 7 8; do
		cp all.archive damaged.archive
		yes dendro | head -c 64 | dd of=damaged.archive bs=1 conv=notrunc status=none \
			seek=$((size * i / 9))
		local status=0
		"$DENDRO" report damaged.archive >/dev/null 2>messages || status=$?
		[ $status -lt 2 ] || { cat messages; false; }
	done
}
