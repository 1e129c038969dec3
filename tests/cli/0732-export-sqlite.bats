# Databases that dendro export writes have the costs of the report, by SQLite.

load lib
load exported

setup_file() {
	load lib
	load exported
	prepare make_databases
}

make_databases() {
	make_exported
	"$DENDRO" export --format sqlite -o exported.db exported.data 2>refused || {
		grep -q 'sqlite needs libsqlite3' refused && skip "dendro was built without libsqlite3"
		cat refused
		return 1
	}
	"$DENDRO" export --format sqlite exported.cct >stored.db
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

sql() { # sql FILE QUERY
	sqlite3 -batch "$1" "$2"
}

@test "views have the report's costs of each function, and so have samples and threads" {
	local file
	python3 -c 'import sqlite3' || skip "this Python has no sqlite3"
	for file in exported.db stored.db; do
		"$ROOT/tests/oracle/database_costs.py" $file exported.json
	done
}

@test "the queries of the manual find the costliest function and the run's seconds" {
	need sqlite3
	sql exported.db "SELECT function, self, total FROM function_costs ORDER BY self DESC LIMIT 10" >top
	expect_equal lines "$(wc -l <top)" 10
	sql exported.db "SELECT time_ns / 1000000000 AS second, event_id, SUM(weight) FROM samples
		GROUP BY 1, 2" >seconds
	expect_equal "whole" "$(awk -F '|' '$2 == 0 { n += $3 } END { printf "%.0f", n }' seconds)" \
		"$(jq '.metrics[0].total' exported.json)"
}

@test "no number leads nowhere, and the database is sound" {
	need sqlite3
	expect_equal "check" "$(sql exported.db 'PRAGMA integrity_check; PRAGMA foreign_key_check')" ok
	expect_equal "later parents" "$(sql exported.db 'SELECT * FROM paths WHERE parent_id >= id')" ""
	expect_equal "times" "$(sql exported.db 'SELECT a.id FROM samples a JOIN samples b ON b.id = a.id + 1
		WHERE b.time_ns < a.time_ns')" ""
	expect_equal "version" "$(sql exported.db 'PRAGMA user_version')" 1
}

@test "hostile names are in it, as valid UTF-8" {
	need sqlite3
	sql exported.db "SELECT name FROM functions WHERE name LIKE 'h\"%'" >names
	grep -q . names
	iconv -f UTF-8 -t UTF-8 names >/dev/null
}

@test "paths as text are those of folded stacks" {
	need sqlite3
	sql exported.db "SELECT text FROM path_texts JOIN path_costs USING(path_id) JOIN events e
		ON e.id = event_id WHERE e.name = 'cpu-clock' AND self > 0" |
		grep '^_start' | grep -v 'h"' | sort -u >texts
	"$DENDRO" export --format folded --event cpu-clock exported.data |
		sed -E 's/^[^;]*;//; s/ [0-9]+$//; s/_\[[kij]\]//g' | grep '^_start' | grep -v 'h"' | sort -u >folded
	diff texts folded
}

@test "a selection of paths selects samples" {
	need sqlite3
	"$DENDRO" export --format sqlite --focus '^direct$' -o focus.db exported.data 2>note
	expect_equal "paths" "$(sql focus.db 'SELECT COUNT(*) FROM samples WHERE path_id IS NULL')" 0
	expect_equal "selected" "$(sql focus.db 'SELECT SUM(weight) FROM samples WHERE event_id = 0')" \
		"$(sql exported.db "SELECT SUM(total) FROM function_costs WHERE function = 'direct'
			AND event = 'cpu-clock'")"
	sql focus.db "SELECT value FROM info WHERE key = 'selection'" | grep -q 'focus'
}

@test "a full disk is an error" {
	[ -e /dev/full ] || skip "there is no /dev/full"
	refuses 'No space left on device' -- "$DENDRO" export --format sqlite -o /dev/full exported.data
	refuses 'No such file or directory' -- env TMPDIR=/nowhere/at/all \
		"$DENDRO" export --format sqlite -o other.db exported.data
}
