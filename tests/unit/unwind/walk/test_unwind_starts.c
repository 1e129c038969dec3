/* Where stacks begin: new threads, which have none to read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/fixtures/made_up_program.h"

#define BASE         0x400000ull
#define AFTER_CLONE  (BASE + CODE_START + 0x10) /* no CFI: test, jl, je, ret */
#define THREAD_START (BASE + CODE_START + 0x18) /* return address undefined */
#define FUNCTION     (BASE + CODE_START + 0x40)
#define STACK        0x7fff0000ull

static int set_up(void **state)
{
	static const uint8_t undefined[] = { 0x07, 16 };
	static const uint8_t start[] = { 0x48, 0x85, 0xc0, 0x7c, 0x18, 0x74, 0x01, 0xc3 };
	struct elf_image image;

	(void)state;
	elf_image_init(&image, ".eh_frame");
	memcpy(image.code + 0x10, start, sizeof(start));
	elf_image_add_fde(&image, CODE_START + 0x18, 0x10, false, undefined, sizeof(undefined));
	elf_image_add_fde(&image, CODE_START + 0x40, 0x20, false, "", 0);
	return program_begin(&image, BASE);
}

static void a_new_thread_needs_no_stack_to_have_no_caller(void **state)
{
	static const struct {
		const char *what;
		uint64_t pc, rax;
		enum unwind_end end;
	} starts[] = {
		{ "thread's function", THREAD_START, 1, UNWIND_ROOT },
		{ "test", AFTER_CLONE, 0, UNWIND_ROOT },
		{ "jl", AFTER_CLONE + 3, 0, UNWIND_ROOT },
		{ "je", AFTER_CLONE + 5, 0, UNWIND_ROOT },
		{ "ret", AFTER_CLONE + 7, 0, UNWIND_NO_STACK },
		{ "test, in the parent", AFTER_CLONE, 1234, UNWIND_NO_STACK },
		{ "je, in the parent", AFTER_CLONE + 5, 1234, UNWIND_NO_STACK },
		{ "another function", FUNCTION, 0, UNWIND_NO_STACK },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		struct user_stack stack = program_stack(starts[i].pc, STACK, NULL, 0);
		struct unwind_result result;
		struct frame frames[4];

		regs_set(&stack.regs, 0, starts[i].rax);
		size_t n = unwind_user_stack(unwinder, space, &stack, frames, NULL, 4, &result);
		if (n != 1 || result.end != starts[i].end)
			print_error("%s: %zu frames, end %d\n", starts[i].what, n, result.end);
		assert_int_equal(n, 1);
		assert_int_equal(result.end, starts[i].end);
	}
}

static void a_thread_starts_only_where_the_first_register_is_known(void **state)
{
	struct user_stack stack = program_stack(AFTER_CLONE, STACK, NULL, 0);
	struct unwind_result result;
	struct frame frames[4];

	(void)state;
	unwind_user_stack(unwinder, space, &stack, frames, NULL, 4, &result);
	assert_int_equal(result.end, UNWIND_NO_STACK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROGRAM_TEST(a_new_thread_needs_no_stack_to_have_no_caller),
		PROGRAM_TEST(a_thread_starts_only_where_the_first_register_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
