/* What arm64 instructions do, as assembled by binutils. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/arch/decode_aarch64.h"

#define SP       31
#define NONE     MACHINE_NO_REG
#define BIT(reg) (1ull << (reg))

static const struct {
	const char *text;
	uint32_t code;
	enum machine_flow flow;
	int64_t target;
	uint64_t clobbers;
	size_t n_ops;
	struct machine_op ops[3];
} instructions[] = {
	{ "stp x29, x30, [sp, #-32]!",
	  0xa9be7bfd,
	  FLOW_NEXT,
	  0,
	  0,
	  3,
	  { { OP_SET, SP, SP, -32 }, { OP_STORE, SP, 29, 0 }, { OP_STORE, SP, 30, 8 } } },
	{ "ldp x29, x30, [sp], #32",
	  0xa8c27bfd,
	  FLOW_NEXT,
	  0,
	  0,
	  3,
	  { { OP_LOAD, 29, SP, 0 }, { OP_LOAD, 30, SP, 8 }, { OP_SET, SP, SP, 32 } } },
	{ "ldp x29, x30, [x29]",
	  0xa9407bbd,
	  FLOW_NEXT,
	  0,
	  0,
	  2,
	  { { OP_LOAD, 30, 29, 8 }, { OP_LOAD, 29, 29, 0 } } },
	{ "stp x19, xzr, [sp, #16]",
	  0xa9017ff3,
	  FLOW_NEXT,
	  0,
	  0,
	  2,
	  { { OP_STORE, SP, 19, 16 }, { OP_STORE, SP, NONE, 24 } } },
	{ "ldp w0, w1, [x2, #8]", 0x29410440, FLOW_NEXT, 0, BIT(0) | BIT(1), 0, { { 0 } } },
	{ "ldpsw x0, x1, [x2]", 0x69400440, FLOW_NEXT, 0, BIT(0) | BIT(1), 0, { { 0 } } },
	{ "ldp q0, q1, [sp], #32", 0xacc107e0, FLOW_NEXT, 0, 0, 1, { { OP_SET, SP, SP, 32 } } },
	{ "str x30, [sp, #-16]!",
	  0xf81f0ffe,
	  FLOW_NEXT,
	  0,
	  0,
	  2,
	  { { OP_SET, SP, SP, -16 }, { OP_STORE, SP, 30, 0 } } },
	{ "ldr x30, [sp], #16",
	  0xf84107fe,
	  FLOW_NEXT,
	  0,
	  0,
	  2,
	  { { OP_LOAD, 30, SP, 0 }, { OP_SET, SP, SP, 16 } } },
	{ "ldr x19, [sp, #32760]", 0xf97ffff3, FLOW_NEXT, 0, 0, 1, { { OP_LOAD, 19, SP, 32760 } } },
	{ "ldur x19, [x29, #-8]", 0xf85f83b3, FLOW_NEXT, 0, 0, 1, { { OP_LOAD, 19, 29, -8 } } },
	{ "str w0, [x1, #4]", 0xb9000420, FLOW_NEXT, 0, 0, 1, { { OP_STORE, 1, NONE, 4 } } },
	{ "ldrb w3, [x4]", 0x39400083, FLOW_NEXT, 0, BIT(3), 0, { { 0 } } },
	{ "ldr x3, [x4, x5, lsl #3]", 0xf8657883, FLOW_NEXT, 0, BIT(3), 0, { { 0 } } },
	{ "ldr x3, .+8", 0x58000043, FLOW_NEXT, 0, BIT(3), 0, { { 0 } } },
	{ "str d8, [sp, #-16]!", 0xfc1f0fe8, FLOW_NEXT, 0, 0, 1, { { OP_SET, SP, SP, -16 } } },
	{ "prfm pldl1keep, [x29]", 0xf98003a0, FLOW_NEXT, 0, 0, 0, { { 0 } } },
	{ "ldaddal x0, x1, [x2]", 0xf8e00041, FLOW_NEXT, 0, BIT(1), 0, { { 0 } } },
	{ "mov x29, sp", 0x910003fd, FLOW_NEXT, 0, 0, 1, { { OP_SET, 29, SP, 0 } } },
	{ "mov sp, x29", 0x910003bf, FLOW_NEXT, 0, 0, 1, { { OP_SET, SP, 29, 0 } } },
	{ "sub sp, sp, #1, lsl #12",
	  0xd14007ff,
	  FLOW_NEXT,
	  0,
	  0,
	  1,
	  { { OP_SET, SP, SP, -4096 } } },
	{ "add w0, w0, #1", 0x11000400, FLOW_NEXT, 0, BIT(0), 0, { { 0 } } },
	{ "cmp x0, #1", 0xf100041f, FLOW_NEXT, 0, 0, 0, { { 0 } } },
	{ "and sp, x1, #-16", 0x927cec3f, FLOW_NEXT, 0, BIT(SP), 0, { { 0 } } },
	{ "tst x0, #1", 0xf240001f, FLOW_NEXT, 0, 0, 0, { { 0 } } },
	{ "sub sp, sp, x12", 0xcb2c63ff, FLOW_NEXT, 0, BIT(SP), 0, { { 0 } } },
	{ "mov x20, x0", 0xaa0003f4, FLOW_NEXT, 0, 0, 1, { { OP_SET, 20, 0, 0 } } },
	{ "mov x29, #0", 0xd280001d, FLOW_NEXT, 0, BIT(29), 0, { { 0 } } },
	{ "cmp x1, x2", 0xeb02003f, FLOW_NEXT, 0, 0, 0, { { 0 } } },
	{ "ccmp x1, x2, #13, eq", 0xfa42002d, FLOW_NEXT, 0, 0, 0, { { 0 } } },
	{ "csel x19, x1, x2, eq", 0x9a820033, FLOW_NEXT, 0, BIT(19), 0, { { 0 } } },
	{ "adrp x16, .", 0x90000010, FLOW_NEXT, 0, BIT(16), 0, { { 0 } } },
	{ "pacia x30, sp", 0xdac103fe, FLOW_NEXT, 0, 0, 0, { { 0 } } },
	{ "paciasp", 0xd503233f, FLOW_NEXT, 0, 0, 0, { { 0 } } },
	{ "mrs x19, tpidr_el0", 0xd53bd053, FLOW_NEXT, 0, BIT(19), 0, { { 0 } } },
	{ "msr tpidr_el0, x19", 0xd51bd053, FLOW_NEXT, 0, 0, 0, { { 0 } } },
	{ "svc #0", 0xd4000001, FLOW_NEXT, 0, BIT(0), 0, { { 0 } } },
	{ "fadd d29, d30, d31", 0x1e7f2bdd, FLOW_NEXT, 0, 0, 0, { { 0 } } },
	{ "fcvtzs x19, d0", 0x9e780013, FLOW_NEXT, 0, BIT(19), 0, { { 0 } } },
	{ "fmov x19, d0", 0x9e660013, FLOW_NEXT, 0, BIT(19), 0, { { 0 } } },
	{ "umov w19, v0.b[0]", 0x0e013c13, FLOW_NEXT, 0, BIT(19), 0, { { 0 } } },
	{ "addvl sp, sp, #-1", 0x043f57ff, FLOW_NEXT, 0, BIT(SP), 0, { { 0 } } },
	{ "b .-4", 0x17ffffff, FLOW_JUMP, -4, 0, 0, { { 0 } } },
	{ "bl .+8", 0x94000002, FLOW_CALL, 8, 0, 0, { { 0 } } },
	{ "b.eq .+16", 0x54000080, FLOW_BRANCH, 16, 0, 0, { { 0 } } },
	{ "cbnz x0, .-8", 0xb5ffffc0, FLOW_BRANCH, -8, 0, 0, { { 0 } } },
	{ "tbz x0, #33, .+12", 0xb6080060, FLOW_BRANCH, 12, 0, 0, { { 0 } } },
	{ "blr x1", 0xd63f0020, FLOW_CALL, 0, 0, 0, { { 0 } } },
	{ "blraaz x1", 0xd63f083f, FLOW_CALL, 0, 0, 0, { { 0 } } },
	{ "br x17", 0xd61f0220, FLOW_TAIL_CALL, 0, 0, 0, { { 0 } } },
	{ "br x3", 0xd61f0060, FLOW_INDIRECT, 0, 0, 0, { { 0 } } },
	{ "ret", 0xd65f03c0, FLOW_RETURN, 0, 0, 0, { { 0 } } },
	{ "retaa", 0xd65f0bff, FLOW_RETURN, 0, 0, 0, { { 0 } } },
	{ "ret x3", 0xd65f0060, FLOW_INDIRECT, 0, 0, 0, { { 0 } } },
	{ "brk #1", 0xd4200020, FLOW_STOP, 0, 0, 0, { { 0 } } },
};

static void instructions_do_what_the_manual_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(instructions) / sizeof(instructions[0]); i++) {
		struct machine_instruction what;
		size_t n_stores = 0;

		assert_true(aarch64_decode((const uint8_t *)&instructions[i].code, 4, &what));
		/* What vectors leave on the stack is nobody's. */
		for (size_t op = 0; op < what.n_ops; op++)
			if (instructions[i].n_ops > n_stores)
				n_stores += !memcmp(&what.ops[op], &instructions[i].ops[n_stores],
						    sizeof(what.ops[op]));
		if (what.flow != instructions[i].flow || what.target != instructions[i].target ||
		    what.clobbers != instructions[i].clobbers || n_stores != what.n_ops)
			print_error("%s\n", instructions[i].text);
		assert_int_equal(what.size, 4);
		assert_int_equal(what.flow, instructions[i].flow);
		assert_int_equal(what.target, instructions[i].target);
		assert_int_equal(what.clobbers, instructions[i].clobbers);
		assert_int_equal(what.n_ops, instructions[i].n_ops);
		assert_int_equal(n_stores, what.n_ops);
	}
}

/* Registers have numbers up to 31; nothing that is decoded leads outside. */
static void any_word_is_decoded_within_bounds(void **state)
{
	uint32_t random = 1;

	(void)state;
	for (size_t i = 0; i < 1000000; i++) {
		struct machine_instruction what;

		random = random * 1664525u + 1013904223u;
		uint32_t code = random ^ random >> 15;
		if (!aarch64_decode((const uint8_t *)&code, 4, &what))
			continue;
		assert_true(what.n_ops <= MACHINE_OPS_MAX);
		assert_true(what.clobbers >> 32 == 0);
		for (size_t op = 0; op < what.n_ops; op++) {
			assert_true(what.ops[op].to <= 31);
			assert_true(what.ops[op].from <= 31 || what.ops[op].from == NONE);
		}
	}
	struct machine_instruction what;
	assert_false(aarch64_decode((const uint8_t *)"\x1f\x20\x03", 3, &what));
}

static void functions_begin_with_landing_pads_or_frames(void **state)
{
	static const struct {
		uint32_t code[4];
		uint64_t misalignment;
		bool is_start;
	} cases[] = {
		{ { 0xd503245f, 0, 0, 0 }, 4, true },                   /* bti c */
		{ { 0xd503233f, 0, 0, 0 }, 0, true },                   /* paciasp */
		{ { 0xa9be7bfd, 0, 0, 0 }, 0, true },                   /* stp x29, x30 */
		{ { 0xd503201f, 0xd503201f, 0xa9be7bfd, 0 }, 8, true }, /* padding */
		{ { 0xd503201f, 0xd10043ff, 0, 0 }, 12, true },         /* sub sp after padding */
		{ { 0xd10043ff, 0, 0, 0 }, 0, false },                  /* alloca() */
		{ { 0, 0, 0, 0 }, 4, true },
		{ { 0xaa0003f4, 0, 0, 0 }, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(aarch64_is_function_start((const uint8_t *)cases[i].code,
							   sizeof(cases[i].code),
							   cases[i].misalignment),
				 cases[i].is_start);
	assert_false(aarch64_is_function_start((const uint8_t *)cases[0].code, 0, 0));
}

static void called_functions_are_marked(void **state)
{
	/* bl .+8; nop; bl .-8; bl far away */
	static const uint32_t code[] = { 0x94000002, 0xd503201f, 0x97fffffe, 0x94ffffff };
	uint64_t bits[1] = { 0 };

	(void)state;
	aarch64_mark_function_starts((const uint8_t *)code, sizeof(code), bits);
	assert_int_equal(bits[0], 1ull << 8 | 1ull << 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_do_what_the_manual_says),
		cmocka_unit_test(any_word_is_decoded_within_bounds),
		cmocka_unit_test(functions_begin_with_landing_pads_or_frames),
		cmocka_unit_test(called_functions_are_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
