# The page of diff --html, in Chromium: its numbers are those of dendro diff.

# shellcheck disable=SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

# dispatch_1 and dispatch_2 have work in the ratio 1:2 before, and 1:6 after. A shell starts them.
make_recordings() {
	need_events
	need cc
	cd "$BATS_FILE_TMPDIR"
	mkdir before after
	sed 's/worker(2 \* n)/worker(6 * n)/' "$ROOT/tests/workloads/dispatch.c" >after/dispatch.c
	cp "$ROOT/tests/workloads/dispatch.c" before
	cc -O2 -I"$ROOT/tests/workloads" -o before/dispatch before/dispatch.c
	cc -O2 -I"$ROOT/tests/workloads" -o after/dispatch after/dispatch.c
	local side i
	for side in before after; do
		for i in 1 2; do
			"$DENDRO" record -q -e cpu-clock,page-faults -o "$side$i.data" -- sh -c "$side/dispatch 0.5; :"
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
	local view
	for view in tree callers functions; do
		"$DENDRO" diff --view "$view" --format json "$@" >"$view.json"
	done
	node "$ROOT/tests/page/changes.mjs" "$PWD/page.html" tree.json callers.json functions.json
}

# Notes what the page with the filters of a link is to have. Of one event, as an event of which a file
# has no samples left is not compared.
filter_like() { # filter_like FRAGMENT VIEW OPTION...
	local report=filtered${#FILTERED[@]}.json
	"$DENDRO" diff --format json -e cpu-clock --view "$2" "${@:3}" "${RUNS[@]}" >"$report"
	FILTERED+=("$1" "$report")
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

@test "filters of the page are those of dendro diff, and tests are made anew" {
	need_browser
	local FILTERED=()
	"$DENDRO" diff -e cpu-clock --html page.html "${RUNS[@]}"
	filter_like focus=%3Ddispatch_2 tree --focus '^dispatch_2$'
	filter_like focus=dispatch_2 callers --focus dispatch_2
	filter_like ignore=%3Ddispatch_2 functions --ignore '^dispatch_2$'
	filter_like with=kernel tree --kernel none
	filter_like with=kernel callers --kernel none
	filter_like process=dispatch tree --comm dispatch
	filter_like process=dispatch functions --comm dispatch
	filter_like "focus=main&ignore=worker&with=kernel" functions \
		--focus main --ignore worker --kernel none
	node "$ROOT/tests/page/filtered_changes.mjs" "$PWD/page.html" "${FILTERED[@]}"
}

# How long a slice of the side is, in microseconds. A side has slices of a power of two, so that its
# longest run has fewer than 200.
slice_of() { # slice_of SIDE FILE...
	local side=$1 shift=0 last
	shift
	last=$("$DENDRO" diff --format json "$@" | jq --arg side "$side" \
		'[.runs[] | select(.side == $side).duration_ns] | max / 1000 | floor')
	while ((last >> shift >= 200)); do
		((shift += 1))
	done
	echo $((1 << shift))
}

# When so many quarters of a run's samples in dispatch_2 are over, in microseconds.
quarters_of() { # quarters_of N FILE
	local begin
	begin=$("$DENDRO" script "$2" | awk '/^[^ \t]/ && !n++ { print $4 }')
	"$DENDRO" script -e cpu-clock --focus '^dispatch_2$' "$2" | awk -v quarters="$1" -v begin="$begin" '
		/^[^ \t]/ { times[n++] = $4 - begin }
		END { printf "%d\n", times[int((n - 1) * quarters / 4)] * 1000000 }'
}

# Part of the time in which each run has samples in dispatch_2, however long it took, in microseconds:
# from when half of the samples of the first run are over to when three quarters of the last one's are.
# Whole slices of both sides.
part_of() { # part_of SLICE
	local i from=() to=()
	for i in before1 before2 after1 after2; do
		from+=("$(quarters_of 2 "$i.data")")
		to+=("$(quarters_of 3 "$i.data")")
	done
	printf '%s\n' "${from[@]}" | sort -n | awk -v slice="$1" \
		'NR == 1 { printf "%d ", int($1 / slice) * slice }'
	printf '%s\n' "${to[@]}" | sort -n | awk -v slice="$1" \
		'END { printf "%d\n", int($1 / slice + 1) * slice }'
}

# The page has what dendro diff has of a part of the time and of some threads.
has_parts() { # has_parts [OPTION...]
	local FILTERED=() before after from to part range
	before=$(slice_of before "${RUNS[@]}")
	after=$(slice_of after "${RUNS[@]}")
	read -r from to < <(part_of $((before > after ? before : after)))
	((0 < from && from < to))
	part=${from}us-${to}us
	range="before=$((from / before))-$((to / before))&after=$((from / after))-$((to / after))"
	"$DENDRO" diff -e cpu-clock "$@" --html page.html "${RUNS[@]}"
	filter_like "$range" tree --time "$part" "$@"
	filter_like "$range" callers --time "$part" "$@"
	filter_like "$range&focus=%3Ddispatch_2" functions --time "$part" --focus '^dispatch_2$' "$@"
	filter_like "$range&process=dispatch&with=kernel" tree --time "$part" --comm dispatch \
		--kernel none "$@"
	filter_like thread=dispatch tree --comm dispatch "$@"
	node "$ROOT/tests/page/filtered_changes.mjs" "$PWD/page.html" "${FILTERED[@]}"
}

@test "ranges of time and threads of the page are those of dendro diff --time and --comm" {
	need_browser
	has_parts
	has_parts --normalize time
	has_parts --normalize samples
	"$DENDRO" merge -o before.cct before1.data before2.data
	RUNS=(before.cct -- after1.data after2.data)
	has_parts
}

@test "timelines of both sides tell what was lost and throttled, and their ranges are moved by keys" {
	need_recordings
	need_browser
	local file=$SHARED/recordings/quipper.throttle-3.8.data
	report_json "$file" >report.json
	"$DENDRO" diff --html page.html "$file" "$file"
	node "$ROOT/tests/page/marked_changes.mjs" "$PWD/page.html" report.json
}

@test "a page without timelines says why" {
	need_browser
	"$DENDRO" diff --merge-copies --html page.html before1.data after1.data
	node "$ROOT/tests/page/no_times.mjs" "$PWD/page.html" --merge-copies
	"$DENDRO" build --time 0-1us -o one.cct before1.data
	"$DENDRO" diff --html page.html one.cct one.cct
	node "$ROOT/tests/page/no_times.mjs" "$PWD/page.html" "all samples of a run have the same time"
}

@test "a side whose samples have one time has no timeline beside that of the other" {
	need_browser
	"$DENDRO" build --time 0-1us -o one.cct before1.data
	"$DENDRO" diff --html page.html one.cct after1.data
	node "$ROOT/tests/page/one_time.mjs" "$PWD/page.html"
}

@test "call paths that are too small to have times keep their cost and their places" {
	need node
	node "$ROOT/tests/page/rests.mjs"
}

@test "callers and callees on both sides are those of the call graph, under recursion, too" {
	need_browser
	local i function
	for i in 1 2; do
		record "recursion$i.data" -- "$WORKLOADS/recursion" 0.5
	done
	for function in even odd recurse; do
		has_sandwich "$function" recursion1.data recursion2.data
	done
	has_sandwich dispatch_2 before1.data after1.data
}

has_sandwich() { # has_sandwich FUNCTION FILE...
	"$DENDRO" diff --html page.html "${@:2}"
	"$DENDRO" diff --view callgraph --format json "${@:2}" >callgraph.json
	node "$ROOT/tests/page/sandwich_changes.mjs" "$PWD/page.html" callgraph.json "$1"
}

@test "with --source both sides have lines and instructions, as dendro annotate has them" {
	need_browser
	local side
	for side in before after; do
		cc -O2 -g -I"$ROOT/tests/workloads" -o "$side/lines" "$side/dispatch.c"
		"$DENDRO" record -q -e cpu-clock,page-faults -o "$side-lines.data" -- "$side/lines" 0.3
		"$DENDRO" annotate --format json unit "$side-lines.data" >"$side.json"
	done
	"$DENDRO" diff --html lines.html --source before-lines.data after-lines.data
	node "$ROOT/tests/page/changed_code.mjs" "$PWD/lines.html" before.json after.json
	"$DENDRO" build -o lines.cct before-lines.data
	refuses "needs the recording" -- "$DENDRO" diff --html lines.html --source lines.cct after-lines.data
	refuses "belongs to --html" -- "$DENDRO" diff --source before-lines.data after-lines.data
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
