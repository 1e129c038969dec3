# Recording all the time: dendro agent.

# The names of windows have no blanks.
# shellcheck disable=SC2030,SC2031,SC2046,SC2164
load lib
load pushed

setup() {
	need_events
	need_root
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	stop_serving
	[ -z "${agent-}" ] || kill -KILL "$agent" 2>/dev/null || true
	[ -z "${load-}" ] || kill -KILL "$load" 2>/dev/null || true
	# shellcheck disable=SC2086
	[ -z "${loads-}" ] || kill -KILL $loads 2>/dev/null || true
	! mountpoint -q small 2>/dev/null || umount -l small
}

# Without a limit of memory that a busy machine reaches: there another recorder would begin. And with
# the priority of what runs beside it, or windows would come late.
start_agent() { # start_agent OPTION... : its number is in $agent, what it prints in the file log
	"$DENDRO" agent --directory windows --window 1s -e cpu-clock -F 199 --max-memory 100G --nice 0 \
		"$@" 2>>log 3>&- &
	agent=$!
}

# Runs without end, and leaves the agent's processes, which have low priority, their share of the
# processors: the kernel shares those among sessions.
busy() { # busy COMMAND... : its number is added to $loads
	setsid "$@" 3>&- >/dev/null &
	loads+=" $!"
}

end_agent() {
	kill -TERM "$agent"
	wait "$agent"
	agent=
}

windows() { # windows [FOLDER] : their names, in order
	find "${1:-windows}" -maxdepth 1 -name '*.cct' 2>/dev/null | sort
}

has_windows() { # has_windows N [FOLDER] : at least so many
	[ "$(windows "${2:-windows}" | wc -l)" -ge "$1" ]
}

# The process that records has counters; those that build profiles have none.
has_counters() { # has_counters PID
	find "/proc/$1/fd" -lname 'anon_inode:\[perf_event\]' 2>/dev/null | grep -q .
}

recorder_of() { # recorder_of PID
	local child
	for child in $(ps -o pid= --ppid "$1"); do
		! has_counters "$child" || echo "$child"
	done
}

# One that has no window reads /dev/null.
builder_of() { # builder_of PID : that of the window at hand, or of one that has just ended
	local child newest=
	for child in $(ps -o pid= --ppid "$1"); do
		[[ "$(readlink "/proc/$child/fd/0")" != pipe:* ]] || has_counters "$child" || newest=$child
	done
	echo "$newest"
}

builders_of() { # builders_of PID : all of them, sorted
	local child
	for child in $(ps -o pid= --ppid "$1"); do
		[ "$(cat "/proc/$child/comm")" != "dendro build" ] || echo "$child"
	done | sort
}

of_sum() { # of_sum JQ-FILTER : of a report of all windows
	"$DENDRO" report --format json --view functions $(windows) | jq -r "$1"
}

@test "windows follow one another without a gap, and have all samples" {
	start_agent
	wait_until has_windows 4
	end_agent
	expect_equal "times" "$(of_sum '.watched.times | length')" 1
	expect_equal "missing" "$(of_sum '.watched.missing | length')" 0
	expect_equal "samples" "$(of_sum '.metrics[0].samples')" \
		"$(for file in $(windows); do
			"$DENDRO" report --format json --view functions "$file" | jq '.metrics[0].samples'
		done | jq -s add)"
	# Samples have what the counters have, but for those that were lost.
	of_sum '.metrics[0] | [.total, .counted] | @tsv' >costs
	awk '{ exit !($1 > 0 && $1 <= $2 * 1.02) }' costs
	# The first and the last may be shorter; those between are of a second, and of dendro's time.
	for file in $(windows | sed '1d;$d'); do
		[[ "$file" == *.[0-9][0-9][0-9]Z++([0-9]).[0-9][0-9][0-9]s.cct ]]
		"$DENDRO" report --format json --view functions "$file" |
			jq -e '.watched.own_cpu_ns > 0 and .watched.own_memory_bytes > 1000000'
	done
	run "$DENDRO" report $(windows)
	[[ "$output" == *"watched     20"*"dendro took "*"% of a CPU, at most "*" of memory"* ]]
}

@test "who was busy is in them, by call path" {
	busy "$WORKLOADS/cxx" 600
	start_agent
	wait_until has_windows 3
	end_agent
	of_sum '.rows[].name' | grep -q . # and names were found
	"$DENDRO" report --format json --view processes $(windows) | jq -e '.rows | any(.name | startswith("cxx"))'
	"$DENDRO" report --format json --view functions --comm cxx $(windows) |
		jq -e '.rows | any(.kind == "user" and .total[0] > 0)'
}

@test "profiles are for their owner alone" {
	start_agent
	wait_until has_windows 1
	end_agent
	expect_equal "folder" "$(stat -c %a windows)" 700
	expect_equal "profiles" "$(stat -c %a windows/* | sort -u)" 600
	chmod 755 "$BATS_TEST_TMPDIR" windows
	local result=0
	start_agent
	wait "$agent" || result=$?
	agent=
	[ $result -eq 1 ]
	grep -q "'windows' is not for its owner alone" log
}

@test "a folder has one agent" {
	start_agent
	wait_until has_windows 1
	run "$DENDRO" agent --directory windows
	[ "$status" -eq 1 ]
	[[ "$output" == *"another dendro agent writes to 'windows'"* ]]
	end_agent
}

@test "kill -9 loses windows that have no file yet, and the next agent goes on" {
	start_agent
	wait_until has_windows 2
	local recorder
	recorder=$(recorder_of "$agent")
	kill -KILL "$agent"
	wait "$agent" || true
	gone() { ! kill -0 "$recorder" 2>/dev/null; }
	wait_until gone
	local before
	before=$(windows | wc -l)
	: >windows/77.tmp
	start_agent
	wait_until has_windows $((before + 2))
	end_agent
	grep -q 'unfinished file' log
	[ -z "$(find windows -name '*.tmp')" ]
	# On a busy machine, a window before the one at hand may still have been without its file.
	[ "$(of_sum '.watched.times | length')" -ge 2 ]
	expect_equal "missing" "$(of_sum '.watched.missing | length')" "$(of_sum '.watched.times | length - 1')"
	run "$DENDRO" report $(windows)
	[[ "$output" == *"not recorded: 20"* ]]
}

@test "a builder that ends loses its window, a recorder is started again" {
	start_agent
	wait_until has_windows 1
	kill -KILL "$(builder_of "$agent")"
	lost() { grep -q 'this window is lost' log && grep -q '[1-9][0-9]* samples\? \(is\|are\) lost with their window' log; }
	wait_until lost
	local before
	before=$(windows | wc -l)
	wait_until has_windows $((before + 2))
	kill -KILL "$(recorder_of "$agent")"
	again() { grep -q 'the process that records was ended by signal 9' log; }
	wait_until again
	before=$(windows | wc -l)
	wait_until has_windows $((before + 2))
	end_agent
	[ -z "$(find windows -name '*.tmp')" ]
	[ "$(of_sum '.watched.missing | length')" -ge 1 ]
}

@test "a builder that hangs is ended, and recording goes on" {
	start_agent --metrics agent.prom
	wait_until has_windows 1
	kill -STOP "$(builder_of "$agent")"
	hangs() { grep -q 'the process that builds the profile hangs' log; }
	wait_until hangs
	lost() { grep -q 'was ended by signal 9 (Killed): this window is lost' log; }
	wait_until lost
	grep -q '[1-9][0-9]* samples\? \(is\|are\) lost with their window' log
	local before
	before=$(windows | wc -l)
	wait_until has_windows $((before + 2))
	end_agent
	grep -qx 'dendro_agent_windows_lost_total 1' agent.prom
	grep -qx 'dendro_agent_recorder_starts_total 1' agent.prom
	expect_equal "lost samples" "$(sed -n 's/^dendro_agent_samples_lost_total //p' agent.prom)" \
		"$(sed -n 's/.*: \([0-9]*\) samples\? .* lost with their window.$/\1/p' log)"
	[ "$(of_sum '.watched.missing | length')" -ge 1 ]
}

@test "processes build one window after the other, with the names of each" {
	busy "$WORKLOADS/cxx" 600
	start_agent
	wait_until has_windows 3
	local some
	some=$(builders_of "$agent")
	wait_until has_windows $(($(windows | wc -l) + 4))
	# They take turns; only where one was still busy is there a third one.
	[ -n "$(comm -12 <(echo "$some") <(builders_of "$agent"))" ]
	local ended=$agent
	end_agent
	expect_equal "processes that are left" "$(ps -o pid= --ppid "$ended" || true)" ""
	# The first and the last may be short. A busy machine may keep the program waiting.
	local file n=0
	for file in $(windows | sed '1d;$d'); do
		n=$((n + 1))
		"$DENDRO" report --format json --view functions --comm cxx "$file" >functions
		jq -e '.metrics[0].samples == 0 or any(.rows[]; .name == "main")' functions
	done
	[ $n -ge 4 ]
	expect_equal "lost" "$(grep 'window is lost\|lost with their window' log || true)" ""
}

record_window() { # record_window FILE : a second of this machine, as the agent's recorder passes it on
	"$DENDRO" record -q -a -d 1 -e cpu-clock -F 499 --no-deep-stacks -o - >"$1"
}

@test "what a process keeps from other windows leaves a profile the same" {
	[ -x "$WINDOWS" ] || skip "tests/bench/windows is not built"
	busy "$WORKLOADS/cxx" 600
	busy "$WORKLOADS/no_cfi" 600
	record_window a
	record_window b
	# shellcheck disable=SC2086
	kill -KILL $loads
	mkdir fresh_a fresh_b kept
	"$WINDOWS" fresh_a a
	"$WINDOWS" fresh_b b
	"$WINDOWS" kept a b a b
	cmp kept/0.cct fresh_a/0.cct
	cmp kept/1.cct fresh_b/0.cct
	cmp kept/2.cct fresh_a/0.cct
	cmp kept/3.cct fresh_b/0.cct
	"$DENDRO" report --format json --view functions kept/3.cct | jq -e '.metrics[0].samples > 0'
}

@test "a builder that has no window is replaced if it ends" {
	start_agent
	wait_until has_windows 3
	local builder idle=
	find_idle() {
		for builder in $(builders_of "$agent"); do
			[[ "$(readlink "/proc/$builder/fd/0")" == pipe:* ]] || idle=$builder
		done
		[ -n "$idle" ]
	}
	# One that has just been seen may end before.
	kill_idle() { find_idle && kill -KILL "$idle" 2>/dev/null; }
	wait_until kill_idle
	wait_until has_windows $(($(windows | wc -l) + 4))
	expect_equal "that process" "$(builders_of "$agent" | grep -x "$idle" || true)" ""
	end_agent
}

@test "a full disk loses windows, and no more" {
	mkdir small
	mount -t tmpfs -o size=256k,mode=700 tmpfs small || skip "no file system can be mounted here"
	start_agent --directory small
	full() { grep -q 'window is lost\|it is lost' log; }
	dd if=/dev/zero of=small/filler bs=1k 2>/dev/null || true
	wait_until full
	rm small/filler
	local before
	before=$(windows small | wc -l)
	wait_until has_windows $((before + 2)) small
	end_agent
	for file in $(windows small); do
		"$DENDRO" report --view processes "$file" >/dev/null
	done
}

@test "a report shows a time, and what is missing in it" {
	start_agent
	wait_until has_windows 3
	end_agent
	local first last middle
	first=$(of_sum '.watched.times[0].from' | sed 's/\..*//; s/T/ /')
	last=$(date -u +'%F %T' -d "$(of_sum '.watched.times[-1].to') + 1 second")
	middle=$(date -u +'%F %T' -d "$first UTC + 2 seconds")
	export TZ=UTC
	samples() { "$DENDRO" report --format json --view functions "$@" windows | jq '.metrics[0].samples'; }
	expect_equal "both parts" "$(($(samples --from "$first" --to "$middle") +
		$(samples --from "$middle" --to "$last")))" "$(of_sum '.metrics[0].samples')"
	expect_equal "all" "$(samples --from "$first")" "$(of_sum '.metrics[0].samples')"
	[ "$(samples --from "$middle" --to "$last")" -lt "$(of_sum '.metrics[0].samples')" ]
	"$DENDRO" report --format json --view functions --from "$(date -d '2 days ago' +%F)" windows |
		jq -e '(.watched.missing | length) == 2 and .watched.asked.from and .watched.missing[0].to == .watched.times[0].from'
	run "$DENDRO" report --from -3d --comm dendro windows
	[ "$status" -eq 0 ]
	[[ "$output" == *"watched     20"*"not recorded: 20"*"excluded by filters"* ]]
	run "$DENDRO" report --from "2001-01-01" --to "2001-01-02" windows
	[ "$status" -eq 1 ]
	[[ "$output" == *"nothing was recorded then: 'windows' has profiles from 20"* ]]
	mkdir empty
	run "$DENDRO" report --from -1h empty
	[ "$status" -eq 1 ]
	[[ "$output" == *"'empty' has no profiles: does 'dendro agent' run"* ]]
	run "$DENDRO" report --from yesterday windows
	[ "$status" -eq 129 ]
	[[ "$output" == *"--from takes a local time such as 02:10"*"not 'yesterday'."* ]]
	run "$DENDRO" report --to -1h --from -30m windows
	[ "$status" -eq 129 ]
	run "$DENDRO" report --from -1h windows empty
	[ "$status" -eq 129 ]
}

@test "two times are compared" {
	start_agent
	wait_until has_windows 4
	busy "$WORKLOADS/cxx" 600
	wait_until has_windows 7
	end_agent
	local first middle last
	first=$(of_sum '.watched.times[0].from' | sed 's/\..*//; s/T/ /')
	middle=$(date -u +'%F %T' -d "$first UTC + 3 seconds")
	last=$(date -u +'%F %T' -d "$(of_sum '.watched.times[-1].to') + 1 second")
	export TZ=UTC
	"$DENDRO" diff --format json --view processes --from "$middle" --to "$last" --versus "$first..$middle" windows >changes
	expect_equal "samples" "$(jq '[.runs[].samples] | add' changes)" "$(of_sum '.metrics[0].samples')"
	jq -e --arg before "$first to $middle" '.runs | length == 2 and .[0].file == $before and .[0].side == "before"' changes
	jq -e '.rows | any(.name == "cxx" and .self.after > .self.before)' changes
	run "$DENDRO" diff --from "$middle" --to "$last" --versus "2001-01-01..2001-01-02" windows
	[ "$status" -eq 2 ]
	[[ "$output" == *"nothing was recorded then"* ]]
	run "$DENDRO" diff --from "$middle" windows
	[ "$status" -eq 129 ]
	[[ "$output" == *"--from and --versus say which two times are compared"* ]]
	run "$DENDRO" diff --from "$middle" --versus "2026..2027" windows
	[ "$status" -eq 129 ]
	[[ "$output" == *"--versus takes a local time"* ]]
}

@test "windows become longer ones as they age, with all samples and times" {
	start_agent --merge 3s,9s
	long() { windows | grep -q 'Z+[6-9]\.'; }
	wait_until long
	end_agent
	expect_equal "times" "$(of_sum '.watched.times | length')" 1
	expect_equal "journals and temporary files" "$(find windows -name journal -o -name '*.tmp')" ""
	local file
	file=$(windows | grep 'Z+[6-9]\.' | head -1)
	# The processor's time of each part of it is that of its samples.
	"$DENDRO" report --format json --view functions "$file" | jq -e '.metrics[0].samples > 0 and
		.watched.own_cpu_ns > 0 and .watched.watched_ns > 5e9'
	expect_equal "cost of all threads" \
		"$("$DENDRO" report --format json --view threads "$file" | jq '[.rows[].self[0]] | add')" \
		"$("$DENDRO" report --format json --view threads "$file" | jq '.metrics[0].total')"
}

@test "details are left out an hour later, unless they are kept" {
	local option hour file minute
	hour=$(date -u -d '-4 hours' +%Y%m%dT%H)
	is_merged() { [ "$(windows | grep -c "/$hour")" -eq 1 ]; }
	start_agent
	wait_until has_windows 4
	end_agent
	mv windows young
	# shellcheck disable=SC2046
	"$DENDRO" merge -o all.cct $(windows young)
	"$DENDRO" merge --join-processes --by-minute --join-addresses --fold-once -o thin.cct all.cct
	for option in --quiet --keep-details; do
		rm -rf windows
		mkdir -m 700 windows
		minute=10
		for file in $(windows young); do
			cp "$file" "windows/$hour${minute}00.000Z+1.000s.cct"
			minute=$((minute + 1))
		done
		start_agent --merge 1h "$option"
		wait_until is_merged
		end_agent
		"$DENDRO" report --format json "$(windows | head -1)" >aged.json
		expect_equal "samples" "$(jq '.metrics[0] | [.samples, .total]' aged.json)" \
			"$("$DENDRO" report --format json all.cct | jq '.metrics[0] | [.samples, .total]')"
		if [ "$option" = --quiet ]; then
			[ "$(jq .quality.folded aged.json)" -gt 0 ]
			expect_equal "joined addresses" "$(jq .quality.joined_addresses aged.json)" \
				"$("$DENDRO" report --format json thin.cct | jq .quality.joined_addresses)"
			expect_equal "tree" "$(jq .nodes aged.json)" \
				"$("$DENDRO" report --format json thin.cct | jq .nodes)"
			expect_equal "short processes" "$(jq .quality.short_processes aged.json)" \
				"$("$DENDRO" report --format json thin.cct | jq .quality.short_processes)"
			"$DENDRO" merge -o again.cct "$(windows | head -1)" 2>note
			grep -q "sums of samples in slices of 67" note
		fi
	done
	expect_equal "folded" "$(jq .quality.folded aged.json)" 0
	expect_equal "joined addresses" "$(jq .quality.joined_addresses aged.json)" 0
	expect_equal "short processes" "$(jq .quality.short_processes aged.json)" 0
	"$DENDRO" merge -o kept.cct "$(windows | head -1)" 2>note
	expect_equal "notes" "$(cat note)" ""
}

@test "processes that start and end do not make it grow" {
	local i recorder small
	mkdir programs
	for ((i = 0; i < 50; i++)); do
		cp "$(type -P true)" "programs/$i"
		echo $i >>"programs/$i" # so that each is a file of its own
	done
	storm() { # storm N : starts so many processes, and waits until they are in a window
		local n
		for ((n = 0; n < $1; n++)); do
			"programs/$((n % 50))"
		done
		n=$(windows | wc -l)
		wait_until has_windows $((n + 2))
	}
	memory() { sed -n 's/^RssAnon:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$recorder/status"; }
	start_agent
	wait_until has_windows 1
	recorder=$(recorder_of "$agent")
	storm 300
	small=$(memory)
	storm 1200
	# What waits to be written comes and goes; what leaks stays.
	is_flat() { [ "$(memory)" -le $((small + 4096)) ]; }
	wait_until is_flat
	end_agent
	expect_equal "recorders" "$(grep -c 'recording begins again' log)" 0
	[ "$(of_sum '.metrics[0].samples')" -gt 0 ]
}

@test "a window goes on while a process still reads the one before, and nothing is lost" {
	local i late before
	for ((i = 0; i < $(nproc); i++)); do
		busy sh -c 'while :; do :; done'
	done
	start_agent --window 2s --metrics agent.prom
	wait_until has_windows 1
	is_long() { windows | sed 's/.*+\([0-9]*\)[.].*/\1/' | sort -n | tail -1 | grep -Eq '^([4-9]|..+)$'; }
	has_builder() { late=$(builder_of "$agent") && [ -n "$late" ]; }
	# At the very end of a window, a process has nothing to read any more that could wait.
	for ((i = 0; i < 5; i++)); do
		wait_until has_builder
		before=$(windows | wc -l)
		kill -STOP "$late"
		sleep 8
		kill -CONT "$late"
		wait_until has_windows $((before + 3))
		! is_long || break
	done
	end_agent
	windows
	is_long
	expect_equal "lost samples" "$(of_sum .quality.lost)" 0
	expect_equal "missing" "$(of_sum '.watched.missing | length')" 0
}

@test "a process that reads its window for longer than a minute does not end the recording" {
	local i late
	start_agent --window 2s
	wait_until has_windows 1
	has_builder() { late=$(builder_of "$agent") && [ -n "$late" ]; }
	wait_until has_builder
	kill -STOP "$late"
	for ((i = 0; i < 3; i++)); do # it takes some CPU time, as a process that waits for a processor
		sleep 22
		kill -CONT "$late"
		sleep 0.01
		kill -STOP "$late"
	done
	kill -CONT "$late"
	wait_until has_windows 3
	end_agent
	windows
	expect_equal "recorders" "$(grep -c 'recording begins again' log)" 0
	expect_equal "missing" "$(of_sum '.watched.missing | length')" 0
}

@test "the oldest are removed" {
	start_agent --keep 3s
	removed() { grep -q 'removed the oldest [0-9]* files\? ([0-9.]* [KMG]iB), up to 20.*\.cct\.' log; }
	wait_until removed
	expect_equal "many files" "$(($(windows | wc -l) > 20))" 0
	end_agent
	rm log
	start_agent --keep 40K --merge never
	wait_until removed
	end_agent
	expect_equal "too large" "$(($(du -k windows/*.cct | awk '{ n += $1 } END { print n }') > 120))" 0
}

@test "a service's manager hears that it is ready, goes on, and ends" {
	need python3
	python3 "$BATS_TEST_DIRNAME/notify_socket.py" "$PWD/socket" >heard 3>&- &
	load=$!
	wait_until test -S socket
	heard() { grep -qx "$1" heard; }
	NOTIFY_SOCKET=$PWD/socket WATCHDOG_USEC=400000 start_agent
	wait_until heard READY=1
	[ "$(grep -c WATCHDOG=1 heard)" -ge 1 ]
	local before
	before=$(grep -c WATCHDOG=1 heard)
	more() { [ "$(grep -c WATCHDOG=1 heard)" -gt $((before + 2)) ]; }
	wait_until more
	end_agent
	wait_until heard STOPPING=1
	expect_equal "ready" "$(grep -c READY=1 heard)" 1
	NOTIFY_SOCKET=$PWD/nowhere start_agent
	local result=0
	wait "$agent" || result=$?
	agent=
	[ $result -eq 1 ]
	grep -q 'cannot reach the socket of NOTIFY_SOCKET: No such file' log
}

@test "the watchdog of another process is not fed" {
	need python3
	python3 "$BATS_TEST_DIRNAME/notify_socket.py" "$PWD/socket" >heard 3>&- &
	load=$!
	wait_until test -S socket
	NOTIFY_SOCKET=$PWD/socket WATCHDOG_USEC=100000 WATCHDOG_PID=1 start_agent
	wait_until has_windows 1
	end_agent
	grep -q READY=1 heard
	expect_equal "fed" "$(grep -c WATCHDOG=1 heard)" 0
}

@test "the unit of systemd is right, and its capabilities suffice" {
	need systemd-analyze setpriv
	local unit=$ROOT/docs/systemd/dendro-agent.service capabilities
	sed "s|^ExecStart=[^ ]*|ExecStart=$DENDRO|; /^Documentation=/d" "$unit" >dendro-agent.service
	systemd-analyze verify "$PWD/dendro-agent.service"
	systemd-analyze security --offline=true --threshold=30 "$PWD/dendro-agent.service" >/dev/null
	capabilities=$(sed -n 's/^CapabilityBoundingSet=//p' "$unit" | tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g')
	setpriv --bounding-set "-all,$capabilities" --inh-caps=-all "$DENDRO" agent --directory windows \
		--window 1s -e cpu-clock 2>log 3>&- &
	agent=$!
	wait_until has_windows 2
	end_agent
	of_sum '.rows[].kind' | grep -q kernel
	of_sum '.rows[].kind' | grep -q user
}

@test "the unit that sends is right" {
	need systemd-analyze
	local unit
	for unit in dendro-push.service dendro-push.timer; do
		sed "s|^ExecStart=[^ ]*|ExecStart=$DENDRO|; /^Documentation=/d" "$ROOT/docs/systemd/$unit" >$unit
	done
	systemd-analyze verify "$PWD/dendro-push.service" "$PWD/dendro-push.timer"
	systemd-analyze security --offline=true --threshold=30 "$PWD/dendro-push.service" >/dev/null
}

pushed_samples() { # of cpu-clock, by the server
	jq '[.types[] | .samples] | add' received/totals.json
}

has_pushed() { # has_pushed SAMPLES
	[ "$(pushed_samples)" = "$1" ]
}

is_spool_empty() {
	[ "$(find windows/spool -name '*.request' | wc -l)" = 0 ]
}

number_of() { # number_of NAME : of the metrics, once there are any
	[ ! -e agent.prom ] || awk -v name="dendro_agent_$1" '$1 == name { print $2 }' agent.prom
}

@test "--push sends each window to a server, once" {
	need_sender
	serve
	no_proxy='*' start_agent --metrics agent.prom --push "pyroscope+http://127.0.0.1:$port"
	wait_until has_windows 3
	end_agent
	# On a busy machine, the last ones may be pushed after its end.
	wait_until has_pushed "$(of_sum '.metrics[0].samples')"
	expect_equal "broken rules" "$(jq -c .broken received/totals.json)" '[]'
	expect_equal "counted twice" "$(jq .repeated received/totals.json)" 0
	wait_until is_spool_empty
	grep -q 'still being pushed' log || expect_equal "waiting, by the metrics" "$(number_of push_requests_waiting)" 0
	expect_equal "failures" "$(number_of push_failures_total)" 0
	expect_equal "mode" "$(stat -c %a windows/spool)" 700
}

is_counted() { [ "$(number_of "$1" | grep -c '[1-9]')" = 1 ]; }

@test "while the server is away windows wait, and another process may send them" {
	need_sender
	serve
	stop_serving
	export no_proxy='*'
	start_agent --metrics agent.prom --push "otlp+http://127.0.0.1:$port"
	wait_until is_counted push_failures_total
	wait_until is_counted push_requests_waiting
	end_agent
	local n
	n=$(find windows/spool -name '*.request' | wc -l)
	[ "$n" -gt 0 ]
	# The next one leaves them there, as the unit without a network does.
	start_agent --metrics agent.prom --push "otlp+http://127.0.0.1:$port" --no-send
	more() { [ "$(find windows/spool -name '*.request' | wc -l)" -gt "$n" ]; }
	wait_until more
	end_agent
	serve --port "$port"
	"$DENDRO" push --spool windows/spool --to "otlp+http://127.0.0.1:$port"
	expect_equal "left" "$(find windows/spool -name '*.request' | wc -l)" 0
	expect_equal "broken rules" "$(jq -c .broken received/totals.json)" '[]'
}

@test "a full spool drops the oldest requests, and the metrics count them" {
	need_sender
	serve
	stop_serving
	mkdir -m 700 windows windows/spool
	# A little less than all there is room for, so the first windows are too much beside it. Those of
	# any number of minutes have room without it.
	head -c 4190000 /dev/zero >windows/spool/00000000000000000001-1.request
	printf '[push]\nmax-spool = 4M\n[agent]\npush = otlp+http://127.0.0.1:%s\n' "$port" >config
	chmod 600 config
	no_proxy='*' "$DENDRO" --config config agent --directory windows --window 1s -e cpu-clock -F 49 \
		--nice 0 --metrics agent.prom --no-send 2>>log 3>&- &
	agent=$!
	wait_until is_counted push_requests_dropped_total
	end_agent
	expect_equal "requests" "$(number_of push_requests_dropped_total)" 1
	expect_equal "bytes" "$(number_of push_requests_dropped_bytes_total)" 4190000
	[ ! -e windows/spool/00000000000000000001-1.request ]
	[ "$(cat windows/spool/*.request | wc -c)" -le $((4 << 20)) ]
}

@test "what can't be pushed is refused before anything is recorded" {
	refuses "the URL of --push" -- "$DENDRO" agent --directory windows --push ftp://host
	[ ! -e windows ]
}

@test "metrics are what node_exporter reads" {
	start_agent --metrics agent.prom
	wait_until has_windows 3
	wait_until test -s agent.prom
	end_agent
	number() { awk -v name="dendro_agent_$1" '$1 == name { print $2 }' agent.prom; }
	expect_equal "windows" "$(number windows_total)" "$(windows | wc -l)"
	expect_equal "files" "$(number files)" "$(windows | wc -l)"
	expect_equal "lost" "$(number windows_lost_total)" 0
	expect_equal "lost samples" "$(number samples_lost_total)" 0
	expect_equal "starts" "$(number recorder_starts_total)" 1
	expect_equal "CPU time" "$(number cpu_seconds_total | awk '{ printf "%.0f", $1 * 1e9 }')" \
		"$(of_sum '.watched.own_cpu_ns')"
	[ "$(number memory_bytes)" -gt 1000000 ]
	expect_equal "end" "$(number last_window_timestamp_seconds | cut -d . -f 1)" \
		"$(date +%s -d "$(of_sum '.watched.times[-1].to')")"
	# Each sample has a type and a help before it, and nothing else is there.
	awk '/^# HELP dendro_agent_[a-z_]+ [A-Z]/ { help = $3; next }
		/^# TYPE dendro_agent_[a-z_]+ (counter|gauge)$/ { if ($3 != help) exit 1; type = $3; next }
		!/^dendro_agent_[a-z_]+ [0-9.]+$/ || $1 != type { exit 1 }' agent.prom
	expect_equal "mode" "$(stat -c %a agent.prom)" 644
	[ ! -e agent.prom.tmp ]
	start_agent --metrics /nowhere/agent.prom
	told() { grep -q "cannot write the metrics '/nowhere/agent.prom': No such file" log; }
	wait_until told
	end_agent
}

@test "SIGHUP reads the options again" {
	printf '# of the agent\n\n[agent]\nfreq = 19 # Hz\n\tkeep=30d\nmax-memory = 100G\nnice = 0\n' >config
	"$DENDRO" --config config agent --directory windows --window 1s -e cpu-clock 2>>log 3>&- &
	agent=$!
	wait_until has_windows 3
	period() { # period WINDOW : of its samples, on average, in ns
		"$DENDRO" report --format json --view functions "$1" |
			jq '.metrics[0] | if .samples > 0 then .total / .samples | floor else 0 end'
	}
	is_fast() { # the newest window; those before the signal may come late
		local fast
		fast=$(period "$(windows | tail -1)")
		[ "$fast" -gt 0 ] && [ "$slow" -gt $((3 * fast)) ]
	}
	local slow before
	slow=$(period "$(windows | sed -n 2p)")
	printf '[agent]\nfreq = 99\nmax-memory = 100G\nnice = 0\n' >config
	kill -HUP "$agent"
	reread() { grep -q 'the options were read again' log; }
	wait_until reread
	wait_until is_fast
	printf '[agent]\nfreq = often\n' >config
	kill -HUP "$agent"
	same() { grep -q 'the options stay as they were' log; }
	wait_until same
	grep -q "freq takes a rate in Hz, or max, not 'often'" log
	before=$(windows | wc -l)
	wait_until has_windows $((before + 2))
	end_agent
	run "$DENDRO" --config /nowhere/config agent
	[ "$status" -eq 129 ]
	[[ "$output" == *"/nowhere/config: No such file or directory."* ]]
	printf '[agent]\nfrequently = 3\n' >config
	run "$DENDRO" --config config agent
	[ "$status" -eq 129 ]
	[[ "$output" == *"config:2: agent has no option 'frequently'"* ]]
}

@test "the rate goes down before it takes more than it may, and costs stay right" {
	local i
	for ((i = 0; i < $(nproc); i++)); do
		busy sh -c 'while :; do :; done'
	done
	# It cannot be held: the rate becomes 1 Hz.
	start_agent --max-cpu 0.01 --metrics agent.prom
	slow() { grep -qx 'dendro_agent_rate_hertz 1' agent.prom; }
	wait_until test -s agent.prom
	wait_until slow
	wait_until has_windows $(($(windows | wc -l) + 5))
	end_agent
	grep -q ' Hz instead of 199: a window took [0-9.]*% of a CPU and [0-9.]* MiB of memory' log
	# All CPUs were busy all the time, at both rates, so all of it is in the samples.
	of_sum '.metrics[0] | [.total, .counted] | @tsv' >costs
	awk '{ exit !($1 > 0.6 * $2 && $1 < 1.3 * $2) }' costs
	of_sum '.watched | .slow_ns > 0 and .slow_ns < .watched_ns' | grep -qx true
	expect_equal "first" "$("$DENDRO" report --format json --view functions \
		"$(windows | head -1)" | jq .watched.slow_ns)" null
	run "$DENDRO" report $(windows)
	[[ "$output" == *"the rate of samples was lower"* ]]
	rm -r windows log
	# Each window has a part that does not depend on its length: a second is too short for it.
	start_agent --max-memory 100G --max-cpu 100 --window 5s
	wait_until has_windows 4
	end_agent
	cat log # shown if it fails
	expect_equal "changes" "$(grep -c 'instead of' log)" 0
	expect_equal "slow" "$(of_sum .watched.slow_ns)" null
}

@test "what it cannot do is refused" {
	run "$DENDRO" agent --max-cpu 0
	[ "$status" -eq 129 ]
	[[ "$output" == *"--max-cpu takes a percentage of one CPU, such as 0.5, not '0'."* ]]
	run "$DENDRO" agent --max-memory much
	[ "$status" -eq 129 ]
	[[ "$output" == *"--max-memory takes a size such as 80M, not 'much'."* ]]

	run "$DENDRO" agent --window 0.5s
	[ "$status" -eq 129 ]
	[[ "$output" == *"--window takes a time from 1 s to 1 h"* ]]
	for options in "" "--window 15s"; do
		# shellcheck disable=SC2086
		run "$DENDRO" agent $options sleep 1
		[ "$status" -eq 129 ]
		[[ "$output" == *"takes options only"* ]]
	done
	run "$DENDRO" agent --directory /nowhere/windows
	[ "$status" -eq 1 ]
	[[ "$output" == *"cannot make '/nowhere/windows': No such file or directory."* ]]
	run "$DENDRO" agent --keep 30x
	[ "$status" -eq 129 ]
	[[ "$output" == *"--keep takes a size like 500M or 2G, or a time like 48h or 30d, not '30x'."* ]]
	run "$DENDRO" agent --merge 1h,90m
	[ "$status" -eq 129 ]
	[[ "$output" == *"--merge takes times such as 1h,24h"*", not '1h,90m'."* ]]
}
