# Names in kernel modules that are loaded and unloaded while an emulated arm64 machine is recorded.
# in turn (build/hw): what is built, booted and brought back lies in one folder

load lib

setup_file() {
	load lib
	prepare build_and_boot
}

build_and_boot() {
	guest build &&
		CARRY="crypto/af_alg crypto/algif_hash crypto/wp512 crypto/rmd160" \
			boot modules kernel_modules.job "$HW/dendro/dendro" "$HW/workloads/kernel_hash"
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR/modules"
}

# Milliseconds in a module's own code, and in code of that module with such names.
in_module() { # in_module MODULE NAMES
	ask modules.functions '[.rows[] | select(.module == "[" + $m + "]" and (.name | test($n)))
		| .self[0]] | add // 0 | . / 1e6 | round' --arg m "$1" --arg n "$2"
}

@test "functions of modules that are loaded and unloaded while recording have names" {
	lacks -E "wp512|rmd160" modules.end
	local module
	for module in wp512 rmd160; do
		expect_at_least "named code of $module" "$(in_module $module "^${module}_")" \
			"$(in_module $module .)" 100
		[ "$(in_module $module .)" -gt 250 ]
	done
}

@test "functions of modules that were loaded before the recording have names" {
	ask modules.functions '[.rows[] | select(.module == "[af_alg]") | .name] | .[]' >af_alg
	grep -q "^af_alg_" af_alg
}

@test "the recording contains the build IDs of the kernel and its modules" {
	need perf
	perf buildid-list -i modules.data >ids 2>perf.errors
	grep -q "^[0-9a-f]\{40\} \[kernel.kallsyms\]$" ids
	grep -q "^[0-9a-f]\{40\} \[virtio_blk\]$" ids
}
