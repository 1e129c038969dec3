# Completion of command lines: what dendro offers for a word, and bash, zsh and fish themselves.

load lib

setup() {
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	[ -z "${SOCKET-}" ] || tmux -L "$SOCKET" kill-server 2>/dev/null || true
}

words() { # words WORD... : what can stand for the last word
	"$DENDRO" completion words dendro "$@" | cut -f 1
}

@test "each command and each of its options is offered, and nothing else" {
	local command
	diff <(words '') <("$DENDRO" help | sed -nE 's/^  ([a-z-]+)  .*/\1/p' | grep -v '^dendro$')
	for command in $(words help ''); do
		diff <(words "$command" -- | sort) <("$DENDRO" help "$command" |
			grep -oE '^  (-., |    )?--[a-z][a-z-]*' | grep -o -- '--.*' | sort)
	done
}

@test "values are offered as the option before takes them" {
	expect_equal choice "$(words report --view cal | xargs)" "callers callgraph"
	expect_equal "after =" "$(words report --view=cal | xargs)" "--view=callers --view=callgraph"
	expect_equal letter "$(words list -f j)" json
	expect_equal bundle "$(words record -qo x)" :files
	expect_equal listed "$(words export --format spee)" speedscope
	expect_equal file "$(words report -i '')" :files
	expect_equal folder "$(words report --symfs '')" :folders
	expect_equal operand "$(words report '')" :files
	expect_equal "words of a check" "$(words doctor branc)" branches
	expect_equal "value without a list" "$(words report --min '')" ""
	expect_equal "unknown command" "$(words unknown '')" ""
	expect_equal "a command" "$(words record -a sle)" ":command 3"
	expect_equal "its arguments" "$(words record -F 99 sleep --he)" ":command 4"
	expect_equal "after --" "$(words view -- sle)" ":command 3"
	expect_equal shell "$(words completion z)" zsh
	expect_equal "a file of settings" "$(words --c)" --config
	expect_equal "its name" "$(words --config '')" :files
	expect_equal "the command after it" "$(words --config x vie)" view
	expect_equal "options after it" "$(words --config=x report --view cal | xargs)" "callers callgraph"
	expect_equal "a command after it" "$(words --config x record -a sle)" ":command 5"
}

@test "events that can be recorded, processes and cgroups come from this machine" {
	need_events
	expect_equal event "$(words record -e page-f)" page-faults
	expect_equal "second event" "$(words record -e cpu-clock,page-f)" cpu-clock,page-faults
	if "$DENDRO" doctor hardware-events >/dev/null; then
		expect_equal cycles "$(words top -e cycle)" cycles
	else
		expect_equal cycles "$(words top -e cycle)" ""
	fi
	"$DENDRO" completion words dendro record -p $$ | grep -qP "^$$\tbash|^$$\t"
	[ ! -d /sys/fs/cgroup ] || words record --cgroup / | awk '!/^\// { exit 1 }'
}

@test "no name injects control characters" {
	need gcc
	printf '#include <stdio.h>\n#include <sys/prctl.h>\nint main(void) { prctl(PR_SET_NAME, "a\\033[31m\\n\\tb"); puts(""); fflush(stdout); return getchar(); }\n' >p.c
	gcc -o p p.c
	mkfifo input
	./p <input >ready 3>&- &
	exec 9>input
	wait_until test -s ready
	"$DENDRO" completion words dendro record -p $! >out
	exec 9>&-
	[ "$(wc -l <out)" -ge 1 ]
	lacks -P '\x1b' out
}

# type_in SHELL_COMMAND KEYS : the screen after the keys, Tab among them
type_in() {
	SOCKET=completion-$BASHPID-$RANDOM
	mkdir -p bin
	ln -sf "$DENDRO" bin/dendro
	env PATH="$PWD/bin:$PATH" tmux -L "$SOCKET" -f /dev/null new-session -d -x 120 -y 30 "$1"
	wait_until eval 'tmux -L "$SOCKET" capture-pane -p | grep -q "PROMPT"'
	tmux -L "$SOCKET" send-keys "$2" Tab
}

shows() {
	tmux -L "$SOCKET" capture-pane -p | grep -qE -- "$1"
}

# After 'dendro rec': the command, an event and an option; the line is empty again.
completes_record() {
	wait_until shows 'PROMPT dendro record'
	tmux -L "$SOCKET" send-keys -l -- '-e page-f'
	tmux -L "$SOCKET" send-keys Tab
	wait_until shows 'dendro record -e page-faults'
	tmux -L "$SOCKET" send-keys -l -- '--all-k'
	tmux -L "$SOCKET" send-keys Tab
	wait_until shows 'page-faults --all-kernel'
	tmux -L "$SOCKET" send-keys C-u
}

@test "bash completes commands, options and values" {
	need tmux
	echo 'PS1="PROMPT "; bind "set bell-style none"; source <(dendro completion bash)' >rc
	type_in "bash --noprofile --rcfile rc -i" 'dendro rec'
	completes_record
	tmux -L "$SOCKET" send-keys -l -- 'dendro report --view=callg'
	tmux -L "$SOCKET" send-keys Tab
	wait_until shows 'dendro report --view=callgraph'
	tmux -L "$SOCKET" send-keys C-u
	: >some-recording.data
	tmux -L "$SOCKET" send-keys -l -- 'dendro report some-re'
	tmux -L "$SOCKET" send-keys Tab
	wait_until shows 'dendro report some-recording.data'
}

@test "zsh completes commands, options and values" {
	need tmux zsh
	echo 'PS1="PROMPT "; autoload -U compinit; compinit -u -D; source <(dendro completion zsh)' >.zshrc
	type_in "env ZDOTDIR=$PWD zsh -d -i" 'dendro rec'
	completes_record
	tmux -L "$SOCKET" send-keys -l -- 'dendro report --view callg'
	tmux -L "$SOCKET" send-keys Tab
	wait_until shows 'dendro report --view callgraph'
}

@test "fish completes commands, options and values" {
	need fish
	mkdir -p bin home
	ln -sf "$DENDRO" bin/dendro
	fish_words() {
		env HOME="$PWD/home" PATH="$PWD/bin:$PATH" fish --no-config -c "dendro completion fish | source
			complete -C '$1'" | cut -f 1
	}
	expect_equal command "$(fish_words 'dendro rec')" record
	expect_equal option "$(fish_words 'dendro record --all-k')" --all-kernel
	expect_equal event "$(fish_words 'dendro record -e page-f')" page-faults
	expect_equal value "$(fish_words 'dendro report --view=callg')" --view=callgraph
	: >some-recording.data
	expect_equal file "$(fish_words 'dendro report some-re')" some-recording.data
}
