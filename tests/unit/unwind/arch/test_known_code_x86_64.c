#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/arch/known_code_x86_64.h"
#include "unwind/rules/rule.h"

/* clang-format off */
static const uint8_t trampoline[] = {
	0x90,                                     /* nop */
	0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0,          /* 1: mov $15,%rax */
	0x0f, 0x05,                               /* 8: syscall */
	0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, /* 10: cs nopw */
};
static const uint8_t context_start[] = {
	0x90,
	0xf3, 0x0f, 0x1e, 0xfa,                   /* 1: endbr64 */
	0x48, 0x89, 0xdc,                         /* 5: mov %rbx,%rsp */
	0x48, 0x8b, 0x3c, 0x24,                   /* 8: mov (%rsp),%rdi */
	0x48, 0x85, 0xff,                         /* 12: test %rdi,%rdi */
	0x74, 0x08,                               /* 15: je */
	0xe8, 0, 0, 0, 0,                         /* 17: call setcontext */
	0x48, 0x89, 0xc7,                         /* 22: mov %rax,%rdi */
	0xe8, 0, 0, 0, 0,                         /* 25: call exit */
	0xf4,                                     /* 30: hlt */
	0x90,
};
static const uint8_t context_switch[] = {
	0x48, 0x8b, 0xa2, 0xa0, 0, 0, 0,          /* mov 0xa0(%rdx),%rsp */
	0x48, 0x8b, 0x9a, 0x80, 0, 0, 0,          /* 7: mov 0x80(%rdx),%rbx */
	0x48, 0x8b, 0x8a, 0xa8, 0, 0, 0,          /* 14: mov 0xa8(%rdx),%rcx */
	0x51,                                     /* 21: push %rcx */
	0x48, 0x8b, 0x92, 0x88, 0, 0, 0,          /* 22: mov 0x88(%rdx),%rdx */
	0x31, 0xc0,                               /* 29: xor %eax,%eax */
	0xc3,                                     /* 31: ret */
	0x90,
};
static const uint8_t call_into_lisp[] = {
	0x48, 0xd1, 0xe1, 0x48, 0x31, 0xdb,       /* shl %rcx; xor %rbx,%rbx */
	0x55,                                     /* 6: push %rbp */
	0x55,                                     /* push %rbp */
	0x48, 0x89, 0xe5,                         /* mov %rsp,%rbp */
	0x4c, 0x8d, 0x25, 0, 0, 0, 0,             /* 11: lea x(%rip),%r12 */
	0x4d, 0x8b, 0x24, 0x24,                   /* mov (%r12),%r12 */
	0xff, 0x50, 0xfd,                         /* 22: call *-3(%rax) */
	0x73, 0x03, 0x48, 0x89, 0xdc,             /* jae; mov %rbx,%rsp */
	0x41, 0x5f,                               /* pop %r15 */
};
/* clang-format on */

/* The rule's kind, RULE_NONE: the code tells nothing. */
static enum rule_kind kind_at(const uint8_t *code, size_t size, size_t at, struct rule *rule)
{
	*rule = (struct rule){ .kind = RULE_NONE };
	return x86_64_rule_by_code(code, size, at, rule) ? (enum rule_kind)rule->kind : RULE_NONE;
}

static void a_signal_trampoline_is_known_at_its_instructions_and_in_its_system_call(void **state)
{
	struct rule rule;

	(void)state;
	for (size_t at = 0; at < sizeof(trampoline); at++) {
		bool is_known = at == 1 || at == 8 || at == 10;

		assert_int_equal(kind_at(trampoline, sizeof(trampoline), at, &rule),
				 is_known ? RULE_GENERAL : RULE_NONE);
		assert_true(!is_known || rule.general->is_signal_frame);
	}
}

static void a_function_right_behind_a_signal_trampoline_is_none(void **state)
{
	uint8_t code[sizeof(trampoline)];
	struct rule rule;

	(void)state;
	memcpy(code, trampoline, sizeof(code));
	code[10] = 0x85; /* test %esi,%esi */
	assert_int_equal(kind_at(code, sizeof(code), 10, &rule), RULE_NONE);
	assert_int_equal(kind_at(code, sizeof(code), 8, &rule), RULE_GENERAL);
}

static void the_start_of_a_context_is_a_root_from_its_first_instruction_to_its_last(void **state)
{
	struct rule rule;

	(void)state;
	for (size_t at = 0; at < sizeof(context_start); at++) {
		/* Between the first two lies no instruction. */
		if (at > 1 && at < 5)
			continue;
		assert_int_equal(kind_at(context_start, sizeof(context_start), at, &rule),
				 at >= 1 && at <= 30 ? RULE_ROOT : RULE_NONE);
	}
}

static void a_switch_has_its_target_in_memory_then_in_a_register_then_on_the_stack(void **state)
{
	static const struct {
		size_t at;
		enum rule_kind kind;
		enum saved_how pc_how;
		unsigned pc_reg; /* that holds it, or points to it */
	} rows[] = {
		{ 0, RULE_NONE, 0, 0 },
		{ 7, RULE_GENERAL, SAVED_AT, 1 },
		{ 14, RULE_GENERAL, SAVED_AT, 1 },
		{ 21, RULE_GENERAL, SAVED_REGISTER, 2 },
		{ 22, RULE_GENERAL, SAVED_AT, 7 },
		{ 31, RULE_GENERAL, SAVED_AT, 7 },
		{ 32, RULE_NONE, 0, 0 },
	};
	struct rule rule;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(kind_at(context_switch, sizeof(context_switch), rows[i].at, &rule),
				 rows[i].kind);
		if (rows[i].kind == RULE_NONE)
			continue;
		assert_true(rule.general->is_switch);
		assert_int_equal(rule.general->regs[16].how, rows[i].pc_how);
		unsigned reg = rows[i].pc_how == SAVED_REGISTER
				       ? rule.general->regs[16].reg
				       : rule.general->regs[16].expression.ops[0].reg;
		assert_int_equal(reg, rows[i].pc_reg);
	}
}

static void a_function_that_calls_lisp_has_its_own_frame_pointer_behind_the_call(void **state)
{
	static const struct general_rule by_expression;
	const size_t call = 22, last = call + 2;
	uint8_t code[64 + sizeof(call_into_lisp)] = { 0 };

	(void)state;
	memcpy(code + 64, call_into_lisp, sizeof(call_into_lisp));
	for (size_t at = 0; at < sizeof(code); at++) {
		struct rule rule = { .general_kind = RULE_GENERAL, .general = &by_expression };

		x86_64_correct_rule(code, sizeof(code), at, &rule);
		assert_int_equal(rule.kind, at == 64 + last ? RULE_CFA_REGISTER : RULE_GENERAL);
		if (at != 64 + last)
			continue;
		assert_int_equal(rule.cfa_reg, 6);
		assert_int_equal(rule.cfa_offset, 2);
		assert_int_equal(rule.slots[0], SLOT_UNDEFINED);
		assert_int_equal(rule.slots[1], 2);
		assert_int_equal(rule.slots[6], 1);
	}
	struct rule compact = { .kind = RULE_CFA_REGISTER, .cfa_reg = 7 };

	x86_64_correct_rule(code, sizeof(code), 64 + last, &compact);
	assert_int_equal(compact.cfa_reg, 7);
}

static void code_that_is_cut_short_tells_nothing(void **state)
{
	struct rule rule;

	(void)state;
	for (size_t size = 0; size < 9; size++)
		for (size_t at = 0; at <= size; at++) {
			assert_int_equal(kind_at(trampoline + 1, size, at, &rule), RULE_NONE);
			assert_int_equal(kind_at(context_start + 5, size, at, &rule), RULE_NONE);
		}
	for (size_t size = 0; size < 32; size++)
		for (size_t at = 0; at <= size; at++)
			assert_int_equal(kind_at(context_switch, size, at, &rule), RULE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_signal_trampoline_is_known_at_its_instructions_and_in_its_system_call),
		cmocka_unit_test(a_function_right_behind_a_signal_trampoline_is_none),
		cmocka_unit_test(
			the_start_of_a_context_is_a_root_from_its_first_instruction_to_its_last),
		cmocka_unit_test(
			a_switch_has_its_target_in_memory_then_in_a_register_then_on_the_stack),
		cmocka_unit_test(
			a_function_that_calls_lisp_has_its_own_frame_pointer_behind_the_call),
		cmocka_unit_test(code_that_is_cut_short_tells_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
