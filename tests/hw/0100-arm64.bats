# Programs with signed return addresses (-mbranch-protection=standard) in an emulated arm64 machine that
# checks them (not by the slow algorithm, QARMA). cpu-clock: the paths are what matters here.
# in turn (build/hw): what is built, booted and brought back lies in one folder

load lib

setup_file() {
	load lib
	prepare build_and_boot
}

build_and_boot() {
	local program
	local -a programs=()
	guest build || return
	for program in link_register link_register_clang cxx; do
		[ ! -e "$HW/workloads/$program" ] || programs+=("$HW/workloads/$program")
	done
	CPU=max,pauth-impdef=on boot unwind unwind.job "$HW/dendro/dendro" \
		"$HW/dendro/dendro-static" "${programs[@]}"
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR/unwind"
}

# The user part, from main on, of each path that ends in a sample.
paths_of() { # paths_of NAME
	ask "$1.tree" 'nodes | select(.self > 0) | . as $n
		| [range(.path | length) | select($n.kinds[.] != "kernel" and
			$n.path[.] != "[kernel]") | $n.path[.]]
		| select(index("main")) | .[index("main"):] | join(" ")' | sort -u
}

# Paths that are incomplete for a reason other than exec must be rare, such as samples in _init.
expect_complete() { # expect_complete NAME
	ask "$1.tree" '.quality | .unwind as $u
		| "\($u.complete) of \(.samples) complete, \($u.exec) in exec, \(.guessed) guessed; " +
		  ($u | del(.complete, .exec) | map_values(select(. > 0)) | tojson)' |
		sed "s/^/#> arm64 $1: /" >&3
	[ "$(ask "$1.tree" '.quality | .unwind as $u | .samples > 800 and
		(.samples - $u.complete - $u.exec - $u.no_stack) * 500 < .samples')" = true ]
}

@test "the machine authenticates pointers" {
	[ -e has_paca ]
}

@test "leaves, prologues, PLTs, the vdso, handlers: the paths are complete" {
	expect_complete link_register
}

expect_known_paths() { # expect_known_paths NAME
	# Code in stripped libraries is named by the exported function before it, or by its offset.
	local libc=' (libc\.so\.6\+0x[0-9a-f]+|__getpid|pthread_self|pthread_kill|strtod)'
	local resolve='( ld-linux-aarch64\.so\.1\+0x[0-9a-f]+| _dl_[a-z_]+| libc\.so\.6\+0x[0-9a-f]+| memcpy)*'
	local sigreturn=' (__kernel_rt_sigreturn|\[vdso\]\+0x7[0-9a-f]+)'
	# While a signal is delivered there is a handler, but no address that it returns to.
	local enters='( __kernel_rt_sigreturn)?'
	local nested raised handler start way wrong
	nested="$enters handle_nested( nested_work)?|$sigreturn"
	raised=" raise@plt|$resolve| raise($libc)*($nested)?"
	handler="$enters handle( handler_work|$raised)?|$sigreturn"
	start="calls_leaf( leaf)?"
	start+="|calls_library( library_call@plt|$resolve| library_call( called_back)?)?"
	start+="|calls_small( small( library_add@plt|$resolve| library_add)?)?"
	start+="|(asks_time )?clock_gettime(@plt|( __kernel_clock_gettime)?)|asks_time($resolve)"
	start+="|(__libc_|__)?(sigaction|setitimer|strtod)(@plt|($libc)*)|${libc# }($libc)*"
	paths_of "$1" >paths
	for way in "calls_leaf leaf" "calls_library library_call called_back" \
		"calls_small small library_add" "asks_time clock_gettime"; do
		grep -qx "main $way" paths
		grep -q "^main $way.* handle handler_work$" paths
		grep -q "^main $way.* handle_nested nested_work$" paths
	done
	wrong=$(grep -Evx "main( ($start)|$resolve)($handler)?" paths || true)
	echo "$wrong"
	[ -z "$wrong" ]
}

@test "leaves, prologues, PLTs, the vdso, handlers: every path is one that the program takes" {
	expect_known_paths link_register
}

@test "the same compiled by clang, whose CFI leaves prologues and epilogues out" {
	[ -e link_register_clang.tree ] || skip "clang is not installed"
	expect_complete link_register_clang
	expect_known_paths link_register_clang
}

@test "handlers are below the functions they interrupted, and nested" {
	local path
	paths_of link_register >paths
	for path in "main calls_leaf leaf __kernel_rt_sigreturn handle handler_work" \
		"main calls_library library_call called_back __kernel_rt_sigreturn handle handler_work" \
		"main asks_time clock_gettime __kernel_clock_gettime __kernel_rt_sigreturn handle handler_work"; do
		echo "$path"
		grep -qFx "$path" paths
	done
	grep -Eqx "main calls_small small library_add@plt __kernel_rt_sigreturn handle raise libc[^ ]* __kernel_rt_sigreturn handle_nested nested_work" paths
}

@test "paths in C++ exceptions are complete, and below the function that throws" {
	expect_complete cxx
	paths_of cxx >paths
	local n='unsigned int'
	grep -Eqx "main catch_2\($n\) catch_many\($n\)( throw_from_below\($n\)){10,} __cxa_throw _Unwind_RaiseException .*" paths
	# At its last instruction, which returns to the handler, the frames that threw are gone.
	! grep -E "__cxa_throw|_Unwind_RaiseException" paths |
		grep -Ev "^main catch_[12]\($n\) catch_many\($n\)(( throw_from_below\($n\))+ | _Unwind_RaiseException$)"
}

@test "the static program records, and reports byte for byte as the other one" {
	expect_complete static
	paths_of static >paths
	grep -q '^main catch_[12](unsigned int) catch_many(unsigned int)' paths
	cmp static.tree shared.tree
	cmp cxx.static cxx.shared
	lacks INTERP <(readelf -lW "$HW/dendro/dendro-static")
	[ "$(stat -c %s "$HW/dendro/dendro-static")" -lt $((14 << 20)) ]
}
