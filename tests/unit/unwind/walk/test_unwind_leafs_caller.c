/* The caller that CFI gives for a sampled instruction, against the call before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/fixtures/made_up_program.h"

#define BASE       0x400000ull
#define ROOT       (BASE + CODE_START) /* return address undefined */
#define CALLER     (BASE + CODE_START + 0x20)
#define DISPATCHER (BASE + CODE_START + 0x60) /* jumps to where a register says */
#define OTHER      (BASE + CODE_START + 0x80) /* returns */
#define LEAF       (BASE + CODE_START + 0xa0)
#define WRONG      (BASE + CODE_START + 0xc0) /* one row for all of it */
#define TAIL_CALL  (BASE + CODE_START + 0xd0) /* jumps to the leaf */
#define FRAMED     (BASE + CODE_START + 0xe0) /* rows for its push and its pop */
#define STACK      0x7fff0000ull

/* Return addresses in the caller. */
#define FROM_LEAF       (CALLER + 5)
#define FROM_DISPATCHER (CALLER + 10)
#define FROM_AGAIN      (CALLER + 15) /* from the dispatcher, too */
#define FROM_OTHER      (CALLER + 20)
#define FROM_WRONG      (CALLER + 25)
#define FROM_TAIL_CALL  (CALLER + 30)

static void add_call(struct elf_image *image, uint64_t return_address, uint64_t target)
{
	const int32_t distance = (int32_t)(target - return_address);
	uint8_t *call = image->code + (return_address - BASE - CODE_START) - 5;

	call[0] = 0xe8;
	memcpy(call + 1, &distance, sizeof(distance));
}

static void add_functions(struct elf_image *image)
{
	static const uint8_t undefined[] = { 0x07, 16 };
	static const uint8_t cfa_16[] = { 0x0e, 16 };
	/* From the second byte on CFA = rsp + 16, from the third on rsp + 8 again. */
	static const uint8_t push_pop[] = { 0x41, 0x0e, 16, 0x41, 0x0e, 8 };
	static const uint8_t nops_jmp_rax[] = { 0x90, 0x90, 0xff, 0xe0 };
	static const uint8_t nops_ret[] = { 0x90, 0x90, 0x90, 0xc3 };
	static const uint8_t nops_jmp_leaf[] = { 0x90, 0x90, 0xeb, 0xcc };
	static const uint8_t nop_push_pop_ret[] = { 0x90, 0x53, 0x90, 0x5b, 0xc3 };

	elf_image_add_fde(image, ROOT - BASE, 0x20, false, undefined, sizeof(undefined));
	elf_image_add_fde(image, CALLER - BASE, 0x40, false, "", 0);
	elf_image_add_fde(image, DISPATCHER - BASE, 0x20, false, "", 0);
	elf_image_add_fde(image, OTHER - BASE, 0x20, false, "", 0);
	elf_image_add_fde(image, LEAF - BASE, 0x20, false, "", 0);
	elf_image_add_fde(image, WRONG - BASE, 0x10, false, cfa_16, sizeof(cfa_16));
	elf_image_add_fde(image, TAIL_CALL - BASE, 0x10, false, "", 0);
	elf_image_add_fde(image, FRAMED - BASE, 0x20, false, push_pop, sizeof(push_pop));
	memcpy(image->code + 0x60, nops_jmp_rax, sizeof(nops_jmp_rax));
	memcpy(image->code + 0x80, nops_ret, sizeof(nops_ret));
	memcpy(image->code + 0xa0, nops_ret, sizeof(nops_ret));
	memcpy(image->code + 0xd0, nops_jmp_leaf, sizeof(nops_jmp_leaf));
	memcpy(image->code + 0xc0, nop_push_pop_ret, sizeof(nop_push_pop_ret));
}

static int set_up(void **state)
{
	struct elf_image image;

	(void)state;
	elf_image_init(&image, ".eh_frame");
	add_functions(&image);
	add_call(&image, FROM_LEAF, LEAF);
	add_call(&image, FROM_DISPATCHER, DISPATCHER);
	add_call(&image, FROM_AGAIN, DISPATCHER);
	add_call(&image, FROM_OTHER, OTHER);
	add_call(&image, FROM_WRONG, WRONG);
	add_call(&image, FROM_TAIL_CALL, TAIL_CALL);
	return program_begin(&image, BASE);
}

/* The walk from @pc, with @first and @second on top of the stack, leads to @return_address. */
static void assert_caller(uint64_t pc, uint64_t first, uint64_t second, uint64_t return_address,
			  enum frame_origin origin)
{
	const uint64_t words[] = { first, second, ROOT + 4, 0 };
	struct user_stack stack = program_stack(pc, STACK, words, 4);
	struct unwind_result result;
	struct frame frames[4];
	uint64_t addrs[4];

	size_t n = unwind_user_stack(unwinder, space, &stack, frames, addrs, 4, &result);
	assert_true(n >= 2);
	assert_int_equal(addrs[1], return_address - 1);
	assert_int_equal(frames[1].origin, origin);
}

static void assert_caller_by_cfi(uint64_t pc, uint64_t return_address)
{
	assert_caller(pc, return_address, ROOT + 4, return_address, FRAME_BY_CFI);
}

static void a_call_of_the_leaf_leads_to_it(void **state)
{
	(void)state;
	for (uint64_t at = 0; at < 4; at++)
		assert_caller_by_cfi(LEAF + at, FROM_LEAF);
}

static void a_tail_call_leads_to_the_leaf(void **state)
{
	(void)state;
	for (uint64_t at = 0; at < 4; at++)
		assert_caller_by_cfi(LEAF + at, FROM_TAIL_CALL);
}

/* What was found for one instruction, or one call, holds for the next. */
static void a_call_of_a_dispatcher_may_lead_to_each_instruction(void **state)
{
	(void)state;
	assert_caller_by_cfi(LEAF + 2, FROM_DISPATCHER);
	assert_caller_by_cfi(LEAF, FROM_AGAIN);
	assert_caller_by_cfi(LEAF + 2, FROM_AGAIN);
	assert_caller_by_cfi(LEAF, FROM_DISPATCHER);
}

/* The row of the first instruction has the return address one word too high. */
static void a_call_of_a_function_that_returns_does_not_lead_elsewhere(void **state)
{
	(void)state;
	assert_caller(WRONG, FROM_WRONG, FROM_OTHER, FROM_WRONG, FRAME_GUESSED);
	assert_caller(WRONG + 2, 0, FROM_WRONG, FROM_WRONG, FRAME_BY_CFI);
}

/* Compilers describe each push and pop, so their rows need no second opinion. */
static void rows_that_follow_the_stack_are_trusted(void **state)
{
	(void)state;
	assert_caller_by_cfi(FRAMED, FROM_OTHER);
	assert_caller(FRAMED + 1, 0, FROM_OTHER, FROM_OTHER, FRAME_BY_CFI);
	assert_caller_by_cfi(FRAMED + 2, FROM_OTHER);
	assert_caller_by_cfi(FRAMED, FROM_OTHER + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROGRAM_TEST(a_call_of_the_leaf_leads_to_it),
		PROGRAM_TEST(a_tail_call_leads_to_the_leaf),
		PROGRAM_TEST(a_call_of_a_dispatcher_may_lead_to_each_instruction),
		PROGRAM_TEST(a_call_of_a_function_that_returns_does_not_lead_elsewhere),
		PROGRAM_TEST(rows_that_follow_the_stack_are_trusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
