# For tests of dendro push: a server, tests/cli/push_receiver.py, in the folder received.
# shellcheck shell=bash

receiver=

need_sender() {
	need "$(dirname "$DENDRO")/dendro-send" python3 jq
}

make_recording() { # two.data, of two events, and two.json, its functions
	need_events
	need_sender
	cd "$BATS_FILE_TMPDIR" || return
	record two.data -e cpu-clock,page-faults -- \
		sh -c "exec 3>&1; '$WORKLOADS/cxx' >cxx.out; '$WORKLOADS/recursion' >recursion.out"
	report_json two.data --view functions >two.json
	jq -e '.metrics | all(.samples > 0)' two.json
}

stop_serving() {
	[ -z "$receiver" ] || stop "$receiver"
	receiver=
}

serve() { # serve [OPTION...] [ANSWER...] : sets port and url, and totals.json follows
	stop_serving
	mkdir -p received
	rm -f received/port
	"$ROOT/tests/cli/push_receiver.py" received "$@" 3>&- &
	receiver=$!
	wait_until test -e received/port
	port=$(<received/port)
}

push() { # push OTLP_OR_PYROSCOPE [ARGUMENT...]
	local to=$1+http://127.0.0.1:$port
	shift
	"$DENDRO" push --spool spool --to "$to" "$@" 2>&1 | tee said
	return "${PIPESTATUS[0]}"
}
