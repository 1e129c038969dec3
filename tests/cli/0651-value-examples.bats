# The examples of docs/READING.md that need programs of this machine: what they show is known.

# shellcheck disable=SC2164
load lib

setup() {
	need_events
	need jq gcc
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	[ ! -e "${BATS_TEST_TMPDIR}/db/postmaster.pid" ] ||
		as_postgres pg_ctl -D "$BATS_TEST_TMPDIR/db" -m immediate stop >/dev/null
}

@test "examples: which comparison function qsort spends its time for" {
	local n all name
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -I "$ROOT" -o comparisons "$ROOT/tests/workloads/comparisons.c"
	record sorted.data -- ./comparisons 1
	"$DENDRO" values --format json qsort_r cmp sorted.data >values.json 2>message ||
		skip "the C library has no debug information: $(<message)"
	for name in by_number:1 by_name:3; do
		all=$(jq '.variables[0].known' values.json)
		n=$(jq --arg name "<${name%:*}>" '.variables[0] | .known as $all | .values[] |
			select(.value | endswith($name)).share * $all | round' values.json)
		expect_share "$name" "$n" "$all" "${name#*:}" 4
	done
}

@test "examples: the sizes that malloc is called with, by caller" {
	need_root
	local libc
	cat >sizes.c <<-'END'
		#include <stdlib.h>
		void *volatile sink;
		__attribute__((noinline)) void small(void) { sink = malloc(48); free(sink); }
		__attribute__((noinline)) void large(void) { sink = malloc(5000); free(sink); }
		int main(void) { for (int i = 0; i < 30; i++) { small(); small(); large(); } }
	END
	gcc -O1 -g -o sizes sizes.c
	libc=$(ldd ./sizes | awk '/libc\.so/ { print $3 }')
	"$DENDRO" record -q -c 1 -e "uprobe:$libc:malloc/value=bytes/" -o sizes.data -- ./sizes 2>message ||
		skip "no probe with a value can be made here: $(<message)"
	"$DENDRO" export --format folded -o folded -i sizes.data
	cat folded
	expect_equal small "$(awk '/;small;/ { n += $NF } END { print n }' folded)" 60
	expect_equal "small, of 48 bytes" "$(grep -F '[bytes = 48]' folded |
		awk '/;small;/ { n += $NF } END { print n }')" 60
	expect_equal "large, of 5000 bytes" "$(grep -F '[bytes = 5000]' folded |
		awk '/;large;/ { n += $NF } END { print n }')" 30
}

@test "examples: the sizes that memcpy and malloc are called with, without debug information" {
	need_root
	cat >copies.c <<-'END'
		#include <stdlib.h>
		#include <string.h>
		static char from[9000], to[9000];
		void *(*volatile copy)(void *, const void *, size_t) = memcpy;
		void *(*volatile reserve)(size_t) = malloc;
		__attribute__((noinline)) void small(void) { copy(to, from, 100); free(reserve(48)); }
		__attribute__((noinline)) void large(void) { copy(to, from, 7000); free(reserve(5000)); }
		int main(void) { for (int i = 0; i < 30; i++) { small(); small(); large(); } }
	END
	gcc -O1 -fno-builtin -o copies copies.c
	local event
	for event in memcpy/value=arg3 malloc/value=arg1; do
		"$DENDRO" record -q -c 1 -e "uprobe:libc:$event/" -o copies.data -- ./copies 2>message ||
			skip "no probe with a value can be made here: $(<message)"
		"$DENDRO" export --format folded -o ${event%/*}.folded -i copies.data
		cat ${event%/*}.folded
	done
	expect_equal "small, of 100 bytes" "$(grep -F '[arg3 = 100]' memcpy.folded |
		awk '/;small;/ { n += $NF } END { print n }')" 60
	expect_equal "large, of 7000 bytes" "$(grep -F '[arg3 = 7000]' memcpy.folded |
		awk '/;large;/ { n += $NF } END { print n }')" 30
	expect_equal "small, of 48 bytes" "$(grep -F '[arg1 = 48]' malloc.folded |
		awk '/;small;/ { n += $NF } END { print n }')" 60
	expect_equal "large, of 5000 bytes" "$(grep -F '[arg1 = 5000]' malloc.folded |
		awk '/;large;/ { n += $NF } END { print n }')" 30
}

as_postgres() { # as_postgres PROGRAM ARGUMENT...
	local program=$1
	shift
	setpriv --reuid=postgres --regid=postgres --clear-groups "$(postgres_folder)/$program" "$@"
}

postgres_folder() {
	find /usr/lib/postgresql/*/bin -maxdepth 0 2>/dev/null | tail -1
}

@test "examples: the queries of postgres" {
	need_root
	need setpriv
	[ -x "$(postgres_folder)/initdb" ] || skip "postgresql is not installed"
	local i
	chmod 777 . && chmod a+x .. ../..
	as_postgres initdb -D "$PWD/db" >log 2>&1 || skip "no database can be made here: $(tail -1 log)"
	as_postgres pg_ctl -D "$PWD/db" -o "-k $PWD -c listen_addresses=" -l "$PWD/db/log" -w start >log 2>&1
	for i in 1 2 3; do
		echo "select count(*) from pg_class;"
	done >queries
	echo "select 7;" >>queries
	"$DENDRO" record -q -a -c 1 -o queries.data \
		-e "usdt:$(postgres_folder)/postgres:postgresql:query__start/value=str(arg1)/" -- \
		setpriv --reuid=postgres --regid=postgres --clear-groups "$(postgres_folder)/psql" \
		-h "$PWD" -d postgres -qAt -f "$PWD/queries" 2>message ||
		skip "no probe with a value can be made here: $(<message)"
	"$DENDRO" export --format folded -o folded -i queries.data
	cat folded
	expect_equal count "$(grep -F 'select count(*) from pg_class' folded |
		awk '{ n += $NF } END { print n }')" 3
	expect_equal seven "$(grep -F 'select 7' folded | awk '{ n += $NF } END { print n }')" 1
}
