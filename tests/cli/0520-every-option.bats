# Every view, option and format of what reads recordings and profiles, once: each ends well. What they
# say is tested elsewhere; here AddressSanitizer and UndefinedBehaviorSanitizer look on.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	"$DENDRO" record -q -F 997 --all-cgroups -e cpu-clock -e page-faults -o two.data -- \
		sh -c '"$0" 0.3 & "$1" 0.3; wait' "$WORKLOADS/threads" "$WORKLOADS/cxx"
	record other.data -- "$WORKLOADS/cxx" 0.3
	"$DENDRO" build -o two.cct two.data
	"$DENDRO" build -o other.cct other.data
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# works COMMAND... : dendro's command ends well
works() {
	local status=0
	"$DENDRO" "$@" >output 2>errors || status=$?
	if [ $status -ne 0 ]; then
		echo "dendro $*: status $status" >&2
		head -n 20 errors >&2
		return 1
	fi
}

@test "views of a recording and of its profile, in each format" {
	local view file
	for view in tree callers callgraph functions lines modules processes threads cpus cgroups \
		epochs syscalls stats; do
		for file in two.data two.cct; do
			works report --view "$view" "$file"
		done
		works report --view "$view" --format json two.cct
		works report --view "$view" --format csv two.cct
		[ "$view" = stats ] || works report --view "$view" --format csv --errors two.cct
	done
	works report --view paths --root main two.cct
	works report --view paths --root main --direction up two.data
	works report --view hot --per page-faults two.data
}

@test "options that choose samples" {
	local ids options
	ids=$("$DENDRO" script two.data | awk 'NR == 1 { print $2 }')
	while read -ra options; do
		works report "${options[@]}" two.data
		works report "${options[@]}" --format json two.cct
	done <<-TEXT
		--comm cxx
		--comm thr*
		--cpu 0-7
		--event page-faults
		--time 10%-60%
		--time end-200ms-
		--epoch 0-9
		--focus ^main$
		--ignore malloc|operator
		--through main,*
		--hide ^_
		--caller-depth 2
		--pid ${ids%/*}
		--tid ${ids#*/}
	TEXT
}

@test "options that shape trees and tables" {
	local options
	while read -ra options; do
		works report "${options[@]}" two.data
		works report "${options[@]}" --format json two.cct
	done <<-TEXT
		--by process
		--by thread
		--kernel only
		--kernel none
		--depth 3
		--sort self
		--sort name
		--ratio page-faults/cpu-clock
		--no-inline
		--merge-copies
		--activations
		--fold-recursion
		--raw-names
		--errors
		--view functions --each comm
		--view functions --each thread,cpu
		--view modules --each process
		--view lines --each cpu
		--view processes --each cpu
		--view functions --merge-copies
		--no-sandbox
	TEXT
	works report --values --full-names --min 0 --color always two.data
	works report --compare '*main*,*' two.data || works report --compare 'main,_start' two.data
}

@test "pages, code and lists of samples" {
	works report --html - two.data
	works report --html - --source two.data
	works annotate -i two.data
	works annotate -i two.data --asm --intel
	works annotate -i two.data --no-source --total --format json
	works script two.data
	works debug-unwind two.data
	"$DENDRO" archive -q -o two.archive two.data
	works report --format json two.archive
}

@test "each format of export, from a recording and from its profile" {
	local format file
	for file in two.data two.cct; do
		for format in pprof folded speedscope callgrind firefox chrome perf.data sqlite otlp; do
			rm -f exported
			"$DENDRO" export --format $format -o exported $file
			works export --verify $format exported
		done
	done
	for format in clang-profile clang-context-profile gcc-profile; do
		"$DENDRO" export --format $format -o exported other.data
		"$DENDRO" export --verify $format exported
	done
	works export --format folded --anonymize --by thread two.data
}

@test "differences, sums and pages of differences" {
	local view
	for view in tree functions modules; do
		works diff --view $view other.data two.data
		works diff --view $view --format json other.cct two.cct
	done
	works diff --html - other.cct two.cct
	works report --format json other.data two.data
	"$DENDRO" merge -o sum.cct two.cct other.cct
	"$DENDRO" merge --join-processes --by-minute -o joined.cct two.cct other.cct
	works report --format json sum.cct
	works report --view threads joined.cct
	works diff sum.cct joined.cct
}

@test "other machines' recordings: reports, samples, and profiles of them" {
	need_recordings
	local file
	for file in "$SHARED"/recordings/*.data; do
		"$DENDRO" report --format json "$file" >output 2>errors || [ $? -lt 99 ]
		"$DENDRO" report --view lines --errors "$file" >output 2>errors || [ $? -lt 99 ]
		"$DENDRO" script "$file" >output 2>errors || [ $? -lt 99 ]
		"$DENDRO" build -o foreign.cct "$file" 2>errors || [ $? -lt 99 ]
	done
}
