#include <stdint.h>
#include <string.h>

#include "report/code/entry_code.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

enum { AX, DX, CX, BX, SI, DI, BP, SP, R8, R9 };

static void expect_stored(const struct entry_code *code, int64_t at, size_t size, unsigned reg,
			  unsigned byte)
{
	unsigned got_reg, got_byte;

	assert_int_equal(entry_code_find(code, at, size, &got_reg, &got_byte), ENTRY_STORED);
	assert_int_equal(got_reg, reg);
	assert_int_equal(got_byte, byte);
}

static void expect_other(const struct entry_code *code, int64_t at, size_t size,
			 enum entry_stored expected)
{
	unsigned reg, byte;

	assert_int_equal(entry_code_find(code, at, size, &reg, &byte), expected);
}

/* gcc -O0: f(int, char, double, long) */
static void stores_of_a_function_without_optimization_are_found(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {
		0xf3, 0x0f, 0x1e, 0xfa,             /* endbr64 */
		0x55,                               /* push %rbp */
		0x48, 0x89, 0xe5,                   /* mov %rsp,%rbp */
		0x48, 0x83, 0xec, 0x20,             /* sub $0x20,%rsp */
		0x89, 0x7d, 0xec,                   /* mov %edi,-0x14(%rbp) */
		0x89, 0xf0,                         /* mov %esi,%eax */
		0x88, 0x45, 0xe8,                   /* mov %al,-0x18(%rbp) */
		0xf2, 0x0f, 0x11, 0x45, 0xe0,       /* movsd %xmm0,-0x20(%rbp) */
		0x48, 0x89, 0x55, 0xd8,             /* mov %rdx,-0x28(%rbp) */
		0xc7, 0x45, 0xd0, 0x05, 0,    0, 0, /* movl $5,-0x30(%rbp) */
		0xe8, 0,    0,    0,    0,          /* call */
		0x48, 0x89, 0x4d, 0xc0,             /* mov %rcx,-0x40(%rbp) */
	};
	struct entry_code code;

	assert_int_equal(entry_code_follow(bytes, sizeof(bytes), &code), 0);
	expect_stored(&code, -8 - 0x14, 4, DI, 0);
	expect_stored(&code, -8 - 0x18, 1, SI, 0);
	expect_stored(&code, -8 - 0x28, 8, DX, 0);
	expect_stored(&code, -8 - 0x28 + 4, 4, DX, 4);
	expect_stored(&code, -8, 8, BP, 0);
	expect_other(&code, -8 - 0x20, 8, ENTRY_STORED_VECTOR);
	expect_other(&code, -8 - 0x30, 4, ENTRY_NOT_STORED);
	expect_other(&code, -8 - 0x40, 8, ENTRY_NOT_STORED);
	/* More bytes than one instruction stored. */
	expect_other(&code, -8 - 0x14, 8, ENTRY_NOT_STORED);
	assert_true(code.registers[BP].is_known);
	assert_int_equal(code.registers[BP].reg, SP);
	assert_int_equal(code.registers[BP].offset, -8);
	assert_int_equal(code.registers[SP].offset, -0x28);
}

/* clang -O0 moves arguments through the stack and through each other's registers. */
static void values_are_followed_through_registers_and_the_stack(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {
		0x55,                   /* push %rbp */
		0x48, 0x89, 0xe5,       /* mov %rsp,%rbp */
		0x44, 0x89, 0x45, 0xd0, /* mov %r8d,-0x30(%rbp) */
		0x89, 0xc8,             /* mov %ecx,%eax */
		0x8b, 0x4d, 0xd0,       /* mov -0x30(%rbp),%ecx */
		0x89, 0x45, 0xd4,       /* mov %eax,-0x2c(%rbp) */
		0x8a, 0x55, 0xd4,       /* mov -0x2c(%rbp),%dl */
		0x80, 0xe2, 0x01,       /* and $1,%dl */
		0x88, 0x55, 0xff,       /* mov %dl,-1(%rbp) */
		0x89, 0x4d, 0xf8,       /* mov %ecx,-8(%rbp) */
		0x83, 0xe6, 0x0f,       /* and $15,%esi */
		0x89, 0x75, 0xf4,       /* mov %esi,-0xc(%rbp) */
		0x5d,                   /* pop %rbp */
		0xc3,                   /* ret */
	};
	struct entry_code code;

	assert_int_equal(entry_code_follow(bytes, sizeof(bytes), &code), 0);
	expect_stored(&code, -8 - 1, 1, CX, 0);
	expect_stored(&code, -8 - 8, 4, R8, 0);
	/* It was changed before. */
	expect_other(&code, -8 - 0xc, 4, ENTRY_NOT_STORED);
	/* Not as it is after the function has left its frame. */
	assert_int_equal(code.registers[BP].reg, SP);
}

static void any_bytes_are_followed_without_harm(void **state)
{
	(void)state;
	uint8_t bytes[64];
	struct entry_code code;

	for (unsigned i = 0; i < 256; i++) {
		memset(bytes, (int)i, sizeof(bytes));
		assert_int_equal(entry_code_follow(bytes, sizeof(bytes), &code), 0);
	}
	assert_int_equal(entry_code_follow(bytes, 0, &code), 0);
	assert_int_equal(code.n_stores, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stores_of_a_function_without_optimization_are_found),
		cmocka_unit_test(values_are_followed_through_registers_and_the_stack),
		cmocka_unit_test(any_bytes_are_followed_without_harm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
