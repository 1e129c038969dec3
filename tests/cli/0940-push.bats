# dendro push sends what report shows, once, to a server that keeps Pyroscope's and OTLP's rules
# (tests/cli/push_receiver.py), whatever the server does meanwhile.

load lib
load pushed

setup_file() {
	load lib
	load pushed
	prepare make_recording
}

setup() {
	skip_unprepared
	cd "$BATS_TEST_TMPDIR"
	two=$BATS_FILE_TMPDIR/two.data
	export XDG_STATE_HOME=$BATS_TEST_TMPDIR/state no_proxy='*'
}

teardown() {
	stop_serving
}

waiting() { # how many requests are in the spool
	find spool -name '*.request' | wc -l
}

expect_totals() { # of the report, by the event's name there and the server's name of it
	local event=$1 type=$2 expected
	expected=$(jq -c --arg event "$event" \
		'.metrics[] | select(.event == $event) | [.samples, .total]' "$BATS_FILE_TMPDIR/two.json")
	expect_equal "$event" "$(jq -c --arg type "$type" \
		'.types[$type] | [.samples, .total]' received/totals.json)" "$expected"
}

expect_all_pushed() {
	expect_equal "broken rules" "$(jq -c .broken received/totals.json)" '[]'
	expect_totals cpu-clock process_cpu:cpu:nanoseconds:cpu:nanoseconds
	expect_totals page-faults page_faults:page_faults:count:page_faults:count
	expect_equal "left" "$(waiting)" 0
}

expect_all_exported() {
	local event
	expect_equal "broken rules" "$(jq -c .broken received/totals.json)" '[]'
	for event in cpu-clock page-faults; do
		expect_equal "$event" "$(jq --arg event $event '.types[$event].total' received/totals.json)" \
			"$(jq --arg event $event '.metrics[] | select(.event == $event) | .total' \
				"$BATS_FILE_TMPDIR/two.json")"
	done
	expect_equal "left" "$(waiting)" 0
}

@test "Pyroscope gets what the report shows, by service, and twice the same under equal ids" {
	serve
	printf 'region=eu\nhost=first\n' >labels
	push pyroscope --labels labels --label host=second "$two"
	expect_all_pushed
	jq -c '.services, .labels' received/totals.json
	jq -e '.labels | all(.region == "eu" and .host == "second")' received/totals.json
	# Each program is a service where the cgroup is none.
	jq -e '.services | length >= 1' received/totals.json
	local taken
	taken=$(jq .requests received/totals.json)
	push pyroscope --labels labels --label host=second "$two"
	expect_equal repeated "$(jq .repeated received/totals.json)" "$taken"
	expect_all_pushed
	# A label names the service of all samples.
	push pyroscope --label service_name=everything "$two"
	jq -e '.services["everything process_cpu:cpu:nanoseconds:cpu:nanoseconds"].total > 0' \
		received/totals.json
	expect_equal commands "$(jq .commands received/totals.json)" 0
	push pyroscope --with-commands --label host=third "$two"
	[ "$(jq .commands received/totals.json)" -gt 0 ]
}

@test "go tool pprof reads what Pyroscope gets" {
	need go
	serve
	push pyroscope --label service_name=all "$two"
	local cpu
	for cpu in received/taken-*; do
		go tool pprof -top -unit=ns "$cpu" >top 2>/dev/null
		! grep -q '^Type: cpu$' top || break
	done
	grep -q '^Type: cpu$' top
	grep -q deepest_work top
	go tool pprof -raw "$cpu" 2>/dev/null >raw
	grep -q '^PeriodType: cpu nanoseconds' raw
	grep -q '^Time: 20' raw
	lacks -i '^comment: command' raw
}

@test "OTLP keeps the dictionary's rules, and protoc knows each field" {
	serve
	push otlp --label region=eu "$two"
	expect_all_exported
	jq -e '.labels | all(.region == "eu" and ."host.name" and ."service.name")' received/totals.json
	local taken
	taken=$(jq '.types | length' received/totals.json)
	push otlp --label region=eu "$two"
	[ "$(jq .repeated received/totals.json)" -ge "$taken" ]
	expect_all_exported
	expect_equal commands "$(jq .commands received/totals.json)" 0
	need protoc
	[ -d "$SHARED/protos/opentelemetry" ] || skip "the protocol's definitions are not here"
	protoc -I "$SHARED/protos" \
		--decode=opentelemetry.proto.collector.profiles.v1development.ExportProfilesServiceRequest \
		opentelemetry/proto/collector/profiles/v1development/profiles_service.proto \
		<received/taken-0 >decoded
	lacks -E '^ *[0-9]+( \{|: )' decoded
	grep -q 'profile_id: ' decoded
}

@test "a stored profile is pushed as its recording is" {
	serve
	"$DENDRO" build -q -o two.cct "$two" 2>/dev/null || "$DENDRO" build -o two.cct "$two"
	push pyroscope two.cct
	expect_all_pushed
	push pyroscope "$two"
	expect_equal repeated "$(jq .repeated received/totals.json)" "$(jq .requests received/totals.json)"
}

@test "what is larger than Pyroscope takes is sent in parts that add up" {
	need gcc
	cat >many.c <<-'TEXT'
		#include <sys/mman.h>
		#include <unistd.h>
		/* Page faults below paths of 17 calls: each of two functions at each level. */
		char *at;
		static void fault(void) { *(volatile char *)at = 1; at += 4096; }
		void one(unsigned path, int depth);
		__attribute__((noinline)) void two(unsigned path, int depth) { one(path, depth); __asm__(""); }
		__attribute__((noinline)) void one(unsigned path, int depth)
		{
			if (!depth)
				fault();
			else if (path & 1)
				two(path >> 1, depth - 1);
			else
				one(path >> 1, depth - 1);
			__asm__("");
		}
		int main(void)
		{
			at = mmap(0, 20000 * 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			madvise(at, 20000 * 4096L, MADV_NOHUGEPAGE);
			for (unsigned i = 0; i < 20000; i++)
				one(i, 15);
			return 0;
		}
	TEXT
	gcc -O1 -fno-optimize-sibling-calls -o many many.c
	"$DENDRO" record -q -e page-faults:u -c 1 -o many.data -- ./many
	report_json many.data --view functions >many.json
	serve
	push pyroscope --label service_name=many many.data
	cat received/totals.json
	expect_equal "broken rules" "$(jq -c .broken received/totals.json)" '[]'
	[ "$(jq .requests received/totals.json)" -gt 1 ]
	expect_equal samples "$(jq '[.types[].samples] | add' received/totals.json)" \
		"$(jq '.metrics[0].samples' many.json)"
	expect_equal total "$(jq '[.types[].total] | add' received/totals.json)" \
		"$(jq '.metrics[0].total' many.json)"
	[ "$(jq '.metrics[0].samples' many.json)" -gt 20000 ]
}

@test "a busy, slow or dying server gets everything once" {
	serve 429:1 500 drop slow half 429:date garbage
	push pyroscope "$two"
	cat received/seen
	grep -q ^half received/seen
	expect_all_pushed
	expect_equal "counted once" "$(jq .repeated received/totals.json)" 0
	# It waits as long as the server asks for.
	awk '{ at[NR] = $NF } END { exit !(at[2] - at[1] >= 1) }' received/seen
	serve 500 drop slow
	push otlp "$two"
	expect_all_exported
}

@test "what a server does not take stays, and is sent later" {
	serve
	stop_serving
	run push pyroscope --retry-for 0 "$two"
	expect_equal status "$status" 1
	grep -q "stay.* in 'spool'.*can't be reached" said
	local n
	n=$(waiting)
	[ "$n" -ge 2 ]
	expect_equal rights "$(stat -c %a spool; find spool -name '*.request' -exec stat -c %a {} + | sort -u)" "700
600"
	# Killed while it waits, it loses nothing.
	timeout -s KILL 2 "$DENDRO" push --spool spool --to "pyroscope+http://127.0.0.1:$port" || true
	expect_equal left "$(waiting)" "$n"
	# The server asks for more time than there is.
	rm -r spool
	serve 429:3600
	run push pyroscope --retry-for 5 "$two"
	expect_equal status "$status" 1
	grep -q 'HTTP 429: .*rate limit' said
	expect_equal left "$(waiting)" "$n"
	expect_equal requests "$(wc -l <received/seen)" 1
	push pyroscope
	expect_all_pushed
	grep -q "sent $n requests" said
	push pyroscope
	grep -q "sent 0 requests" said
}

@test "a request that the server always fails at does not keep the others back" {
	serve 500
	run push pyroscope --retry-for 0 "$two"
	expect_equal status "$status" 1
	grep -q "1 request stays in 'spool': .*HTTP 500" said
	expect_equal left "$(waiting)" 1
	expect_equal taken "$(jq .requests received/totals.json)" $(($(wc -l <received/seen) - 1))
	serve 500 500
	mv received/seen before
	run push pyroscope --retry-for 0 "$two"
	expect_equal requests "$(wc -l <received/seen)" 2
}

@test "requests for another server stay" {
	serve
	stop_serving
	run push pyroscope --retry-for 0 --tenant one "$two"
	local n
	n=$(waiting)
	serve
	push otlp --tenant two
	grep -q "$n requests in 'spool' are for another URL" said
	push otlp --tenant two "$two"
	expect_equal left "$(waiting)" "$n"
	grep -q ' two dendro/' received/seen
}

@test "what a server refuses is kept aside, with its words" {
	serve 400
	run push pyroscope "$two"
	expect_equal status "$status" 1
	grep -q 'refused.*HTTP 400.*words' said
	lacks $'\x1b' said
	lacks $'\xe2\x80\xae' said
	expect_equal refused "$(find spool -name '*.refused' | wc -l)" 1
	expect_equal left "$(waiting)" 0
	push pyroscope
	grep -q 'sent 0 requests' said
	# OTLP's partial success.
	serve partial
	run push otlp --label service_name=a "$two"
	expect_equal status "$status" 1
	grep -q 'has not taken 1 of their profiles: one was\\x1b not it' said
}

@test "a token, another address or a page to log in: nothing is sent, and nothing lost" {
	local n how
	serve 301 401 login
	run push pyroscope "$two"
	n=$(waiting)
	grep -q 'HTTP 301.*1/elsewhere.*not followed' said
	run push pyroscope
	grep -q 'HTTP 401.*--token-file' said
	run push pyroscope
	grep -q 'text/html' said
	expect_equal left "$(waiting)" "$n"
	push pyroscope
	expect_all_pushed
	echo s3cret >token
	serve --authorization "Bearer s3cret"
	push pyroscope --token-file token "$two"
	grep -q 'others may read the token' said
	chmod 600 token
	push pyroscope --token-file token "$two"
	lacks 'others may read' said
	serve --authorization "Basic $(printf me:s3cret | base64)"
	"$DENDRO" push --spool spool --token-file token --to "otlp+http://me@127.0.0.1:$port" "$two"
	lacks -r s3cret spool
	printf 'two\r\nX-Evil: 1\n' >token
	run push pyroscope --token-file token
	lacks Evil received/seen
	printf '\x01' >token
	refuses "no token" -- "$DENDRO" push --spool spool --token-file token --to "otlp+http://127.0.0.1:$port"
	refuses "password" "--token-file" -- "$DENDRO" push --to otlp+http://me:x@host "$two"
}

@test "servers are who their certificate says, and nothing is sent to others" {
	need openssl
	openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out ca.pem -days 2 -subj /CN=here \
		-addext subjectAltName=IP:127.0.0.1 2>/dev/null
	serve --tls ca.pem key
	local to=pyroscope+https://127.0.0.1:$port
	run "$DENDRO" push --spool spool --to "$to" "$two"
	echo "$output"
	expect_equal status "$status" 1
	grep -qi certificate <<<"$output"
	[ ! -e received/seen ]
	"$DENDRO" push --spool spool --to "$to" --ca-file ca.pem
	expect_all_pushed
	refuses "missing.pem" -- "$DENDRO" push --spool spool --to "$to" --ca-file missing.pem
}

@test "the spool has a bound: the oldest are dropped, and said" {
	serve
	stop_serving
	mkdir -m 700 spool
	local i
	for i in 1 2 3; do
		{
			printf 'dendro request 1\nurl http://127.0.0.1:%s/x\ntype a\nid %s\n\n' "$port" "$i"
			head -c 1400000 /dev/zero
		} >"spool/0000000000000000000$i-1.request"
	done
	run push pyroscope --retry-for 0 --max-spool 4M "$two"
	grep -q '1 oldest requests, 1.3 MiB, were dropped' said
	[ ! -e spool/00000000000000000001-1.request ]
	[ -e spool/00000000000000000002-1.request ]
	[ "$(cat spool/*.request | wc -c)" -le $((4 << 20)) ]
	refuses "4M or more" -- "$DENDRO" push --max-spool 1M --to "otlp+http://127.0.0.1:$port"
	chmod 755 spool
	refuses "chmod 700" -- "$DENDRO" push --spool spool --to "otlp+http://127.0.0.1:$port"
}

@test "proxies come from the environment" {
	serve
	unset no_proxy
	http_proxy=http://127.0.0.1:$port "$DENDRO" push --spool spool --to pyroscope+http://profiles.invalid "$two"
	grep -q ' http://profiles.invalid/push' received/seen
	expect_all_pushed
}

@test "what is wrong is said" {
	refuses "--to URL" -- "$DENDRO" push "$two"
	refuses "pyroscope+https://" -- "$DENDRO" push --to https://host "$two"
	refuses "NAME=VALUE" -- "$DENDRO" push --to otlp+http://host --label a-b=c
	printf 'a=b\nc\n' >labels
	refuses "line 2" -- "$DENDRO" push --to otlp+http://host --labels labels
	refuses "missing" -- "$DENDRO" push --to otlp+http://host --labels missing
	refuses "none.data" -- "$DENDRO" push --spool spool --retry-for 0 --to otlp+http://127.0.0.1:1 none.data
	# The program that sends is beside it, or nothing is done.
	cp "$DENDRO" alone
	refuses "dendro-send" "dendro-agent" -- ./alone push --spool none --to otlp+http://127.0.0.1:1 "$two"
	[ ! -e none ]
	mkdir -p bin libexec/dendro
	mv alone bin/dendro
	cp "$(dirname "$DENDRO")/dendro-send" libexec/dendro
	refuses "can't be reached" -- bin/dendro push --spool none --retry-for 0 --to otlp+http://127.0.0.1:1 "$two"
	lacks curl <(ldd "$DENDRO")
}
