/*
 * Which registers and words lead to a variable at a sample. Its description is made up: a pointer
 * to
 *
 *	struct machine { struct op *op; int now; };      // offsets 8 and 16
 *	struct op { int opcode; const char *name; };     // offsets 0 and 24
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/record/follow/sample_steps.h"
#include "tests/unit/fixtures/debug_image.h"

enum { SP = 7, CFA_FROM_SP = 32, TEXT = 48 };
enum { INT = 13, CHAR = 16, TO_CHAR = 19, OP = 22 }; /* offsets of types */

struct fixture {
	struct debug_image image;
	Dwarf *dwarf;
	Dwarf_Die variable;
	uint64_t registers[FOLLOW_NOTHING];
	struct debug_frame frame;
	struct steps_frame steps_frame;
	struct follow_rule rule;
};

struct bytes {
	uint8_t bytes[512];
	size_t n;
};

static void put(struct bytes *to, const void *bytes, size_t size)
{
	memcpy(to->bytes + to->n, bytes, size);
	to->n += size;
}

#define PUT(to, ...) \
	put(to, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void put_member(struct bytes *info, const char *name, uint8_t type, uint8_t offset)
{
	PUT(info, 5);
	put(info, name, strlen(name) + 1);
	PUT(info, type, offset);
}

/* The variable, whose location is @expression. */
static void describe(struct fixture *fixture, const uint8_t *expression, size_t size)
{
	static const uint8_t abbreviations[] = {
		1,
		DW_TAG_compile_unit,
		1,
		0,
		0,
		2,
		DW_TAG_base_type,
		0,
		DW_AT_byte_size,
		DW_FORM_data1,
		DW_AT_encoding,
		DW_FORM_data1,
		0,
		0,
		3,
		DW_TAG_pointer_type,
		0,
		DW_AT_byte_size,
		DW_FORM_data1,
		DW_AT_type,
		DW_FORM_ref1,
		0,
		0,
		4,
		DW_TAG_structure_type,
		1,
		DW_AT_byte_size,
		DW_FORM_data1,
		0,
		0,
		5,
		DW_TAG_member,
		0,
		DW_AT_name,
		DW_FORM_string,
		DW_AT_type,
		DW_FORM_ref1,
		DW_AT_data_member_location,
		DW_FORM_data1,
		0,
		0,
		6,
		DW_TAG_variable,
		0,
		DW_AT_type,
		DW_FORM_ref1,
		DW_AT_location,
		DW_FORM_exprloc,
		0,
		0,
		0,
	};
	struct bytes info = { .n = 4 };

	PUT(&info, 5, 0, DW_UT_compile, 8, 0, 0, 0, 0, 1);
	PUT(&info, 2, 4, DW_ATE_signed, 2, 1, DW_ATE_signed_char, 3, 8, CHAR, 4, 32);
	put_member(&info, "opcode", INT, 0);
	put_member(&info, "name", TO_CHAR, 24);
	PUT(&info, 0);
	const uint8_t to_op = (uint8_t)info.n;
	PUT(&info, 3, 8, OP);
	const uint8_t machine = (uint8_t)info.n;
	PUT(&info, 4, 24);
	put_member(&info, "op", to_op, 8);
	put_member(&info, "now", INT, 16);
	PUT(&info, 0);
	const uint8_t to_machine = (uint8_t)info.n;
	PUT(&info, 3, 8, machine);
	const size_t variable = info.n;
	PUT(&info, 6, to_machine, (uint8_t)size);
	put(&info, expression, size);
	PUT(&info, 0);
	const uint32_t length = (uint32_t)info.n - 4;
	memcpy(info.bytes, &length, sizeof(length));

	const struct image_section sections[] = {
		{ ".debug_abbrev", abbreviations, sizeof(abbreviations), 0 },
		{ ".debug_info", info.bytes, info.n, 0 },
	};
	debug_image_init(&fixture->image, sections, 2);
	fixture->dwarf = dwarf_begin_elf(fixture->image.elf, DWARF_C_READ, NULL);
	assert_non_null(dwarf_offdie(fixture->dwarf, variable, &fixture->variable));
}

#define DESCRIBE(fixture, ...)                              \
	describe(fixture, (const uint8_t[]){ __VA_ARGS__ }, \
		 sizeof((const uint8_t[]){ __VA_ARGS__ }))

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->registers[SP] = 0x7000;
	fixture->frame = (struct debug_frame){ .registers = fixture->registers,
					       .known = 0xffff,
					       .cfa = 0x7000 + CFA_FROM_SP,
					       .has_cfa = true,
					       .bias = 0x100000 };
	fixture->steps_frame = (struct steps_frame){
		.debug = &fixture->frame,
		.sp = SP,
		.sampled_sp = 0x7000,
	};
	for (unsigned i = 0; i < FOLLOW_NOTHING; i++)
		fixture->steps_frame.registers[i].where = SAVED_IN_PLACE;
	*state = fixture;
	return 0;
}

static void tear_down_image(struct fixture *fixture)
{
	dwarf_end(fixture->dwarf);
	debug_image_deinit(&fixture->image);
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	tear_down_image(fixture);
	free(fixture);
	return 0;
}

static bool add(struct fixture *fixture, const char *text)
{
	struct value_expression expression;

	assert_null(value_expression_parse(&expression, text));
	return sample_steps_add(&fixture->rule, &fixture->steps_frame, &expression,
				&fixture->variable);
}

static void expect(const struct fixture *fixture, const struct follow_step *steps, size_t n)
{
	assert_int_equal(fixture->rule.n_steps, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(fixture->rule.steps[i].base, steps[i].base);
		assert_int_equal(fixture->rule.steps[i].offset, steps[i].offset);
		assert_int_equal(fixture->rule.steps[i].size, steps[i].size);
	}
}

#define EXPECT(fixture, ...)                                         \
	expect(fixture, (const struct follow_step[]){ __VA_ARGS__ }, \
	       sizeof((const struct follow_step[]){ __VA_ARGS__ }) / sizeof(struct follow_step))

static void a_pointer_in_a_register_is_followed_from_there(void **state)
{
	struct fixture *fixture = *state;

	DESCRIBE(fixture, DW_OP_reg3);
	assert_true(add(fixture, "machine->op->opcode"));
	EXPECT(fixture, { 3, 8, 8 }, { FOLLOW_WORDS, 0, 4 });
}

static void a_pointer_in_memory_is_read_first(void **state)
{
	struct fixture *fixture = *state;

	DESCRIBE(fixture, DW_OP_breg0 + 6, 0x70); /* -16 */
	assert_true(add(fixture, "machine->now"));
	EXPECT(fixture, { 6, (uint64_t)-16, 8 }, { FOLLOW_WORDS, 16, 4 });
}

static void the_cfa_is_at_a_distance_from_the_stack_pointer(void **state)
{
	struct fixture *fixture = *state;

	DESCRIBE(fixture, DW_OP_call_frame_cfa, DW_OP_lit8, DW_OP_minus);
	assert_true(add(fixture, "machine->now"));
	EXPECT(fixture, { SP, CFA_FROM_SP - 8, 8 }, { FOLLOW_WORDS, 16, 4 });
}

static void an_address_of_the_program_is_relative_to_nothing(void **state)
{
	struct fixture *fixture = *state;

	DESCRIBE(fixture, DW_OP_addr, 0, 0x40, 0, 0, 0, 0, 0, 0);
	assert_true(add(fixture, "machine->now"));
	EXPECT(fixture, { FOLLOW_NOTHING, 0x104000, 8 }, { FOLLOW_WORDS, 16, 4 });
}

static void a_text_is_read_as_far_as_it_is_shown(void **state)
{
	struct fixture *fixture = *state;

	DESCRIBE(fixture, DW_OP_reg3);
	assert_true(add(fixture, "machine->op->name"));
	EXPECT(fixture, { 3, 8, 8 }, { FOLLOW_WORDS, 24, 8 }, { FOLLOW_WORDS + 1, 0, TEXT });
}

static void several_values_share_their_steps(void **state)
{
	struct fixture *fixture = *state;

	DESCRIBE(fixture, DW_OP_reg3);
	assert_true(add(fixture, "machine->op->opcode"));
	assert_true(add(fixture, "machine->op->name"));
	/* The opcode as a whole is a part of what is read from there. */
	assert_true(add(fixture, "*machine->op"));
	EXPECT(fixture, { 3, 8, 8 }, { FOLLOW_WORDS, 0, 32 }, { FOLLOW_WORDS, 24, 8 },
	       { FOLLOW_WORDS + 2, 0, TEXT });
}

static void what_is_more_than_a_sum_is_refused(void **state)
{
	struct fixture *fixture = *state;

	DESCRIBE(fixture, DW_OP_breg0 + 3, 0, DW_OP_lit2, DW_OP_mul);
	assert_false(add(fixture, "machine->now"));
	assert_int_equal(fixture->rule.n_steps, 0);
}

static void a_register_that_is_not_known_leads_nowhere(void **state)
{
	struct fixture *fixture = *state;

	DESCRIBE(fixture, DW_OP_reg3);
	fixture->frame.known &= ~(1ull << 3);
	assert_false(add(fixture, "machine->now"));
	fixture->frame.known |= 1ull << 3;
	assert_false(add(fixture, "machine->colour"));
	assert_int_equal(fixture->rule.n_steps, 0);
}

/* A caller, 80 bytes further out, whose rbx is saved 24 bytes above the sampled stack pointer. */
static void make_caller(struct fixture *fixture)
{
	fixture->registers[SP] = 0x7050;
	fixture->frame.cfa = 0x7050 + CFA_FROM_SP;
	fixture->steps_frame.registers[3].where = SAVED_IN_MEMORY;
	fixture->steps_frame.registers[3].addr = 0x7018;
}

static void of_a_caller_a_register_is_read_where_it_is_saved(void **state)
{
	struct fixture *fixture = *state;

	make_caller(fixture);
	DESCRIBE(fixture, DW_OP_reg3);
	assert_true(add(fixture, "machine->op->opcode"));
	EXPECT(fixture, { SP, 24, 8 }, { FOLLOW_WORDS, 8, 8 }, { FOLLOW_WORDS + 1, 0, 4 });
	/* Another register is as the sampled function has left it. */
	fixture->rule.n_steps = 0;
	tear_down_image(fixture);
	DESCRIBE(fixture, DW_OP_reg12);
	assert_true(add(fixture, "machine->now"));
	EXPECT(fixture, { 12, 16, 4 });
}

static void of_a_caller_the_stack_is_at_a_distance_from_the_sampled_stack_pointer(void **state)
{
	struct fixture *fixture = *state;

	make_caller(fixture);
	DESCRIBE(fixture, DW_OP_call_frame_cfa, DW_OP_lit8, DW_OP_minus);
	assert_true(add(fixture, "machine->now"));
	EXPECT(fixture, { SP, 0x50 + CFA_FROM_SP - 8, 8 }, { FOLLOW_WORDS, 16, 4 });
	fixture->rule.n_steps = 0;
	tear_down_image(fixture);
	DESCRIBE(fixture, DW_OP_breg0 + SP, 8);
	assert_true(add(fixture, "machine->now"));
	EXPECT(fixture, { SP, 0x58, 8 }, { FOLLOW_WORDS, 16, 4 });
}

static void of_a_caller_a_text_is_read(void **state)
{
	struct fixture *fixture = *state;

	make_caller(fixture);
	DESCRIBE(fixture, DW_OP_reg3);
	assert_true(add(fixture, "machine->op->name"));
	EXPECT(fixture, { SP, 24, 8 }, { FOLLOW_WORDS, 8, 8 }, { FOLLOW_WORDS + 1, 24, 8 },
	       { FOLLOW_WORDS + 2, 0, TEXT });
}

static void a_register_that_the_sample_has_nowhere_leads_nowhere(void **state)
{
	struct fixture *fixture = *state;

	make_caller(fixture);
	fixture->steps_frame.registers[3].where = SAVED_NOT_KNOWN;
	DESCRIBE(fixture, DW_OP_reg3);
	assert_false(add(fixture, "machine->now"));
	assert_int_equal(fixture->rule.n_steps, 0);
}

static void without_room_nothing_is_added(void **state)
{
	struct fixture *fixture = *state;
	struct follow_rule full = { .n_steps = FOLLOW_STEPS_MAX - 1 };

	for (uint64_t i = 0; i < full.n_steps; i++)
		full.steps[i] = (struct follow_step){ 5, 8 * i, 8 };
	fixture->rule = full;
	DESCRIBE(fixture, DW_OP_reg3);
	assert_false(add(fixture, "machine->op->opcode"));
	assert_memory_equal(&fixture->rule, &full, sizeof(full));
	assert_true(add(fixture, "machine->now"));
	assert_int_equal(fixture->rule.n_steps, FOLLOW_STEPS_MAX);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(of_a_caller_a_register_is_read_where_it_is_saved),
		TEST(of_a_caller_the_stack_is_at_a_distance_from_the_sampled_stack_pointer),
		TEST(of_a_caller_a_text_is_read),
		TEST(a_register_that_the_sample_has_nowhere_leads_nowhere),
		TEST(a_pointer_in_a_register_is_followed_from_there),
		TEST(a_pointer_in_memory_is_read_first),
		TEST(the_cfa_is_at_a_distance_from_the_stack_pointer),
		TEST(an_address_of_the_program_is_relative_to_nothing),
		TEST(a_text_is_read_as_far_as_it_is_shown),
		TEST(several_values_share_their_steps),
		TEST(what_is_more_than_a_sum_is_refused),
		TEST(a_register_that_is_not_known_leads_nowhere),
		TEST(without_room_nothing_is_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
