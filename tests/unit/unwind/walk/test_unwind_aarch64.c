/* Walks of arm64 stacks, on a made-up program with signed return addresses, mapped at
 * 0xaaaa00400000. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/fixtures/made_up_program.h"

#define BASE       0xaaaa00400000ull
#define ROOT       (BASE + CODE_START)        /* x30 undefined */
#define FUNCTION   (BASE + CODE_START + 0x40) /* paciasp; stp x29, x30, [sp, #-32]! */
#define COLD       (BASE + CODE_START + 0x80) /* of a function with a frame of 32 bytes */
#define RESOLVE    (BASE + CODE_START + 0xa0) /* as glibc's _dl_runtime_resolve */
#define TRAMPOLINE (BASE + CODE_START + 0xc0)
#define STACK      0xffffe0000000ull
#define SIGNATURE  0x002a000000000000ull

#define NEGATE_RA_STATE 0x2d
#define ADVANCE(n)      (0x40 | (n))
#define CFA_OFFSET(n)   0x0e, (n)
#define AT_CFA(reg, n)  (0x80 | (reg)), (n) / 8 /* below */

static void add_functions(struct elf_image *image)
{
	static const uint8_t root[] = { 0x07, 30 };
	static const uint8_t function[] = {
		ADVANCE(4),     NEGATE_RA_STATE, ADVANCE(4),
		CFA_OFFSET(32), AT_CFA(29, 32),  AT_CFA(30, 24),
	};
	/* The row is the hot part's; compilers put the signature last. */
	static const uint8_t cold[] = { CFA_OFFSET(32), AT_CFA(29, 32), AT_CFA(30, 24),
					AT_CFA(19, 16), NEGATE_RA_STATE };
	/* offset_extended_sf x30 at CFA + 8 */
	static const uint8_t resolve[] = { CFA_OFFSET(32), 0x11, 30, 0x7f };
	static const uint32_t trampoline[] = { 0xd2801168, 0xd4000001 }, bl = 0x94000001;

	elf_image_add_fde(image, CODE_START, 0x40, false, root, sizeof(root));
	elf_image_add_fde(image, CODE_START + 0x40, 0x40, false, function, sizeof(function));
	elf_image_add_fde(image, CODE_START + 0x80, 0x20, false, cold, sizeof(cold));
	elf_image_add_fde(image, CODE_START + 0xa0, 0x18, false, resolve, sizeof(resolve));
	memcpy(image->code + 0xc0, trampoline, sizeof(trampoline));
	memcpy(image->code + 0x44, &bl, sizeof(bl));
	memcpy(image->code + 0x4c, &bl, sizeof(bl));
}

static int set_up(void **state)
{
	struct elf_image image;

	(void)state;
	elf_image_init(&image, ".eh_frame");
	image.header.e_machine = EM_AARCH64;
	add_functions(&image);
	return program_begin(&image, BASE);
}

static struct user_stack stack_at(uint64_t pc, uint64_t link_register, const uint64_t *words,
				  size_t n_words)
{
	struct user_stack stack = { .arch = &arch_aarch64,
				    .bytes = (const uint8_t *)words,
				    .size = n_words * sizeof(*words) };

	stack.regs.pc = pc;
	for (unsigned reg = 0; reg < 30; reg++)
		regs_set(&stack.regs, reg, 0x1900 + reg);
	regs_set(&stack.regs, 30, link_register);
	regs_set(&stack.regs, 31, STACK);
	regs_set(&stack.regs, 32, pc);
	return stack;
}

static const struct {
	const char *what;
	uint64_t pc, link_register;
	uint64_t words[12];
	size_t n_frames;
	enum unwind_end end;
	uint64_t addrs[4];
} walks[] = {
	{ "first instruction", FUNCTION, ROOT + 8, { 0 }, 2, UNWIND_ROOT, { FUNCTION, ROOT + 7 } },
	{ "signed, not yet stored",
	  FUNCTION + 4,
	  ROOT + 8 + SIGNATURE,
	  { 0 },
	  2,
	  UNWIND_ROOT,
	  { FUNCTION + 4, ROOT + 7 } },
	{ "stored",
	  FUNCTION + 8,
	  0,
	  { 1, ROOT + 8 + SIGNATURE },
	  2,
	  UNWIND_ROOT,
	  { FUNCTION + 8, ROOT + 7 } },
	{ "three frames",
	  FUNCTION + 12,
	  0,
	  { 1, FUNCTION + 16 + SIGNATURE, 0, 0, 1, COLD + 8 + SIGNATURE, 0, 0, 1,
	    ROOT + 8 + SIGNATURE },
	  4,
	  UNWIND_ROOT,
	  { FUNCTION + 12, FUNCTION + 15, COLD + 7, ROOT + 7 } },
	{ "called, but the address is not stored",
	  FUNCTION + 8,
	  0,
	  { 1, FUNCTION + 8 + SIGNATURE, 0, 0, 1, FUNCTION + 4 + SIGNATURE },
	  2,
	  UNWIND_NO_PROGRESS,
	  { FUNCTION + 8, FUNCTION + 7 } },
	{ "the dynamic linker's resolver leaves out what its caller pushed",
	  RESOLVE + 4,
	  0,
	  { 1, 2, 3, 4, 5, FUNCTION + 16, 1, ROOT + 8 + SIGNATURE },
	  3,
	  UNWIND_ROOT,
	  { RESOLVE + 4, FUNCTION + 15, ROOT + 7 } },
};

static void signed_return_addresses_lead_to_callers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(walks) / sizeof(walks[0]); i++) {
		struct user_stack stack =
			stack_at(walks[i].pc, walks[i].link_register, walks[i].words, 12);
		struct unwind_result result;
		struct frame frames[8];
		uint64_t addrs[8];

		size_t n = unwind_user_stack(unwinder, space, &stack, frames, addrs, 8, &result);
		if (n != walks[i].n_frames || result.end != walks[i].end)
			print_error("%s: %zu frames, end %d\n", walks[i].what, n, result.end);
		assert_int_equal(n, walks[i].n_frames);
		assert_int_equal(result.end, walks[i].end);
		for (size_t frame = 0; frame < n; frame++)
			assert_int_equal(addrs[frame], walks[i].addrs[frame]);
		assert_int_equal(result.n_guessed, 0);
	}
}

/* The handler and what it interrupted have their return addresses in x30, both. */
static void handlers_interrupt_leaves(void **state)
{
	uint64_t words[128] = { 0 };
	struct user_stack stack = stack_at(FUNCTION + 4, TRAMPOLINE + SIGNATURE, words, 128);
	const uint64_t expected[] = { FUNCTION + 4, TRAMPOLINE, FUNCTION, COLD + 7, ROOT + 7 };
	struct unwind_result result;
	struct frame frames[8];
	uint64_t addrs[8];

	(void)state;
	words[39 + 30] = COLD + 8 + SIGNATURE;
	words[39 + 31] = STACK + 0x300;
	words[39 + 32] = FUNCTION;
	words[0x300 / 8 + 1] = ROOT + 8 + SIGNATURE;
	assert_int_equal(unwind_user_stack(unwinder, space, &stack, frames, addrs, 8, &result), 5);
	assert_int_equal(result.end, UNWIND_ROOT);
	assert_int_equal(result.n_guessed, 0);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(addrs[i], expected[i]);
}

/* The kernel has entered the handler, but x30 is what it was. */
static void a_signal_that_is_being_delivered_leads_to_what_it_interrupts(void **state)
{
	uint64_t words[128] = { 0 };
	struct user_stack stack = stack_at(FUNCTION, ROOT + 8 + SIGNATURE, words, 128);
	const uint64_t expected[] = { FUNCTION, COLD + 4, ROOT + 7 };
	struct unwind_result result;
	struct frame frames[8];
	uint64_t addrs[8];

	(void)state;
	words[39 + 30] = ROOT + 8 + SIGNATURE;
	words[39 + 31] = STACK + 0x300;
	words[39 + 32] = COLD + 4;
	words[74] = 0x21046508001; /* fpsimd_context */
	words[0x300 / 8 + 1] = ROOT + 8 + SIGNATURE;
	assert_int_equal(unwind_user_stack(unwinder, space, &stack, frames, addrs, 8, &result), 3);
	assert_int_equal(result.end, UNWIND_ROOT);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(addrs[i], expected[i]);
	/* The same bytes without the system call's number are not a signal's frame. */
	words[74] = 0;
	assert_int_equal(unwind_user_stack(unwinder, space, &stack, frames, addrs, 8, &result), 2);
	assert_int_equal(addrs[1], ROOT + 7);
}

enum { N_CALLS = 20, FRAME_WORDS = 4 };

/* Returns the frames that were not walked. */
static uint64_t walk_calls(const uint64_t *words, const void *thread)
{
	struct user_stack stack = stack_at(FUNCTION + 0x10, 0, words, (N_CALLS + 1) * FRAME_WORDS);
	const uint64_t n_before = unwinder_stats(unwinder)->n_repeated;
	struct unwind_result result;
	struct frame frames[32];
	uint64_t addrs[32], sps[32];

	stack.thread = thread;
	stack.sps = sps;
	assert_int_equal(unwind_user_stack(unwinder, space, &stack, frames, addrs, 32, &result),
			 N_CALLS + 1);
	assert_int_equal(result.end, UNWIND_ROOT);
	for (size_t i = 1; i < N_CALLS; i++) {
		assert_int_equal(addrs[i], FUNCTION + 0x0f);
		assert_int_equal(sps[i], STACK + i * FRAME_WORDS * 8);
	}
	assert_int_equal(addrs[N_CALLS], ROOT + 7);
	return unwinder_stats(unwinder)->n_repeated - n_before;
}

static void walks_repeat_where_signatures_are_the_same_too(void **state)
{
	uint64_t words[(N_CALLS + 1) * FRAME_WORDS] = { 0 };

	(void)state;
	for (size_t i = 0; i < N_CALLS; i++)
		words[i * FRAME_WORDS + 1] =
			(i + 1 < N_CALLS ? FUNCTION + 0x10 : ROOT + 8) + SIGNATURE;
	assert_int_equal(walk_calls(words, NULL), 0);
	assert_int_equal(walk_calls(words, words), 0);
	/* Walked are the sampled instruction, which never is a usual frame, its caller, and the
	 * caller's, which is met. */
	assert_int_equal(walk_calls(words, words), N_CALLS - 2);
	words[10 * FRAME_WORDS + 1] ^= SIGNATURE;
	assert_int_equal(walk_calls(words, words), N_CALLS - 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROGRAM_TEST(signed_return_addresses_lead_to_callers),
		PROGRAM_TEST(handlers_interrupt_leaves),
		PROGRAM_TEST(a_signal_that_is_being_delivered_leads_to_what_it_interrupts),
		PROGRAM_TEST(walks_repeat_where_signatures_are_the_same_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
