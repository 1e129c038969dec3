#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/arch/known_code_i386.h"
#include "unwind/rules/rule.h"

enum { ECX = 1, EBX = 3, ESP = 4, EBP = 5, ESI = 6, EDI = 7, EIP = 8 };

/* clang-format off */
static const uint8_t context_start[] = {
	0xc3,
	0x8d, 0x24, 0x9c,             /* 1: lea (%esp,%ebx,4),%esp */
	0x83, 0x3c, 0x24, 0,          /* 4: cmpl $0,(%esp) */
	0x74, 7,                      /* 8: je */
	0xe8, 0, 0, 0, 0,             /* 10: call setcontext */
	0xeb, 2,                      /* 15: jmp */
	0x31, 0xc0,                   /* 17: xor %eax,%eax */
	0x83, 0xe4, 0xf0,             /* 19: and $-16,%esp */
	0x83, 0xec, 0x0c,             /* 22: sub $12,%esp */
	0x50,                         /* 25: push %eax */
	0xe8, 0, 0, 0, 0,             /* 26: call exit */
	0xf4,                         /* 31: hlt */
	0x90,
};
static const uint8_t set_end[] = {
	0x8b, 0x60, 0x30,             /* mov 0x30(%eax),%esp */
	0x8b, 0x48, 0x4c,             /* 3: mov 0x4c(%eax),%ecx */
	0x51,                         /* 6: push %ecx */
	0x8b, 0x78, 0x24,             /* 7: mov 0x24(%eax),%edi */
	0x8b, 0x70, 0x28,             /* 10: mov 0x28(%eax),%esi */
	0x8b, 0x68, 0x2c,             /* 13: mov 0x2c(%eax),%ebp */
	0x8b, 0x58, 0x34,             /* 16: mov 0x34(%eax),%ebx */
	0x8b, 0x50, 0x38,             /* 19: mov 0x38(%eax),%edx */
	0x8b, 0x48, 0x3c,             /* 22: mov 0x3c(%eax),%ecx */
	0x8b, 0x40, 0x40,             /* 25: mov 0x40(%eax),%eax */
	0xc3,                         /* 28: ret */
	0x90,
};
static const uint8_t swap_call[] = {
	0x53,                         /* push %ebx */
	0x8d, 0x50, 0x6c,             /* 1: lea 0x6c(%eax),%edx */
	0x8d, 0x49, 0x6c,             /* 4: lea 0x6c(%ecx),%ecx */
	0xbb, 2, 0, 0, 0,             /* 7: mov $2,%ebx */
	0xb8, 0x7e, 0, 0, 0,          /* 12: mov $126,%eax */
	0x65, 0xff, 0x15, 16, 0, 0, 0,/* 17: call *%gs:16 */
	0x5b,                         /* 24: pop %ebx */
	0x3d, 1, 0xf0, 0xff, 0xff,    /* 25: cmp */
};
/* clang-format on */

static enum rule_kind kind_at(const uint8_t *code, size_t size, size_t at, struct rule *rule)
{
	*rule = (struct rule){ .kind = RULE_NONE };
	return i386_rule_by_code(code, size, at, rule) ? (enum rule_kind)rule->kind : RULE_NONE;
}

static void the_start_of_a_context_is_a_root_from_its_first_instruction_to_its_last(void **state)
{
	struct rule rule;

	(void)state;
	for (size_t at = 0; at < sizeof(context_start); at++)
		assert_int_equal(kind_at(context_start, sizeof(context_start), at, &rule),
				 at >= 1 && at <= 31 ? RULE_ROOT : RULE_NONE);
}

static void a_thunk_changes_nothing_but_its_register(void **state)
{
	static const uint8_t thunk[] = { 0x90, 0x8b, 0x1c, 0x24, 0xc3, 0x90 };
	struct rule rule;

	(void)state;
	for (size_t at = 0; at < sizeof(thunk); at++) {
		bool is_known = at == 1 || at == 4;

		assert_int_equal(kind_at(thunk, sizeof(thunk), at, &rule),
				 is_known ? RULE_GENERAL : RULE_NONE);
		assert_true(!is_known || rule.general->regs[ECX].how == SAVED_SAME);
	}
}

static void a_switch_gives_back_one_register_after_the_other(void **state)
{
	static const unsigned in_order[] = { EDI, ESI, EBP, EBX };
	static const struct {
		size_t at;
		enum saved_how pc_how;
		size_t n_loaded;
	} rows[] = {
		{ 3, SAVED_AT, 0 },  { 6, SAVED_REGISTER, 0 }, { 7, SAVED_AT, 0 },
		{ 10, SAVED_AT, 1 }, { 13, SAVED_AT, 2 },      { 16, SAVED_AT, 3 },
		{ 19, SAVED_AT, 4 }, { 25, SAVED_AT, 4 },      { 28, SAVED_AT, 4 },
	};
	struct rule rule;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(kind_at(set_end, sizeof(set_end), rows[i].at, &rule),
				 RULE_GENERAL);
		assert_true(rule.general->is_switch);
		assert_int_equal(rule.general->regs[EIP].how, rows[i].pc_how);
		for (size_t reg = 0; reg < 4; reg++)
			assert_int_equal(rule.general->regs[in_order[reg]].how,
					 reg < rows[i].n_loaded ? SAVED_SAME : SAVED_AT);
		/* The word that push has written is not the caller's. */
		assert_int_equal(rule.general->regs[ESP].expression.ops[0].value,
				 rows[i].at > 6 ? 4 : 0);
	}
	assert_int_equal(kind_at(set_end, sizeof(set_end), 29, &rule), RULE_NONE);
}

/* setcontext() loads the stack pointer first, swapcontext() the pc. */
static void a_switch_begins_when_the_stack_pointer_is_loaded(void **state)
{
	uint8_t swap_end[sizeof(set_end)];
	struct rule rule;

	(void)state;
	memcpy(swap_end, set_end, sizeof(set_end));
	memcpy(swap_end, set_end + 3, 3);
	memcpy(swap_end + 3, set_end, 3);
	assert_int_equal(kind_at(set_end, sizeof(set_end), 0, &rule), RULE_CFA_REGISTER);
	assert_int_equal(rule.cfa_offset, 1);
	assert_int_equal(kind_at(swap_end, sizeof(set_end), 0, &rule), RULE_NONE);
	assert_int_equal(kind_at(swap_end, sizeof(set_end), 3, &rule), RULE_NONE);
	assert_int_equal(kind_at(swap_end, sizeof(set_end), 6, &rule), RULE_GENERAL);
}

static void the_register_that_a_system_call_needs_is_on_the_stack(void **state)
{
	struct rule rule;

	(void)state;
	for (size_t at = 0; at < sizeof(swap_call); at++) {
		bool is_pushed = at >= 1 && at <= 24;

		assert_int_equal(kind_at(swap_call, sizeof(swap_call), at, &rule),
				 is_pushed ? RULE_CFA_REGISTER : RULE_NONE);
		assert_int_equal(rule.cfa_offset, is_pushed ? 2 : 0);
	}
}

static void code_that_is_cut_short_tells_nothing(void **state)
{
	struct rule rule;

	(void)state;
	for (size_t size = 0; size < 29; size++)
		for (size_t at = 0; at <= size; at++)
			assert_int_equal(kind_at(set_end, size, at, &rule), RULE_NONE);
	for (size_t size = 0; size < 8; size++)
		for (size_t at = 0; at <= size; at++)
			assert_int_equal(kind_at(context_start + 1, size, at, &rule), RULE_NONE);
	for (size_t size = 0; size < 25; size++)
		for (size_t at = 0; at <= size; at++)
			assert_int_equal(kind_at(swap_call, size, at, &rule), RULE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_start_of_a_context_is_a_root_from_its_first_instruction_to_its_last),
		cmocka_unit_test(a_thunk_changes_nothing_but_its_register),
		cmocka_unit_test(a_switch_gives_back_one_register_after_the_other),
		cmocka_unit_test(a_switch_begins_when_the_stack_pointer_is_loaded),
		cmocka_unit_test(the_register_that_a_system_call_needs_is_on_the_stack),
		cmocka_unit_test(code_that_is_cut_short_tells_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
