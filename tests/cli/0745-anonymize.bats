# export --anonymize: who recorded what where is in no byte of any format; costs and functions are those
# of an export without it.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

FORMATS="folded pprof speedscope callgrind firefox chrome perf.data sqlite otlp"

# A program of a secret name in a secret folder, with arguments, threads, phases and variables.
make_recordings() {
	need_events
	need python3 gcc
	cd "$BATS_FILE_TMPDIR"
	mkdir secretfolder
	cat >secretfolder/secretsource.c <<-'C'
		#include <stdlib.h>
		#include <sys/prctl.h>

		volatile unsigned long sum;

		__attribute__((noinline)) static void work_of_it(const char *text, unsigned long n)
		{
			while (n--)
				sum += (unsigned long)text[0];
			__asm__("" : : "r"(text));
		}

		int main(int argc, char **argv)
		{
			work_of_it(argv[argc - 1], 200000000);
			prctl(PR_SET_NAME, "secretthread");
			work_of_it("secrettext", 200000000);
			return 0;
		}
	C
	gcc -O1 -g -o secretfolder/secretprogram secretfolder/secretsource.c
	"$DENDRO" record -q -e cpu-clock -F 997 -o secret.data -- secretfolder/secretprogram secretargument
	"$DENDRO" build -o secret.cct secret.data
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# What a file contains: as it is, decompressed, and in the formats that compress parts.
bytes_of() { # bytes_of FILE
	python3 - "$1" <<-'PYTHON'
		import re, sys, zlib
		data = open(sys.argv[1], "rb").read()
		out = [data]
		for match in re.finditer(rb"\x1f\x8b\x08", data):
		    try:
		        out.append(zlib.decompressobj(31).decompress(data[match.start():]))
		    except zlib.error:
		        pass
		sys.stdout.buffer.write(b"\n".join(out) + b"\n" + b"\n".join(out).replace(b"\0", b""))
	PYTHON
}

@test "no format has a name of the program, its folder, its source, its thread, its user" {
	local format source
	for source in secret.data secret.cct; do
		for format in $FORMATS; do
			[ "$format" != sqlite ] || "$DENDRO" version --build-options | grep -q '^sqlite  *yes' || continue
			"$DENDRO" export --format $format -o plain.$format $source 2>messages || {
				grep -Eq 'one by one|which this recording does not' messages
				continue
			}
			"$DENDRO" export --anonymize --format $format -o out.$format $source
			bytes_of plain.$format >plain
			bytes_of out.$format >bytes
			echo "$format of $source"
			grep -aq secret plain
			lacks -aq secret bytes
			lacks -aqF "$BATS_FILE_TMPDIR" bytes
			[ "$format" = perf.data ] || grep -aq work_of_it bytes # which has no names of functions
			grep -aq command-1 bytes
		done
	done
}

@test "totals and functions are those without it" {
	"$DENDRO" export --format folded secret.data | sed 's/^[^;]*;//' | sort >plain
	"$DENDRO" export --anonymize --format folded secret.data | tee named | sed 's/^[^;]*;//' | sort >other
	cmp plain other
	# Equal names have become equal ones, and different ones different.
	expect_equal commands "$(cut -d ';' -f 1 named | sort -u | wc -l)" \
		"$("$DENDRO" export --format folded secret.data | cut -d ';' -f 1 | sort -u | wc -l)"
	"$DENDRO" export --anonymize --format folded secret.cct | sed 's/^[^;]*;//' | sort >stored
	cmp plain stored
	[ -s plain ]
}

@test "what is chosen is chosen by the true names" {
	"$DENDRO" export --anonymize --format folded --comm secretthread secret.data >some
	"$DENDRO" export --format folded --comm secretthread secret.data | sed 's/^[^;]*;//' | sort >plain
	cmp plain <(sed 's/^[^;]*;//' some | sort)
	[ -s plain ]
	lacks secret some
}

@test "libraries of the system keep their names, without their folders" {
	"$DENDRO" export --anonymize --format callgrind -o out.callgrind secret.data
	grep -oE '^c?ob=\([0-9]+\) .+' out.callgrind | sort -u | tee objects
	lacks '/' objects
	grep -q 'module-1' objects
}

@test "a profile for compilers is refused, and a wrong use, too" {
	refuses "leave it out" -- "$DENDRO" export --anonymize --format gcc-profile -o x secret.data
}
