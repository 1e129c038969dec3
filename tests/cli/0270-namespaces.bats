# Roots and namespaces other than the recorder's: a path there may lead to another file than here, may
# not exist here, or may exist only for a moment.

load lib

setup() {
	need_events
	need_root
	need unshare chroot pivot_root strip
	unshare -mpf true || skip "no namespace may be made here"
	cd "$BATS_TEST_TMPDIR"
}

# copy_with_libraries ROOT PROGRAM TARGET : copies PROGRAM to /TARGET below ROOT, with its libraries
copy_with_libraries() {
	local library
	mkdir -p "$1/$(dirname "$3")"
	cp "$2" "$1/$3"
	for library in $(ldd "$2" | grep -o '/[^ ]*'); do
		mkdir -p "$1$(dirname "$library")"
		cp -n "$library" "$1$library" 2>/dev/null || true
	done
}

# dispatch at one path here, figure1 at the same path in a chroot, at the same time.
record_both() { # record_both [STRIP_OPTION...]
	copy_with_libraries root "$WORKLOADS/figure1" "$PWD/same_path"
	cp "$WORKLOADS/dispatch" same_path
	[ $# -eq 0 ] || strip "$@" same_path "root$PWD/same_path"
	record both.data -a -- sh -c "'$PWD/same_path' 1 & chroot root '$PWD/same_path' 1; wait"
	report_json both.data --comm same_path >both.tree
}

check_both() {
	rm -r root
	expect_paths both.tree worker "main dispatch_1 worker" "main dispatch_2 worker"
	expect_paths both.tree d "main a c d" "main b c d"
	expect_parts both.tree dispatch_1 1 dispatch_2 2
	expect_parts both.tree a 1 b 1
	expect_complete both.tree 99
	expect_reasons both.tree no_stack
}

@test "one path is one program here and another in a chroot" {
	record_both
	check_both
}

@test "one path is one program here and another in a chroot, both without build ID" {
	record_both --remove-section .note.gnu.build-id --keep-symbol main --keep-symbol worker \
		--keep-symbol dispatch_1 --keep-symbol dispatch_2 --keep-symbol a --keep-symbol b \
		--keep-symbol c --keep-symbol d
	check_both
}

# Runs with a separate pid namespace and root, in memory, which vanishes with its last process.
make_container() {
	copy_with_libraries files "$(command -v sh)" bin/sh
	copy_with_libraries files "$(command -v mount)" bin/mount
	copy_with_libraries files "$(command -v umount)" bin/umount
	copy_with_libraries files "$WORKLOADS/reload" bin/reload
	copy_with_libraries files "$WORKLOADS/processes" bin/processes
	cp "$WORKLOADS/libalpha.so" "$WORKLOADS/libgamma.so" files/bin
	mkdir files/old files/proc container
	cat >enter <<-'SH'
		mount -t tmpfs tmpfs container && cp -a files/. container && cd container &&
			pivot_root . old && mount -t proc proc /proc && umount -l /old
		/bin/processes fork 10
		/bin/processes vfork 10
		/bin/reload 0 60
	SH
}

check_container() {
	expect_paths inside.tree alpha_inner "main run_library call_library alpha_work alpha_inner"
	expect_paths inside.tree gamma_inner "main run_library call_library gamma_work gamma_inner"
	expect_paths inside.tree grandchild_work \
		"main fork_child fork_grandchild grandchild_work"
	expect_paths inside.tree image_work "main image_work"
	expect_complete inside.tree 98
	expect_reasons inside.tree no_stack
}

@test "libraries that exist for a moment in a root in memory are named" {
	make_container
	record inside.data -- unshare -mpf sh enter
	[ ! -e container/bin ]
	report_json inside.data >inside.tree
	check_container
	expect_parts inside.tree alpha_inner 1 gamma_inner 2
}

@test "libraries in a root in memory are named when the whole machine is recorded" {
	make_container
	record inside.data -a -- unshare -mpf sh enter
	[ ! -e container/bin ]
	report_json inside.data --comm reload --comm processes --comm child --comm grandchild \
		--comm image >inside.tree
	check_container
	expect_parts inside.tree alpha_inner 1 gamma_inner 2
}

# A recorder has a mapped file open for a moment, to look at it.
@test "a file system mounted during a recording can be unmounted" {
	local unmount='i=0; until umount place; do [ $((i += 1)) -lt 200 ] && sleep 0.1 || exit 1; done'
	mkdir place
	record there.data -- unshare -m sh -c "mount -t tmpfs tmpfs place &&
		cp '$WORKLOADS/dispatch' place/program && place/program 0.5 && { $unmount; }" 2>&1
	record here.data -- sh -c "mount -t tmpfs tmpfs place &&
		cp '$WORKLOADS/dispatch' place/program && place/program 0.5; $unmount" ||
		{ umount -l place; false; }
	report_json here.data >here.tree
	expect_paths here.tree worker "main dispatch_1 worker" "main dispatch_2 worker"
}

@test "a recorder in a pid namespace distinguishes processes outside of it" {
	"$WORKLOADS/recursion" 600 3>&- &
	local outside=$!
	unshare -pf --mount-proc "$DENDRO" record -q -F 997 -e cpu-clock -a -o inner.data -- \
		"$WORKLOADS/dispatch" 1
	stop $outside
	report_json inner.data >inner.tree
	expect_equal "where dispatch's worker is found" "$(ask inner.tree '[nodes
		| select(.name == "worker") | .path[1]] | unique | join(" ")')" dispatch
	expect_equal "functions of what runs outside" \
		"$(ask inner.tree 'samples_under(.name == "recurse")')" 0
	local idle
	idle=$(ask inner.tree '[nodes | select(.path[1] == "swapper" and .kind == "user")] | length')
	expect_equal "user frames of idle" "$idle" 0
	[ "$(ask inner.tree '[nodes | select(.name == "[other pid ns]")][0].total | round')" -gt 100 ]
}
