# Profiles of OTLP that dendro export writes keep the protocol's rules, and have the report's costs.

load lib
load exported

setup_file() {
	load lib
	load exported
	prepare make_profiles
}

make_profiles() {
	make_exported
	"$DENDRO" export --format otlp -o exported.otlp exported.data
	"$DENDRO" export --format otlp exported.cct >stored.otlp
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

@test "the dictionary's rules are kept, and functions have the report's costs" {
	"$ROOT/tests/oracle/otlp_profile.py" exported.otlp exported.json
	"$ROOT/tests/oracle/otlp_profile.py" stored.otlp exported.json
}

@test "protoc decodes it by the protocol's own definitions, with no field that it does not know" {
	need protoc
	[ -d "$SHARED/protos/opentelemetry" ] || skip "the protocol's definitions are not here"
	protoc -I "$SHARED/protos" \
		--decode=opentelemetry.proto.collector.profiles.v1development.ExportProfilesServiceRequest \
		opentelemetry/proto/collector/profiles/v1development/profiles_service.proto \
		<exported.otlp >decoded
	lacks -E '^ *[0-9]+( \{|: )' decoded
	grep -q 'string_value: "native"' decoded
	protoc -I "$SHARED/protos" --decode=opentelemetry.proto.profiles.v1development.ProfilesData \
		opentelemetry/proto/profiles/v1development/profiles.proto <exported.otlp | cmp - decoded
}

@test "sums without samples one by one have whole costs" {
	"$DENDRO" build --slices 1 -o sums.cct exported.data
	"$DENDRO" export --format otlp -o sums.otlp sums.cct
	"$ROOT/tests/oracle/otlp_profile.py" sums.otlp exported.json >said || true
	# Sums stand for several samples each, so only the numbers of samples differ.
	expect_equal "other differences" "$(tail -n +2 said | grep -vE '^[a-z-]+: [0-9]+ samples, [0-9]+$')" ""
}
