# --debuginfod: missing files are fetched by build ID from a server on this machine.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

build_id() { # build_id FILE
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

# serve FILE AS NAME... : adds files for the build ID of FILE to the server
serve() { # serve OF NAME FILE
	local folder
	folder=files/buildid/$(build_id "$1")
	mkdir -p "$folder"
	cp "$3" "$folder/$2"
}

# One stripped program whose debug file only the server has, and another that is deleted.
make_recordings() {
	need_events
	need gcc objcopy readelf python3
	ldconfig -p | grep -q 'libdebuginfod\.so\.1' || skip "libdebuginfod is not installed"
	cd "$BATS_FILE_TMPDIR"
	local name
	for name in stripped gone; do
		gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -Wl,--build-id=uuid -o $name \
			"$ROOT/tests/workloads/inlined.c"
		objcopy --only-keep-debug $name $name.debug
		objcopy --strip-all $name
		serve $name debuginfo $name.debug
		serve $name executable $name
	done
	record both.data -- sh -c './stripped 0.3; ./gone 0.3'
	rm gone
	report_json both.data >without.tree
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
	export HOME=$BATS_TEST_TMPDIR DEBUGINFOD_CACHE_PATH=$BATS_TEST_TMPDIR/cache
	unset DEBUGINFOD_URLS DENDRO_DEBUGINFOD XDG_CACHE_HOME
	server=
}

teardown() {
	[ -z "$server" ] || kill "$server"
}

# start_server FOLDER : serves it on a free port; the log is $BATS_TEST_TMPDIR/log
start_server() {
	local log=$BATS_TEST_TMPDIR/log
	PYTHONUNBUFFERED=1 python3 -m http.server --bind 127.0.0.1 --directory "$1" 0 >"$log" 2>&1 3>&- &
	server=$!
	wait_until grep -q 'port [0-9]' "$log"
	export DEBUGINFOD_URLS
	DEBUGINFOD_URLS=http://127.0.0.1:$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$log")
}

has_inlines() { # has_inlines REPORT PROGRAM
	expect_equal "functions of $2" "$(ask "$1" '[nodes
		| select((.path | index($p)) and .name == "unit" and .self > 5) | .kinds[-1]] | unique
		| join(" ")' --arg p "$2")" inline
}

@test "missing files are fetched, and kept in the cache" {
	start_server files
	report_json both.data --debuginfod >with.tree 2>messages
	cat messages
	has_inlines with.tree stripped
	has_inlines with.tree gone
	kill "$server" && server=
	unset DEBUGINFOD_URLS
	report_json both.data >again.tree
	cmp with.tree again.tree
}

@test "callers are found in a program that was fetched" {
	start_server files
	report_json both.data --debuginfod >with.tree
	expect_equal "paths through it" "$(ask with.tree '[nodes | select((.path | index("gone")) and
		.name == "unit" and .self > 5) | .path[-5:] | join(" ")] | unique | length')" \
		"$(ask with.tree '[nodes | select((.path | index("stripped")) and
		.name == "unit" and .self > 5) | .path[-5:] | join(" ")] | unique | length')"
	expect_reasons with.tree
}

@test "DENDRO_DEBUGINFOD=1 is consent, too" {
	start_server files
	DENDRO_DEBUGINFOD=1 report_json both.data >with.tree
	has_inlines with.tree stripped
}

# The static program loads no library.
need_program() {
	need debuginfod-find "$STATIC"
}

@test "debuginfod-find fetches the same where the library can't be loaded" {
	need_program
	start_server files
	report_json both.data --debuginfod >with.tree
	DEBUGINFOD_CACHE_PATH=$BATS_TEST_TMPDIR/other DENDRO=$STATIC \
		report_json both.data --debuginfod >program.tree 2>messages
	cat messages
	grep -q 'fetched [1-9]' messages
	# Root is told, too, that fetching needs its rights.
	expect_equal messages "$(grep -vc 'all rights of this user: --debuginfod' messages)" 1
	cmp with.tree program.tree
	has_inlines program.tree gone
}

@test "debuginfod-find: a wrong file is not used, and a silent server does not delay" {
	need_program
	serve_lies
	start_server lies
	DENDRO=$STATIC report_json both.data --debuginfod >lied.tree 2>messages
	cat messages
	grep -q 'because of another build ID: [1-9]' messages
	cmp without.tree lied.tree
	kill "$server"
	start_silent_server
	DENDRO=$STATIC report_json both.data --debuginfod=1 >silent.tree 2>messages
	cat messages
	grep -q 'out of time' messages
	cmp without.tree silent.tree
}

@test "without the library and debuginfod-find, doctor and a note say what is missing" {
	need "$STATIC"
	start_server files
	PATH=/nowhere DENDRO=$STATIC report_json both.data --debuginfod >none.tree 2>messages
	cat messages
	grep -q 'neither libdebuginfod.so.1 nor debuginfod-find' messages
	cmp without.tree none.tree
	PATH=/nowhere refuses 'neither is installed' -- "$STATIC" doctor debuginfod
}

@test "no file is fetched without consent, and the report says that it is possible" {
	start_server files
	report_json both.data >plain.tree
	cmp without.tree plain.tree
	lacks GET "$BATS_TEST_TMPDIR/log"
	[ ! -e "$DEBUGINFOD_CACHE_PATH" ]
	"$DENDRO" report both.data | tee text
	grep -q 'debuginfod fetches' text
	grep -q "build ID $(build_id stripped)" text
}

serve_lies() {
	[ ! -e lies ] || return 0
	mkdir lies
	cp -r files/buildid lies
	local folder
	for folder in lies/buildid/*; do
		cp "$DENDRO" "$folder/debuginfo"
		echo 'no ELF file' >"$folder/executable"
	done
}

@test "a wrong file from a server is not used" {
	serve_lies
	start_server lies
	report_json both.data --debuginfod >lied.tree 2>messages
	cat messages
	grep -q 'because of another build ID: [1-9]' messages
	cmp without.tree lied.tree
	expect_equal "files left in the cache" "$(find "$DEBUGINFOD_CACHE_PATH" -type f -size +100c -path '*/*/*' |
		wc -l)" 0
}

@test "the report is the same with a server that has no files" {
	mkdir -p nothing
	start_server nothing
	report_json both.data --debuginfod >none.tree
	cmp without.tree none.tree
	report_json both.data >none.tree
	cmp without.tree none.tree
}

start_silent_server() {
	python3 -c 'import socket, time
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
client = listener.accept()
print("asked", flush=True)
time.sleep(600)' >"$BATS_TEST_TMPDIR/port" 3>&- &
	server=$!
	wait_until test -s "$BATS_TEST_TMPDIR/port"
	export DEBUGINFOD_URLS
	DEBUGINFOD_URLS=http://127.0.0.1:$(head -n 1 "$BATS_TEST_TMPDIR/port")
}

@test "a server that never answers delays the report only by the given time" {
	start_silent_server
	report_json both.data --debuginfod=1 >silent.tree 2>messages
	cat messages
	grep -q 'out of time' messages
	cmp without.tree silent.tree
}

@test "an interrupt gives the report without the missing files" {
	start_silent_server
	"$DENDRO" report --format json --debuginfod both.data >stopped.tree 2>messages 3>&- &
	local report=$!
	wait_until grep -q asked "$BATS_TEST_TMPDIR/port"
	kill -INT "$report"
	wait "$report"
	cat messages
	grep -q interrupted messages
	cmp without.tree stopped.tree
}

@test "without servers or the library a note says so, and the report is printed" {
	report_json both.data --debuginfod >none.tree 2>messages
	grep -q DEBUGINFOD_URLS messages
	cmp without.tree none.tree
	refuses seconds -- "$DENDRO" report --debuginfod=soon both.data
}

@test "an archive contains the files that were fetched for it" {
	start_server files
	"$DENDRO" archive -q --debuginfod -o both.archive both.data
	report_json both.data >with.tree
	rm -r "$DEBUGINFOD_CACHE_PATH"
	report_json both.archive >archive.tree
	cmp with.tree archive.tree
	has_inlines archive.tree gone
}
