# Tables whose rows are separate for each process, thread or CPU.

# shellcheck disable=SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

# Two programs with a function of one name in one library, and threads, on any CPUs.
make_recordings() {
	need_events
	need jq
	cd "$BATS_FILE_TMPDIR"
	# shellcheck disable=SC2016
	record two.data -e cpu-clock -e page-faults -- \
		sh -c '"$0" 0.5 & "$1" 0.5; wait' "$WORKLOADS/threads" "$WORKLOADS/cxx"
	"$DENDRO" build -o two.cct two.data
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# rows_of FILTER OPTION... : name, module, kind, source line, self and total of the rows of a report
# that a filter of jq selects. Rows of one name are added up: a process that calls exec is two
# processes with one pid.
rows_of() {
	local filter=$1
	shift
	report_json two.data "$@" |
		jq -c "[.rows[] | $filter] | group_by(.name, .module, .kind, .file, .line)[] |
			[.[0].name, .[0].module, .[0].kind, .[0].file, .[0].line,
			 ([.[].self] | transpose | map(add)), ([.[].total] | transpose | map(add))]"
}

@test "the rows of a process are those of a report of that process" {
	local view pid
	for view in functions lines modules; do
		while read -r pid; do
			rows_of . --view $view --pid "$pid" >theirs
			[ -s theirs ]
			rows_of "select(.pid == $pid)" --view $view --each process | diff theirs -
		done < <(report_json two.data --view processes --by process | jq '.rows[].id')
	done
}

# Two instances of a template have one line; the first in the alphabet is not one of each process.
@test "a line in functions of several processes has the name of its function in each" {
	need g++
	cat >instances.cpp <<-'EOF2'
		#include "work.h"
		template <int N> FUNCTION void instance(unsigned n) { while (n--) units(10); KEEP_FRAME(); }
		int main(int argc, char **) { argc > 1 ? instance<1>(200) : instance<2>(200); }
	EOF2
	g++ -g -O1 -I "$ROOT/tests/workloads" -o instances instances.cpp
	record instances.data -e cpu-clock -- sh -c './instances & ./instances 1; wait'
	report_json instances.data --view lines | jq -c '.rows[] | select(.line == 2) |
		[.name, .functions]' >all
	expect_equal "of both processes" "$(cat all)" '["void instance<1>(unsigned int)",2]'
	report_json instances.data --view lines --each process | jq -c '.rows[] | select(.line == 2) |
		[.name, .functions]' | sort >each
	expect_equal "of each process" "$(paste -sd ' ' each)" \
		'["void instance<1>(unsigned int)",null] ["void instance<2>(unsigned int)",null]'
}

@test "the rows of a thread and of a CPU are those of a report of these" {
	local tid cpu
	while read -r tid; do
		rows_of . --view functions --tid "$tid" >theirs
		[ -s theirs ]
		rows_of "select(.tid == $tid)" --view functions --each thread | diff theirs -
	done < <(report_json two.data --view threads | jq '.rows[].id')
	while read -r cpu; do
		rows_of . --view functions --cpu "$cpu" >theirs
		[ -s theirs ]
		rows_of "select(.cpu == $cpu)" --view functions --each cpu | diff theirs -
		rows_of . --view processes --cpu "$cpu" >theirs
		rows_of "select(.cpu == $cpu)" --view processes --each cpu | diff theirs -
	done < <(report_json two.data --view cpus | jq '.rows[].id')
}

# Of rows with equal names, which are functions of several places in a file, the sum.
sums_of_rows() { # sums_of_rows OPTION...
	report_json two.data --view functions "$@" | jq -S '[.rows | group_by(.name, .module, .kind)[] |
		{name: .[0].name, "module": .[0].module, kind: .[0].kind,
		 self: ([.[].self] | transpose | map(add)), total: ([.[].total] | transpose | map(add))}] | sort'
}

@test "rows of a function add up to the row that it has without --each" {
	local each
	sums_of_rows >theirs
	for each in comm process thread cpu comm,cpu cpu,thread; do
		sums_of_rows --each $each | diff theirs -
	done
}

@test "recording and profile give the same rows, in all formats" {
	local options
	for options in "--view functions --each comm" "--view lines --each thread,cpu" \
		"--view modules --each cpu" "--view processes --by thread --each cpu" \
		"--view functions --each comm --focus ^main --errors"; do
		# shellcheck disable=SC2086
		"$DENDRO" report --format csv $options two.data >theirs
		# shellcheck disable=SC2086
		"$DENDRO" report --format csv $options two.cct | cmp theirs -
		# shellcheck disable=SC2086
		report_json two.data $options >theirs
		# shellcheck disable=SC2086
		report_json two.cct $options | cmp theirs -
	done
}

@test "CSV and text have columns of what rows are separate for" {
	"$DENDRO" report --format csv --view functions --each cpu,thread two.data >csv
	head -1 csv | grep -q '^depth,name,module,kind,id,cpu,process,pid,thread,tid,"cpu-clock self"'
	grep -q '^1,.*,[0-9]*,"cxx",[0-9]*,"cxx",[0-9]*,' csv
	"$DENDRO" report --view functions --each cpu,comm two.data >text
	grep -q 'CPU  process  *function  *module$' text
	grep -q '%.* [0-9]*  cxx  *' text
	local width
	for width in 80 120; do
		COLUMNS=$width "$DENDRO" report --min 0 --view lines --each cpu,thread two.data |
			sed -n '/CPU  thread/,/^$/p' >text
		[ -s text ]
		expect_equal "lines too wide" "$(awk -v width=$width 'length > width' text | wc -l)" 0
	done
}

@test "--each is refused where rows cannot be separate" {
	local options
	for options in "--each comm" "--view tree --each cpu" "--view processes --each comm" \
		"--view functions --each comm,thread" "--view functions --each core" \
		"--view functions --each cpu,,comm"; do
		# shellcheck disable=SC2086
		run "$DENDRO" report $options two.data
		expect_equal "status of $options" "$status" 129
	done
}
