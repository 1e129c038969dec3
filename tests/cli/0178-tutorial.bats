# docs/TUTORIAL.md: its commands run, print what it quotes, and find what it says.

load lib

setup() {
	need_events
	need_root
	need python3 jq
	mkdir "$BATS_TEST_TMPDIR/bin"
	ln -s "$DENDRO" "$BATS_TEST_TMPDIR/bin/dendro"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work"
}

teardown() {
	pkill -f -- "--datadir=$BATS_TEST_TMPDIR" || true
}

investigate() { # investigate CHAPTER...
	LC_ALL=C.UTF-8 COLUMNS=94 timeout 300 \
		python3 "$BATS_TEST_DIRNAME/quoted_console.py" "$ROOT/docs/TUTORIAL.md" \
		"$@" </dev/null 2>&1 3>&-
}

need_kernel_events() { # need_kernel_events CHECK... : of dendro doctor
	"$DENDRO" doctor "$@" >/dev/null || skip "not permitted here: $*"
}

share_of() { # share_of FILE VIEW NAME : percent of the first event, whole
	"$DENDRO" report --format json --view "$2" "$1" |
		jq --arg name "$3" '.metrics[0].total as $all |
			[.rows[] | select(.name | test($name)) | .total[0]] | add * 100 / $all | floor'
}

@test "a slow build" {
	need make g++
	[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3"
	investigate "Why is the build slow?"
	"$DENDRO" report --format csv --view processes before.cct
	[ "$("$DENDRO" report --format json --comm python3 before.cct | jq '.quality.samples')" -gt \
		"$("$DENDRO" report --format json --comm cc1plus before.cct | jq '.quality.samples')" ]
}

@test "a stripped C++ service, and what it waits for" {
	need mariadbd mariadb
	need_kernel_events tracepoints
	investigate "Where does a stripped C++ service spend its time?" "What does a database wait for?"
	[ "$(share_of join.data functions "^Item_func_conv_charset::val_str")" -ge 20 ]
}

@test "an allocation hog" {
	need_kernel_events probes
	investigate "Who allocates so much?"
	[ "$(share_of join.cct functions "^jv_string_concat$")" -ge 90 ]
}

@test "cache misses" {
	need gcc
	investigate "Where does it miss the cache?"
}

@test "a regression between two commits" {
	need gcc git
	investigate "Which commit made it slower?" | tee out
	grep -A5 'is the first bad commit' out | grep 'Take less memory'
}
