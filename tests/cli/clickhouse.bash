# For tests with ClickHouse, in folders of the test: npm's chdb, which is a current one, behind a
# server of our own, or servers of Debian, which are old, one or a cluster of two.
# shellcheck shell=bash

clickhouse_pids=()
keeper_jar=/usr/share/java/zookeeper.jar

need_clickhouse() {
	need /usr/sbin/clickhouse-server curl python3
}

need_chdb() {
	need node curl jq
	node -e "require('$ROOT/build/npm/node_modules/chdb')" 2>/dev/null ||
		skip "npm packages are not installed, or have no chdb for this machine (tests/deps/npm/install)"
}

start_chdb() { # start_chdb FOLDER [ANSWER...] : another server on the same data
	local folder=$1
	shift
	mkdir -p "$folder"
	rm -f "$folder/http"
	nice "$ROOT/tests/cli/clickhouse_front.js" "$folder" "$@" 2>"$folder/errors" 3>&- &
	clickhouse_pids+=($!)
	wait_until test -e "$folder/http"
}

url_of() { # url_of FOLDER : of the database "profiles" there
	echo "clickhouse+http://127.0.0.1:$(<"$1/http")/profiles"
}

push_to() { # push_to FOLDER [ARGUMENT...]
	local folder=$1
	shift
	"$DENDRO" push --spool spool --to "$(url_of "$folder")" "$@" 2>&1 | tee said
	return "${PIPESTATUS[0]}"
}

free_ports() { # free_ports N
	python3 -c 'import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in sockets:
    one.bind(("127.0.0.1", 0))
    print(one.getsockname()[1])' "$1"
}

configure_clickhouse() { # configure_clickhouse FOLDER HTTP TCP INTERSERVER TCP_OF_ALL...
	local folder=$1 http=$2 tcp=$3 between=$4 port
	shift 4
	mkdir -p "$folder/data" "$folder/tmp"
	echo "$http" >"$folder/http"
	{
		echo "<yandex><logger><level>warning</level><log>$folder/log</log>" \
			"<errorlog>$folder/errors</errorlog></logger>" \
			"<http_port>$http</http_port><tcp_port>$tcp</tcp_port>" \
			"<interserver_http_port>$between</interserver_http_port>" \
			"<interserver_http_host>127.0.0.1</interserver_http_host>" \
			"<listen_host>127.0.0.1</listen_host><path>$folder/data/</path>" \
			"<tmp_path>$folder/tmp/</tmp_path><mark_cache_size>5368709</mark_cache_size>" \
			"<users_config>$folder/users.xml</users_config>" \
			"<default_profile>default</default_profile>" \
			"<default_database>default</default_database><timezone>UTC</timezone>" \
			"<remote_servers><two>${keeper_port:+<shard><internal_replication>true</internal_replication>}"
		for port; do
			port="<replica><host>127.0.0.1</host><port>$port</port></replica>"
			[ -n "${keeper_port-}" ] && echo "$port" || echo "<shard>$port</shard>"
		done
		echo "${keeper_port:+</shard>}</two></remote_servers>"
		[ -z "${keeper_port-}" ] ||
			echo "<zookeeper><node><host>127.0.0.1</host><port>$keeper_port</port></node></zookeeper>" \
				"<distributed_ddl><path>/clickhouse/ddl</path></distributed_ddl><macros><shard>1</shard>" \
				"<replica>${folder##*/}</replica><database>profiles</database></macros>"
		[ ! -e "$folder/https" ] ||
			echo "<https_port>$(<"$folder/https")</https_port><openSSL><server>" \
				"<certificateFile>$folder/ca.pem</certificateFile>" \
				"<privateKeyFile>$folder/key</privateKeyFile>" \
				"<verificationMode>none</verificationMode></server></openSSL>"
		echo "</yandex>"
	} >"$folder/config.xml"
	cat >"$folder/users.xml" <<-TEXT
		<yandex><profiles><default><max_threads>2</max_threads></default></profiles>
		<quotas><default></default></quotas>
		<users><default><password></password><networks><ip>::/0</ip></networks>
		<profile>default</profile><quota>default</quota></default>
		<sender><password>s3cret</password><networks><ip>::/0</ip></networks>
		<profile>default</profile><quota>default</quota></sender></users></yandex>
	TEXT
}

start_clickhouse() { # start_clickhouse FOLDER
	nice /usr/sbin/clickhouse-server --config-file="$1/config.xml" >"$1/output" 2>&1 3>&- &
	clickhouse_pids+=($!)
	echo $! >"$1/pid"
	wait_until sql "$1" "SELECT 1" ""
}

stop_clickhouse() { # all that run
	local pid
	for pid in "${clickhouse_pids[@]}"; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	clickhouse_pids=()
}

sql() { # sql FOLDER QUERY [DATABASE]
	curl -sS --fail-with-body --noproxy '*' --data-binary "$2" \
		"http://127.0.0.1:$(<"$1/http")/?database=${3-profiles}"
}

give_certificate() { # give_certificate FOLDER : its server, which starts later, takes https, too
	mkdir -p "$1"
	openssl req -x509 -newkey rsa:2048 -nodes -keyout "$1/key" -out "$1/ca.pem" -days 2 \
		-subj /CN=here -addext subjectAltName=IP:127.0.0.1 2>/dev/null
	free_ports 1 >"$1/https"
}

keeper_serves() {
	(exec 4<>"/dev/tcp/127.0.0.1/$keeper_port" && echo srvr >&4 && grep -q standalone <&4) 2>/dev/null
}

start_keeper() { # ZooKeeper, in the folder keeper; sets keeper_port, so that servers replicate
	keeper_port=$(free_ports 1)
	mkdir keeper
	cat >keeper/zoo.cfg <<-TEXT
		dataDir=$PWD/keeper
		clientPort=$keeper_port
		clientPortAddress=127.0.0.1
		admin.enableServer=false
		maxSessionTimeout=10000
		4lw.commands.whitelist=srvr
	TEXT
	nice java -Xmx128m -Dzookeeper.preAllocSize=1024 -cp "$keeper_jar" \
		org.apache.zookeeper.server.quorum.QuorumPeerMain keeper/zoo.cfg >keeper/output 2>&1 3>&- &
	clickhouse_pids+=($!)
	wait_until keeper_serves
}

start_replicas() { # servers in the folders one and two, each with all rows; what is sent to one goes through proxy
	local ports folder
	mapfile -t ports < <(free_ports 6)
	configure_clickhouse "$PWD/one" "${ports[@]:0:3}" "${ports[1]}" "${ports[4]}"
	configure_clickhouse "$PWD/two" "${ports[@]:3:3}" "${ports[1]}" "${ports[4]}"
	for folder in one two; do
		start_clickhouse "$PWD/$folder"
		sql $folder "CREATE DATABASE IF NOT EXISTS profiles" ""
	done
	make_replicated_tables
	mkdir proxy
	"$ROOT/tests/cli/stalling_proxy" "${ports[0]}" proxy http 2>proxy/errors 3>&- &
	clickhouse_pids+=($!)
	wait_until test -e proxy/port
	ln -s port proxy/http
}

make_replicated_tables() { # one server tells the other
	local statement
	while IFS= read -r -d ';' statement; do
		[ -z "${statement//[[:space:]]/}" ] || sql one "$statement"
	done < <("$DENDRO" push --print-tables --cluster two --to "$(url_of one)" |
		"$ROOT/tests/cli/clickhouse_2018" --replicated)
}

make_tables() { # in both servers of a cluster
	local folder statement
	for folder in one two; do
		sql $folder "CREATE DATABASE IF NOT EXISTS profiles" ""
		while IFS= read -r -d ';' statement; do
			[ -z "${statement//[[:space:]]/}" ] || sql $folder "$statement"
		done < <("$DENDRO" push --print-tables --cluster two --to "$(url_of one)" | "$ROOT/tests/cli/clickhouse_2018")
	done
}

start_cluster() { # servers in the folders one and two, and proxy between them, with tables of all hosts
	local ports folder
	mapfile -t ports < <(free_ports 6)
	mkdir proxy
	"$ROOT/tests/cli/stalling_proxy" "${ports[4]}" proxy 2>proxy/errors 3>&- &
	clickhouse_pids+=($!)
	wait_until test -e proxy/port
	configure_clickhouse "$PWD/one" "${ports[@]:0:3}" "${ports[1]}" "$(<proxy/port)"
	configure_clickhouse "$PWD/two" "${ports[@]:3:3}" "${ports[1]}" "${ports[4]}"
	for folder in one two; do
		start_clickhouse "$PWD/$folder"
	done
	make_tables
}
