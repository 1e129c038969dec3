# The page of report --html, in Chromium: its numbers are the report's; keys, pictures, filters.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record one.data -- "$WORKLOADS/recursion" 1
	"$DENDRO" record -q -e '{cpu-clock,page-faults}:S' -o two.data -- "$WORKLOADS/faulter" 1
	"$DENDRO" record -q -e cpu-clock,page-faults@1 -o exact.data -- "$WORKLOADS/faulter" 1
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

has_numbers() { # has_numbers FILE [OPTION...] : the page and the reports agree
	local file=$1
	shift
	"$DENDRO" report --html page.html "$@" "$file"
	report_json "$file" "$@" >tree.json
	report_json "$file" "$@" --view callers >callers.json
	report_json "$file" "$@" --view functions >functions.json
	node "$ROOT/tests/page/numbers.mjs" "$PWD/page.html" tree.json callers.json functions.json
}

@test "the page has the report's numbers: recursion, several events, filters, selections" {
	need_browser
	has_numbers one.data
	has_numbers two.data --ratio 'page-faults/cpu-clock*1000000'
	has_numbers two.data --time 10%-60% --kernel none
	has_numbers one.data --focus '^odd$'
}

@test "the page of a profile has its numbers, with and without rows of samples" {
	need_browser
	"$DENDRO" build -o two.cct two.data
	has_numbers two.cct
	"$DENDRO" merge -o sum.cct two.cct one.data
	has_numbers sum.cct
}

@test "errors of shares are those of report --errors, exact on request" {
	need_browser
	report_json one.data --errors >tree.json
	"$DENDRO" report --html page.html one.data
	node "$ROOT/tests/page/errors.mjs" "$PWD/page.html" tree.json few
	report_json two.data --errors >tree.json
	"$DENDRO" report --html page.html --errors two.data
	node "$ROOT/tests/page/errors.mjs" "$PWD/page.html" tree.json all
	report_json two.data --errors --ratio page-faults/cpu-clock >tree.json
	"$DENDRO" report --html page.html --errors --ratio page-faults/cpu-clock two.data
	node "$ROOT/tests/page/errors.mjs" "$PWD/page.html" tree.json all
	report_json two.data --errors >tree.json
	"$DENDRO" build -o two.cct two.data
	"$DENDRO" report --html page.html --errors two.cct
	node "$ROOT/tests/page/errors.mjs" "$PWD/page.html" tree.json all
	report_json exact.data --errors >tree.json
	"$DENDRO" report --html page.html --errors exact.data
	node "$ROOT/tests/page/errors.mjs" "$PWD/page.html" tree.json all
}

@test "keys, clicks, search, time, lanes, sandwich, undo and saved files work, and axe finds nothing" {
	need_browser
	"$DENDRO" report --html page.html one.data
	report_json one.data --view callgraph >callgraph.json
	node "$ROOT/tests/page/works.mjs" "$PWD/page.html" callgraph.json even
}

@test "the timeline marks when samples were lost and events throttled, of recordings and profiles" {
	local name
	need_recordings
	need_browser
	for name in quipper.throttle-3.8 simpleperf.trace-offcpu; do
		report_json "$SHARED/recordings/$name.data" >report.json
		expect_equal throttled "$(jq '[.quality.losses[] | select(.kind == "throttled").n] | add' report.json)" \
			"$(jq .quality.throttled report.json)"
		expect_equal lost "$(jq '[.quality.losses[] | select(.kind == "lost").n] | add // 0' report.json)" \
			"$(jq .quality.lost report.json)"
		"$DENDRO" report --html page.html "$SHARED/recordings/$name.data"
		node "$ROOT/tests/page/losses.mjs" "$PWD/page.html" report.json
		"$DENDRO" build -o foreign.cct "$SHARED/recordings/$name.data"
		"$DENDRO" report --html page.html foreign.cct
		node "$ROOT/tests/page/losses.mjs" "$PWD/page.html" report.json
	done
}

@test "the page has the lines and instructions of dendro annotate, if they are asked for" {
	need gcc
	need_browser
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -I "$ROOT" -o warm "$ROOT/tests/workloads/hot_line.c"
	"$DENDRO" record -q -e '{cpu-clock,page-faults}:S' -o warm.data -- ./warm 1
	"$DENDRO" annotate --format json hot warm.data >hot.json
	"$DENDRO" report --html page.html --source warm.data
	node "$ROOT/tests/page/code.mjs" "$PWD/page.html" hot.json
	"$DENDRO" annotate --format json inlined_loop warm.data >inlined.json
	node "$ROOT/tests/page/code.mjs" "$PWD/page.html" inlined.json
	"$DENDRO" report --html plain.html warm.data
	[ "$(stat -c %s plain.html)" -lt "$(stat -c %s page.html)" ]
	"$DENDRO" build -o warm.cct warm.data
	refuses "needs the recording" -- "$DENDRO" report --html page.html --source warm.cct
	refuses "belongs to --html" -- "$DENDRO" report --source warm.data
	refuses "not a sum" -- "$DENDRO" report --html page.html --source warm.data one.data
}

@test "the hot path begins at the process that costs most, however small its share is" {
	need_browser
	local name
	for name in first second third; do
		cp "$WORKLOADS/recursion" "$name"
	done
	"$DENDRO" record -q -e cpu-clock -o three.data -- sh -c './first 0.2; ./second 0.2; ./third 0.2'
	report_json three.data >three.json
	"$DENDRO" report --html three.html three.data
	node "$ROOT/tests/page/hot.mjs" "$PWD/three.html" three.json
}

@test "the time is a heat map of seconds, whose ranges are those of report --time" {
	need_browser
	"$DENDRO" record -q -e cpu-clock -o seconds.data -- \
		sh -c '"$1/recursion" 2; sleep 1; "$1/recursion" 1' - "$WORKLOADS"
	report_json seconds.data --time 1s-2s >second.json
	"$DENDRO" report --html seconds.html seconds.data
	node "$ROOT/tests/page/heat.mjs" "$PWD/seconds.html" second.json
}

@test "hostile names are text in the page" {
	need gcc objcopy
	need_browser
	local name=$'</script><img src=x onerror=wasRun=1>\e[31m\xe2\x80\xae&amp;"'
	printf '#include "tests/workloads/work.h"\n%s\n%s\n' \
		'__attribute__((noinline)) void hot(unsigned n) { while (n--) unit(); KEEP_FRAME(); }' \
		'int main(int c, char **v) { struct rounds r = rounds_begin(c, v);
		for (unsigned n; (n = rounds_next(&r));) hot(n); }' >hot.c
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -I "$ROOT" -o hot hot.c
	objcopy --redefine-sym "hot=$name" hot odd
	record odd.data -- ./odd 0.3
	"$DENDRO" report --html page.html odd.data
	lacks -q 'onerror=wasRun' page.html
	node "$ROOT/tests/page/hostile.mjs" "$PWD/page.html" \
		'</script><img src=x onerror=wasRun=1>\x1b[31m\u202e&amp;"'
	{
		printf 'hot '
		head -c 1048576 /dev/zero | tr '\0' n
		echo
	} >renames
	objcopy --redefine-syms=renames hot long
	record long.data -- ./long 0.3
	"$DENDRO" report --html page.html long.data
	node "$ROOT/tests/page/hostile.mjs" "$PWD/page.html" "$(head -c 1000 /dev/zero | tr '\0' n)"
}

@test "long names keep their ends" {
	need g++
	need_browser
	printf '#include "tests/workloads/work.h"\n%s\n%s\n' \
		'template <class... T> __attribute__((noinline)) void
		hot_template(unsigned n) { while (n--) unit(); KEEP_FRAME(); }' \
		'int main(int c, char **v) { struct rounds r = rounds_begin(c, v);
		for (unsigned n; (n = rounds_next(&r));)
		hot_template<int, long, short, unsigned char, unsigned long long, float, double, char *, long *,
		short *, unsigned char *, unsigned long *, float *, double *, char **, long **, short **>(n); }' >hot.cpp
	g++ -std=gnu++17 -O2 -g -I "$ROOT" -o hot_template hot.cpp
	record template.data -- ./hot_template 0.3
	"$DENDRO" report --html page.html template.data
	node "$ROOT/tests/page/names.mjs" "$PWD/page.html" "void hot_template<int, long" "int)"
}

@test "on a narrow screen names have room, and nothing is wider than the screen" {
	need_browser
	"$DENDRO" report --html page.html one.data
	node "$ROOT/tests/page/narrow.mjs" "$PWD/page.html" even
}

@test "on paper a page is light, and has its rows without gaps" {
	need_browser
	"$DENDRO" report --html page.html one.data
	node "$ROOT/tests/page/print.mjs" "$PWD/page.html"
}

@test "a page with nothing to show says why, and what to do" {
	need_browser
	"$DENDRO" report --html page.html one.data
	node "$ROOT/tests/page/empty.mjs" "$PWD/page.html" "No sample is left" focus=no_such_function
	"$DENDRO" report --html page.html --comm no_such_command one.data
	node "$ROOT/tests/page/empty.mjs" "$PWD/page.html" "Select more of the recording"
}

@test "the page is one file with a policy that lets its own script run and nothing else" {
	"$DENDRO" report --html page.html one.data
	"$DENDRO" report --html - one.data >piped.html
	cmp page.html piped.html
	grep -q "default-src 'none'; script-src 'sha256-[A-Za-z0-9+/=]\{44\}'; style-src 'sha256-[A-Za-z0-9+/=]\{44\}'; img-src blob: data:;" page.html
	lacks -nE '(src|href)="|https?://[^w]|style="| on[a-z]+="' page.html
	python3 - <<-'PYTHON'
		import base64, hashlib, re
		page = open("page.html", encoding="utf-8").read()
		for tag, kind in ("script", "script-src"), ("style", "style-src"):
		    text = re.search(f"<{tag}>(.*?)</{tag}>", page, re.S)[1]
		    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
		    assert f"{kind} 'sha256-{digest}'" in page, kind
	PYTHON
}

@test "report --html refuses options that it would not obey" {
	refuses --view -- "$DENDRO" report --html page.html --view functions one.data
	refuses --format -- "$DENDRO" report --html page.html --format json one.data
	refuses --depth -- "$DENDRO" report --html page.html --depth 3 one.data
	refuses "is the input itself" -- "$DENDRO" report --html one.data one.data
	"$DENDRO" report one.data >/dev/null
}

# A folder with a program xdg-open that notes what it is to show.
make_opener() {
	rm -rf programs home shown
	mkdir programs home
	printf '#!/bin/sh\nprintf "%%s\\n" "$1" >"%s/shown"\n' "$PWD" >programs/xdg-open
	chmod +x programs/xdg-open
	export PATH=$PWD/programs:$PATH HOME=$PWD/home
	unset XDG_CACHE_HOME DISPLAY WAYLAND_DISPLAY BROWSER
}

@test "dendro view makes a private page, and opens it or says where it is" {
	make_opener
	expect_equal "place" "$("$DENDRO" view one.data)" "$PWD/home/.cache/dendro/one.data.html"
	[ ! -e shown ]
	expect_equal "mode" "$(stat -c %a home/.cache/dendro)" 700
	"$DENDRO" report --html page.html one.data
	cmp page.html home/.cache/dendro/one.data.html
	DISPLAY=:0 "$DENDRO" view --kernel none one.data
	expect_equal "shown" "$(<shown)" "$PWD/home/.cache/dendro/one.data.html"
	chmod 755 home/.cache/dendro
	local elsewhere
	elsewhere=$("$DENDRO" view one.data)
	[[ $elsewhere == /tmp/dendro-??????/one.data.html ]]
	rm -r "${elsewhere%/*}"
	refuses "No such file" -- "$DENDRO" view missing.data
}

@test "dendro view -- COMMAND records it first, and refuses what is not recorded" {
	make_opener
	rm -f dendro.data
	expect_equal "place" "$("$DENDRO" view -- -q -e cpu-clock "$WORKLOADS/recursion" 0.3)" \
		"$PWD/home/.cache/dendro/dendro.data.html"
	report_json dendro.data --view functions | jq -e '[.rows[].name] | index("recurse")' >/dev/null
	refuses "name no file" -- "$DENDRO" view one.data -- true
	local status=0
	"$DENDRO" view -- ./missing-program 2>messages || status=$?
	cat messages
	expect_equal "status" "$status" 127
}
