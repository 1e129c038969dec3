# libdendro and its Python module: what is exported, what a program gets that is compiled against the
# installed header, and that the numbers are those of dendro report.

load lib

setup_file() {
	load lib
	prepare install_library
}

install_library() {
	need make gcc pkg-config python3
	make -s -C "$ROOT" install DESTDIR="$BATS_FILE_TMPDIR/installed" prefix=/usr
	cd "$BATS_FILE_TMPDIR"
	use_installed
	local example
	for example in hot_paths record_steps; do
		# shellcheck disable=SC2046
		gcc -std=c11 -D_DEFAULT_SOURCE -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Werror \
			-o $example "$ROOT/docs/examples/$example.c" $(pkg-config --cflags --libs dendro)
	done
	./record_steps steps.cct >steps.out
}

# pkg-config puts the folder where everything was installed before the paths.
use_installed() {
	export PKG_CONFIG_PATH=$BATS_FILE_TMPDIR/installed/usr/lib/pkgconfig
	export PKG_CONFIG_SYSROOT_DIR=$BATS_FILE_TMPDIR/installed
	export LD_LIBRARY_PATH=$BATS_FILE_TMPDIR/installed/usr/lib
	export PYTHONPATH=$BATS_FILE_TMPDIR/installed/usr/lib/python3/dist-packages
	export PYTHONDONTWRITEBYTECODE=1
	library=$LD_LIBRARY_PATH/libdendro.so.0
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
	use_installed
}

compare() { # compare FILE : with dendro report
	python3 "$ROOT/tests/cli/clients/compare_library.py" "$DENDRO" "$1"
}

@test "what is exported is what the header declares, under the version of the map" {
	local version
	version=$("$DENDRO" version | sed -n '1s/dendro //p')
	sed 's|//.*||; /^ *[/*]/d' "$ROOT/cct/api/dendro.h" | grep -oE '\bdendro_[a-z_]+\(' | tr -d '(' |
		sort -u >declared
	sed -n 's/^\t\(dendro_[a-z_]*\);$/\1/p' "$ROOT/cct/api/dendro.map" | sort >mapped
	diff declared mapped
	nm -D --defined-only "$library" | awk '$2 == "T" { print $3 }' | sort >exported
	diff exported <(sed 's/$/@@DENDRO_0.1/' declared)
	nm -D --defined-only "$library" | awk '$2 != "T" { print $3 }' | tee others
	expect_equal others "$(cat others)" DENDRO_0.1
	expect_equal soname "$(readelf -d "$library" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')" libdendro.so.0
	expect_equal pkg-config "$(pkg-config --modversion dendro)" "$version"
	expect_equal header "$(sed -n 's/^#define DENDRO_M[AI][JN]OR *//p' "$ROOT/cct/api/dendro.h" |
		paste -sd .)" "$version"
	expect_equal python "$(python3 -c 'import dendro; print(dendro.version())')" "$version"
}

@test "the library does not exit, print, or change the process, and needs no library for screens" {
	nm -D --undefined-only "$library" | awk '{ sub(/@.*/, "", $2); print $2 }' | sort >wanted
	local name
	for name in exit _exit quick_exit abort stdout stderr printf puts putchar perror signal sigaction \
		setenv unsetenv putenv setrlimit setlocale chdir umask prctl fork vfork execve posix_spawn \
		system popen socket connect dlopen; do
		lacks "^$name$" wanted
	done
	readelf -d "$library" >needed
	lacks 'libncurses\|libsqlite\|TEXTREL' needed
}

@test "the header alone is C and C++ without warnings" {
	local language
	for language in c c++; do
		echo '#include <dendro.h>' >alone.c
		# shellcheck disable=SC2046
		gcc -x $language -Wall -Wextra -Wpedantic -Werror -fsyntax-only $(pkg-config --cflags dendro) alone.c
	done
}

@test "a program records into a profile, which dendro reports, and another program reads" {
	expect_equal "output" "$(cat steps.out)" "fib(12) is 144"
	report_json steps.cct --view functions >functions
	expect_equal "functions" "$(jq -c '[.rows[] | [.name, .self[0], .total[0]]] | sort' functions)" \
		'[["add",464,464],["fib",465,929],["main",0,929]]'
	expect_equal "exact" "$(jq -c '.metrics[0].exact' functions)" true
	expect_equal "line" "$(report_json steps.cct --view lines | jq -r '.rows[] | select(.name == "add")
		| "\(.file):\(.line)"')" fib.script:9
	./hot_paths steps.cct | tee hot
	diff hot - <<-'TEXT'
		steps: 697 samples, 929 events, 0 samples lost
		         465  fib (fib.script)
		         464  add (fib.script)
		the most costly path:
		         929  all
		         929  fib.script
		         929  main
		         929  fib
		         926  fib
		         920  fib
		         908  fib
		         884  fib
		         836  fib
		         740  fib
		         562  fib
		         320  fib
	TEXT
	refuses "hot_paths: none.data: No such file or directory" -- ./hot_paths none.data
}

@test "numbers are those of dendro report: recordings with several events, and their profiles" {
	need_events
	"$DENDRO" record -q -F 997 -e cpu-clock -e page-faults -o several.data -- \
		sh -c "$WORKLOADS/recursion 0.3; $WORKLOADS/cxx 0.3; ls -R /usr/include >/dev/null"
	compare several.data | tee sums
	grep -q '2 metrics' sums
	"$DENDRO" build -o several.cct several.data
	compare several.cct | diff - sums
	"$DENDRO" merge -o both.cct several.cct several.cct
	compare both.cct
}

@test "numbers are those of dendro report: recordings and profiles of other machines and versions" {
	local file
	for file in "$ROOT"/tests/data/formats/*/*.cct "$ROOT"/tests/data/formats/*/*.data; do
		echo "$file"
		compare "$file"
	done
	need_recordings
	for file in "$SHARED"/recordings/{simpleperf,lpd,quipper.{i686,group,lost,piped}}*.data; do
		echo "$file"
		compare "$file"
	done
}

@test "a notebook's cells show what they should" {
	python3 "$ROOT/tests/cli/clients/run_cells.py" "$ROOT/docs/examples/steps.py" | tee cells
	grep -qx '5 cells show what they should' cells
}

@test "pandas takes the tables as they are" {
	# The distribution's Python has it; another one may come first.
	local python=/usr/bin/python3
	$python -c 'import pandas' 2>/dev/null || skip "pandas is not installed"
	$python - <<-'TEXT'
		import dendro, pandas
		with dendro.open("steps.cct") as profile:
		    functions = pandas.DataFrame(profile.functions())
		    assert functions.nlargest(1, "self")["name"].item() == "fib"
		    assert pandas.DataFrame(profile.samples()).groupby("metric")["weight"].sum().item() == 929
		    for table in (profile.nodes, profile.paths, profile.processes, profile.threads, profile.missing):
		        pandas.DataFrame(table())
	TEXT
}

@test "in Python, mistakes are exceptions, and what was recorded there is reported" {
	python3 - <<-'TEXT'
		import dendro

		def refused(kind, text, call):
		    try:
		        call()
		    except kind as error:
		        assert text in str(error), error
		        return error
		    raise AssertionError(f"not refused: {text}")

		assert refused(dendro.Error, "none.data: No such", lambda: dendro.open("none.data")).errno == 2
		refused(ValueError, "grouping", lambda: dendro.open("steps.cct", grouping="cpu"))
		with dendro.open("steps.cct") as profile:
		    refused(ValueError, "there is no metric 'cycles': steps", lambda: profile.functions("cycles"))
		refused(ValueError, "closed", profile.functions)
		with dendro.Writer("server", pid=42) as writer:
		    writer.add(["main", dendro.frame("parse", file="p.c", line=7)], "requests", 3)
		    writer.add(["main", dendro.frame("sys_read", "kernel")], "requests", 4)
		    refused(dendro.Error, "frame 0 of the path has no name", lambda: writer.add([""], "requests", 1))
		    writer.lose("requests", 9)
		    writer.save("python.cct")
		    refused(dendro.Error, "saved already", lambda: writer.lose("requests", 9))
	TEXT
	report_json python.cct --view functions >functions
	expect_equal functions "$(jq -c '[.rows[] | [.name, .kind, .self[0]]] | sort' functions)" \
		'[["[kernel]","marker",0],["main","user",0],["parse","user",3],["sys_read","kernel",4]]'
	expect_equal lost "$(jq .quality.lost functions)" 9
	compare python.cct
}

@test "threads read one profile at once, and several profiles" {
	python3 - <<-'TEXT'
		import concurrent.futures
		import dendro
		profile = dendro.open("steps.cct")
		expected = profile.nodes()
		def look(i):
		    assert profile.nodes() == expected
		    with dendro.open("steps.cct") as other:
		        return other.samples() == profile.samples()
		with concurrent.futures.ThreadPoolExecutor(8) as pool:
		    assert all(pool.map(look, range(32)))
	TEXT
}
