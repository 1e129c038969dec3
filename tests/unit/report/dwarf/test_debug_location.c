/* Each operation of DWARF expressions, and each reason for which a value is not known. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "report/dwarf/debug_call_sites.h"
#include "report/dwarf/debug_location.h"
#include "tests/unit/fixtures/located_image.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
#define MEMORY     0x5000ull
#define BIAS       0x100000ull
#define CFA        (MEMORY + 32)

static const uint8_t memory[64] = { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
				    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

/* A frame of the callee and one of the caller. */
struct fixture {
	struct located_image located;
	struct debug_process process;
	struct debug_frame frame, caller;
	struct debug_call_sites *sites;
	bool has_caller;
	uint64_t registers[17];
};

static bool read_memory(void *data, uint64_t addr, size_t size, uint8_t *bytes)
{
	(void)data;
	if (addr < MEMORY || addr - MEMORY > sizeof(memory) ||
	    size > sizeof(memory) - (addr - MEMORY))
		return false;
	memcpy(bytes, memory + (addr - MEMORY), size);
	return true;
}

static const struct debug_frame *find_caller(void *data, const struct debug_frame *frame)
{
	struct fixture *fixture = data;

	return frame == &fixture->frame && fixture->has_caller ? &fixture->caller : NULL;
}

static void set_up(struct fixture *fixture, const uint8_t *expression, size_t size,
		   const struct located_options *options)
{
	memset(fixture, 0, sizeof(*fixture));
	located_image_init(&fixture->located, expression, size, options);
	fixture->process = (struct debug_process){ read_memory, find_caller, fixture };
	fixture->sites = debug_call_sites_create();
	fixture->has_caller = true;
	for (uint64_t i = 0; i < 17; i++)
		fixture->registers[i] = MEMORY + 8 * i;
	fixture->registers[3] = 7;
	fixture->frame = (struct debug_frame){ .process = &fixture->process,
					       .registers = fixture->registers,
					       .known = 0xff,
					       .cfa = CFA,
					       .has_cfa = true,
					       .bias = BIAS,
					       .vaddr = LOCATED_CALLEE + 4,
					       .next_vaddr = LOCATED_CALLEE + 4,
					       .function = &fixture->located.callee,
					       .call_sites = fixture->sites };
	fixture->caller = fixture->frame;
	fixture->caller.vaddr = LOCATED_RETURNED - 1;
	fixture->caller.next_vaddr = LOCATED_RETURNED;
	fixture->caller.function = &fixture->located.caller;
}

static void tear_down(struct fixture *fixture)
{
	debug_call_sites_destroy(fixture->sites);
	located_image_deinit(&fixture->located);
}

/* The low @n_bits of the variable. */
static enum debug_reason value_of(struct fixture *fixture, uint64_t bit, uint64_t n_bits,
				  uint64_t *value_ret)
{
	struct debug_location location;
	uint8_t bytes[8] = { 0 };
	enum debug_reason reason =
		debug_location_find(&location, &fixture->located.variable, &fixture->frame);

	if (!reason)
		reason = debug_location_read(&location, &fixture->frame, bit, n_bits, bytes);
	memcpy(value_ret, bytes, sizeof(bytes));
	return reason;
}

/* @n_bits: how much of the variable is read; 0: 64. */
struct expected {
	const char *what;
	const uint8_t *expression;
	size_t size;
	uint64_t value;
	enum debug_reason reason;
	uint64_t n_bits;
};

static void check(const struct expected *expected, const struct located_options *options)
{
	struct fixture fixture;
	uint64_t value;

	set_up(&fixture, expected->expression, expected->size, options);
	enum debug_reason reason =
		value_of(&fixture, 0, expected->n_bits ? expected->n_bits : 64, &value);
	if (reason != expected->reason || (!reason && value != expected->value))
		fail_msg("%s: %s, %#lx", expected->what, debug_reason_text(reason), value);
	tear_down(&fixture);
}

static void objects_are_in_memory_in_registers_or_nowhere(void **state)
{
	static const struct located_options usual = { 0 };
	const struct expected cases[] = {
		{ "memory", BYTES(DW_OP_breg0, 0), 0x8877665544332211, 0, 0 },
		{ "at the CFA", BYTES(DW_OP_fbreg, 0x60), 0x8877665544332211, 0, 0 },
		{ "CFA", BYTES(DW_OP_call_frame_cfa, DW_OP_stack_value), CFA, 0, 0 },
		{ "register", BYTES(DW_OP_reg3), 7, 0, 0 },
		{ "register by number", BYTES(DW_OP_regx, 3), 7, 0, 0 },
		{ "lost register", BYTES(DW_OP_reg12), 0, DEBUG_NO_REGISTER, 0 },
		{ "register without a number", BYTES(DW_OP_regx, 0x80, 1), 0, DEBUG_NO_REGISTER,
		  0 },
		{ "lost base", BYTES(DW_OP_breg12, 0), 0, DEBUG_NO_REGISTER, 0 },
		{ "base by number", BYTES(DW_OP_bregx, 0, 8), UINT64_MAX, 0, 0 },
		{ "memory elsewhere", BYTES(DW_OP_breg3, 0), 0, DEBUG_NO_MEMORY, 0 },
		{ "nothing", BYTES(), 0, DEBUG_OPTIMIZED_OUT, 0 },
		{ "bytes", BYTES(DW_OP_implicit_value, 3, 1, 2, 3), 0x030201, 0, 24 },
		{ "too few bytes", BYTES(DW_OP_implicit_value, 1, 1), 0, DEBUG_NOT_SUPPORTED, 0 },
		{ "address in the file",
		  BYTES(DW_OP_addr, 1, 2, 0, 0, 0, 0, 0, 0, DW_OP_stack_value), BIAS + 0x201, 0,
		  0 },
		{ "pointer to nothing", BYTES(DW_OP_implicit_pointer, 13, 0, 0, 0, 0), 0,
		  DEBUG_NOT_STORED, 0 },
		{ "thread's memory", BYTES(DW_OP_lit1, DW_OP_form_tls_address), 0,
		  DEBUG_NOT_SUPPORTED, 0 },
		{ "two descriptions", BYTES(DW_OP_reg3, DW_OP_reg3), 0, DEBUG_MALFORMED, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i], &usual);
}

/* Those of the generic type. The value is on top when they have been done. */
static void arithmetic_is_done_on_a_stack(void **state)
{
	static const struct located_options usual = { 0 };
	const struct expected cases[] = {
		{ "lit", BYTES(DW_OP_lit31), 31, 0, 0 },
		{ "const1s", BYTES(DW_OP_const1s, 0xff), UINT64_MAX, 0, 0 },
		{ "const2u", BYTES(DW_OP_const2u, 1, 2), 0x201, 0, 0 },
		{ "const4s", BYTES(DW_OP_const4s, 0xfe, 0xff, 0xff, 0xff), -2ull, 0, 0 },
		{ "const8u", BYTES(DW_OP_const8u, 1, 0, 0, 0, 0, 0, 0, 1), 1ull << 56 | 1, 0, 0 },
		{ "consts", BYTES(DW_OP_consts, 0x7f), UINT64_MAX, 0, 0 },
		{ "plus", BYTES(DW_OP_lit3, DW_OP_lit4, DW_OP_plus), 7, 0, 0 },
		{ "plus_uconst", BYTES(DW_OP_lit3, DW_OP_plus_uconst, 9), 12, 0, 0 },
		{ "minus", BYTES(DW_OP_lit3, DW_OP_lit4, DW_OP_minus), UINT64_MAX, 0, 0 },
		{ "mul", BYTES(DW_OP_lit3, DW_OP_lit4, DW_OP_mul), 12, 0, 0 },
		{ "div", BYTES(DW_OP_const1s, 0xf8, DW_OP_lit2, DW_OP_div), -4ull, 0, 0 },
		{ "mod", BYTES(DW_OP_lit7, DW_OP_lit4, DW_OP_mod), 3, 0, 0 },
		{ "div by 0", BYTES(DW_OP_lit7, DW_OP_lit0, DW_OP_div), 0, DEBUG_NOT_SUPPORTED, 0 },
		{ "mod by 0", BYTES(DW_OP_lit7, DW_OP_lit0, DW_OP_mod), 0, DEBUG_NOT_SUPPORTED, 0 },
		{ "and", BYTES(DW_OP_lit7, DW_OP_lit12, DW_OP_and), 4, 0, 0 },
		{ "or", BYTES(DW_OP_lit7, DW_OP_lit12, DW_OP_or), 15, 0, 0 },
		{ "xor", BYTES(DW_OP_lit7, DW_OP_lit12, DW_OP_xor), 11, 0, 0 },
		{ "neg", BYTES(DW_OP_lit7, DW_OP_neg), -7ull, 0, 0 },
		{ "not", BYTES(DW_OP_lit0, DW_OP_not), UINT64_MAX, 0, 0 },
		{ "abs", BYTES(DW_OP_lit7, DW_OP_neg, DW_OP_abs), 7, 0, 0 },
		{ "shl", BYTES(DW_OP_lit1, DW_OP_lit8, DW_OP_shl), 256, 0, 0 },
		{ "shr", BYTES(DW_OP_lit1, DW_OP_neg, DW_OP_const1u, 60, DW_OP_shr), 15, 0, 0 },
		{ "shra", BYTES(DW_OP_lit16, DW_OP_neg, DW_OP_lit2, DW_OP_shra), -4ull, 0, 0 },
		{ "eq", BYTES(DW_OP_lit1, DW_OP_lit1, DW_OP_eq), 1, 0, 0 },
		{ "ne", BYTES(DW_OP_lit1, DW_OP_lit1, DW_OP_ne), 0, 0, 0 },
		{ "lt", BYTES(DW_OP_lit1, DW_OP_neg, DW_OP_lit1, DW_OP_lt), 1, 0, 0 },
		{ "le", BYTES(DW_OP_lit1, DW_OP_lit1, DW_OP_le), 1, 0, 0 },
		{ "gt", BYTES(DW_OP_lit1, DW_OP_neg, DW_OP_lit1, DW_OP_gt), 0, 0, 0 },
		{ "ge", BYTES(DW_OP_lit2, DW_OP_lit1, DW_OP_ge), 1, 0, 0 },
		{ "dup", BYTES(DW_OP_lit2, DW_OP_dup, DW_OP_mul), 4, 0, 0 },
		{ "drop", BYTES(DW_OP_lit2, DW_OP_lit3, DW_OP_drop), 2, 0, 0 },
		{ "over", BYTES(DW_OP_lit2, DW_OP_lit3, DW_OP_over), 2, 0, 0 },
		{ "pick", BYTES(DW_OP_lit2, DW_OP_lit3, DW_OP_lit4, DW_OP_pick, 2), 2, 0, 0 },
		{ "swap", BYTES(DW_OP_lit2, DW_OP_lit3, DW_OP_swap), 2, 0, 0 },
		{ "rot", BYTES(DW_OP_lit2, DW_OP_lit3, DW_OP_lit4, DW_OP_rot), 3, 0, 0 },
		{ "nop", BYTES(DW_OP_lit2, DW_OP_nop), 2, 0, 0 },
		{ "deref", BYTES(DW_OP_breg0, 0, DW_OP_deref), 0x8877665544332211, 0, 0 },
		{ "deref_size", BYTES(DW_OP_breg0, 7, DW_OP_deref_size, 1), 0x88, 0, 0 },
		{ "deref elsewhere", BYTES(DW_OP_lit1, DW_OP_deref), 0, DEBUG_NO_MEMORY, 0 },
		{ "skip", BYTES(DW_OP_lit2, DW_OP_skip, 1, 0, DW_OP_drop), 2, 0, 0 },
		{ "bra", BYTES(DW_OP_lit2, DW_OP_lit1, DW_OP_bra, 1, 0, DW_OP_drop), 2, 0, 0 },
		{ "bra not taken", BYTES(DW_OP_lit2, DW_OP_lit0, DW_OP_bra, 1, 0, DW_OP_neg), -2ull,
		  0, 0 },
		{ "endless", BYTES(DW_OP_skip, 0xfd, 0xff), 0, DEBUG_MALFORMED, 0 },
		{ "into an operation", BYTES(DW_OP_skip, 1, 0, DW_OP_const1u, DW_OP_lit0), 0,
		  DEBUG_MALFORMED, 0 },
		{ "nothing to pop", BYTES(DW_OP_drop), 0, DEBUG_MALFORMED, 0 },
		{ "nothing to pick", BYTES(DW_OP_lit1, DW_OP_pick, 1), 0, DEBUG_MALFORMED, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct expected expected = cases[i];
		uint8_t expression[64];

		memcpy(expression, expected.expression, expected.size);
		expression[expected.size++] = DW_OP_stack_value;
		expected.expression = expression;
		check(&expected, &usual);
	}
}

static void values_have_types(void **state)
{
	static const struct located_options usual = { 0 };
	const struct expected cases[] = {
		{ "to an int",
		  BYTES(DW_OP_const4u, 0xff, 0xff, 0xff, 0xff, DW_OP_convert, LOCATED_INT,
			DW_OP_convert, 0, DW_OP_stack_value),
		  UINT64_MAX, 0, 0 },
		{ "int to double",
		  BYTES(DW_OP_lit3, DW_OP_convert, LOCATED_DOUBLE, DW_OP_stack_value),
		  0x4008000000000000, 0, 0 },
		{ "double to float",
		  BYTES(DW_OP_lit3, DW_OP_convert, LOCATED_DOUBLE, DW_OP_convert, LOCATED_FLOAT,
			DW_OP_stack_value),
		  0x40400000, 0, 0 },
		{ "double to int",
		  BYTES(DW_OP_lit3, DW_OP_convert, LOCATED_DOUBLE, DW_OP_dup, DW_OP_mul,
			DW_OP_convert, LOCATED_INT, DW_OP_stack_value),
		  9, 0, 0 },
		{ "no operation on doubles",
		  BYTES(DW_OP_lit3, DW_OP_convert, LOCATED_DOUBLE, DW_OP_dup, DW_OP_and,
			DW_OP_stack_value),
		  0, DEBUG_NOT_SUPPORTED, 0 },
		{ "two types",
		  BYTES(DW_OP_lit3, DW_OP_lit3, DW_OP_convert, LOCATED_INT, DW_OP_plus,
			DW_OP_stack_value),
		  0, DEBUG_NOT_SUPPORTED, 0 },
		{ "reinterpreted",
		  BYTES(DW_OP_lit3, DW_OP_convert, LOCATED_DOUBLE, DW_OP_reinterpret, LOCATED_ULONG,
			DW_OP_stack_value),
		  0x4008000000000000, 0, 0 },
		{ "without a sign",
		  BYTES(DW_OP_const1s, 0xf8, DW_OP_convert, LOCATED_ULONG, DW_OP_lit2,
			DW_OP_convert, LOCATED_ULONG, DW_OP_div, DW_OP_stack_value),
		  0x7ffffffffffffffc, 0, 0 },
		{ "const_type",
		  BYTES(DW_OP_const_type, LOCATED_INT, 4, 0xfe, 0xff, 0xff, 0xff, DW_OP_convert, 0,
			DW_OP_stack_value),
		  -2ull, 0, 0 },
		{ "regval_type", BYTES(DW_OP_regval_type, 3, LOCATED_INT, DW_OP_stack_value), 7, 0,
		  0 },
		{ "deref_type",
		  BYTES(DW_OP_breg0, 8, DW_OP_deref_type, 4, LOCATED_INT, DW_OP_stack_value),
		  UINT64_MAX, 0, 0 },
		{ "no type", BYTES(DW_OP_lit3, DW_OP_convert, 12, DW_OP_stack_value), 0,
		  DEBUG_NOT_SUPPORTED, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i], &usual);
}

static void an_object_may_be_in_pieces(void **state)
{
	static const struct located_options usual = { 0 };
	const struct expected cases[] = {
		{ "both known", BYTES(DW_OP_reg3, DW_OP_piece, 4, DW_OP_breg0, 0, DW_OP_piece, 4),
		  0x4433221100000007, 0, 0 },
		{ "one is missing", BYTES(DW_OP_reg3, DW_OP_piece, 4, DW_OP_piece, 4), 0,
		  DEBUG_OPTIMIZED_OUT, 0 },
		{ "the other one is not", BYTES(DW_OP_reg3, DW_OP_piece, 4, DW_OP_piece, 4), 7, 0,
		  32 },
		{ "too short", BYTES(DW_OP_reg3, DW_OP_piece, 4), 0, DEBUG_OPTIMIZED_OUT, 0 },
		{ "bits",
		  BYTES(DW_OP_breg0, 0, DW_OP_bit_piece, 4, 4, DW_OP_reg3, DW_OP_bit_piece, 4, 0),
		  0x71, 0, 8 },
		{ "empty", BYTES(DW_OP_reg3, DW_OP_piece, 0), 0, DEBUG_MALFORMED, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i], &usual);
}

static void bits_of_an_object_are_read_from_any_place(void **state)
{
	static const struct located_options usual = { 0 };
	struct fixture fixture;
	uint64_t value;

	(void)state;
	set_up(&fixture, BYTES(DW_OP_breg0, 0), &usual);
	assert_int_equal(value_of(&fixture, 4, 8, &value), DEBUG_KNOWN);
	assert_int_equal(value, 0x21);
	assert_int_equal(value_of(&fixture, 8, 16, &value), DEBUG_KNOWN);
	assert_int_equal(value, 0x3322);
	assert_int_equal(value_of(&fixture, 8ul * sizeof(memory) - 4, 8, &value), DEBUG_NO_MEMORY);
	tear_down(&fixture);
}

static void what_a_call_passed_is_known_by_its_caller(void **state)
{
	static const uint8_t by_caller[] = { DW_OP_breg3, 1 };
	static const uint8_t again[] = { DW_OP_entry_value, 1, DW_OP_reg5 };
	const struct expected known = { "entry value",
					BYTES(DW_OP_entry_value, 1, DW_OP_reg5, DW_OP_stack_value),
					42, 0, 0 };
	struct expected expected = known;

	(void)state;
	check(&known, &(struct located_options){ 0 });
	expected.value = 8;
	check(&expected, &(struct located_options){ .passed = by_caller, .n_passed = 2 });
	expected.reason = DEBUG_NO_ENTRY_VALUE;
	expected.what = "of the caller's caller";
	check(&expected, &(struct located_options){ .passed = again, .n_passed = 3 });
	expected.what = "a tail call may have come between";
	check(&expected, &(struct located_options){ .calls_itself = true });
	expected.what = "another function was called";
	check(&expected, &(struct located_options){ .names_another = true });
	const struct expected other = { "not passed",
					BYTES(DW_OP_entry_value, 1, DW_OP_reg4, DW_OP_stack_value),
					0, DEBUG_NO_ENTRY_VALUE, 0 };
	check(&other, &(struct located_options){ 0 });
}

static void no_caller_or_another_call_tells_nothing(void **state)
{
	struct fixture fixture;
	uint64_t value;

	(void)state;
	set_up(&fixture, BYTES(DW_OP_entry_value, 1, DW_OP_reg5, DW_OP_stack_value),
	       &(struct located_options){ 0 });
	fixture.caller.next_vaddr++;
	assert_int_equal(value_of(&fixture, 0, 64, &value), DEBUG_NO_ENTRY_VALUE);
	fixture.caller.next_vaddr--;
	assert_int_equal(value_of(&fixture, 0, 64, &value), DEBUG_KNOWN);
	fixture.has_caller = false;
	assert_int_equal(value_of(&fixture, 0, 64, &value), DEBUG_NO_ENTRY_VALUE);
	tear_down(&fixture);
}

static void a_frame_without_cfi_has_no_cfa(void **state)
{
	struct fixture fixture;
	uint64_t value;

	(void)state;
	set_up(&fixture, BYTES(DW_OP_fbreg, 0), &(struct located_options){ 0 });
	fixture.frame.has_cfa = false;
	assert_int_equal(value_of(&fixture, 0, 64, &value), DEBUG_NO_FRAME);
	fixture.frame.function = NULL;
	assert_int_equal(value_of(&fixture, 0, 64, &value), DEBUG_MALFORMED);
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_are_in_memory_in_registers_or_nowhere),
		cmocka_unit_test(arithmetic_is_done_on_a_stack),
		cmocka_unit_test(values_have_types),
		cmocka_unit_test(an_object_may_be_in_pieces),
		cmocka_unit_test(bits_of_an_object_are_read_from_any_place),
		cmocka_unit_test(what_a_call_passed_is_known_by_its_caller),
		cmocka_unit_test(no_caller_or_another_call_tells_nothing),
		cmocka_unit_test(a_frame_without_cfi_has_no_cfa),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
