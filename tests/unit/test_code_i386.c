/* Code followed to its return, on a stack whose word n, at STACK + 4 n, is 0x100 + n. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/code_i386.h"

enum { EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI };

#define STACK 0xffff0000u
#define LOST  UINT32_MAX

/* Registers before: EBX 3, EBP STACK + 20, ESI 6, EDI 7, the others 0x50 and up. */
static const struct function {
	const char *what;
	uint8_t code[24];
	bool returns;
	uint32_t pc, sp, ebx, ebp, esi, edi;
} functions[] = {
	{ "ret", { 0xc3 }, true, 0x100, STACK + 4, 3, STACK + 20, 6, 7 },
	{ "ret $8", { 0xc2, 8, 0 }, true, 0x100, STACK + 4, 3, STACK + 20, 6, 7 },
	{ "pop %ebx; pop %esi; ret",
	  { 0x5b, 0x5e, 0xc3 },
	  true,
	  0x102,
	  STACK + 12,
	  0x100,
	  STACK + 20,
	  0x101,
	  7 },
	{ "leave; ret", { 0xc9, 0xc3 }, true, 0x106, STACK + 28, 3, 0x105, 6, 7 },
	{ "lea -8(%ebp),%esp; pop %ecx; pop %ebx; pop %ebp; lea -4(%ecx),%esp; ret",
	  { 0x8d, 0x65, 0xf8, 0x59, 0x5b, 0x5d, 0x8d, 0x61, 0xfc, 0xc3 },
	  .returns = false }, /* ecx is 0x103, nowhere on the stack */
	{ "mov -4(%ebp),%ebx; leave; ret",
	  { 0x8b, 0x5d, 0xfc, 0xc9, 0xc3 },
	  true,
	  0x106,
	  STACK + 28,
	  0x104,
	  0x105,
	  6,
	  7 },
	{ "push %ebp; mov %esp,%ebp; push %ebx; mov $1,%ebx; pop %ebx; pop %ebp; ret",
	  { 0x55, 0x89, 0xe5, 0x53, 0xbb, 1, 0, 0, 0, 0x5b, 0x5d, 0xc3 },
	  true,
	  0x100,
	  STACK + 4,
	  3,
	  STACK + 20,
	  6,
	  7 },
	{ "mov %edi,%eax; mov $1,%edi; xchg %eax,%edi; ret",
	  { 0x89, 0xf8, 0xbf, 1, 0, 0, 0, 0x97, 0xc3 },
	  true,
	  0x100,
	  STACK + 4,
	  3,
	  STACK + 20,
	  6,
	  7 },
	{ "rep movsl; ret",
	  { 0xf3, 0xa5, 0xc3 },
	  true,
	  0x100,
	  STACK + 4,
	  3,
	  STACK + 20,
	  LOST,
	  LOST },
	{ "mov %ebx,4(%esp); add $4,%esp; pop %esi; ret",
	  { 0x89, 0x5c, 0x24, 4, 0x83, 0xc4, 4, 0x5e, 0xc3 },
	  true,
	  0x102,
	  STACK + 12,
	  3,
	  STACK + 20,
	  3,
	  7 },
	{ "movb $1,5(%esp); add $4,%esp; pop %esi; ret",
	  { 0xc6, 0x44, 0x24, 5, 1, 0x83, 0xc4, 4, 0x5e, 0xc3 },
	  true,
	  0x102,
	  STACK + 12,
	  3,
	  STACK + 20,
	  LOST,
	  7 },
	{ "movl $1,(%esp); ret: the return address is gone",
	  { 0xc7, 0x04, 0x24, 1, 0, 0, 0, 0xc3 },
	  .returns = false },
	{ "je over an invalid instruction; ret",
	  { 0x74, 2, 0x0f, 0x0b, 0xc3 },
	  true,
	  0x100,
	  STACK + 4,
	  3,
	  STACK + 20,
	  6,
	  7 },
	{ "a loop without an end", { 0xeb, 0xfe }, .returns = false },
	{ "a call", { 0xe8, 1, 0, 0, 0, 0xc3 }, .returns = false },
	{ "a call of a thunk: mov (%esp),%ebx",
	  { 0xe8, 1, 0, 0, 0, 0xc3, 0x8b, 0x1c, 0x24, 0xc3 },
	  true,
	  0x100,
	  STACK + 4,
	  LOST,
	  STACK + 20,
	  6,
	  7 },
	{ "jmp *%eax", { 0xff, 0xe0 }, .returns = false },
	{ "and $-16,%esp; ret", { 0x83, 0xe4, 0xf0, 0xc3 }, .returns = false },
	{ "pop %sp; ret", { 0x66, 0x5c, 0xc3 }, .returns = false },
	{ "prefixes only", { 0x66, 0x66, 0x66, 0x66, 0x66 }, .returns = false },
	{ "cmp, test, SSE: nothing is lost",
	  { 0x39, 0xdb, 0x85, 0xf6, 0x66, 0x0f, 0x6f, 0x44, 0x24, 4, 0x0f, 0x29, 0xc1, 0xc3 },
	  true,
	  0x100,
	  STACK + 4,
	  3,
	  STACK + 20,
	  6,
	  7 },
	{ "test $1,%bl has an immediate",
	  { 0xf6, 0xc3, 1, 0xf7, 0xc6, 1, 0, 0, 0, 0xc3 },
	  true,
	  0x100,
	  STACK + 4,
	  LOST,
	  STACK + 20,
	  LOST,
	  7 },
};

static uint32_t words[32];
static const struct stack_copy stack = {
	.bytes = (const uint8_t *)words, .start = STACK, .size = sizeof(words), .is_32_bit = true
};

static struct regs leaf_regs(void)
{
	struct regs regs = { .pc = 0x1000 };

	for (unsigned reg = EAX; reg <= EDI; reg++)
		regs_set(&regs, reg, 0x50 + reg);
	regs_set(&regs, EBX, 3);
	regs_set(&regs, ESP, STACK);
	regs_set(&regs, EBP, STACK + 20);
	regs_set(&regs, ESI, 6);
	regs_set(&regs, EDI, 7);
	for (uint32_t i = 0; i < 32; i++)
		words[i] = 0x100 + i;
	return regs;
}

static uint32_t value(const struct regs *regs, unsigned reg)
{
	return regs_have(regs, reg) ? (uint32_t)regs->values[reg] : LOST;
}

static void registers_are_followed_to_the_return(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		const struct function *function = &functions[i];
		struct regs regs = leaf_regs();
		bool is_certain;

		print_message("%s\n", function->what);
		assert_int_equal(code_i386_return(function->code, sizeof(function->code), 0, &stack,
						  &regs, &is_certain),
				 function->returns);
		if (!function->returns)
			continue;
		assert_int_equal(is_certain, function->code[0] != 0x74);
		assert_int_equal(regs.pc, function->pc);
		assert_int_equal(value(&regs, ESP), function->sp);
		assert_int_equal(value(&regs, EBX), function->ebx);
		assert_int_equal(value(&regs, EBP), function->ebp);
		assert_int_equal(value(&regs, ESI), function->esi);
		assert_int_equal(value(&regs, EDI), function->edi);
	}
}

/* On the heap, so that AddressSanitizer sees a byte too many. */
static void code_that_breaks_off_is_not_followed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		for (size_t size = 0; size < sizeof(functions[i].code); size++) {
			struct regs regs = leaf_regs();
			uint8_t *code = malloc(size + !size);
			bool is_certain;

			memcpy(code, functions[i].code, size);
			code_i386_return(code, size, 0, &stack, &regs, &is_certain);
			code_i386_is_pc_thunk(code, size);
			free(code);
		}
	}
}

static void any_bytes_may_be_followed(void **state)
{
	uint32_t random = 1;
	uint8_t code[64];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct regs regs = leaf_regs();
		bool is_certain;

		for (size_t i = 0; i < sizeof(code); i++) {
			random = random * 1664525u + 1013904223u;
			code[i] = (uint8_t)(random >> 24);
		}
		code_i386_return(code, sizeof(code), random >> 28, &stack, &regs, &is_certain);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_are_followed_to_the_return),
		cmocka_unit_test(code_that_breaks_off_is_not_followed),
		cmocka_unit_test(any_bytes_may_be_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
