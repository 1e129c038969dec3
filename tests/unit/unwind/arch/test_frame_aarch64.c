/* Prologues and epilogues as clang 14 compiles them, instruction by instruction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unwind/arch/frame_aarch64.h"

#define SP 31

/* What a rule says: CFA in words above sp, and slots of x19, x20, x29, x30; -1: no rule. */
struct expected {
	int words;
	uint8_t x19, x20, x29, x30;
};

struct step {
	uint32_t code;
	struct expected prologue, epilogue;
};

#define NO_RULE                \
	{                      \
		-1, 0, 0, 0, 0 \
	}
#define ENTRY                 \
	{                     \
		0, 0, 0, 0, 0 \
	}
#define WHOLE                 \
	{                     \
		6, 1, 2, 6, 5 \
	}

static const struct step small[] = {
	{ 0xd503233f, ENTRY, NO_RULE },             /* paciasp */
	{ 0xa9bd7bfd, ENTRY, NO_RULE },             /* stp x29, x30, [sp, #-48]! */
	{ 0xf9000bf5, { 6, 0, 0, 6, 5 }, NO_RULE }, /* str x21, [sp, #16] */
	{ 0x910003fd, { 6, 0, 0, 6, 5 }, NO_RULE }, /* mov x29, sp */
	{ 0xa9024ff4, { 6, 0, 0, 6, 5 }, NO_RULE }, /* stp x20, x19, [sp, #32] */
	{ 0x97fffe47, WHOLE, NO_RULE },             /* bl */
	{ 0x0b140000, NO_RULE, { 6, 1, 2, 6, 5 } }, /* add w0, w0, w20 */
	{ 0xf9400bf5, NO_RULE, { 6, 1, 2, 6, 5 } }, /* ldr x21, [sp, #16] */
	{ 0xa9424ff4, NO_RULE, { 6, 1, 2, 6, 5 } }, /* ldp x20, x19, [sp, #32] */
	{ 0xa8c37bfd, NO_RULE, { 6, 0, 0, 6, 5 } }, /* ldp x29, x30, [sp], #48 */
	{ 0xd50323bf, NO_RULE, ENTRY },             /* autiasp */
	{ 0xd65f03c0, NO_RULE, ENTRY },             /* ret */
};

/* The frame is made first; the last instruction is another function's. */
static const struct step big[] = {
	{ 0xd65f03c0, NO_RULE, ENTRY },              /* ret */
	{ 0xd10183ff, ENTRY, NO_RULE },              /* sub sp, sp, #96 */
	{ 0xa9047bfd, { 12, 0, 0, 0, 0 }, NO_RULE }, /* stp x29, x30, [sp, #64] */
	{ 0x910103fd, { 12, 0, 0, 4, 3 }, NO_RULE }, /* add x29, sp, #64 */
	{ 0xb4000060, { 12, 0, 0, 4, 3 }, NO_RULE }, /* cbz x0, . + 12 */
	{ 0xa9447bfd, NO_RULE, { 12, 0, 0, 4, 3 } }, /* ldp x29, x30, [sp, #64] */
	{ 0x910183ff, NO_RULE, { 12, 0, 0, 0, 0 } }, /* add sp, sp, #96 */
	{ 0xd65f03c0, NO_RULE, ENTRY },              /* ret */
	{ 0x14000100, NO_RULE, NO_RULE },            /* b */
};

/* Ends in a jump to another function. */
static const struct step tail[] = {
	{ 0xf81f0ffe, ENTRY, NO_RULE },             /* str x30, [sp, #-16]! */
	{ 0x94000100, { 2, 0, 0, 0, 2 }, NO_RULE }, /* bl */
	{ 0xf84107fe, NO_RULE, { 2, 0, 0, 0, 2 } }, /* ldr x30, [sp], #16 */
	{ 0x14000100, NO_RULE, ENTRY },             /* b */
	{ 0x14000100, NO_RULE, NO_RULE },           /* b */
};

static void assert_rule(const struct rule *rule, const struct expected *expected)
{
	assert_int_equal(rule->kind, RULE_CFA_REGISTER);
	assert_int_equal(rule->cfa_reg, SP);
	assert_int_equal(rule->cfa_offset, expected->words);
	assert_int_equal(rule->slots[0], expected->x19);
	assert_int_equal(rule->slots[1], expected->x20);
	assert_int_equal(rule->slots[10], expected->x29);
	assert_int_equal(rule->slots[11], expected->x30);
}

static void check(const struct step *steps, size_t n)
{
	uint32_t code[16];
	const uint8_t *bytes = (const uint8_t *)code;

	for (size_t i = 0; i < n; i++)
		code[i] = steps[i].code;
	for (size_t i = 0; i < n; i++) {
		struct rule rule = { .kind = RULE_CFA_REGISTER };

		rule.cfa_reg = SP;
		frame_aarch64_prologue(bytes, n * 4, i * 4, &rule);
		if (steps[i].prologue.words >= 0)
			assert_rule(&rule, &steps[i].prologue);
		bool is_epilogue = frame_aarch64_epilogue(bytes, n * 4, i * 4, &rule);
		if (is_epilogue != (steps[i].epilogue.words >= 0))
			print_error("instruction %zu\n", i);
		assert_int_equal(is_epilogue, steps[i].epilogue.words >= 0);
		if (is_epilogue)
			assert_rule(&rule, &steps[i].epilogue);
	}
}

static void each_instruction_has_its_frame(void **state)
{
	(void)state;
	check(small, sizeof(small) / sizeof(small[0]));
	check(big, sizeof(big) / sizeof(big[0]));
	check(tail, sizeof(tail) / sizeof(tail[0]));
}

static void rules_that_know_of_a_frame_are_left_alone(void **state)
{
	const uint32_t code[] = { 0xa9bd7bfd, 0x910003fd, 0xd503201f };
	struct rule rule = { .kind = RULE_CFA_REGISTER }, before;

	(void)state;
	rule.cfa_reg = SP;
	rule.cfa_offset = 4;
	before = rule;
	frame_aarch64_prologue((const uint8_t *)code, sizeof(code), 8, &rule);
	assert_memory_equal(&rule, &before, sizeof(rule));
	rule.kind = RULE_NONE;
	rule.cfa_offset = 0;
	before = rule;
	frame_aarch64_prologue((const uint8_t *)code, sizeof(code), 8, &rule);
	assert_memory_equal(&rule, &before, sizeof(rule));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_instruction_has_its_frame),
		cmocka_unit_test(rules_that_know_of_a_frame_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
