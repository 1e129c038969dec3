#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/arch/eh_return_aarch64.h"
#include "unwind/rules/made_rule.h"
#include "unwind/rules/stack_copy.h"

enum { X4 = 4, X19 = 19, X29 = 29, X30, SP };

/* The end of _Unwind_Resume() of Debian's gcc 12. */
static const uint32_t resume[] = {
	0xaa1403e0, /* mov x0, x20 */
	0x97fff683, /* 4: bl uw_install_context_1 */
	0xaa0003e4, /* 8: mov x4, x0 */
	0xf943d3e0, /* 12: ldr x0, [sp, #1952] */
	0xf943d7e1, /* 16: ldr x1, [sp, #1960] */
	0x97ffff3b, /* 20: bl _Unwind_DebugHook */
	0xf90007a1, /* 24: str x1, [x29, #8] */
	0xa9407bfd, /* 28: ldp x29, x30, [sp] */
	0xa94107e0, /* 32: ldp x0, x1, [sp, #16] */
	0xa94353f3, /* 36: ldp x19, x20, [sp, #48] */
	0x6d4827e8, /* 40: ldp d8, d9, [sp, #128] */
	0x912143ff, /* 44: add sp, sp, #0x850 */
	0x8b2463ff, /* 48: add sp, sp, x4 */
	0xd65f03c0, /* 52: ret */
};
enum { CALL = 4, COPIED = 8, STORE = 24, RESTORE = 28, MOVE = 44, ADD_X4 = 48, RETURN = 52 };

/* What _Unwind_RaiseException() has in place of all after the call of _Unwind_DebugHook(), and its
 * epilogue. */
static const uint32_t raise_end[] = {
	0xf90007a1, /* str x1, [x29, #8] */
	0x17ffffd4, /* 4: b, to its epilogue */
};
static const uint32_t epilogue[] = {
	0x2a0203e0, /* mov w0, w2 */
	0xa9407bfd, /* 4: ldp x29, x30, [sp] */
	0x913b03ff, /* 8: add sp, sp, #0xec0 */
	0x8b2463ff, /* 12: add sp, sp, x4 */
	0xd65f03c0, /* 16: ret */
};

#define STACK        0x7fff0000ull
#define N_WORDS      64
#define FRAME_WORDS  32
#define DISPLACEMENT 0x40u
#define LANDING      0x401234u

static uint64_t words[N_WORDS];

/* x19 at CFA - 80, x29 and x30 where the stack pointer points to; CFA = sp + @n_words words. */
static struct rule frame_rule(int16_t n_words)
{
	struct rule rule = { .kind = RULE_CFA_REGISTER };

	rule.cfa_reg = SP;
	rule.cfa_offset = n_words;
	if (n_words) {
		rule.slots[0] = 10;
		rule.slots[X29 - X19] = FRAME_WORDS;
		rule.slots[X30 - X19] = FRAME_WORDS - 1;
	}
	return rule;
}

static struct regs frame_regs(uint64_t displacement)
{
	struct regs regs = { .valid = 0 };

	for (unsigned reg = 0; reg <= X30; reg++)
		regs_set(&regs, reg, reg);
	regs_set(&regs, SP, STACK);
	regs_set(&regs, X4, displacement);
	memset(words, 0, sizeof(words));
	words[0] = 29029;
	words[1] = LANDING;
	words[FRAME_WORDS - 10] = 19019;
	return regs;
}

/* Applies the rule for @code + @at to @regs. false: there is none, or it gives no caller. */
static bool apply_at(const uint32_t *code, size_t size, size_t at, const struct rule *cfi,
		     struct regs *regs)
{
	const struct stack_copy stack = { .bytes = (const uint8_t *)words,
					  .start = STACK,
					  .size = sizeof(words) };
	struct made_rule *made = aarch64_make_rule((const uint8_t *)code, size, at, cfi);
	enum unwind_end end;
	bool is_exact = true;

	if (!made)
		return false;
	const struct rule rule = { .general_kind = RULE_GENERAL, .general = &made->rule };
	bool ok = rule_apply(&rule, &arch_aarch64, &stack, regs, &is_exact, &end);
	assert_true(made->rule.is_switch);
	free(made);
	return ok;
}

static void assert_caller(const struct regs *regs, uint64_t displacement)
{
	assert_int_equal(regs->pc, LANDING);
	assert_int_equal(regs->values[SP], STACK + FRAME_WORDS * 8 + displacement);
	assert_int_equal(regs->values[X19], 19019);
	assert_int_equal(regs->values[X29], 29029);
}

static void the_epilogue_adds_x4_to_the_stack_pointer(void **state)
{
	const struct rule cfi = frame_rule(FRAME_WORDS);

	(void)state;
	for (size_t at = RESTORE; at <= MOVE; at += 4) {
		struct regs regs = frame_regs(DISPLACEMENT);

		assert_true(apply_at(resume, sizeof(resume), at, &cfi, &regs));
		assert_caller(&regs, DISPLACEMENT);
	}
}

/* It returns as usual where x4 is 0. */
static void the_epilogue_of_a_return_is_the_same(void **state)
{
	const struct rule cfi = frame_rule(FRAME_WORDS);

	(void)state;
	for (size_t at = 0; at <= 8; at += 4) {
		struct regs regs = frame_regs(0);

		assert_true(apply_at(epilogue, sizeof(epilogue), at, &cfi, &regs));
		assert_caller(&regs, 0);
	}
}

static void the_jump_to_the_epilogue_has_the_landing_pad(void **state)
{
	const struct rule cfi = frame_rule(FRAME_WORDS);
	struct regs regs = frame_regs(DISPLACEMENT);

	(void)state;
	assert_true(apply_at(raise_end, sizeof(raise_end), 4, &cfi, &regs));
	assert_caller(&regs, DISPLACEMENT);
}

static void the_last_addition_has_all_registers_loaded(void **state)
{
	const struct rule cfi = frame_rule(0);
	struct regs regs = frame_regs(DISPLACEMENT);

	(void)state;
	regs_set(&regs, X30, LANDING);
	assert_true(apply_at(resume, sizeof(resume), ADD_X4, &cfi, &regs));
	assert_int_equal(regs.pc, LANDING);
	assert_int_equal(regs.values[SP], STACK + DISPLACEMENT);
	assert_int_equal(regs.values[X19], 19);
}

static void nothing_is_known_from_the_call_to_the_store(void **state)
{
	const uint8_t *code = (const uint8_t *)resume;

	(void)state;
	for (size_t at = 0; at < sizeof(resume); at += 4)
		assert_int_equal(aarch64_is_installing(code, sizeof(resume), at),
				 at >= COPIED && at <= STORE);
	/* Return addresses less one. */
	assert_true(aarch64_is_installing(code, sizeof(resume), CALL + 3));
	assert_true(aarch64_is_installing(code, sizeof(resume), STORE - 1));
	assert_false(aarch64_is_installing(code, sizeof(resume), CALL - 1));
}

static void other_code_has_no_rule(void **state)
{
	const struct rule cfi = frame_rule(FRAME_WORDS), none = { .kind = RULE_NONE };
	uint8_t code[sizeof(resume)];

	(void)state;
	assert_null(aarch64_make_rule((const uint8_t *)resume, sizeof(resume), STORE, &cfi));
	assert_null(aarch64_make_rule((const uint8_t *)resume, sizeof(resume), RETURN, &cfi));
	assert_null(aarch64_make_rule((const uint8_t *)resume, sizeof(resume), RESTORE, &none));
	assert_null(aarch64_make_rule((const uint8_t *)resume, sizeof(resume), RESTORE + 3, &cfi));
	for (size_t size = 0; size < sizeof(resume); size++) {
		memcpy(code, resume, sizeof(resume));
		uint8_t *cut = malloc(size + 1);
		assert_non_null(cut);
		memcpy(cut, code, size);
		for (size_t at = 0; at < size; at++) {
			aarch64_is_installing(cut, size, at);
			assert_null(aarch64_make_rule(cut, size, at, &cfi));
		}
		free(cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_epilogue_adds_x4_to_the_stack_pointer),
		cmocka_unit_test(the_epilogue_of_a_return_is_the_same),
		cmocka_unit_test(the_jump_to_the_epilogue_has_the_landing_pad),
		cmocka_unit_test(the_last_addition_has_all_registers_loaded),
		cmocka_unit_test(nothing_is_known_from_the_call_to_the_store),
		cmocka_unit_test(other_code_has_no_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
