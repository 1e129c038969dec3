#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/arch/eh_return_x86_64.h"
#include "unwind/rules/made_rule.h"
#include "unwind/rules/stack_copy.h"

enum { RAX, RDX, RCX, RBX, RSI, RBP = 6, RSP, R12 = 12, RIP = 16 };

/* The end of _Unwind_Resume() of Debian's gcc 12. */
/* clang-format off */
static const uint8_t resume[] = {
	0x4c, 0x89, 0xe7,                         /* mov %r12,%rdi */
	0xe8, 0, 0, 0, 0,                         /* 3: call uw_install_context_1 */
	0x48, 0x8b, 0xb5, 0x68, 0xff, 0xff, 0xff, /* 8: mov -0x98(%rbp),%rsi */
	0x48, 0x8b, 0xbd, 0x60, 0xff, 0xff, 0xff, /* 15: mov -0xa0(%rbp),%rdi */
	0x31, 0xd2,                               /* 22: xor %edx,%edx */
	0xe8, 0, 0, 0, 0,                         /* 24: call _Unwind_DebugHook */
	0xf3, 0x48, 0x0f, 0x1e, 0xca,             /* 29: rdsspq %rdx */
	0x48, 0x89, 0xc1,                         /* 34: mov %rax,%rcx */
	0x48, 0x89, 0x74, 0x05, 8,                /* 37: mov %rsi,8(%rbp,%rax) */
	0x48, 0x8b, 0x45, 0xc8,                   /* 42: mov -0x38(%rbp),%rax */
	0x48, 0x8d, 0x4c, 0x0d, 8,                /* 46: lea 8(%rbp,%rcx),%rcx */
	0x48, 0x8b, 0x55, 0xd0,                   /* 51: mov -0x30(%rbp),%rdx */
	0x48, 0x8b, 0x5d, 0xd8,                   /* 55: mov -0x28(%rbp),%rbx */
	0x48, 0x8b, 0x6d, 0,                      /* 59: mov 0(%rbp),%rbp */
	0x48, 0x89, 0xcc,                         /* 63: mov %rcx,%rsp */
	0x59,                                     /* 66: pop %rcx */
	0xff, 0xe1,                               /* 67: jmp *%rcx */
};
/* clang-format on */
enum { INSTALLING = 7, LOAD = 8, COPIED = 37, RELOADED = 46, MOVED = 51, LEAVING = 63 };

#define STACK        0x7fff0000ull
#define N_WORDS      80
#define FRAME        (STACK + 8 * 48ull) /* %rbp */
#define DISPLACEMENT 0x40u
#define LANDING      0x401234u
#define CALLER       0x400111u

static uint64_t words[N_WORDS];

static uint64_t *word_at(uint64_t addr)
{
	return &words[(addr - STACK) / 8];
}

/* rbx at CFA - 56, rbp at CFA - 16, the return address below the CFA. */
static struct rule frame_rule(void)
{
	struct rule rule = { .kind = RULE_CFA_REGISTER, .slots = { 7, 2, 0, 0, 0, 0, 1 } };

	rule.cfa_reg = RBP;
	rule.cfa_offset = 2;
	return rule;
}

static struct regs frame_regs(void)
{
	struct regs regs = { .valid = 0 };

	for (unsigned reg = 0; reg < RIP; reg++)
		regs_set(&regs, reg, reg);
	regs_set(&regs, RBP, FRAME);
	regs_set(&regs, RSP, STACK);
	memset(words, 0, sizeof(words));
	*word_at(FRAME - 0x98) = LANDING;
	*word_at(FRAME + 16 - 56) = 77;
	*word_at(FRAME) = FRAME + 100;
	*word_at(FRAME + 8) = CALLER;
	return regs;
}

/* Applies the rule for @resume + @at to @regs. false: there is none, or it gives no caller. */
static bool apply_at(size_t at, struct regs *regs, bool *is_exact_ret)
{
	const struct stack_copy stack = { .bytes = (const uint8_t *)words,
					  .start = STACK,
					  .size = sizeof(words) };
	const struct rule cfi = frame_rule();
	struct made_rule *made = x86_64_make_rule(resume, sizeof(resume), at, &cfi);
	enum unwind_end end;

	if (!made)
		return false;
	const struct rule rule = { .general_kind = RULE_GENERAL, .general = &made->rule };
	*is_exact_ret = at != INSTALLING;
	bool ok = rule_apply(&rule, &arch_x86_64, &stack, regs, is_exact_ret, &end);
	free(made);
	return ok;
}

static void assert_landing(const struct regs *regs, bool is_exact)
{
	assert_true(is_exact);
	assert_int_equal(regs->pc, LANDING);
	assert_int_equal(regs->values[RSP], FRAME + 16 + DISPLACEMENT);
	assert_int_equal(regs->values[RBX], 77);
	assert_int_equal(regs->values[RBP], FRAME + 100);
}

static void the_caller_is_the_landing_pad_from_the_return_of_the_installation_on(void **state)
{
	static const size_t places[] = { LOAD, 15, 22, 24, 28, 29, 34, COPIED, 42 };
	bool is_exact;

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct regs regs = frame_regs();

		regs_set(&regs, RAX, DISPLACEMENT);
		assert_true(apply_at(places[i], &regs, &is_exact));
		assert_landing(&regs, is_exact);
	}
}

static void the_displacement_is_in_another_register_when_the_first_is_loaded(void **state)
{
	struct regs regs = frame_regs();
	bool is_exact;

	(void)state;
	regs_set(&regs, RCX, DISPLACEMENT);
	assert_true(apply_at(RELOADED, &regs, &is_exact));
	assert_landing(&regs, is_exact);
}

static void the_caller_is_where_a_register_points_while_the_others_are_loaded(void **state)
{
	static const size_t places[] = { MOVED, 55, 59 };
	bool is_exact;

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct regs regs = frame_regs();

		*word_at(FRAME + 8 + DISPLACEMENT) = LANDING;
		regs_set(&regs, RCX, FRAME + 8 + DISPLACEMENT);
		assert_true(apply_at(places[i], &regs, &is_exact));
		assert_landing(&regs, is_exact);
	}
}

static void the_last_instructions_keep_the_registers_that_are_loaded(void **state)
{
	struct regs regs = frame_regs();
	bool is_exact;

	(void)state;
	*word_at(FRAME + 8 + DISPLACEMENT) = LANDING;
	regs_set(&regs, RCX, FRAME + 8 + DISPLACEMENT);
	assert_true(apply_at(LEAVING, &regs, &is_exact));
	assert_int_equal(regs.pc, LANDING);
	assert_int_equal(regs.values[RSP], FRAME + 16 + DISPLACEMENT);
	assert_int_equal(regs.values[RBX], RBX);

	regs = frame_regs();
	*word_at(FRAME) = LANDING;
	regs_set(&regs, RSP, FRAME);
	assert_true(apply_at(LEAVING + 3, &regs, &is_exact));
	assert_int_equal(regs.pc, LANDING);
	assert_int_equal(regs.values[RSP], FRAME + 8);

	regs = frame_regs();
	regs_set(&regs, RCX, LANDING);
	assert_true(apply_at(LEAVING + 4, &regs, &is_exact));
	assert_true(is_exact);
	assert_int_equal(regs.pc, LANDING);
	assert_int_equal(regs.values[RSP], STACK);
}

/* Where libgcc's context of the landing frame says that @reg is saved. */
static void set_saved(unsigned reg, uint64_t addr)
{
	*word_at(FRAME - 0x98 - 0x98 + 8 * reg) = addr;
}

static void the_installation_keeps_the_caller_until_its_address_is_overwritten(void **state)
{
	const uint64_t saved = FRAME + 64;
	bool is_exact;

	(void)state;
	struct regs regs = frame_regs();
	set_saved(RIP, saved);
	*word_at(saved) = CALLER + 1;
	set_saved(RBX, saved);
	set_saved(RBP, FRAME);
	assert_true(apply_at(INSTALLING, &regs, &is_exact));
	assert_false(is_exact);
	assert_int_equal(regs.pc, CALLER);
	assert_int_equal(regs.values[RSP], FRAME + 16);
	assert_int_equal(regs.values[RBX], 77);
	assert_int_equal(regs.values[RBP], FRAME + 100);

	regs = frame_regs();
	set_saved(RIP, FRAME + 8);
	set_saved(RBX, saved);
	*word_at(saved) = 77;
	assert_true(apply_at(INSTALLING, &regs, &is_exact));
	assert_int_equal(regs.pc, CALLER);
	assert_false(regs_have(&regs, RBX));

	regs = frame_regs();
	set_saved(RIP, saved);
	*word_at(saved) = CALLER;
	assert_false(apply_at(INSTALLING, &regs, &is_exact));
}

static void before_the_installation_nothing_is_known(void **state)
{
	struct regs regs = frame_regs();
	bool is_exact;

	(void)state;
	for (size_t at = 0; at < INSTALLING; at++)
		assert_false(apply_at(at, &regs, &is_exact));
}

static void code_that_is_cut_short_or_differs_is_no_such_end(void **state)
{
	const struct rule cfi = frame_rule();
	uint8_t code[sizeof(resume)];

	(void)state;
	for (size_t size = 1; size < sizeof(resume); size++) {
		uint8_t *cut = malloc(size);

		assert_non_null(cut);
		memcpy(cut, resume, size);
		for (size_t at = 0; at < size; at++)
			assert_null(x86_64_make_rule(cut, size, at, &cfi));
		free(cut);
	}
	memcpy(code, resume, sizeof(code));
	code[18] = 0x50; /* another context's CFA */
	assert_null(x86_64_make_rule(code, sizeof(code), COPIED, &cfi));
}

static void an_empty_function_keeps_all_registers(void **state)
{
	static const uint8_t empty[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0xc3, 0x90 };
	const struct rule cfi = { .cfa_reg = RSP,
				  .kind = RULE_CFA_REGISTER,
				  .cfa_offset = 1,
				  .slots = { 0, 0, 0, 0, 0, 0, 1 } };

	(void)state;
	for (size_t at = 0; at < sizeof(empty); at++) {
		struct made_rule *made = x86_64_make_rule(empty, sizeof(empty), at, &cfi);

		assert_int_equal(made != NULL, at == 0 || at == 4);
		assert_true(!made || made->rule.regs[RDX].how == SAVED_SAME);
		free(made);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_caller_is_the_landing_pad_from_the_return_of_the_installation_on),
		cmocka_unit_test(the_displacement_is_in_another_register_when_the_first_is_loaded),
		cmocka_unit_test(the_caller_is_where_a_register_points_while_the_others_are_loaded),
		cmocka_unit_test(the_last_instructions_keep_the_registers_that_are_loaded),
		cmocka_unit_test(
			the_installation_keeps_the_caller_until_its_address_is_overwritten),
		cmocka_unit_test(before_the_installation_nothing_is_known),
		cmocka_unit_test(code_that_is_cut_short_or_differs_is_no_such_end),
		cmocka_unit_test(an_empty_function_keeps_all_registers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
