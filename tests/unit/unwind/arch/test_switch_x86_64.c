#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/arch/switch_x86_64.h"
#include "unwind/code/jump_table.h"
#include "unwind/rules/machine_instruction.h"

/* From busybox: each ends right before `jmp`, and the comparison is its first instruction. */
/* clang-format off */
static const uint8_t narrow[] = {
	0x3c, 0x0c,                               /* cmp $12,%al */
	0x0f, 0x87, 0x69, 0xad, 0xf1, 0xff,       /* ja */
	0x48, 0x8d, 0x15, 0x20, 0, 0, 0,          /* 8: lea 0x20(%rip),%rdx */
	0x0f, 0xb6, 0xc0,                         /* movzbl %al,%eax */
	0x48, 0x63, 0x04, 0x82,                   /* movslq (%rdx,%rax,4),%rax */
	0x48, 0x01, 0xd0,                         /* add %rdx,%rax */
};
static const uint8_t extended[] = {
	0x41, 0x80, 0xf9, 0x14,                   /* cmp $20,%r9b */
	0x77, 0x10,                               /* ja */
	0x0f, 0xb6, 0xc9,                         /* movzbl %cl,%ecx */
	0x49, 0x63, 0x04, 0x8c,                   /* movslq (%r12,%rcx,4),%rax */
	0x4c, 0x01, 0xe0,                         /* add %r12,%rax */
};
static const uint8_t with_displacement[] = {
	0x81, 0x7d, 0x08, 0x2c, 0x01, 0, 0,       /* cmpl $300,8(%rbp) */
	0x77, 0x10,                               /* ja */
	0x0f, 0xb6, 0xc9,                         /* movzbl %cl,%ecx */
	0x48, 0x63, 0x44, 0x8d, 0,                /* movslq 0(%rbp,%rcx,4),%rax */
	0x48, 0x01, 0xe8,                         /* add %rbp,%rax */
};
static const uint8_t signed_compare[] = {
	0x3c, 0x0c,                               /* cmp $12,%al */
	0x7f, 0x10,                               /* jg */
	0x48, 0x63, 0x04, 0x82,                   /* movslq (%rdx,%rax,4),%rax */
	0x48, 0x01, 0xd0,                         /* add %rdx,%rax */
};
static const uint8_t too_many[] = {
	0x3d, 0, 2, 0, 0,                         /* cmp $512,%eax */
	0x77, 0x10,                               /* ja */
	0x48, 0x63, 0x04, 0x82,                   /* movslq (%rdx,%rax,4),%rax */
	0x48, 0x01, 0xd0,                         /* add %rdx,%rax */
};
static const uint8_t other_base[] = {
	0x3c, 0x0c,                               /* cmp $12,%al */
	0x77, 0x10,                               /* ja */
	0x48, 0x63, 0x04, 0x82,                   /* movslq (%rdx,%rax,4),%rax */
	0x48, 0x01, 0xc8,                         /* add %rcx,%rax */
};
static const uint8_t jump_between[] = {
	0x3c, 0x0c,                               /* cmp $12,%al */
	0x77, 0x10,                               /* ja */
	0xeb, 0,                                  /* jmp */
	0x48, 0x63, 0x04, 0x82,                   /* movslq (%rdx,%rax,4),%rax */
	0x48, 0x01, 0xd0,                         /* add %rdx,%rax */
};
/* clang-format on */

static void the_comparison_bounds_the_table(void **state)
{
#define BYTES(of) (of), sizeof(of)
	static const struct {
		const uint8_t *code;
		size_t size;
		uint32_t n_entries; /* 0: no switch */
		uint8_t base;
	} cases[] = {
		{ BYTES(narrow), 13, 2 },
		{ BYTES(extended), 21, 12 },
		{ BYTES(with_displacement), 301, 5 },
		{ BYTES(signed_compare), 0, 0 },
		{ BYTES(too_many), 0, 0 },
		{ BYTES(other_base), 0, 0 },
		{ BYTES(jump_between), 0, 0 },
	};
	struct jump_by_table jump;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool found = x86_64_find_switch(cases[i].code, cases[i].size, &jump);

		assert_int_equal(found, cases[i].n_entries != 0);
		assert_int_equal(found ? jump.n_entries : 0, cases[i].n_entries);
		assert_int_equal(found ? jump.base : 0, cases[i].base);
	}
}

static void code_that_is_cut_short_is_no_switch(void **state)
{
	struct jump_by_table jump;

	(void)state;
	for (size_t cut = 1; cut <= sizeof(narrow); cut++) {
		uint8_t *end = malloc(sizeof(narrow));

		assert_non_null(end);
		memcpy(end, narrow + cut, sizeof(narrow) - cut);
		assert_false(x86_64_find_switch(end, sizeof(narrow) - cut, &jump));
		free(end);
	}
}

#define JUMP  (sizeof(narrow))
#define TABLE (8 + 7 + 0x20) /* as @narrow has it */

static uint8_t program[TABLE + 13 * 4];

static const uint8_t *find_data(void *module, uint64_t pc, uint64_t at, size_t size)
{
	(void)module;
	(void)pc;
	return at <= sizeof(program) && sizeof(program) - at >= size ? program + at : NULL;
}

/* @narrow, and a table whose last entry leads to @last, all others to the code's beginning. */
static struct code program_with(int32_t last)
{
	int32_t entries[13];

	for (size_t i = 0; i < 13; i++)
		entries[i] = (i == 12 ? last : 0) - TABLE;
	memcpy(program, narrow, sizeof(narrow));
	memcpy(program + TABLE, entries, sizeof(entries));
	return (struct code){ .arch = &arch_x86_64,
			      .bytes = program,
			      .size = sizeof(program),
			      .find_data = find_data };
}

static void all_entries_of_a_table_are_targets_each_once(void **state)
{
	uint64_t targets[JUMP_ENTRIES_MAX];
	const struct code code = program_with(3);

	(void)state;
	assert_int_equal(jump_table_bounded(&code, JUMP, targets), 2);
	assert_int_equal(targets[0], 0);
	assert_int_equal(targets[1], 3);
}

static void a_table_with_an_entry_that_leads_out_of_the_code_is_none(void **state)
{
	uint64_t targets[JUMP_ENTRIES_MAX];
	const struct code outside = program_with(sizeof(program)), before = program_with(-1);
	struct code without = program_with(3);

	(void)state;
	assert_int_equal(jump_table_bounded(&without, JUMP, targets), 2);
	without.find_data = NULL;
	assert_int_equal(jump_table_bounded(&without, JUMP, targets), 0);
	program_with(sizeof(program));
	assert_int_equal(jump_table_bounded(&outside, JUMP, targets), 0);
	program_with(-1);
	assert_int_equal(jump_table_bounded(&before, JUMP, targets), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_comparison_bounds_the_table),
		cmocka_unit_test(code_that_is_cut_short_is_no_switch),
		cmocka_unit_test(all_entries_of_a_table_are_targets_each_once),
		cmocka_unit_test(a_table_with_an_entry_that_leads_out_of_the_code_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
