# What the tests of exports record: recursion, inlined functions, the kernel, page faults, waits where
# they can be recorded, and two processes, one of which has a hostile name, like a function.
# shellcheck shell=bash

# make_exported : exported.data, exported.cct, and the report's functions, exported.json, of both
make_exported() {
	local events=cpu-clock,page-faults
	need_events
	need gcc objcopy python3 jq
	cd "$BATS_FILE_TMPDIR" || return
	[ "$(id -u)" -ne 0 ] || [ ! -r /sys/kernel/tracing/events/sched/sched_switch/id ] ||
		events=$events,off-cpu
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -I "$ROOT" -o program "$ROOT/tests/workloads/exported.c"
	printf 'hot h"\\;<b>\xe2\x80\xae\xff\033[31m\n' >renames
	objcopy --redefine-syms=renames program exported
	record exported.data -e "$events" -- ./exported 0.4
	"$DENDRO" build -o exported.cct exported.data
	report_json exported.data --view functions >exported.json
}

# need_npm PACKAGE... : skips where tests/deps/npm/install could not install them. Sets MODULES.
need_npm() {
	local package
	MODULES=$ROOT/build/npm/node_modules
	need node
	for package; do
		[ -d "$MODULES/$package" ] || skip "npm's $package is not installed"
	done
}

# expect_costs EVENT FORMAT FILE : the export has the costs of exported.json
expect_costs() {
	"$ROOT/tests/oracle/exported_costs.py" "$1" exported.json "$2" "$3"
}

# events_of FILE : those that have samples
events_of() {
	jq -r '.metrics[] | select(.samples > 0) | .event' "$1"
}
