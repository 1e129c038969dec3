# The page of diff --html, in Chromium: its numbers are those of dendro diff.

# shellcheck disable=SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

# dispatch_1 and dispatch_2 have work in the ratio 1:2 before, and 1:6 after.
make_recordings() {
	need_events
	need cc
	cd "$BATS_FILE_TMPDIR"
	mkdir before after
	sed 's/worker(2 \* n)/worker(6 * n)/' "$ROOT/tests/workloads/dispatch.c" >after/dispatch.c
	cc -O2 -I"$ROOT/tests/workloads" -o before/dispatch "$ROOT/tests/workloads/dispatch.c"
	cc -O2 -I"$ROOT/tests/workloads" -o after/dispatch after/dispatch.c
	local side i
	for side in before after; do
		for i in 1 2; do
			"$DENDRO" record -q -e cpu-clock,page-faults -o "$side$i.data" -- "$side/dispatch" 0.5
		done
	done
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
	RUNS=(before1.data before2.data -- after1.data after2.data)
}

# The page and the comparisons agree.
has_changes() { # has_changes [OPTION...] FILE...
	"$DENDRO" diff --html page.html "$@"
	"$DENDRO" diff --view tree --format json "$@" >tree.json
	"$DENDRO" diff --view functions --format json "$@" >functions.json
	node "$ROOT/tests/page/changes.mjs" "$PWD/page.html" tree.json functions.json
}

@test "the page of a comparison has its numbers, colours, keys and links, and axe finds nothing" {
	need_browser
	has_changes "${RUNS[@]}"
}

@test "so does that of costs by what was done, of profiles, and of one run of each" {
	need_browser
	has_changes --per rounds=100,120 "${RUNS[@]}"
	"$DENDRO" build -o before.cct before1.data
	has_changes --normalize samples before.cct after1.data
}

@test "each run of a merged profile counts on the page" {
	need_browser
	"$DENDRO" merge -o before.cct before1.data before2.data
	has_changes before.cct -- after1.data after2.data
}

@test "hostile names are text in the page of a comparison" {
	need gcc objcopy
	need_browser
	local name=$'</script><img src=x onerror=wasRun=1>\e[31m\xe2\x80\xae&amp;"'
	objcopy --redefine-sym "worker=$name" after/dispatch odd
	record odd.data -- ./odd 0.3
	"$DENDRO" diff --html odd.html before1.data odd.data
	lacks -q 'onerror=wasRun' odd.html
	node "$ROOT/tests/page/hostile_changes.mjs" "$PWD/odd.html" \
		'</script><img src=x onerror=wasRun=1>\x1b[31m\u202e&amp;"'
}

@test "diff --html is one file with a policy, judges like text, and refuses what it would not obey" {
	"$DENDRO" diff --html plain.html before1.data after1.data
	"$DENDRO" diff --html - before1.data after1.data >piped.html
	cmp plain.html piped.html
	grep -q "default-src 'none'; script-src 'sha256-[A-Za-z0-9+/=]\{44\}'; style-src 'sha256-[A-Za-z0-9+/=]\{44\}'; img-src blob: data:;" plain.html
	lacks -nE '(src|href)="|https?://[^w]|style="| on[a-z]+="' plain.html
	refuses --view -- "$DENDRO" diff --html page.html --view functions before1.data after1.data
	refuses --format -- "$DENDRO" diff --html page.html --format json before1.data after1.data
	refuses --significant -- "$DENDRO" diff --html page.html --significant before1.data after1.data
	refuses "is the input itself" -- "$DENDRO" diff --html after1.data before1.data after1.data
	"$DENDRO" report after1.data >/dev/null
}
