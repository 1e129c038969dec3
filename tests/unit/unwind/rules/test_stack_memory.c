/* Walks that leave the sample's copy, on a made-up program; and what holds the memory. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/fixtures/made_up_program.h"

#define BASE     0x400000ull
#define ROOT     (BASE + CODE_START)        /* return address undefined */
#define FUNCTION (BASE + CODE_START + 0x40) /* return address at the stack pointer */
#define SIGNAL   (BASE + CODE_START + 0x80) /* stack pointer and pc at 8 and 16 */
#define STACK    0x7fff0000ull
#define OTHER    0x1000000ull

static atomic_size_t in_use;

static int set_up(void **state)
{
	static const uint8_t undefined[] = { 0x07, 16 };
	static const uint8_t signal[] = { 0x0e, 24, 0x80 | 7, 2 };
	/* It ends at FUNCTION + 8. */
	static const uint8_t call_next[] = { 0xe8, 1, 0, 0, 0 };
	struct elf_image image;

	(void)state;
	elf_image_init(&image, ".eh_frame");
	memcpy(image.code + 0x43, call_next, sizeof(call_next));
	elf_image_add_fde(&image, CODE_START, 0x40, false, undefined, sizeof(undefined));
	elf_image_add_fde(&image, CODE_START + 0x40, 0x40, false, "", 0);
	elf_image_add_fde(&image, CODE_START + 0x80, 0x40, true, signal, sizeof(signal));
	return program_begin(&image, BASE);
}

static struct stack_block *block_of(const void *bytes, size_t size)
{
	struct stack_block *block = stack_block_create(size, &in_use);

	memcpy(block->bytes, bytes, size);
	return block;
}

/* A memory whose rest is @words, from @start on, with one guard. */
static struct stack_memory *rest_of(const uint64_t *words, size_t n, uint64_t start,
				    struct stack_guard guard)
{
	struct stack_memory *memory = stack_memory_create();
	uint64_t end = start + n * sizeof(*words);

	assert_int_equal(
		stack_memory_set_rest(memory, start, block_of(words, n * sizeof(*words)), end, end),
		0);
	memory->guards[memory->n_guards++] = guard;
	return memory;
}

static struct user_stack stack_of(uint64_t pc, uint64_t sp, const uint64_t *words, size_t n,
				  const struct stack_memory *memory)
{
	struct user_stack stack = program_stack(pc, sp, words, n);

	stack.is_full = true;
	stack.memory = memory;
	regs_set(&stack.regs, 6, 0);
	return stack;
}

static size_t walk(const struct user_stack *stack, struct frame *frames,
		   struct unwind_result *result)
{
	return unwind_user_stack(unwinder, space, stack, frames, NULL, 16, result);
}

static void only_a_guard_leads_into_the_rest(void **state)
{
	static const uint64_t copy[] = { FUNCTION + 8, FUNCTION + 9, FUNCTION + 10 };
	static const uint64_t beyond[] = { FUNCTION + 9, FUNCTION + 10, FUNCTION + 11, ROOT + 4 };
	static const struct {
		const char *what;
		struct stack_guard guard;
		size_t n_frames;
		uint32_t n_stitched;
		enum unwind_end end;
	} cases[] = {
		{ "guard", { STACK + 8, FUNCTION + 9 }, 6, 2, UNWIND_ROOT },
		{ "last guard in the copy", { STACK + 16, FUNCTION + 10 }, 6, 2, UNWIND_ROOT },
		{ "touched: no guard is there", { 0, 0 }, 4, 0, UNWIND_STACK_CUT },
		{ "another return address", { STACK + 8, FUNCTION + 8 }, 4, 0, UNWIND_STACK_CUT },
		{ "beyond the copy", { STACK + 24, FUNCTION + 11 }, 4, 0, UNWIND_STACK_CUT },
		{ "not at a return address", { STACK + 9, FUNCTION + 9 }, 4, 0, UNWIND_STACK_CUT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stack_memory *memory = rest_of(beyond, 4, STACK + 8, cases[i].guard);
		struct user_stack stack = stack_of(FUNCTION, STACK, copy, 3, memory);
		struct frame frames[16];
		struct unwind_result result;
		size_t n = walk(&stack, frames, &result);

		if (n != cases[i].n_frames || result.end != cases[i].end ||
		    result.n_stitched != cases[i].n_stitched)
			fail_msg("%s: %zu frames, %u stitched, end %d", cases[i].what, n,
				 result.n_stitched, result.end);
		for (size_t f = 0; f < n; f++)
			assert_int_equal(frames[f].origin == FRAME_STITCHED, f >= 4);
		stack_memory_unref(memory);
	}
	assert_int_equal(in_use, 0);
}

static void below_the_copy_nothing_is_read(void **state)
{
	static const uint64_t below[] = { FUNCTION, ROOT + 4, ROOT + 4 };
	struct stack_memory *memory =
		rest_of(below, 3, STACK - 8, (struct stack_guard){ STACK, FUNCTION });
	struct stack_copy copy = { .start = STACK, .rest = memory };
	uint64_t value;

	(void)state;
	assert_false(stack_read(&copy, STACK - 8, &value));
	assert_true(stack_read(&copy, STACK + 8, &value));
	assert_false(stack_read(&copy, STACK + 16, &value));
	stack_memory_unref(memory);
}

static struct stack_context context_of(uint64_t time_ns, uint64_t pc, uint64_t sp,
				       const uint64_t *words, size_t n)
{
	struct stack_context context = { .time_ns = time_ns,
					 .arch = &arch_x86_64,
					 .block = block_of(words, n * sizeof(*words)) };

	context.regs.pc = pc;
	regs_set(&context.regs, 16, pc);
	regs_set(&context.regs, 7, sp);
	regs_set(&context.regs, 6, 0);
	regs_set(&context.regs, 0, 4711); /* what a restarted system call changes */
	return context;
}

static void a_signals_frame_leads_to_the_context_with_its_registers(void **state)
{
	/* The handler's return address is the signal's frame; sp and pc follow. */
	static const uint64_t handler[] = { SIGNAL + 1, 0, OTHER, FUNCTION + 5 };
	static const uint64_t right[] = { FUNCTION + 8, ROOT + 4 }, wrong[] = { ROOT + 4 };
	static const struct {
		const char *what;
		uint64_t newer_pc, newer_sp, older_pc, older_sp;
		size_t n_frames;
		enum unwind_end end;
	} cases[] = {
		{ "the newest", FUNCTION + 5, OTHER, FUNCTION + 5, OTHER + 8, 5, UNWIND_ROOT },
		{ "an older one", FUNCTION + 5, OTHER + 8, FUNCTION + 5, OTHER, 5, UNWIND_ROOT },
		{ "restarted call", FUNCTION + 7, OTHER, FUNCTION, OTHER, 5, UNWIND_ROOT },
		{ "none", FUNCTION + 4, OTHER, FUNCTION + 5, OTHER + 8, 3, UNWIND_OTHER_STACK },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stack_memory *memory = stack_memory_create();
		bool is_newer = cases[i].newer_sp == OTHER;
		struct stack_context newer = context_of(20, cases[i].newer_pc, cases[i].newer_sp,
							is_newer ? right : wrong, is_newer ? 2 : 1);
		struct stack_context older = context_of(10, cases[i].older_pc, cases[i].older_sp,
							is_newer ? wrong : right, is_newer ? 1 : 2);
		struct user_stack stack = stack_of(FUNCTION, STACK, handler, 4, memory);
		struct frame frames[16];
		struct unwind_result result;

		stack_memory_add_context(memory, &newer);
		stack_memory_add_context(memory, &older);
		size_t n = walk(&stack, frames, &result);
		if (n != cases[i].n_frames || result.end != cases[i].end ||
		    result.n_stitched != n - 3)
			fail_msg("%s: %zu frames, %u stitched, end %d", cases[i].what, n,
				 result.n_stitched, result.end);
		stack_memory_unref(memory);
	}
	assert_int_equal(in_use, 0);
}

/* A context whose stack holds a signal's frame that leads to itself. */
static void a_context_is_used_once(void **state)
{
	static const uint64_t handler[] = { SIGNAL + 1, 0, OTHER, FUNCTION + 5 };
	struct stack_memory *memory = stack_memory_create();
	struct stack_context context = context_of(10, FUNCTION + 5, OTHER, handler, 4);
	struct user_stack stack = stack_of(FUNCTION, STACK, handler, 4, memory);
	struct frame frames[16];
	struct unwind_result result;

	(void)state;
	stack_memory_add_context(memory, &context);
	assert_true(walk(&stack, frames, &result) <= 16);
	assert_int_not_equal(result.end, UNWIND_ROOT);
	stack_memory_unref(memory);
}

static struct second_stack second_of(uint64_t start, bool is_saved, const uint64_t *words, size_t n)
{
	return (struct second_stack){ .start = start,
				      .is_saved = is_saved,
				      .block = block_of(words, n * sizeof(*words)) };
}

static void a_signals_frame_leads_to_the_second_stack_that_begins_there(void **state)
{
	static const uint64_t handler[] = { SIGNAL + 1, 0, OTHER, FUNCTION + 5 };
	static const uint64_t interrupted[] = { FUNCTION + 9, ROOT + 4 };
	static const struct {
		const char *what;
		uint64_t start;
		bool is_saved;
		size_t n_frames;
		enum unwind_end end;
	} cases[] = {
		{ "interrupted there", OTHER, false, 5, UNWIND_ROOT },
		{ "elsewhere", OTHER + 8, false, 3, UNWIND_OTHER_STACK },
		{ "left by a call", OTHER, true, 3, UNWIND_OTHER_STACK },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stack_memory *memory = stack_memory_create();
		struct second_stack second =
			second_of(cases[i].start, cases[i].is_saved, interrupted, 2);
		struct user_stack stack = stack_of(FUNCTION, STACK, handler, 4, memory);
		struct frame frames[16];
		struct unwind_result result;

		stack_memory_add_second(memory, &second, 1);
		size_t n = walk(&stack, frames, &result);
		if (n != cases[i].n_frames || result.end != cases[i].end ||
		    result.n_stitched != (uint32_t)(n - 3))
			fail_msg("%s: %zu frames, %u stitched, end %d", cases[i].what, n,
				 result.n_stitched, result.end);
		stack_memory_unref(memory);
	}
	assert_int_equal(in_use, 0);
}

/* A second stack whose signal frame leads to itself. */
static void a_second_stack_is_used_once(void **state)
{
	static const uint64_t handler[] = { SIGNAL + 1, 0, OTHER, FUNCTION + 5 };
	struct stack_memory *memory = stack_memory_create();
	struct second_stack second = second_of(OTHER, false, handler, 1);
	struct user_stack stack = stack_of(FUNCTION, STACK, handler, 4, memory);
	struct frame frames[16];
	struct unwind_result result;

	(void)state;
	stack_memory_add_second(memory, &second, 1);
	assert_true(walk(&stack, frames, &result) < 16);
	assert_int_not_equal(result.end, UNWIND_ROOT);
	stack_memory_unref(memory);
}

static void second_stacks_are_those_of_one_sample(void **state)
{
	static const uint64_t word = 1;
	struct stack_memory *memory = stack_memory_create();

	(void)state;
	for (uint64_t time_ns = 1; time_ns < 4; time_ns++) {
		for (size_t i = 0; i < STACK_SECONDS_MAX; i++) {
			struct second_stack second = second_of(OTHER + time_ns, false, &word, 1);

			stack_memory_add_second(memory, &second, time_ns);
			assert_int_equal(memory->n_seconds, i + 1);
			assert_int_equal(memory->seconds[i].start, OTHER + time_ns);
		}
	}
	struct stack_memory *copy = stack_memory_own(stack_memory_ref(memory));
	stack_memory_drop_seconds(memory);
	assert_int_equal(memory->n_seconds, 0);
	assert_int_equal(copy->n_seconds, STACK_SECONDS_MAX);
	assert_memory_equal(copy->seconds[0].block->bytes, &word, sizeof(word));
	stack_memory_unref(memory);
	stack_memory_unref(copy);
	assert_int_equal(in_use, 0);
}

static void a_rest_is_added_to_the_one_before(void **state)
{
	static const uint64_t first[] = { 1, 2, 3, 4 }, second[] = { 10, 20 };
	struct stack_memory *memory = rest_of(first, 4, 0x100, (struct stack_guard){ 0x100, 1 });
	const uint8_t *found;
	uint64_t value;

	(void)state;
	/* 0x0f8: 10, 0x100: 20, then 2, 3, 4. */
	assert_int_equal(stack_memory_set_rest(memory, 0xf8, block_of(second, 16), 0x108, 0x120),
			 0);
	assert_int_equal(memory->n_guards, 0);
	for (uint64_t addr = 0xf8; addr < 0x120; addr += 8) {
		static const uint64_t expected[] = { 10, 20, 2, 3, 4 };

		found = stack_memory_find(memory, addr, 8);
		assert_non_null(found);
		memcpy(&value, found, 8);
		assert_int_equal(value, expected[(addr - 0xf8) / 8]);
	}
	assert_null(stack_memory_find(memory, 0x120, 8));
	assert_null(stack_memory_find(memory, 0xf0, 8));
	stack_memory_unref(memory);
	assert_int_equal(in_use, 0);
}

static void a_rest_that_does_not_join_is_refused(void **state)
{
	static const uint64_t words[] = { 1, 2, 3, 4 };
	static const struct {
		uint64_t start, shared_from, end;
	} cases[] = {
		{ 0xf0, 0x100, 0x118 }, /* ends elsewhere */
		{ 0xf0, 0x100, 0x128 },
		{ 0xf8, 0x108, 0x100 },  /* ends before it begins to share */
		{ 0x200, 0x210, 0x220 }, /* no part of it is there */
		{ 0xe0, 0xf0, 0x120 },   /* a gap */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stack_memory *memory =
			rest_of(words, 4, 0x100, (struct stack_guard){ 0x100, 1 });

		assert_int_equal(stack_memory_set_rest(memory, cases[i].start, block_of(words, 16),
						       cases[i].shared_from, cases[i].end),
				 -EINVAL);
		assert_int_equal(memory->n_guards, 0);
		stack_memory_unref(memory);
	}
	assert_int_equal(in_use, 0);
}

static void many_pieces_become_one(void **state)
{
	static const uint64_t words[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	struct stack_memory *memory = rest_of(words, 8, 0x1000, (struct stack_guard){ 0, 0 });

	(void)state;
	for (uint64_t i = 1; i <= 100; i++) {
		uint64_t start = 0x1000 - 8 * i, word = i * 1000;

		assert_int_equal(
			stack_memory_set_rest(memory, start, block_of(&word, 8), start + 8, 0x1040),
			0);
		assert_true(memory->n_pieces <= STACK_PIECES_MAX);
	}
	for (uint64_t i = 1; i <= 100; i++) {
		uint64_t value;

		memcpy(&value, stack_memory_find(memory, 0x1000 - 8 * i, 8), 8);
		assert_int_equal(value, i * 1000);
	}
	stack_memory_unref(memory);
	assert_int_equal(in_use, 0);
}

static void who_holds_a_memory_does_not_see_it_change(void **state)
{
	static const uint64_t words[] = { 1 };
	struct stack_memory *memory = rest_of(words, 1, 0x100, (struct stack_guard){ 0x100, 1 });
	struct stack_memory *held = stack_memory_ref(memory);

	(void)state;
	memory = stack_memory_own(memory);
	assert_ptr_not_equal(memory, held);
	stack_memory_drop_guard(memory, 0x100);
	assert_false(stack_memory_has_guard(memory, 0x100, 1));
	assert_true(stack_memory_has_guard(held, 0x100, 1));
	assert_ptr_equal(stack_memory_own(memory), memory);
	stack_memory_unref(memory);
	assert_non_null(stack_memory_find(held, 0x100, 8));
	stack_memory_unref(held);
	assert_int_equal(in_use, 0);
}

static void the_oldest_context_makes_room(void **state)
{
	static const uint64_t words[] = { 1 };
	struct stack_memory *memory = stack_memory_create();

	(void)state;
	for (uint64_t i = 1; i <= STACK_CONTEXTS_MAX + 3; i++) {
		struct stack_context context = context_of(i, FUNCTION, OTHER, words, 1);

		stack_memory_add_context(memory, &context);
	}
	assert_int_equal(memory->n_contexts, STACK_CONTEXTS_MAX);
	assert_int_equal(memory->contexts[0].time_ns, STACK_CONTEXTS_MAX + 3);
	stack_memory_drop_context(memory, 8);
	assert_int_equal(memory->n_contexts, STACK_CONTEXTS_MAX - 1);
	stack_memory_drop_contexts(memory, 9);
	assert_int_equal(memory->n_contexts, 2);
	assert_int_equal(memory->contexts[1].time_ns, 10);
	stack_memory_unref(memory);
	assert_int_equal(in_use, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_a_guard_leads_into_the_rest),
		cmocka_unit_test(below_the_copy_nothing_is_read),
		cmocka_unit_test(a_signals_frame_leads_to_the_context_with_its_registers),
		cmocka_unit_test(a_context_is_used_once),
		cmocka_unit_test(a_signals_frame_leads_to_the_second_stack_that_begins_there),
		cmocka_unit_test(a_second_stack_is_used_once),
		cmocka_unit_test(second_stacks_are_those_of_one_sample),
		cmocka_unit_test(a_rest_is_added_to_the_one_before),
		cmocka_unit_test(a_rest_that_does_not_join_is_refused),
		cmocka_unit_test(many_pieces_become_one),
		cmocka_unit_test(who_holds_a_memory_does_not_see_it_change),
		cmocka_unit_test(the_oldest_context_makes_room),
	};
	return cmocka_run_group_tests(tests, set_up, program_end);
}
