# What users of perf type: each row of docs/FROM-PERF.md, read from the document.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record work.data -- "$WORKLOADS/dispatch" 0.3
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# rows COMMAND : of the tables and lists, about that command: two columns, separated by a tab
rows() {
	awk '/^- `/ { if (item) print item; item = $0; next }
		item && /^  / { item = item substr($0, 2); next }
		item { print item; item = "" }
		/^\| `/ { print }
		END { if (item) print item }' "$ROOT/docs/FROM-PERF.md" |
		sed -n "s/^| \(\`$1 .*\`\) | \(.*\) |\$/\1\t\2/p; s/^- \(\`$1 [^\`]*\`\): /\1\t/p"
}

# run_code CODE PATH : runs a cell of the document, with what its words in capitals mean here
run_code() {
	local code=${1#\`}
	code=${code%\`}
	code=${code//COMMAND/true}
	code=${code//PATH/$2}
	code=${code//USER/54321}
	eval "set -- $code"
	"$DENDRO" "$@"
}

# check_row LEFT RIGHT [PATH] : both do the same, or the left one prints the sentence on the right
check_row() {
	local status=0
	echo "row: $1 | $2"
	run_code "$1" "${3-}" >left.out 2>left.err || status=$?
	if [[ $2 == \`* ]]; then
		[ $status -eq 0 ] || { cat left.err; return 1; }
		run_code "$2" "${3-}" >right.out 2>right.err || { cat right.err; return 1; }
		return
	fi
	[ $status -eq 129 ] || { cat left.err; return 1; }
	local command=${1:1}
	command=${command%% *}
	[[ $2 != *'is a command of perf'* ]] || command=
	expect_equal message "$(cat left.err)" "dendro${command:+ $command}: $2"
}

@test "each row of record does what the document says" {
	need_root
	need setpriv
	local n=0 cgroup="" left right theirs
	if [ -d /sys/fs/cgroup ]; then
		cgroup=$(awk -F : '$1 == 0 { print $3 }' /proc/self/cgroup)
	fi
	mkdir -p record && cd record
	setpriv --reuid=54321 --regid=54321 --clear-groups sleep 60 3>&- &
	theirs=$!
	wait_until belongs_to $theirs 54321 sleep
	while IFS=$'\t' read -r left right; do
		case $left in
		*PATH\`) continue ;; # it ends when the cgroup does
		*PATH*) [ -n "$cgroup" ] || continue ;;
		*TRACEPOINT*) continue ;; # tested below
		esac
		check_row "$left" "$right" "$cgroup"
		n=$((n + 1))
	done < <(rows record)
	stop $theirs
	[ $n -gt 20 ]
}

@test "each row of report does what the document says, and both commands print the same" {
	local n=0 left right
	mkdir -p report && cp work.data report/dendro.data && cd report
	while IFS=$'\t' read -r left right; do
		case $left in
		*FILE\` | *where*) continue ;; # tested below, and in 0690-kernel-names.bats
		esac
		check_row "$left" "$right"
		[[ $right != \`* ]] || cmp left.out right.out
		n=$((n + 1))
	done < <(rows report)
	expect_equal "rows but two" "$n" "$(($(grep -c '^[|-] `report' "$ROOT/docs/FROM-PERF.md") - 2))"
}

@test "several functions of perf's -S are one expression, and what is special in names is not" {
	"$DENDRO" report -S worker,dispatch_1 work.data >left.out
	"$DENDRO" report --focus '^(worker|dispatch_1)$' work.data >right.out
	cmp left.out right.out
	"$DENDRO" report -S 'w.rker,operator+(int)' work.data 2>err >left.out
	"$DENDRO" report --focus '^(w\.rker|operator\+\(int\))$' work.data 2>err >right.out
	cmp left.out right.out
	refuses "--max-stack takes a number" -- "$DENDRO" report --max-stack deep work.data
}

@test "each row of script does what the document says, and both commands print the same" {
	local n=0 left right
	mkdir -p script && cp work.data script/dendro.data && cd script
	while IFS=$'\t' read -r left right; do
		check_row "$left" "$right"
		[[ $right != \`* ]] || cmp left.out right.out
		n=$((n + 1))
	done < <(rows script)
	expect_equal rows "$n" "$(grep -c '^[|-] `script' "$ROOT/docs/FROM-PERF.md")"
}

@test "each row of annotate and of perf's other commands does what the document says" {
	local n=0 left right
	mkdir -p annotate && cp work.data annotate/dendro.data && cd annotate
	while IFS=$'\t' read -r left right; do
		case $left in
		\`record* | \`report* | \`script* | *FILE\`) continue ;;
		esac
		check_row "$left" "$right"
		[[ $right != \`* ]] || cmp left.out right.out
		n=$((n + 1))
	done < <(rows '[a-z0-9-]*')
	[ $n -gt 15 ]
}

# options_of COMMAND : the options in the list that perf 6.1 prints of them, one a line, with a value if it takes one
options_of() {
	sed -nE 's/^    (-.)?(, |    )?(--[a-z-]+)?(\[=[^ ]*\]| )?(<)?.*/\1 \3 \5/p' \
		"$ROOT/tests/data/perf-help/$1.txt" | while read -r first second third; do
		case $second$third in
		*'<') value=1 ;;
		*) value= ;;
		esac
		for option in $first ${second%<}; do
			echo "$option $value"
		done
	done
}

@test "each option of perf's own lists works, or explains itself in a line" {
	local command option value status n=0
	for command in record report script annotate; do
		options_of $command >options
		[ "$(wc -l <options)" -gt 40 ]
		while read -r option value; do
			status=0
			"$DENDRO" $command "$option" ${value:+"$value"} --help </dev/null >out 2>err || status=$?
			n=$((n + 1))
			[ $status -ne 0 ] || continue
			echo "$command $option $value: $(<err)"
			expect_equal status "$status" 129
			expect_equal lines "$(grep -vc "^See 'dendro " err)" 1
			[ "$(grep -cE 'unknown option|may be' err)" -eq 0 ]
			grep -Eq -- "$option (is not supported|takes|must follow)|Unknown event" err
		done <options
	done
	[ $n -gt 300 ]
}

# What perf's usage lists after "key(s):", up to the next option.
columns_of_report() {
	perf report -h 2>&1 | sed -n '/^ *sort by key(s):/,/^ *-S,/p' | grep -v '^ *-S,' |
		sed 's/.*key(s)://' | grep -oE '[a-z_0-9]+'
}

@test "each column that perf can sort by chooses a view, or explains itself in a line" {
	need perf
	local column status n=0
	for column in $(columns_of_report); do
		status=0
		"$DENDRO" report --sort "$column,sym" --help </dev/null >out 2>err || status=$?
		n=$((n + 1))
		[ $status -ne 0 ] || continue
		expect_equal lines "$(wc -l <err)" 1
		grep -q "^dendro report: --sort $column,sym is not supported: rows may be of " err
	done
	[ $n -gt 30 ]
}

@test "the fields of script are printed as perf prints them" {
	need perf
	local fields
	for fields in comm,tid,time,event comm,pid,tid,cpu,time,period,event pid,time; do
		perf script -i work.data -F "$fields" >perf.out 2>perf.err
		"$DENDRO" script -F "$fields" work.data >our.out
		cmp perf.out our.out
	done
	perf script -i work.data --ns -F time,event >perf.out 2>perf.err
	"$DENDRO" script --ns -F time,event work.data >our.out
	cmp perf.out our.out
	perf script -i work.data -G -F -comm,-period 2>perf.err | grep 'worker+' >perf.out
	"$DENDRO" script -G -F -comm,-period work.data | grep 'worker+' >our.out
	cmp perf.out our.out
}

@test "fields of paths are left out, and unknown ones are refused" {
	"$DENDRO" script -F comm,ip,sym work.data >lines
	grep -q '^dispatch $' lines
	grep -qE '^	 *[0-9a-f]+ worker$' lines
	"$DENDRO" script -F -dso,-symoff work.data | grep -qE '^	 *[0-9a-f]+ worker$'
	refuses "-F takes comm" "not 'colour'" -- "$DENDRO" script -F comm,colour work.data
	refuses "not '+addr'" -- "$DENDRO" script -F comm,+addr work.data
	refuses "need ip" -- "$DENDRO" script -F sym work.data
}

@test "where only perf.data exists, it is read, and a note says so" {
	mkdir -p only && cp work.data only/perf.data && cd only
	local command
	for command in report script; do
		"$DENDRO" $command >default 2>note
		grep -q "dendro $command: reading perf.data, because there is no dendro.data here" note
		"$DENDRO" $command perf.data >named 2>note
		expect_equal "notes about a name" "$(cat note)" ""
		cmp default named
	done
	refuses "dendro.data" -- "$DENDRO" report -i dendro.data
	cp perf.data dendro.data
	"$DENDRO" report 2>note | grep -q '^recording *dendro.data'
	expect_equal "notes about both" "$(cat note)" ""
}

@test "perf's filter of its own events is one by the recorder's process" {
	need_root
	[ -e /sys/kernel/tracing/events/sched ] || skip "no tracefs is mounted here"
	cp "$DENDRO" ./recorder_at_work # of which no other runs
	./recorder_at_work record -q -a -d 0.3 -e sched:sched_switch -o all.data
	./recorder_at_work record -q -a -d 0.3 -e sched:sched_switch --exclude-perf -o others.data
	expect_at_least "its switches" "$(script_of_recorder all.data)" 1 100
	expect_equal "its switches, left out" "$(script_of_recorder others.data)" 0
}

script_of_recorder() {
	"$DENDRO" script --comm recorder_at_work "$1" 2>/dev/null | grep -c sched_switch: || true
}

@test "by frame pointers paths are whole, without copies of stacks" {
	need gcc perf
	gcc -O0 -fno-omit-frame-pointer -o with_frames "$ROOT/tests/workloads/figure1.c"
	record frames.data -z 0 --call-graph fp -- ./with_frames 1
	report_json frames.data >frames.tree
	expect_below frames "main a c d" d 43
	expect_below frames "main [ab] c d" d 98
	perf evlist -v -i frames.data >attrs
	lacks -e STACK_USER -e REGS_USER attrs
	perf script -D -i frames.data 2>/dev/null |
		sed -n 's/.* \[0x\([0-9a-f]*\)\]: PERF_RECORD_SAMPLE.*/\1/p' >sizes
	[ "$(wc -l <sizes)" -gt 100 ]
	local size sum=0
	while read -r size; do
		sum=$((sum + 0x$size))
	done <sizes
	expect_at_least "bytes of 200 samples" $((200 * $(wc -l <sizes))) $sum 100
}

@test "all-user and all-kernel record one mode, of the default event, too" {
	need_root
	"$DENDRO" record -q --all-user -e cpu-clock -o user.data "$WORKLOADS/reader" 0.3 >/dev/null
	"$DENDRO" record -q --all-kernel -e cpu-clock -o kernel.data "$WORKLOADS/reader" 0.3 >/dev/null
	"$DENDRO" record -q --all-kernel -o default.data "$WORKLOADS/reader" 0.3 >/dev/null
	expect_equal "kernel functions" "$(kernel_leaves user.data)" ""
	[ "$(kernel_leaves kernel.data | wc -l)" -gt 0 ]
	[ "$(kernel_leaves default.data | wc -l)" -gt 0 ]
	report_json kernel.data --view functions >kernel.json
	expect_equal "cost of user functions" "$(jq '[.rows[] | select(.kind == "user") | .self[0]] |
		add // 0' kernel.json)" 0
}

kernel_leaves() {
	report_json "$1" --view functions | jq -r '.rows[] | select(.kind == "kernel") | .name'
}

@test "a recording ends when it has the largest size, and a note says so" {
	"$DENDRO" record -e cpu-clock -F 5000 -z 0 --max-size 3M -o small.data \
		"$WORKLOADS/dispatch" 60 2>note || true
	grep -q 'the recording has reached --max-size, and ends' note
	[ "$(stat -c %s small.data)" -ge $((3 << 20)) ]
	[ "$(samples_of small.data)" -gt 10 ]
	refuses "--max-size takes a size" -- "$DENDRO" record --max-size big true
}

samples_of() {
	report_json "$1" --view functions | jq '.metrics[0].samples'
}

@test "the processes of a user are recorded, and no others" {
	need_root
	need setpriv
	cp "$WORKLOADS/dispatch" theirs && cp "$WORKLOADS/dispatch" ours && chmod 755 theirs .
	setpriv --reuid=54321 --regid=54321 --clear-groups ./theirs 60 3>&- >/dev/null &
	local theirs=$!
	./ours 60 3>&- >/dev/null &
	local ours=$!
	wait_until belongs_to $theirs 54321 theirs
	"$DENDRO" record -q -e cpu-clock -u 54321 -d 0.5 -o user.data
	stop $theirs $ours
	expect_equal commands "$("$DENDRO" script user.data | awk '/cpu-clock/ { print $1 }' | sort -u)" theirs
	refuses "-u: there is no user 'nobody-here'" -- "$DENDRO" record -u nobody-here true
}

belongs_to() { # belongs_to PID UID NAME : it runs that program as that user
	[ "$(stat -c %u "/proc/$1")" = "$2" ] && [ "$(<"/proc/$1/comm")" = "$3" ]
}
