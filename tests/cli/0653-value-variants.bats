# dendro values of Rust's enums, tuples and references: of a program that is known to call with them.

load lib

setup() {
	need_events
	need jq rustc
	cd "$BATS_TEST_TMPDIR"
	rustc -g -o variants "$ROOT/tests/workloads/languages/variants.rs" 2>rustc.log ||
		skip "rustc builds no such program: $(tail -1 rustc.log)"
	record variants.recorded -- ./variants 1 >/dev/null
}

# samples EXPRESSION [VALUE] : that have the value, or any.
samples() {
	"$DENDRO" values --format json variants::work "$1" variants.recorded >values.json
	ask values.json '[.variables[0].values[] | select($value == "" or (.value | test($value))).samples] | add // 0' \
		--arg value "${2:-}"
}

@test "values: of Rust's enums the variant is shown, with its members" {
	"$DENDRO" values --top 3 variants::work variants.recorded
	local all
	all=$(samples count)
	expect_share None "$(samples count '^None$')" "$all" 3 6
	expect_share "Some(42)" "$(samples count '^Some\(42\)$')" "$all" 3 6
	# A pointer that may be none has no number of its own that says so.
	all=$(samples nearest)
	expect_share None "$(samples nearest '^None$')" "$all" 2 6
	expect_share "Some(address)" "$(samples nearest '^Some\(0x[0-9a-f]+\)$')" "$all" 4 6
	all=$(samples result)
	expect_share "Err(-4)" "$(samples result '^Err\(-4\)$')" "$all" 2 6
	expect_share "Ok(3)" "$(samples result '^Ok\(3\)$')" "$all" 4 6
	all=$(samples letter)
	expect_share "é" "$(samples letter "^233 'é'$")" "$all" 3 6
}

@test "values: expressions lead through Rust's references, and into variants" {
	local all
	all=$(samples item.shape)
	expect_share circle "$(samples item.shape '^Circle .r = 1.5.$')" "$all" 2 6
	expect_share square "$(samples item.shape '^Square\(4\)$')" "$all" 2 6
	expect_share empty "$(samples item.shape '^Empty$')" "$all" 2 6
	all=$(samples item.position)
	expect_share "(-3, true)" "$(samples item.position '^\(-3, true\)$')" "$all" 3 6
	expect_share even "$(samples item.name '^"even"$')" "$(samples item.name)" 3 6
	# Of the other variant there is no such member.
	expect_equal "the number in Some" "$(samples count.__0)" "$(samples count '^Some')"
	expect_equal "the variant Some" "$(samples count.Some '^\(42\)$')" "$(samples count '^Some')"
	samples count.__0 >n
	ask values.json '.variables[0].missing["no such member, or no pointer or array"] > 0' | grep -qx true
	"$DENDRO" export --format folded --split variants::work:count -o folded variants.recorded
	grep -qF ';[count = Some(42)]' folded
	grep -qF ';[count = None]' folded
}
