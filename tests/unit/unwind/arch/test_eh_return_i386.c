#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/arch/eh_return_i386.h"
#include "unwind/rules/made_rule.h"
#include "unwind/rules/stack_copy.h"

enum { ECX = 1, EBX = 3, ESP, EBP, ESI, EDI, EIP };

/* The end of _Unwind_Resume() of Debian's gcc 12. */
/* clang-format off */
static const uint8_t resume[] = {
	0x89, 0xd8,                         /* mov %ebx,%eax */
	0xe8, 0x15, 0xd8, 0xff, 0xff,       /* 2: call uw_install_context_1 */
	0x8b, 0x5d, 0xb4,                   /* 7: mov -0x4c(%ebp),%ebx */
	0x83, 0xec, 0x08,                   /* 10: sub $8,%esp */
	0x53,                               /* 13: push %ebx */
	0xff, 0x75, 0xb0,                   /* 14: push -0x50(%ebp) */
	0xe8, 0x74, 0xfc, 0xff, 0xff,       /* 17: call _Unwind_DebugHook */
	0x83, 0xc4, 0x10,                   /* 22: add $16,%esp */
	0x89, 0xc1,                         /* 25: mov %eax,%ecx */
	0x89, 0x5c, 0x05, 0x04,             /* 27: mov %ebx,4(%ebp,%eax,1) */
	0x8b, 0x45, 0xec,                   /* 31: mov -0x14(%ebp),%eax */
	0x8d, 0x4c, 0x0d, 0x04,             /* 34: lea 4(%ebp,%ecx,1),%ecx */
	0x8b, 0x5d, 0xf4,                   /* 38: mov -0xc(%ebp),%ebx */
	0x8b, 0x6d, 0x00,                   /* 41: mov 0(%ebp),%ebp */
	0x89, 0xcc,                         /* 44: mov %ecx,%esp */
	0x59,                               /* 46: pop %ecx */
	0xff, 0xe1,                         /* 47: jmp *%ecx */
};
/* clang-format on */
enum { CALLED = 6, DISPLACED = 9, LEAVING = 44 };

static struct rule frame_rule(void)
{
	struct rule rule = { .kind = RULE_CFA_REGISTER };

	rule.cfa_reg = EBP;
	rule.cfa_offset = 2;
	rule.slots[0] = 5; /* %ebx */
	rule.slots[1] = 2; /* %ebp */
	rule.slots[4] = 1;
	return rule;
}

static bool is_bad_at(const uint8_t *code, size_t size, size_t at)
{
	struct rule rule = frame_rule();

	i386_correct_rule(code, size, at, &rule);
	return rule.kind == RULE_BAD;
}

static void no_caller_is_told_from_the_installation_to_the_jump(void **state)
{
	(void)state;
	for (size_t at = 0; at < sizeof(resume); at++)
		assert_int_equal(is_bad_at(resume, sizeof(resume), at),
				 at > CALLED && at < LEAVING);
}

/* _Unwind_RaiseException() has a larger frame. */
static void the_landing_pad_may_be_far_from_the_frame_pointer(void **state)
{
	static const uint8_t load[] = { 0x8b, 0xb5, 0xf4, 0xfe, 0xff, 0xff },
			     push[] = { 0xff, 0xb5, 0xf0, 0xfe, 0xff, 0xff };
	uint8_t code[sizeof(resume) + 6];

	(void)state;
	memcpy(code, resume, CALLED + 1);
	memcpy(code + CALLED + 1, load, sizeof(load));
	memcpy(code + CALLED + 1 + sizeof(load), push, sizeof(push));
	memcpy(code + CALLED + 13, resume + CALLED + 11, sizeof(resume) - CALLED - 11);
	assert_true(is_bad_at(code, sizeof(resume) + 2, CALLED + 1));
	code[CALLED + 1 + sizeof(load) + 2]++;
	assert_false(is_bad_at(code, sizeof(resume) + 2, CALLED + 1));
}

static void other_frames_and_other_code_keep_their_rule(void **state)
{
	uint8_t code[sizeof(resume)];
	struct rule rule = frame_rule();

	(void)state;
	rule.cfa_offset = 3;
	i386_correct_rule(resume, sizeof(resume), CALLED + 1, &rule);
	assert_int_equal(rule.kind, RULE_CFA_REGISTER);
	memcpy(code, resume, sizeof(code));
	code[DISPLACED]++;
	assert_false(is_bad_at(code, sizeof(code), CALLED + 1));
	for (size_t size = 1; size < sizeof(resume); size++) {
		uint8_t *cut = malloc(size);
		assert_non_null(cut);
		memcpy(cut, resume, size);
		for (size_t at = 0; at < size; at++)
			assert_false(is_bad_at(cut, size, at));
		free(cut);
	}
}

#define STACK   0xffff0000u
#define N_WORDS 64
#define FRAME   (STACK + 4 * 48u) /* %ebp */
#define LANDING 0x8049234u
#define CALLER  0x8049111u

/* The word at the address that target.reg[@reg] points to is the landing frame's. */
static bool apply_within_call(uint32_t *words, struct regs *regs)
{
	const struct stack_copy stack = { .bytes = (const uint8_t *)words,
					  .start = STACK,
					  .size = N_WORDS * sizeof(*words),
					  .is_32_bit = true };
	const struct rule cfi = frame_rule();
	struct made_rule *made = i386_make_rule(resume, sizeof(resume), CALLED, &cfi);
	enum unwind_end end;
	bool is_exact = false;

	assert_non_null(made);
	const struct rule rule = { .general_kind = RULE_GENERAL, .general = &made->rule };
	for (unsigned reg = 0; reg < EIP; reg++)
		regs_set(regs, reg, reg);
	regs_set(regs, EBP, FRAME);
	regs_set(regs, ESP, STACK);
	bool ok = rule_apply(&rule, &arch_i386, &stack, regs, &is_exact, &end);
	free(made);
	return ok;
}

static void the_caller_is_told_until_its_return_address_is_overwritten(void **state)
{
	const size_t frame = 48, context = frame - 0x98 / 4, saved = 2;
	uint32_t words[N_WORDS] = { 0 };
	struct regs regs = { .valid = 0 };

	(void)state;
	for (unsigned reg = EBX; reg <= EIP; reg++)
		words[context + reg] = STACK + 4 * (uint32_t)saved;
	words[saved] = LANDING;
	words[frame] = FRAME + 100;
	words[frame + 1] = CALLER;
	words[frame - 3] = 77;
	assert_true(apply_within_call(words, &regs));
	assert_int_equal(regs.pc, CALLER);
	assert_int_equal(regs.values[EBP], FRAME + 100);
	assert_int_equal(regs.values[EBX], 77);
	words[frame - 3] = LANDING;
	assert_true(apply_within_call(words, &regs));
	assert_false(regs_have(&regs, EBX));
	words[frame + 1] = LANDING;
	assert_false(apply_within_call(words, &regs));
}

static void the_last_instructions_lead_to_the_landing_pad(void **state)
{
	static const struct {
		size_t at;
		uint32_t ecx, esp;
	} places[] = { { LEAVING, STACK + 8, STACK },
		       { LEAVING + 2, 0, STACK + 8 },
		       { LEAVING + 3, LANDING, STACK + 12 } };
	uint32_t words[N_WORDS] = { 0, 0, LANDING };
	const struct stack_copy stack = { .bytes = (const uint8_t *)words,
					  .start = STACK,
					  .size = sizeof(words),
					  .is_32_bit = true };
	const struct rule cfi = { .kind = RULE_NONE };

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct made_rule *made = i386_make_rule(resume, sizeof(resume), places[i].at, &cfi);
		struct regs regs = { .valid = 0 };
		enum unwind_end end;
		bool is_exact = true;

		assert_non_null(made);
		const struct rule rule = { .general_kind = RULE_GENERAL, .general = &made->rule };
		for (unsigned reg = 0; reg < EIP; reg++)
			regs_set(&regs, reg, reg);
		regs_set(&regs, ECX, places[i].ecx);
		regs_set(&regs, ESP, places[i].esp);
		assert_true(rule_apply(&rule, &arch_i386, &stack, &regs, &is_exact, &end));
		assert_true(is_exact);
		assert_int_equal(regs.pc, LANDING);
		assert_int_equal(regs.values[ESP], STACK + 12);
		assert_int_equal(regs.values[EBX], EBX);
		free(made);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_caller_is_told_from_the_installation_to_the_jump),
		cmocka_unit_test(the_caller_is_told_until_its_return_address_is_overwritten),
		cmocka_unit_test(the_last_instructions_lead_to_the_landing_pad),
		cmocka_unit_test(the_landing_pad_may_be_far_from_the_frame_pointer),
		cmocka_unit_test(other_frames_and_other_code_keep_their_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
