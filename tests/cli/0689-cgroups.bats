# The cgroups of samples. Programs enter cgroups made for the test, on a machine that may have others.

# shellcheck disable=SC2164
load lib
load pushed

setup_file() {
	load lib
	prepare make_recordings
}

# A program in each of two cgroups below $1, one of which is made meanwhile.
two_cgroups() {
	cat >two.sh <<-'END'
		enter() { echo $BASHPID >"$1/cgroup.procs"; }
		(enter "$1/one.service"; exec "$2" 0.5) &
		mkdir "$1/$4"
		(enter "$1/$4"; exec "$3" 0.5) &
		wait
	END
}

CONTAINER=docker-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope

make_recordings() {
	need_events
	need_root
	local mount
	cd "$BATS_FILE_TMPDIR"
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$mount" ] || skip "no hierarchy of cgroups (version 2) is mounted"
	echo "/dendro-cgroups-$$" >parent
	echo "$mount/dendro-cgroups-$$" >folder
	mkdir "$(<folder)" 2>/dev/null || skip "cgroups cannot be made here"
	mkdir "$(<folder)/one.service"
	two_cgroups
	"$DENDRO" record -F 997 -e cpu-clock --no-jitter --all-cgroups -o two.data -- \
		bash two.sh "$(<folder)" "$WORKLOADS/threads" "$WORKLOADS/cxx" "$CONTAINER" 2>message
	if grep "does not report the cgroup" message; then
		skip "this kernel does not report the cgroups of samples"
	fi
	! awk '$3 == "cgroup" && $4 ~ /perf_event/ { found = 1 } END { exit !found }' /proc/mounts ||
		skip "the kernel counts in cgroups of version 1 here"
	"$DENDRO" build -o two.cct two.data
	record without.data -- "$WORKLOADS/figure1" 0.1
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

teardown() {
	stop_serving
}

teardown_file() {
	local folder
	[ -e "$BATS_FILE_TMPDIR/folder" ] || return 0
	folder=$(<"$BATS_FILE_TMPDIR/folder")
	[ ! -d "$folder" ] || find "$folder" -depth -type d -exec rmdir {} +
}

@test "perf shows the cgroups of samples, and the paths of old and new ones" {
	need perf
	perf script -i two.data --show-cgroup-events 2>/dev/null >lines
	grep -q "CGROUP cgroup: [0-9]* $(<parent)/one.service\$" lines
	grep -q "CGROUP cgroup: [0-9]* $(<parent)/$CONTAINER\$" lines
	perf report -i two.data --stdio -q -g none -t , --sort comm,cgroup 2>/dev/null | cut -d, -f2- | tr -d " " >pairs
	grep -E "(worker-[123]|threads),$(<parent)/one.service\$" pairs
	grep -E "cxx,$(<parent)/$CONTAINER\$" pairs
}

# total [OPTION...]: of the samples that pass
total() {
	report_json two.data --view functions "$@" | jq '.metrics[0].total'
}

@test "a cgroup has the time of the programs in it" {
	local all
	report_json two.data --view cgroups >rows
	jq -e '([.rows[].total[0]] | add) == .metrics[0].total' rows
	jq -e '[.rows[].unit // empty] | contains(["docker-0123456789ab", "one.service"])' rows
	all=$(total --comm threads)
	[ "$all" -gt 0 ]
	expect_equal "time of threads in one.service" "$(total --comm threads --cgroup one.service)" "$all"
	report_json two.data --view cgroups --comm threads |
		jq -e --arg name "$(<parent)/one.service" '[.rows[].name] == [$name]'
	report_json two.data --view cgroups --comm cxx |
		jq -e --arg name "$(<parent)/$CONTAINER" '[.rows[].name] == [$name]'
}

@test "--cgroup takes paths, units, containers and globs" {
	local all name
	report_json two.data --view cgroups >rows
	all=$(jq --arg name "$(<parent)/$CONTAINER" '.rows[] | select(.name == $name).total[0]' rows)
	for name in docker-0123456789ab 'docker-*' "$(<parent)/$CONTAINER" '*/docker-*.scope' \
		'nosuch,docker-0*'; do
		expect_equal "time in $name" "$(total --cgroup "$name")" "$all"
	done
	"$DENDRO" script --cgroup one.service two.data >samples
	[ -s samples ]
	! grep -q "^ *cxx " samples || false
}

@test "a stored profile has the cgroups of its recording" {
	local format view options
	set -f
	for options in '' '--cgroup one.service' '--cgroup *.scope,/' '--focus main' '--kernel none' \
		'--sort name' '--comm cxx --cgroup *'; do
		for format in json csv; do
			for view in cgroups functions cpus; do
				# shellcheck disable=SC2086
				"$DENDRO" report --view $view -f $format $options two.data >theirs
				# shellcheck disable=SC2086
				"$DENDRO" report --view $view -f $format $options two.cct >ours
				cmp theirs ours
			done
		done
	done
}

@test "cgroups of several files are added up by their paths" {
	report_json two.data --view cgroups | jq '[.rows[] | [.name, .total[0] * 2]] | sort' >theirs
	"$DENDRO" report --view cgroups -f json two.cct two.data |
		jq '[.rows[] | [.name, .total[0]]] | sort' >ours
	cmp theirs ours
}

@test "text has the container of a path, and CSV the unit" {
	COLUMNS=200 "$DENDRO" report --view cgroups --min 0 two.data >text
	grep -q "$(<parent)/$CONTAINER (docker-0123456789ab)\$" text
	grep -q "$(<parent)/one.service\$" text
	"$DENDRO" report --view cgroups -f csv two.data |
		grep -q "^1,\"$(<parent)/one.service\",\"\",cgroup,,\"one.service\","
	"$DENDRO" report --sort cgroup -f csv two.data >theirs
	"$DENDRO" report --view cgroups -f csv two.data | cmp - theirs
}

@test "a recording without cgroups says so, and how to record them" {
	run "$DENDRO" report --view cgroups without.data
	[ "$status" -ne 0 ]
	[[ $output == *"do not have their cgroups: record with -a, --cgroup, --unit or --all-cgroups." ]]
	"$DENDRO" report --cgroup '*' without.data 2>message >/dev/null
	grep -q "do not have their cgroups: record with" message
	"$DENDRO" report --cgroup nosuch.service two.data 2>message >/dev/null
	grep -q "no sample passes --cgroup" message
}

@test "names of cgroups cannot write to the terminal" {
	local folder format evil=$'evil\e[31m\x7f.service'
	folder=$(<folder)
	mkdir "$folder/$evil"
	# shellcheck disable=SC2016
	"$DENDRO" record -q -F 997 -e cpu-clock --all-cgroups -o evil.data -- sh -c \
		'echo $$ >"$0/cgroup.procs"; exec "$1" 0.2' "$folder/$evil" "$WORKLOADS/cxx"
	for format in text json csv; do
		"$DENDRO" report --view cgroups -f $format --color never evil.data >out
		grep -q evil out
		! grep -q $'[\e\x7f]' out || false
	done
	report_json evil.data --view cgroups --cgroup 'evil*' | jq -e '.rows | length == 1'
}

@test "a server gets a profile of each container and unit" {
	need_sender
	serve
	push pyroscope two.data
	cat received/totals.json
	expect_equal "broken rules" "$(jq -c .broken received/totals.json)" '[]'
	local name
	for name in one.service docker-0123456789ab; do
		expect_equal $name "$(jq --arg name "$name process_cpu:cpu:nanoseconds:cpu:nanoseconds" \
			'.services[$name].samples' received/totals.json)" \
			"$(report_json two.data --view functions --cgroup $name | jq '.metrics[0].samples')"
	done
}
