# make static: one file that needs no library. It records and reports where nothing else is, and its
# reports are byte for byte those of the program that is linked with libraries.

load lib

setup_file() {
	load lib
	prepare make_recording
}

make_recording() {
	need_events
	need "$STATIC" gcc jq readelf
	cd "$BATS_FILE_TMPDIR"
	record cxx.data -- "$WORKLOADS/cxx" >cxx.out
	"$DENDRO" archive -q -o cxx.archive cxx.data
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -static -o work "$ROOT/tests/workloads/recursion.c"
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

need_chroot() {
	need_root
	need unshare chroot
	unshare --mount true 2>/dev/null || skip "no mount namespace can be made here"
}

# in_root COMMAND... : in the folder root, with the kernel's own file systems, as in a container
in_root() {
	# shellcheck disable=SC2016
	unshare --mount sh -c 'mount -t proc proc root/proc && mount -t sysfs sysfs root/sys &&
		exec chroot root "$@"' sh "$@"
}

make_root() { # make_root FILE... : a new folder root with these programs and nothing else
	rm -rf root
	mkdir -p root/proc root/sys
	cp "$STATIC" root/dendro
	cp "$@" root
}

# What was recorded in there is reported in there and out here.
expect_reports() {
	local file
	in_root /dendro archive -q -o /work.archive /work.data
	in_root /dendro report --format json /work.archive >inside.tree
	"$DENDRO" report --format json root/work.archive >outside.tree
	cmp inside.tree outside.tree
	expect_every_level inside
	expect_complete inside.tree 99
}

@test "it is one file below 14 MiB, for any kernel since 5.4" {
	lacks -E 'INTERP|DYNAMIC|NEEDED' <(readelf -lWd "$STATIC")
	lacks -F .symtab <(readelf -SW "$STATIC")
	[ "$(stat -c %s "$STATIC")" -lt $((14 << 20)) ]
	local oldest
	oldest=$(readelf -n "$STATIC" | sed -n 's/.*OS: Linux, ABI: //p')
	expect_equal "the older one of $oldest and 5.4" "$(printf '%s\n' "$oldest" 5.4 | sort -V | head -n 1)" \
		"$oldest"
}

@test "its reports and exports are byte for byte those of the other program" {
	local file format
	for file in cxx.data cxx.archive; do
		for format in text json csv; do
			"$DENDRO" report --format $format "$file" >one
			"$STATIC" report --format $format "$file" >other
			cmp one other
		done
		for format in folded pprof speedscope callgrind firefox; do
			"$DENDRO" export --format $format -o one "$file"
			"$STATIC" export --format $format -o other "$file"
			cmp one other
		done
	done
	# Libraries that the other program loads late are in this one.
	local name
	name=$("$DENDRO" report --format json --view functions -i cxx.data |
		jq -r '[.rows[] | select(.module == "cxx")][0].name')
	"$DENDRO" annotate -i cxx.data --asm "$name" >one
	"$STATIC" annotate -i cxx.data --asm "$name" >other
	cmp one other
	grep -qE '[0-9a-f]+:  [a-z]+' one
	LIBPFM_FORCE_PMU=skl "$DENDRO" list --format json >one
	LIBPFM_FORCE_PMU=skl "$STATIC" list --format json >other
	cmp one other
	grep -q UOPS_ISSUED one
	"$DENDRO" report --html one.html cxx.data
	"$STATIC" report --html other.html cxx.data
	cmp one.html other.html
	LC_ALL=C.UTF-8 "$DENDRO" report cxx.data >one
	LC_ALL=C.UTF-8 "$STATIC" report cxx.data >other
	cmp one other
}

@test "it records and reports in a root that has nothing but a program" {
	need_chroot
	make_root work
	in_root /dendro record -q -e cpu-clock --no-jitter -o /work.data -- /work
	expect_reports
	in_root /dendro record -q -e cpu-clock --no-jitter -o /work.cct -- /work
	in_root /dendro report --format json /work.cct >inside.tree
	expect_every_level inside
	in_root /dendro report --html /work.html /work.cct
	[ -s root/work.html ]
	refuses "terminal" -- in_root /dendro browse /work.cct
}

@test "it records and reports in a root of busybox, with its users" {
	need_chroot
	need busybox
	make_root work "$(command -v busybox)"
	mkdir root/bin root/etc
	echo 'someone:x:4711:4711::/:/bin/sh' >root/etc/passwd
	in_root /busybox --install /bin
	in_root /bin/sh -c 'dendro=/dendro
		$dendro record -q -e cpu-clock --no-jitter -o /work.data -- sh -c "exec /work" || exit
		$dendro report /work.data | grep -q deepest_work || exit
		$dendro record -q -u someone -d 0.1 -o /none.data 2>/none.text
		$dendro record -q -u nobody -d 0.1 -o /none.data 2>>/none.text
		true'
	expect_reports
	cat root/none.text
	grep -q "no process" root/none.text
	grep -q "no user 'nobody'" root/none.text
}

@test "where /proc and /sys are missing, it says how to mount them" {
	need_chroot
	make_root work
	refuses "mount -t proc" -- chroot root /dendro record -o /work.data -- /work
}

@test "a locale of another character set loads no code, and ASCII is written" {
	LC_ALL=de_DE.ISO-8859-1 "$STATIC" report cxx.data >latin
	LC_ALL=C "$STATIC" report cxx.data >ascii
	cmp latin ascii
}

@test "the function that an IFUNC chose is read from another process" {
	need_root
	"$STATIC" record -q -o ifunc.data -e call:libc:memcpy -- true 2>message || {
		cat message
		grep -q 'no probes on functions' message && skip "this kernel has no probes on functions"
		false
	}
}
