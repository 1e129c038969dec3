# dendro export --verify finds what is wrong with a file, and nothing wrong with dendro's own.

load lib
load exported

setup_file() {
	load lib
	load exported
	prepare make_exports
}

formats() {
	"$DENDRO" export --verify none x 2>&1 | sed -n "s/.* takes \(.*\), not 'none'.*/\1/p" |
		sed 's/, / /g; s/ or / /'
}

make_exports() {
	local format
	make_exported
	for format in $(formats); do
		"$DENDRO" export --format "$format" -o "exported.$format" exported.data 2>/dev/null
	done
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

@test "exports of dendro are sound, of files and of standard input" {
	local format
	[ -n "$(formats)" ]
	for format in $(formats); do
		expect_equal "what is said of $format" "$("$DENDRO" export --verify "$format" "exported.$format" 2>&1)" ""
		"$DENDRO" export --verify "$format" - <"exported.$format"
	done
}

@test "a cut file is not sound, and its format is named" {
	local format
	for format in $(formats); do
		# JSON is whole without its last newline.
		head -c $(($(stat -c %s "exported.$format") - 2)) "exported.$format" >"cut.$format"
		run "$DENDRO" export --verify "$format" "cut.$format"
		echo "$output"
		expect_equal status "$status" 1
		[[ $output == *"cut.$format is not sound $format: "* ]]
	done
}

@test "a file that expands to too much is not called wrong, and what to do is said" {
	{
		jq -c . exported.speedscope
		head -c $((257 << 20)) /dev/zero | tr '\0' ' '
	} | tee large | gzip -1 >large.gz
	run "$DENDRO" export --verify speedscope large.gz
	echo "$output"
	expect_equal status "$status" 1
	[[ $output == *"large.gz was not checked: it expands to more than 256 MiB: expand it with gzip -d"* ]]
	"$DENDRO" export --verify speedscope large
	rm large large.gz
}

@test "a wrong index is found, and its place named" {
	need protoc
	[ -d "$SHARED/protos/pprof" ] || skip "the definitions of pprof are not here"
	local -a profile=(-I "$SHARED/protos/pprof")
	gzip -dc exported.pprof | protoc "${profile[@]}" --decode=perftools.profiles.Profile profile.proto >text
	awk '/^sample {/ { n++ } n == 3 && /^  location_id:/ && !done { $0 = "  location_id: 99999"; done = 1 }
		{ print }' text | protoc "${profile[@]}" --encode=perftools.profiles.Profile profile.proto >wrong
	run "$DENDRO" export --verify pprof wrong
	expect_equal status "$status" 1
	[[ $output == *"wrong is not sound pprof: sample 3: there is no location 99999."* ]]
}

@test "a wrong index, a lost weight and a lost end are found in JSON" {
	jq -c '.profiles[0].samples[2][0] = 99999' exported.speedscope >wrong
	run "$DENDRO" export --verify speedscope wrong
	expect_equal status "$status" 1
	[[ $output == *"profile 0, sample 2: there is no frame 99999 in the table of "* ]]
	jq -c '.profiles[0].weights |= .[1:]' exported.speedscope >wrong
	run "$DENDRO" export --verify speedscope wrong
	[[ $output == *"profile 0 has "*" samples and "*" weights"* ]]
	jq -c '.shared.frameTable.func[0] = 99999' exported.firefox >wrong
	run "$DENDRO" export --verify firefox wrong
	expect_equal status "$status" 1
	[[ $output == *"frameTable.func: row 0 leads to 99999 in funcTable, which has "* ]]
	jq -c 'del(.traceEvents[.traceEvents | map(.ph == "E") | index(true)])' exported.chrome >wrong
	run "$DENDRO" export --verify chrome wrong
	expect_equal status "$status" 1
	[[ $output == *"is not sound chrome: "* ]]
}

@test "a lost cost and a name without a number are found in Callgrind's format" {
	sed '/^fn=/!b; n; /^[0-9]/d' exported.callgrind >wrong
	run "$DENDRO" export --verify callgrind wrong
	expect_equal status "$status" 1
	[[ $output == *"has a total that is not the sum of the costs"* ]]
	sed '0,/^cfn=([0-9]*) .*/s//cfn=(9999999)/' exported.callgrind >wrong
	run "$DENDRO" export --verify callgrind wrong
	[[ $output == *"has a number that no name was given"* ]]
}

@test "in a recording for perf, an unknown ID, a wrong size and a cut file are found, through a pipe, too" {
	need python3
	# change FIELD VALUE : makes `wrong`, in which a field of the last sample has another value
	change() {
		python3 - "$@" <<-'PYTHON'
			import struct, sys
			data = bytearray(open("exported.perf.data", "rb").read())
			at, size = struct.unpack_from("<QQ", data, 40)
			end = at + size
			while at < end:
			    kind, misc, length = struct.unpack_from("<IHH", data, at)
			    if kind == 9:
			        sample, samples_size = at, length
			    at += length
			if sys.argv[1] == "id":
			    struct.pack_into("<Q", data, sample + 8, int(sys.argv[2]))
			else:
			    struct.pack_into("<H", data, sample + 6, samples_size + int(sys.argv[2]))
			open("wrong", "wb").write(data)
		PYTHON
	}
	change id 99
	run "$DENDRO" export --verify perf.data wrong
	expect_equal status "$status" 1
	[[ $output == *"has the ID 99, which no event has"* ]]
	change size -8
	run "$DENDRO" export --verify perf.data wrong
	expect_equal status "$status" 1
	[[ $output == *"has a length that leads out of it"* ]]
	"$DENDRO" export --format perf.data exported.data | cat >piped
	"$DENDRO" export --verify perf.data piped
	head -c $(($(stat -c %s piped) - 3)) piped >wrong
	run "$DENDRO" export --verify perf.data wrong
	[[ $output == *"ends after the last byte of the records"* ]]
}

@test "lost samples, references and tables are found in a database" {
	need sqlite3
	local -A damages=(
		["has costs that are not the sum of its samples"]="DELETE FROM samples WHERE id = 3"
		["is not after its parent"]="UPDATE paths SET parent_id = id WHERE id = 2"
		["refers to what is not there"]="DELETE FROM functions WHERE id = 1"
		["is before the last"]="UPDATE samples SET time_ns = 0 WHERE id = 5"
		["has more in its samples than its total"]="UPDATE events SET total = 1"
		["its version is 9"]="PRAGMA user_version = 9"
		["9 of 10 tables are there"]="DROP TABLE info"
	)
	local problem
	[ -e exported.sqlite ]
	for problem in "${!damages[@]}"; do
		cp exported.sqlite wrong
		sqlite3 wrong "${damages[$problem]}"
		run "$DENDRO" export --verify sqlite wrong
		expect_equal status "$status" 1
		echo "$output"
		[[ $output == *"wrong is not sound sqlite: "*"$problem"* ]]
	done
}

@test "wrong use is refused" {
	refuses 'takes ' "not 'gif'" -- "$DENDRO" export --verify gif exported.pprof
	refuses 'checks one file' -- "$DENDRO" export --verify pprof
	refuses 'leave out --format' -- "$DENDRO" export --verify pprof --format folded exported.pprof
	refuses 'No such file' -- "$DENDRO" export --verify pprof missing
}

@test "profiles for gcc and BOLT: what is wrong is found, with its place" {
	[ -s exported.gcc-profile ] && [ -s exported.bolt ] || skip "profiles for compilers were not written"
	python3 - <<-'END'
		whole = open("exported.gcc-profile", "rb").read()
		at = 20 + int.from_bytes(whole[16:20], "little")  # the functions: tag, length, n, count, name
		open("name.gcc-profile", "wb").write(whole[: at + 20] + b"\xff" * 4 + whole[at + 24 :])
		open("count.gcc-profile", "wb").write(whole[: at + 19] + b"\xff" + whole[at + 20 :])
		open("version.gcc-profile", "wb").write(whole[:4] + b"\1" + whole[5:])
		open("more.gcc-profile", "wb").write(whole + b"\0")
	END
	refuses 'there is no such name' -- "$DENDRO" export --verify gcc-profile name.gcc-profile
	refuses 'a count is negative' -- "$DENDRO" export --verify gcc-profile count.gcc-profile
	refuses 'byte 8: it is not of version 2' -- "$DENDRO" export --verify gcc-profile version.gcc-profile
	refuses 'something follows the end' -- "$DENDRO" export --verify gcc-profile more.gcc-profile
	printf '1 f 0 1 g\\ h 1f 3 2\n' >wrong.bolt
	refuses 'line 1 was mispredicted more often' -- "$DENDRO" export --verify bolt wrong.bolt
	printf '1 f 0 0 [unknown] 0 0 2\n1 f xyz 1 f 0 0 1\n' >wrong.bolt
	refuses 'line 2 has an offset that is not a hexadecimal number' -- \
		"$DENDRO" export --verify bolt wrong.bolt
	printf '1 f 0 1 f 8 7\n' >wrong.bolt
	refuses 'line 1 does not end in a count' -- "$DENDRO" export --verify bolt wrong.bolt
}
