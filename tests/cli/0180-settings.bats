# Options that files set: which of them count, what is refused, and what dendro doctor shows.

load lib

setup() {
	cd "$BATS_TEST_TMPDIR"
	unset DENDRO_CONFIG
	export XDG_CONFIG_HOME=$PWD/home
	mkdir home
}

user_file() { # user_file LINE... : the user's file
	printf '%s\n' "$@" >home/dendro.conf
}

rate() { # rate OPTION... : samples a second that dendro record would take
	"$DENDRO" "${before[@]}" record --dry-run -e cpu-clock "$@" true 2>/dev/null |
		sed -n 's/^events .* \([0-9]*\) times a second.*/\1/p'
}

@test "the command line wins over --config, that over the environment, that over the user's file" {
	need_events
	local before=()
	user_file '[record]' 'freq = 11 # Hz' '[report]' 'min = 3'
	expect_equal user "$(rate)" 11
	printf '[record]\nfreq = 12\n' >of_variable
	export DENDRO_CONFIG=$PWD/of_variable
	expect_equal environment "$(rate)" 12
	printf '[record]\nfreq = 13\n' >of_option
	before=(--config of_option)
	expect_equal --config "$(rate)" 13
	expect_equal "command line" "$(rate -F 14)" 14
	expect_equal "taken back" "$(rate --no-freq)" 997
	# Of options that contradict each other, the stronger one counts.
	expect_equal opposite "$("$DENDRO" --config of_option record --dry-run -e cpu-clock -c 1000 true |
		grep -c '^events .*one in 1000,')" 1
	before=()
	DENDRO_CONFIG='' expect_equal "no files" "$(DENDRO_CONFIG='' rate)" 997
}

@test "the machine's file is the weakest, and root leaves out what others can write" {
	need_root
	need_events
	need unshare
	unshare -m true || skip "no mount namespaces here"
	local before=()
	cp -a /etc etc
	printf '[record]\nfreq = 21\n' >etc/dendro.conf
	in_that_etc() {
		unshare -m bash -c 'mount --bind etc /etc && "$@"' - "$DENDRO" record --dry-run -e cpu-clock true
	}
	in_that_etc | grep '^events .* 21 times'
	user_file '[record]' 'freq = 22'
	in_that_etc | grep '^events .* 22 times'
	chown 1234 home/dendro.conf
	in_that_etc 2>notes | grep '^events .* 21 times'
	grep -qF "dendro: $PWD/home/dendro.conf is left out: it belongs to user 1234, and root obeys root's files alone." notes
	chmod 666 etc/dendro.conf
	in_that_etc 2>notes | grep '^events .* 997 times'
	grep -q "^dendro: /etc/dendro.conf is left out: everybody can write it: chmod o-w.$" notes
}

@test "a report has the settings of its section and of all, and is as with options" {
	need_events
	"$DENDRO" record -q -e cpu-clock -F 997 -o a.data -- "$WORKLOADS/call_graph" 2>/dev/null ||
		"$DENDRO" record -q -e cpu-clock -F 997 -o a.data -- bash -c 'for ((i = 0; i < 200000; i++)); do :; done'
	"$DENDRO" report --min 10 --view functions --color always a.data >with_options
	"$DENDRO" report a.data >without
	! cmp -s with_options without
	user_file '[report]' 'min = 10' 'view = functions' '[all]' 'color = always'
	cmp with_options <("$DENDRO" report a.data)
	cmp without <("$DENDRO" report --no-min --no-view --no-color a.data)
	cmp without <(DENDRO_CONFIG='' "$DENDRO" report a.data)
	# Of a format for programs nothing changes that was not set.
	DENDRO_CONFIG='' "$DENDRO" report --format json a.data >plain.json
	user_file '[record]' 'freq = 1' '[all]' 'no-pager = true' 'color = always'
	cmp plain.json <("$DENDRO" report --format json a.data)
}

@test "what is wrong names file, line and the nearest name, and no command runs but the doctor" {
	local wrong
	refused() { # refused MESSAGE LINE...
		local message=$1
		shift
		user_file "$@"
		run "$DENDRO" report /nowhere
		expect_equal "status of $*" "$status" 129
		expect_equal "message for $*" "${lines[0]}" "dendro: $PWD/home/dendro.conf:$message"
	}
	refused "2: record has no option 'frq'; did you mean freq?" '[record]' 'frq = 1'
	refused "2: there is no command 'recrd'; did you mean record?" '[recrd]' 'freq = 1'
	refused "3: 'pid' can't be set in a file: it says what one run records." '[record]' '' 'pid = 1'
	refused "2: 'comm' can't be set in a file: reports would leave samples out without a word." '[report]' 'comm = x'
	refused "2: 'output' can't be set in a file: it names the files of one run." '[record]' 'output = /etc/passwd'
	refused "1: a setting needs a section above it, such as [record]." 'freq = 1'
	refused "2: the line has a control character." '[record]' $'freq = \e[31m'
	# Values are those of the option.
	user_file '[report]' 'min = much'
	run "$DENDRO" report /nowhere
	expect_equal status "$status" 129
	[[ "${lines[0]}" == "dendro report: $PWD/home/dendro.conf:2: min takes a percentage from 0 to 100, not 'much'." ]]
	[[ "$output" == *"'dendro doctor settings' shows them."* ]]
	user_file '[record]' 'frq = 1'
	run "$DENDRO" doctor settings
	expect_equal status "$status" 1
	[[ "$output" == *"dendro.conf:2: record has no option 'frq'"* ]]
	"$DENDRO" help >/dev/null
	"$DENDRO" version >/dev/null
	DENDRO_CONFIG=/nowhere/file run "$DENDRO" report
	expect_equal status "$status" 129
	expect_equal message "${lines[0]}" "dendro: /nowhere/file: No such file or directory."
	rm home/dendro.conf
	run "$DENDRO" report --config x
	[[ "${lines[0]}" == "dendro report: --config stands before the command: dendro --config FILE report." ]]
}

@test "dendro doctor shows each setting, where it is, and what replaces it" {
	need jq
	user_file '[record]' 'freq = 11' 'event = "cpu-clock"'
	printf '[all]\nfreq = 12\n' >more
	"$DENDRO" --config more doctor settings >out
	grep -qFx "  [record] freq = 11, of $PWD/home/dendro.conf:2; replaced by more:2" out
	grep -qFx "  [record] event = cpu-clock, of $PWD/home/dendro.conf:3" out
	grep -qFx "  [all] freq = 12, of more:2" out
	expect_equal json "$("$DENDRO" --config more doctor --json settings |
		jq -c '.settings[] | [.command, .option, .value, .line, .counts]' | xargs -d '\n')" \
		'["record","freq","11",2,false] ["record","event","cpu-clock",3,true] ["all","freq","12",2,true]'
	# Other checks are without them.
	lacks freq <("$DENDRO" --config more doctor free-space)
	rm home/dendro.conf
	DENDRO_CONFIG='' "$DENDRO" doctor settings | grep -q 'No file has settings'
}

@test "each option is a setting, or is refused with a reason" {
	local command name
	for command in record report agent; do
		for name in $("$DENDRO" completion words dendro "$command" -- | cut -f 1 | sed 's/^--//'); do
			printf '[%s]\n%s = x\n' "$command" "$name" >one
			"$DENDRO" --config one report /nowhere 2>&1 | head -n 1
		done
	done >answers
	[ "$(wc -l <answers)" -gt 100 ]
	[ "$(grep -c "can't be set in a file: [a-z]" answers)" -gt 30 ]
	lacks 'there is no command' answers
	lacks 'has no option' answers
}
