# docs/QUESTIONS.md: each of its commands runs, and answers with something.

load lib

setup() {
	need_events
	need_root
	need gcc
	cd "$BATS_TEST_TMPDIR"
	cat >program.c <<-'CODE'
		#include <stdio.h>
		#include <stdlib.h>
		static volatile unsigned long sum;
		__attribute__((noinline)) void parse(unsigned kind)
		{
			for (unsigned i = 0; i < 1000 * (1 + kind % 3); i++)
				sum += i ^ kind;
		}
		int main(int argc, char **argv)
		{
			char *bytes = malloc(1 << 20);
			FILE *zeros = fopen("/dev/zero", "r");
			unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 50000;

			for (unsigned long i = 0; i < rounds; i++) {
				parse(i % 3);
				if (i % 1000 == 0 && fread(bytes, 1, 1 << 20, zeros) == 0)
					return 1;
			}
			return 0;
		}
	CODE
	gcc -O1 -g -o program program.c
}

teardown() {
	[ -z "${target-}" ] || kill "$target" 2>/dev/null || true
}

commands() {
	sed -n 's/^    dendro //p' "$ROOT/docs/QUESTIONS.md"
}

# What this machine can't record is left out, as the page says.
is_possible() {
	case $1 in
	*cache-misses* | "report --ratio ipc") "$DENDRO" doctor hardware-events >/dev/null ;;
	"record -b"* | branches) "$DENDRO" doctor branches >/dev/null ;;
	*SERVICE*) [ -d /run/systemd/system ] ;;
	*off-cpu* | *bytes* | *syscalls*) "$DENDRO" doctor tracepoints probes >/dev/null ;;
	esac
}

# Those that do not end by themselves end when they have written something.
limit() {
	case $1 in
	"agent "* | *--overwrite*) echo "timeout --signal=INT 3" ;;
	esac
}

@test "each command runs, and answers with something" {
	local line before n=0
	./program 1000000000 3>&- &
	target=$!
	while read -r line; do
		is_possible "$line" || continue
		# They need a terminal and a browser.
		[ "$line" != browse ] && [ "$line" != view ] || continue
		before=$line
		line=${line//PROGRAM/./program}
		line=${line//FUNCTION/parse}
		line=${line//VARIABLE/kind}
		line=${line//NAME/program}
		line=${line//PID/$target}
		line=${line/02:10 --to 02:20/-1h}
		line=${line/#report --view syscalls/report --view syscalls -e syscalls}
		status=0
		eval "$(limit "$before") '$DENDRO' $line" >out 2>err </dev/null 3>&- || status=$?
		case $before in
		# Chance may raise a row, and doctor may find that something is missing.
		*--fail-above* | doctor) [ $status -le 1 ] ;;
		# Programs of the whole machine may have been built again meanwhile.
		archive*) [ $status -eq 0 ] || { [ $status -eq 2 ] && grep -q 'was not packed' err; } ;;
		*) [ $status -eq 0 ] || [ $status -eq 124 ] ;;
		esac || {
			echo "dendro $line: status $status"
			cat err
			return 1
		}
		[[ $before =~ ^record|^agent|--html|\ -o\  ]] || [ -s out ] || [ -s err ] || {
			echo "dendro $line: no answer"
			return 1
		}
		n=$((n + 1))
	done < <(commands)
	[ $n -ge 30 ]
}
