#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unwind/rules/regs.h"

static const struct arch *arch;

static void architectures_are_found_by_machine_and_abi(void **state)
{
	(void)state;
	assert_ptr_equal(arch_find("x86_64", PERF_SAMPLE_REGS_ABI_64), &arch_x86_64);
	assert_ptr_equal(arch_find("x86_64", PERF_SAMPLE_REGS_ABI_32), &arch_i386);
	assert_ptr_equal(arch_find("i686", PERF_SAMPLE_REGS_ABI_32), &arch_i386);
	assert_null(arch_find("i686", PERF_SAMPLE_REGS_ABI_64));
	assert_null(arch_find("x86_64", PERF_SAMPLE_REGS_ABI_NONE));
	assert_null(arch_find("x86_64", UINT64_MAX));
	assert_null(arch_find("riscv64", PERF_SAMPLE_REGS_ABI_64));
	assert_null(arch_find(NULL, PERF_SAMPLE_REGS_ABI_64));
}

static void perf_registers_get_dwarf_numbers(void **state)
{
	/* AX BX CX DX SI DI BP SP IP FLAGS CS SS, then R8 to R15: what perf records. */
	const uint64_t mask = 0xff0fff;
	const uint64_t values[] = { 100, 103, 102, 101, 104, 105, 106, 107, 116, 1,
				    2,   3,   108, 109, 110, 111, 112, 113, 114, 115 };
	struct regs regs;

	(void)state;
	assert_true(regs_from_perf(arch, mask, values, &regs));
	for (unsigned reg = 0; reg <= 16; reg++) {
		assert_true(regs_have(&regs, reg));
		assert_int_equal(regs.values[reg], 100 + reg);
	}
	assert_int_equal(regs.pc, 116);
	assert_int_equal(regs.valid, (1u << 17) - 1);
}

/* A 64-bit kernel widens what 32-bit code has, and gives r8 to r15 as it finds them. */
static void registers_of_32_bit_tasks_have_32_bits(void **state)
{
	const uint64_t mask = 0xff0fff;
	const uint64_t values[] = { UINT64_MAX - 4095,
				    103,
				    101,
				    102,
				    106,
				    107,
				    105,
				    0xffffd000,
				    0xf7fc5579,
				    1,
				    2,
				    3,
				    8,
				    9,
				    10,
				    11,
				    12,
				    13,
				    14,
				    15 };
	struct regs regs;

	(void)state;
	assert_true(regs_from_perf(&arch_i386, mask, values, &regs));
	assert_int_equal(regs.valid, (1u << 9) - 1);
	assert_int_equal(regs.values[0], 0xfffff000);
	for (unsigned reg = 1; reg <= 7; reg++)
		assert_int_equal(regs.values[reg], reg == 4 ? 0xffffd000 : 100 + reg);
	assert_int_equal(regs.values[8], 0xf7fc5579);
	assert_int_equal(regs.pc, 0xf7fc5579);
}

static void samples_without_pc_or_stack_pointer_are_refused(void **state)
{
	const uint64_t values[64] = { 0 };
	struct regs regs;

	(void)state;
	assert_true(regs_from_perf(arch, 1u << 7 | 1u << 8, values, &regs));
	assert_false(regs_from_perf(arch, 1u << 7, values, &regs));
	assert_false(regs_from_perf(arch, 1u << 8, values, &regs));
	assert_false(regs_from_perf(arch, 0, values, &regs));
	assert_true(regs_from_perf(arch, UINT64_MAX, values, &regs));
}

static const struct {
	const char *text;
	uint8_t code[8]; /* ends at the return address */
	bool is_call;
	int64_t distance;
} endings[] = {
	{ "call rel32", { 0x90, 0x90, 0x90, 0xe8, 0x10, 0, 0, 0 }, true, 16 },
	{ "call rel32 back", { 0x90, 0x90, 0x90, 0xe8, 0xf0, 0xff, 0xff, 0xff }, true, -16 },
	{ "call *%rax", { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0 }, true, 0 },
	{ "call *%r12", { 0x90, 0x90, 0x90, 0x90, 0x90, 0x41, 0xff, 0xd4 }, true, 0 },
	{ "call *(%rax)", { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x10 }, true, 0 },
	{ "call *8(%rax)", { 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x50, 8 }, true, 0 },
	{ "call *8(%rsp)", { 0x90, 0x90, 0x90, 0x90, 0xff, 0x54, 0x24, 8 }, true, 0 },
	{ "call *(%r12,%rbx,8)", { 0x90, 0x90, 0x90, 0x90, 0x41, 0xff, 0x14, 0xdc }, true, 0 },
	{ "call *x(%rip)", { 0x90, 0x90, 0xff, 0x15, 1, 2, 3, 4 }, true, 0 },
	{ "call *table(,%rax,8)", { 0x90, 0xff, 0x14, 0xc5, 1, 2, 3, 4 }, true, 0 },
	{ "jmp *%rax", { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0 }, false, 0 },
	{ "jmp rel32", { 0x90, 0x90, 0x90, 0xe9, 0x10, 0, 0, 0 }, false, 0 },
	{ "nops", { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90 }, false, 0 },
	{ "call *8(%rax), one byte short",
	  { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x50 },
	  false,
	  0 },
};

static void calls_are_known_by_their_last_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		int64_t distance = 0;
		bool is_call =
			arch->ends_in_call(endings[i].code, sizeof(endings[i].code), &distance);

		if (is_call != endings[i].is_call || distance != endings[i].distance)
			print_error("%s\n", endings[i].text);
		assert_int_equal(is_call, endings[i].is_call);
		assert_int_equal(distance, endings[i].distance);
	}
}

static void no_byte_before_the_code_is_read(void **state)
{
	const uint8_t code[] = { 0xff, 0xd0 };
	int64_t distance;

	(void)state;
	assert_false(arch->ends_in_call(code, 0, &distance));
	assert_false(arch->ends_in_call(code + 1, 1, &distance));
	assert_true(arch->ends_in_call(code, 2, &distance));
	assert_false(arch->is_trampoline(code, 0));
	assert_false(arch->is_trampoline(code, 1));
	assert_int_equal(arch->frame_pointer_since(code, 0), 0);
	assert_int_equal(arch->frame_pointer_since(code, 2), 0);
}

static void trampolines_jump_through_memory(void **state)
{
	const uint8_t plain[] = { 0xff, 0x25, 1, 2, 3, 4 };
	const uint8_t cet[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 1 };
	const uint8_t direct[] = { 0xe9, 1, 2, 3, 4, 5 };

	(void)state;
	assert_true(arch->is_trampoline(plain, sizeof(plain)));
	assert_true(arch->is_trampoline(cet, sizeof(cet)));
	assert_false(arch->is_trampoline(direct, sizeof(direct)));
}

static void trampolines_of_i386_jump_through_ebx_too(void **state)
{
	const uint8_t plain[] = { 0xff, 0x25, 1, 2, 3, 4 };
	const uint8_t cet_pic[] = { 0xf3, 0x0f, 0x1e, 0xfb, 0xff, 0xa3, 1, 2 };
	const uint8_t call[] = { 0xff, 0x93, 1, 2, 3, 4 };

	(void)state;
	assert_true(arch_i386.is_trampoline(plain, sizeof(plain)));
	assert_true(arch_i386.is_trampoline(cet_pic, sizeof(cet_pic)));
	assert_false(arch_i386.is_trampoline(call, sizeof(call)));
	assert_false(arch_i386.is_trampoline(plain, 1));
}

static void frame_pointers_of_i386_have_no_prefix(void **state)
{
	const uint8_t plain[] = { 0xc3, 0x55, 0x89, 0xe5, 0x90, 0x90 };
	const uint8_t other_encoding[] = { 0x55, 0x8b, 0xec };
	const uint8_t over[] = { 0x55, 0x89, 0xe5, 0x5d, 0xc3, 0x90 };
	const uint8_t left[] = { 0x55, 0x89, 0xe5, 0xc9, 0xc3 };

	(void)state;
	assert_int_equal(arch_i386.frame_pointer_since(plain, sizeof(plain)), 5);
	assert_int_equal(arch_i386.frame_pointer_since(other_encoding, sizeof(other_encoding)), 3);
	assert_int_equal(arch_i386.frame_pointer_since(over, sizeof(over)), 0);
	assert_int_equal(arch_i386.frame_pointer_since(left, sizeof(left)), 0);
	assert_int_equal(arch_i386.frame_pointer_since(plain, 1), 0);
}

/* clone3() of glibc: test %eax,%eax; je +9; pop %esi; pop %ebx; jl error; ret. */
static void threads_of_i386_begin_where_clone_returns_zero(void **state)
{
	const uint8_t code[16] = { 0x85, 0xc0, 0x74, 0x09, 0x5e, 0x5b, 0x0f, 0x8c };
	struct regs regs = { .valid = 0 };
	int64_t distance;

	(void)state;
	assert_false(arch_i386.thread_start(code, sizeof(code), &regs, &distance));
	regs_set(&regs, 0, 100);
	assert_false(arch_i386.thread_start(code, sizeof(code), &regs, &distance));
	regs_set(&regs, 0, 0);
	assert_true(arch_i386.thread_start(code, sizeof(code), &regs, &distance));
	assert_int_equal(distance, 13);
	assert_true(arch_i386.thread_start(code + 2, sizeof(code) - 2, &regs, &distance));
	assert_int_equal(distance, 11);
	assert_false(arch_i386.thread_start(code, 3, &regs, &distance));
}

static void frame_pointers_are_seen_in_the_code_before(void **state)
{
	const uint8_t plain[] = { 0xc3, 0x55, 0x48, 0x89, 0xe5, 0x90, 0x90 };
	const uint8_t other_encoding[] = { 0x55, 0x48, 0x8b, 0xec };
	const uint8_t between[] = { 0x55, 0x90, 0x90, 0x48, 0x89, 0xe5, 0x90 };
	const uint8_t over[] = { 0x55, 0x48, 0x89, 0xe5, 0x5d, 0xc3, 0x90 };
	const uint8_t left[] = { 0x55, 0x48, 0x89, 0xe5, 0xc9, 0xc3 };
	const uint8_t only_pushed[] = { 0x90, 0x90, 0x90, 0x55 };

	(void)state;
	assert_int_equal(arch->frame_pointer_since(plain, sizeof(plain)), 6);
	assert_int_equal(arch->frame_pointer_since(other_encoding, sizeof(other_encoding)), 4);
	assert_int_equal(arch->frame_pointer_since(between, sizeof(between)), 7);
	assert_int_equal(arch->frame_pointer_since(over, sizeof(over)), 0);
	assert_int_equal(arch->frame_pointer_since(left, sizeof(left)), 0);
	assert_int_equal(arch->frame_pointer_since(only_pushed, sizeof(only_pushed)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(architectures_are_found_by_machine_and_abi),
		cmocka_unit_test(perf_registers_get_dwarf_numbers),
		cmocka_unit_test(registers_of_32_bit_tasks_have_32_bits),
		cmocka_unit_test(trampolines_of_i386_jump_through_ebx_too),
		cmocka_unit_test(frame_pointers_of_i386_have_no_prefix),
		cmocka_unit_test(threads_of_i386_begin_where_clone_returns_zero),
		cmocka_unit_test(samples_without_pc_or_stack_pointer_are_refused),
		cmocka_unit_test(calls_are_known_by_their_last_bytes),
		cmocka_unit_test(no_byte_before_the_code_is_read),
		cmocka_unit_test(trampolines_jump_through_memory),
		cmocka_unit_test(frame_pointers_are_seen_in_the_code_before),
	};

	arch = &arch_x86_64;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
