# dendro merge adds profiles up: costs are sums, and order does not matter.

# shellcheck disable=SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_switches
	cd "$BATS_FILE_TMPDIR"
	local i
	for i in 1 2 3; do
		"$DENDRO" record -q -F 997 -e cpu-clock -e page-faults -e off-cpu -o $i.data -- \
			"$WORKLOADS/threads" 0.2
		"$DENDRO" build -o $i.cct $i.data
	done
	"$DENDRO" merge -o all.cct 1.cct 2.cct 3.cct
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# Of each event: name, samples, weight, in the profiles together.
sums() { # sums FILE...
	local file
	for file; do
		"$DENDRO" report --format json "$file"
	done | jq -sc '[.[].metrics[]] | group_by(.event) |
		map([.[0].event, (map(.samples) | add), (map(.total) | add)])'
}

# Of each function: name and cost of the event with this index, in the profiles together.
functions() { # functions INDEX FILE...
	local file metric=$1
	shift
	for file; do
		"$DENDRO" report --view functions --format json "$file"
	done | jq -sc --argjson i "$metric" '[.[].rows[]] | group_by(.name) |
		map([.[0].name, (map(.total[$i]) | add)] | select(.[1] > 0))'
}

@test "samples and weights of a merged profile are sums" {
	expect_equal sums "$(sums all.cct)" "$(sums 1.cct 2.cct 3.cct)"
	local i
	for i in 0 1 2; do
		functions $i 1.cct 2.cct 3.cct >theirs
		functions $i all.cct >ours
		[ "$(jq length ours)" -gt 3 ]
		cmp theirs ours
	done
}

@test "order and grouping of what is merged do not matter" {
	"$DENDRO" merge -o other.cct 3.cct 1.cct 2.cct
	cmp all.cct other.cct
	"$DENDRO" merge -o part.cct 3.cct 2.cct
	"$DENDRO" merge -o other.cct part.cct 1.cct
	cmp all.cct other.cct
	"$DENDRO" merge -o other.cct all.cct
	cmp all.cct other.cct
	"$DENDRO" build -o other.cct 2.data 1.data 3.data
	cmp all.cct other.cct
	"$DENDRO" merge -o - 2.cct 3.cct 1.cct | cmp all.cct -
}

@test "recordings are built when they are merged" {
	"$DENDRO" merge -o other.cct 1.data 2.cct 3.data
	cmp all.cct other.cct
}

@test "a merged profile is reported and exported like others" {
	local view
	for view in tree callers functions lines modules processes; do
		"$DENDRO" report --view $view --by thread all.cct >text
		"$DENDRO" report --view $view --format csv all.cct >rows
		[ -s text ] && [ -s rows ]
	done
	"$DENDRO" export --format folded all.cct >stacks
	grep -q ";" stacks
	"$DENDRO" export --format pprof -o all.pb.gz all.cct
	# The programs ran one after the other, each with its process.
	expect_equal processes "$("$DENDRO" report --view processes --by process --format json all.cct |
		jq '[.rows[] | select(.kind == "process")] | length')" \
		"$(for i in 1 2 3; do
			"$DENDRO" report --view processes --by process --format json $i.cct
		done | jq -s '[.[].rows[] | select(.kind == "process") | .id] | unique | length')"
}

@test "a report of several files is one of their sum" {
	local group
	for group in comm process thread; do
		"$DENDRO" report --format json --by $group all.cct >theirs
		"$DENDRO" report --format json --by $group 2.cct 1.data 3.data >ours
		cmp theirs ours
	done
	"$DENDRO" report 2.cct 1.cct 3.cct | head -1 | grep -q '2.cct and 2 more, '
	"$DENDRO" report --format json -e off-cpu 1.data 2.data >ours
	expect_equal sums "$(jq -c '[.metrics[] | [.event, .samples, .total]]' ours)" \
		"$(sums 1.cct 2.cct | jq -c 'map(select(.[0] == "off-cpu"))')"
	refuses 'missing.data: No such file or directory' -- "$DENDRO" report 1.cct missing.data
}

# The first process of a profile with samples of the event.
process_of() { # process_of FILE
	"$DENDRO" report --view threads --format json "$1" | jq '[.rows[] | select(.pid)][0].pid'
}

@test "samples of a merged profile are chosen as those of its files" {
	local pid filter view
	pid=$(process_of 2.cct)
	for filter in "-e off-cpu" "--cpu 0" "--cpu 1 -e cpu-clock" "--pid $pid" "--tid $pid" \
		"-c threads" "-c sh,worker"; do
		for view in functions threads; do
			# shellcheck disable=SC2086
			"$DENDRO" report --format csv --view $view $filter 1.cct 2.data 3.cct >theirs
			# shellcheck disable=SC2086
			"$DENDRO" report --format csv --view $view $filter all.cct >ours
			cmp theirs ours
		done
	done
	[ "$("$DENDRO" report --format json --pid "$pid" all.cct | jq .quality.samples)" -lt \
		"$("$DENDRO" report --format json all.cct | jq .quality.samples)" ]
	"$DENDRO" merge -o part.cct 1.cct 2.cct
	"$DENDRO" report --view functions --format json -e off-cpu part.cct >ours
	"$DENDRO" report --view functions --format json -e off-cpu 2.data 1.data >theirs
	cmp theirs ours
}

@test "the samples of a profile are shown by CPU after merging, too" {
	"$DENDRO" report --view cpus --format json 3.cct 1.cct 2.cct >theirs
	"$DENDRO" report --view cpus --format json all.cct >ours
	cmp theirs ours
}

@test "two builds of a program are one by name" {
	local i
	mkdir old new
	cat >prog.c <<-'EOF'
		static volatile unsigned long sum;
		#ifdef NEW
		__attribute__((noinline)) unsigned long added(unsigned long n) { return n * sum; }
		#endif
		__attribute__((noinline)) void work(unsigned long n)
		{
			for (unsigned long i = 0; i < n; i++)
				sum += i * i;
		}
		int main(void)
		{
			for (int i = 0; i < 20; i++)
				work(10000000);
		#ifdef NEW
			return (int)added(0);
		#else
			return 0;
		#endif
		}
	EOF
	cc -O1 -Wl,--build-id -o old/prog prog.c
	cc -O1 -g -Wl,--build-id -DNEW -o new/prog prog.c
	for i in old new; do
		record $i.data -- $i/prog
		"$DENDRO" build -o $i.cct $i.data
	done
	"$DENDRO" merge -o apart.cct old.cct new.cct
	"$DENDRO" merge --by-name -o one.cct new.cct old.cct
	expect_equal sums "$(sums one.cct)" "$(sums old.cct new.cct)"
	expect_equal "work in two programs" 2 "$("$DENDRO" report --view functions --format json apart.cct |
		jq '[.rows[] | select(.name == "work")] | length')"
	# _start has no debug information in either build, also where the program has some.
	for i in work main _start; do
		expect_equal "$i in one" 1 "$("$DENDRO" report --view functions --format json one.cct |
			jq --arg name $i '[.rows[] | select(.name == $name and .module == "prog")] | length')"
	done
	expect_equal "programs" 1 "$("$DENDRO" report --view modules --format json one.cct |
		jq '[.rows[] | select(.name == "prog")] | length')"
}

# Of each thread: pid, tid, name and cost of all events.
threads() { # threads FILE
	"$DENDRO" report --view threads --format json "$1" | jq -c '[.rows[] | [.pid, .tid, .name, .total]] | sort'
}

@test "paths seen once are folded to shared callers" {
	local n_chosen n_folded pid
	"$DENDRO" merge --fold-once -o folded.cct 2.cct 1.cct 3.cct
	expect_equal sums "$(sums folded.cct)" "$(sums all.cct)"
	expect_equal threads "$(threads folded.cct)" "$(threads all.cct)"
	n_folded=$("$DENDRO" report --format json folded.cct | jq .quality.folded)
	[ "$n_folded" -gt 0 ]
	"$DENDRO" report folded.cct | grep -q "^ *$n_folded samples\? folded to shared callers: .* seen once"
	expect_equal "without folding" "$("$DENDRO" report --format json all.cct | jq .quality.folded)" 0
	"$DENDRO" report --view functions --format json folded.cct |
		jq -e 'any(.rows[]; .name == "[paths seen once]" and .kind == "marker" and .self[0] > 0)'
	[ "$(stat -c %s folded.cct)" -lt "$(stat -c %s all.cct)" ]
	# What is chosen of it says how many of these were.
	n_chosen=$(threads folded.cct | jq '[.[][0] | numbers] | unique[]' | while read -r pid; do
		"$DENDRO" report --format json --pid "$pid" folded.cct | jq .quality.folded
	done | jq -s add)
	expect_equal "of all processes" "$n_chosen" "$n_folded"
	"$DENDRO" merge --fold-once -o again.cct folded.cct
	cmp folded.cct again.cct
	"$DENDRO" merge -o again.cct folded.cct
	cmp folded.cct again.cct
	# With others it loses nothing.
	"$DENDRO" merge --fold-once -o part.cct 1.cct
	"$DENDRO" merge -o more.cct part.cct 2.cct 3.cct
	expect_equal sums "$(sums more.cct)" "$(sums all.cct)"
	expect_equal threads "$(threads more.cct)" "$(threads all.cct)"
}

# Of each row: what tells it, and cost and samples of its own.
rows() { # rows VIEW FILE OPTION...
	"$DENDRO" report --view "$1" --format json "${@:3}" "$2" |
		jq -c '[.rows[] | [.name, .module, .self, .total, .samples]] | sort'
}

@test "rare addresses of a function are joined, and functions keep their costs" {
	local file n view
	"$DENDRO" record -q -e cpu-clock -o many.data -- sh -c \
		'i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done'
	"$DENDRO" build -o many.cct many.data
	"$DENDRO" merge --join-addresses -o joined.cct many.cct
	for view in functions modules threads processes cpus; do
		expect_equal "$view" "$(rows $view joined.cct)" "$(rows $view many.cct)"
	done
	for file in many joined; do
		"$DENDRO" export --format folded $file.cct |
			awk '{ n = $NF; $NF = ""; sum[$0] += n }
				END { for (path in sum) printf "%s%d\n", path, sum[path] }' |
			sort >$file.paths
	done
	cmp joined.paths many.paths
	n=$("$DENDRO" report --format json joined.cct | jq .quality.joined_addresses)
	[ "$n" -gt 0 ]
	"$DENDRO" report joined.cct | grep -q "^ *$n samples\? moved to another rare address of \(its\|their\) function"
	expect_equal "without joining" "$("$DENDRO" report --format json many.cct | jq .quality.joined_addresses)" 0
	[ "$(stat -c %s joined.cct)" -lt "$(stat -c %s many.cct)" ]
	"$DENDRO" merge --join-addresses -o again.cct joined.cct
	cmp joined.cct again.cct
	# More are seen twice in a function than at an address.
	for file in many joined; do
		"$DENDRO" merge --fold-once -o folded.cct $file.cct
		"$DENDRO" report --format json folded.cct | jq .quality.folded
	done >n
	"$DENDRO" merge --join-addresses --fold-once -o both.cct many.cct
	cmp both.cct folded.cct
	[ "$(head -1 n)" -gt "$(tail -1 n)" ]
}

@test "short processes of one name are joined, and samples added up by the minute" {
	local view n
	# A loop that has more than a thousand times the samples of each program that it starts.
	"$DENDRO" record -q -F 1997 -e cpu-clock -o many.data -- sh -c \
		'i=0; while [ $i -lt 3000000 ]; do i=$((i+1)); [ $((i % 50000)) -ne 0 ] || sleep 0; done'
	"$DENDRO" build -o many.cct many.data
	"$DENDRO" merge --join-processes -o joined.cct many.cct
	"$DENDRO" merge --join-processes --by-minute -o minutes.cct many.cct 2>note
	grep -q "sums of samples in slices of 67.1 s" note
	for view in processes functions cpus modules; do
		expect_equal "$view" "$(rows $view joined.cct)" "$(rows $view many.cct)"
		expect_equal "$view by minute" "$(rows $view minutes.cct)" "$(rows $view many.cct)"
	done
	expect_equal "on CPU 0" "$(rows functions minutes.cct --cpu 0)" "$(rows functions many.cct --cpu 0)"
	n=$("$DENDRO" report --format json joined.cct | jq .quality.short_processes)
	[ "$n" -gt 1 ]
	"$DENDRO" report --view processes --by process --format json joined.cct >by_process
	expect_equal "of all rows" "$(jq '[.rows[].processes // 0] | add' by_process)" "$n"
	jq -e '[.rows[] | select(.processes) | has("id")] | any | not' by_process
	jq -e 'any(.rows[]; .name == "sleep" and .processes > 1)' by_process
	"$DENDRO" report --view processes --by process --percent-limit 0 joined.cct | grep -q "sleep ([0-9]* processes)"
	"$DENDRO" report joined.cct | grep -q "^ *$n short processes joined by name"
	expect_equal "without joining" "$("$DENDRO" report --format json many.cct | jq .quality.short_processes)" 0
	# Again, the numbers add up.
	"$DENDRO" merge --join-processes -o again.cct joined.cct
	cmp joined.cct again.cct
	[ "$(stat -c %s minutes.cct)" -lt "$(stat -c %s many.cct)" ]
}

@test "what cannot be merged is refused" {
	local size
	size=$(stat -c %s 1.cct)
	head -c $((size / 2)) 1.cct >cut.cct
	refuses 'cut.cct: the profile was cut off: it ends at byte' -- \
		"$DENDRO" merge -o x.cct 2.cct cut.cct
	cp 1.cct bad.cct
	printf '\377\377\377' | dd of=bad.cct bs=1 seek=$((size / 2)) conv=notrunc status=none
	refuses 'bad.cct: the profile is damaged: ' -- "$DENDRO" merge -o x.cct bad.cct 2.cct
	refuses 'missing.cct: No such file or directory' -- "$DENDRO" merge -o x.cct missing.cct
	[ ! -e x.cct ]
	cp 1.cct same.cct
	refuses 'same.cct is the input itself: name another file with -o' -- \
		"$DENDRO" merge -o same.cct 2.cct same.cct
	cmp 1.cct same.cct
	run "$DENDRO" merge 1.cct 2.cct
	expect_equal status "$status" 129
	[[ $output == *"name the profile's file: -o FILE.cct."* ]]
	run "$DENDRO" merge -o x.cct
	expect_equal status "$status" 129
	[[ $output == *"name the profiles to merge."* ]]
}

@test "the header of several files has the command of each" {
	record first.data -- sh -c 'true; true'
	record second.data -- env true
	local file
	"$DENDRO" merge first.data second.data -o commands.cct
	for file in commands.cct "first.data second.data"; do
		# shellcheck disable=SC2086
		COLUMNS=300 "$DENDRO" report --view functions $file >text
		grep -q "^command  *.* -o first.data -e cpu-clock -- sh -c 'true; true'$" text
		grep -q "^  *.* -o second.data -e cpu-clock -- env true$" text
	done
}
