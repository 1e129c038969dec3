/* How walks end and what they count, on a made-up program: one module, mapped at 0x400000. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/fixtures/made_up_program.h"

#define BASE       0x400000ull
#define ROOT       (BASE + CODE_START)        /* return address undefined */
#define FUNCTION   (BASE + CODE_START + 0x40) /* return address at the stack pointer */
#define WITHOUT    (BASE + CODE_START + 0x80) /* no CFI */
#define ENTRY      (BASE + CODE_START + 0xc0) /* no CFI, but the file's entry */
#define SIGRETURN  (BASE + CODE_START + 0xb0) /* after a signal trampoline's CFI */
#define DATA       0x500000ull
#define ANON       0x600000ull
#define UNREADABLE 0x700000ull
#define OTHER      0x800000ull
#define STACK      0x7fff0000ull

enum { IMAGE = 1, MISSING_FILE, ANON_CODE, OTHER_FILE };

static int set_up(void **state)
{
	static const uint8_t undefined[] = { 0x07, 16 };
	/* A call of WITHOUT ends at WITHOUT + 0x15. */
	static const uint8_t call[] = { 0xe8, 0xeb, 0xff, 0xff, 0xff };
	/* One of FUNCTION ends at WITHOUT + 0x35. */
	static const uint8_t call_function[] = { 0xe8, 0x8b, 0xff, 0xff, 0xff };
	/* It ends at FUNCTION + 8. */
	static const uint8_t call_next[] = { 0xe8, 1, 0, 0, 0 };
	struct elf_image image;

	(void)state;
	elf_image_init(&image, ".eh_frame");
	image.header.e_entry = CODE_START + 0xc0;
	elf_image_add_fde(&image, CODE_START, 0x40, false, undefined, sizeof(undefined));
	elf_image_add_fde(&image, CODE_START + 0x40, 0x40, false, "", 0);
	/* CFA = *(rsp + 24), rip at rsp + 8 */
	static const uint8_t restore[] = { 0x0f, 3, 0x77, 24, 0x06, 0x10, 16, 2, 0x77, 8 };
	elf_image_add_fde(&image, CODE_START + 0xa0, 0x10, true, restore, sizeof(restore));
	memcpy(image.code + 0x43, call_next, sizeof(call_next));
	memcpy(image.code + 0x90, call, sizeof(call));
	memcpy(image.code + 0xb0, call_function, sizeof(call_function));
	int failed = program_begin(&image, BASE);
	assert_int_equal(program_add_module(MODULE_ELF, "/not/there"), MISSING_FILE);
	assert_int_equal(program_add_module(MODULE_ANON, "//anon"), ANON_CODE);
	program_map(DATA, 0x1000, 0, IMAGE, false);
	program_map(ANON, 0x1000, ANON, ANON_CODE, true);
	assert_int_equal(program_add_module(MODULE_ELF, "/other"), OTHER_FILE);
	struct module *other = module_table_get(&modules, OTHER_FILE);
	other->located.image_fd = memfd_create("other", MFD_CLOEXEC);
	assert_int_equal(write(other->located.image_fd, "other", 5), 5);
	program_map(OTHER, 0x1000, 0, OTHER_FILE, true);
	program_map(UNREADABLE, 0x1000, 0, MISSING_FILE, true);
	return failed;
}

static struct user_stack stack_at(uint64_t pc, const uint64_t *words, size_t n_words)
{
	struct user_stack stack = program_stack(pc, STACK, words, n_words);

	regs_set(&stack.regs, 6, 0);
	return stack;
}

static const struct {
	const char *what;
	uint64_t pc;
	uint64_t words[10];
	size_t n_words;
	bool is_full;
	size_t n_frames;
	enum unwind_end end;
} walks[] = {
	{ "root", ROOT + 4, { 0 }, 4, false, 1, UNWIND_ROOT },
	{ "function, root", FUNCTION, { ROOT + 4 }, 4, false, 2, UNWIND_ROOT },
	{ "three functions",
	  FUNCTION + 1,
	  { FUNCTION + 8, FUNCTION + 9, ROOT + 4 },
	  4,
	  false,
	  4,
	  UNWIND_ROOT },
	/* A call at the very end of the root: without "minus one" this is the function's row. */
	{ "call at the end", FUNCTION, { FUNCTION, 1 }, 1, false, 2, UNWIND_ROOT },
	{ "zero at the beginning of a page",
	  FUNCTION,
	  { 0 },
	  4,
	  false,
	  1,
	  UNWIND_BAD_RETURN_ADDRESS },
	{ "leaf's caller not after a call",
	  FUNCTION,
	  { FUNCTION + 9, ROOT + 4 },
	  4,
	  false,
	  1,
	  UNWIND_BAD_RETURN_ADDRESS },
	{ "entry function", ENTRY + 4, { 0 }, 4, false, 1, UNWIND_ROOT },
	{ "called by the entry function", FUNCTION, { ENTRY + 4 }, 4, false, 2, UNWIND_ROOT },
	{ "cut", FUNCTION, { FUNCTION + 8, FUNCTION + 9 }, 2, true, 3, UNWIND_STACK_CUT },
	{ "short copy", FUNCTION, { FUNCTION + 8, FUNCTION + 9 }, 2, false, 3, UNWIND_BAD_MEMORY },
	{ "no stack", FUNCTION, { 0 }, 0, false, 1, UNWIND_NO_STACK },
	{ "no mapping", 0x1234, { ROOT }, 4, false, 1, UNWIND_NO_MODULE },
	{ "caller has no mapping", FUNCTION, { 0x1234 }, 4, false, 1, UNWIND_NO_MODULE },
	{ "caller is data", FUNCTION, { DATA + 4 }, 4, false, 1, UNWIND_BAD_RETURN_ADDRESS },
	{ "leaf in what was data", DATA + CODE_START + 4, { 0 }, 4, false, 1, UNWIND_NO_MODULE },
	{ "no file", UNREADABLE + 4, { ROOT }, 4, false, 1, UNWIND_MODULE_UNREADABLE },
	{ "file that is not ELF", OTHER + 4, { 1, 2 }, 4, false, 1, UNWIND_OTHER_FILE },
	{ "no CFI", WITHOUT, { ROOT + 4 }, 4, false, 1, UNWIND_NO_UNWIND_INFO },
	{ "no CFI, but called",
	  WITHOUT,
	  { WITHOUT + 0x15, 0 },
	  4,
	  false,
	  2,
	  UNWIND_NO_UNWIND_INFO },
	{ "anonymous code", ANON, { ROOT + 4 }, 4, false, 1, UNWIND_NO_UNWIND_INFO },
};

static void walks_end_for_a_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(walks) / sizeof(walks[0]); i++) {
		struct user_stack stack = stack_at(walks[i].pc, walks[i].words, walks[i].n_words);
		struct unwind_result result;
		struct frame frames[8];
		uint64_t addrs[8];

		stack.is_full = walks[i].is_full;
		size_t n = unwind_user_stack(unwinder, space, &stack, frames, addrs, 8, &result);
		if (n != walks[i].n_frames || result.end != walks[i].end)
			print_error("%s: %zu frames, end %d\n", walks[i].what, n, result.end);
		assert_int_equal(n, walks[i].n_frames);
		assert_int_equal(result.end, walks[i].end);
		assert_int_equal(addrs[0], walks[i].pc);
		for (size_t j = 1; j < n; j++)
			assert_int_equal(addrs[j], walks[i].words[j - 1] - 1);
	}
}

/* The kernel's samples in sigreturn() have the pc after the system call. */
static void sigreturn_leads_to_what_was_interrupted(void **state)
{
	const uint64_t words[] = { 0, FUNCTION, 0, STACK + 32, ROOT + 4 };
	struct user_stack stack = stack_at(SIGRETURN, words, 5);
	struct unwind_result result;
	struct frame frames[4];
	uint64_t addrs[4];

	(void)state;
	assert_int_equal(unwind_user_stack(unwinder, space, &stack, frames, addrs, 4, &result), 3);
	assert_int_equal(result.end, UNWIND_ROOT);
	assert_int_equal(addrs[0], SIGRETURN);
	assert_int_equal(addrs[1], FUNCTION);
	assert_int_equal(addrs[2], ROOT + 3);
	assert_int_equal(result.n_guessed, 0);
}

static void frames_are_offsets_in_modules(void **state)
{
	const uint64_t words[] = { ROOT + 4 };
	struct user_stack stack = stack_at(FUNCTION, words, 1);
	struct unwind_result result;
	struct frame frames[2];

	(void)state;
	assert_int_equal(unwind_user_stack(unwinder, space, &stack, frames, NULL, 2, &result), 2);
	assert_int_equal(frames[0].kind, FRAME_USER);
	assert_int_equal(frames[0].module, IMAGE);
	assert_int_equal(frames[0].offset, FUNCTION - BASE);
	assert_int_equal(frames[1].offset, ROOT + 3 - BASE);
	stack.regs.pc = 0x1234;
	assert_int_equal(unwind_user_stack(unwinder, space, &stack, frames, NULL, 2, &result), 1);
	assert_int_equal(frames[0].module, 0);
	assert_int_equal(frames[0].offset, 0x1234);
}

/* The stack of a coroutine: @above bytes lie between the return address of zero and the end of a
 * page. */
static enum unwind_end end_at_zero(uint64_t above, unsigned reg, uint64_t value)
{
	const uint64_t words[] = { 0 };
	struct user_stack stack = program_stack(FUNCTION, STACK - above - sizeof(words), words, 1);
	struct unwind_result result;
	struct frame frames[2];

	for (unsigned kept = 0; kept < 16; kept++)
		if (arch_x86_64.callee_saved >> kept & 1)
			regs_set(&stack.regs, kept, 0);
	regs_set(&stack.regs, reg, value);
	assert_int_equal(unwind_user_stack(unwinder, space, &stack, frames, NULL, 2, &result), 1);
	return result.end;
}

static void zero_is_a_root_at_the_end_of_a_page(void **state)
{
	(void)state;
	assert_int_equal(end_at_zero(0, 6, 0), UNWIND_ROOT);
	assert_int_equal(end_at_zero(64, 6, 0), UNWIND_ROOT);
	assert_int_equal(end_at_zero(72, 6, 0), UNWIND_BAD_RETURN_ADDRESS);
}

static void zero_is_no_root_where_a_register_is_left(void **state)
{
	(void)state;
	assert_int_equal(end_at_zero(0, 6, STACK), UNWIND_BAD_RETURN_ADDRESS);
	assert_int_equal(end_at_zero(0, 12, 1), UNWIND_BAD_RETURN_ADDRESS);
	assert_int_equal(end_at_zero(0, 1, 1), UNWIND_ROOT);
}

static void no_more_frames_than_asked_for(void **state)
{
	const uint64_t words[] = { FUNCTION + 8, FUNCTION + 9, ROOT + 4 };
	struct user_stack stack = stack_at(FUNCTION, words, 3);
	struct unwind_result result;
	struct frame frames[4];

	(void)state;
	assert_int_equal(unwind_user_stack(unwinder, space, &stack, frames, NULL, 3, &result), 3);
	assert_int_equal(result.end, UNWIND_TOO_DEEP);
	assert_int_equal(unwind_user_stack(unwinder, space, &stack, frames, NULL, 4, &result), 4);
	assert_int_equal(result.end, UNWIND_ROOT);
}

/* rbp -> { rbp of the caller, return address } in code of which nothing is known. */
static void anonymous_code_is_walked_by_plausible_frame_pointers(void **state)
{
	static const struct {
		uint64_t saved_fp, return_address;
		size_t n_frames;
	} cases[] = {
		{ STACK + 24, ANON + 8, 2 },       /* chain goes on, to nothing */
		{ STACK + 24, FUNCTION + 8, 1 },   /* no call before it */
		{ STACK, ANON + 8, 1 },            /* goes down */
		{ STACK + 0x1000, ANON + 8, 1 },   /* leaves the copy */
		{ STACK + 24, 0x1234, 1 },         /* no code */
		{ STACK + 24, WITHOUT + 0x15, 2 }, /* calls a stub, which may jump here */
		{ STACK + 24, WITHOUT + 0x35, 1 }, /* calls a compiler's function */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint64_t words[] = { 0, cases[i].saved_fp, cases[i].return_address, 0, 0, 0 };
		struct user_stack stack = stack_at(ANON + 4, words, 5);
		uint64_t n_guessed = unwinder_stats(unwinder)->n_guessed;
		struct unwind_result result;
		struct frame frames[4];

		regs_set(&stack.regs, 6, STACK + 8);
		size_t n = unwind_user_stack(unwinder, space, &stack, frames, NULL, 4, &result);
		assert_int_equal(n, cases[i].n_frames);
		assert_int_equal(result.end, UNWIND_NO_UNWIND_INFO);
		assert_int_equal(unwinder_stats(unwinder)->n_guessed - n_guessed, n - 1);
	}
}

/* At the first and last instructions of a function the frame pointer is the caller's. */
static void anonymous_code_without_a_frame_is_recognized_by_the_top_of_the_stack(void **state)
{
	static const struct {
		uint64_t top, next;
		size_t n_frames;
		uint64_t caller;
	} cases[] = {
		{ STACK + 16, ANON + 8, 2, ANON + 7 }, /* just pushed */
		{ 0x1234, ANON + 8, 2, ANON + 0x1f },  /* set up: a value on top */
		{ ANON + 8, 0, 1, 0 },                 /* entry, or a stale word: not known */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint64_t words[] = { cases[i].top, cases[i].next, STACK + 32, ANON + 0x20,
					   0 };
		struct user_stack stack = stack_at(ANON + 4, words, 5);
		struct unwind_result result;
		struct frame frames[2];

		regs_set(&stack.regs, 6, STACK + 16);
		size_t n = unwind_user_stack(unwinder, space, &stack, frames, NULL, 2, &result);
		assert_int_equal(n, cases[i].n_frames);
		if (n > 1)
			assert_int_equal(frames[1].offset, cases[i].caller);
	}
}

/* push rbp; mov rsp,rbp; nop; pop rbp; ret; and calls that end at 0x105 and at the next page */
static void fill_code(uint8_t code[2 * CODE_VIEW_PAGE_SIZE])
{
	memset(code, 0xcc, 2 * CODE_VIEW_PAGE_SIZE);
	memcpy(code, "\x55\x48\x89\xe5\x90\x5d\xc3", 7);
	code[0x100] = 0xe8;
	code[CODE_VIEW_PAGE_SIZE - 5] = 0xe8;
}

static void anonymous_code_whose_bytes_are_known_is_followed_to_its_return(void **state)
{
	static const struct {
		uint64_t at, fp, words[4];
		uint64_t caller; /* 0: none */
	} cases[] = {
		{ 0, STACK + 32, { ANON + 0x105 }, ANON + 0x104 },
		{ 1, STACK + 32, { STACK + 24, ANON + 0x105 }, ANON + 0x104 },
		{ 4, STACK, { STACK + 24, ANON + 0x105 }, ANON + 0x104 },
		{ 6, STACK + 32, { ANON + 0x105 }, ANON + 0x104 },
		{ 6, 0, { ANON + CODE_VIEW_PAGE_SIZE }, ANON + CODE_VIEW_PAGE_SIZE - 1 },
		{ 6, STACK + 32, { ANON + 0x205 }, 0 },            /* no call before it */
		{ 6, STACK + 32, { DATA + 0x105 }, 0 },            /* no code */
		{ 6, 0x1234, { WITHOUT + 0x15 }, WITHOUT + 0x14 }, /* after a call in a file */
		{ 6, STACK + 32, { WITHOUT + 0x35 }, 0 },   /* which calls another function */
		{ 0x300, STACK + 32, { ANON + 0x105 }, 0 }, /* no instructions */
	};
	static uint8_t code[2 * CODE_VIEW_PAGE_SIZE];
	const struct code_view view = {
		.start = ANON, .n_pages = 1, .before = { code }, .after = { code }
	};

	(void)state;
	fill_code(code);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct user_stack stack = stack_at(ANON + cases[i].at, cases[i].words, 4);
		struct unwind_result result;
		struct code_view_list list;
		struct frame frames[2];

		code_view_list_init(&list, &view, 1);
		stack.code = &list.source;
		regs_set(&stack.regs, 6, cases[i].fp);
		size_t n = unwind_user_stack(unwinder, space, &stack, frames, NULL, 2, &result);
		if (n != 1 + (cases[i].caller != 0))
			print_error("case %zu: %zu frames\n", i, n);
		assert_int_equal(n, 1 + (cases[i].caller != 0));
		assert_int_equal(result.n_guessed, n - 1);
		if (n > 1 && cases[i].caller >= ANON)
			assert_int_equal(frames[1].offset, cases[i].caller);
	}
}

static void instructions_that_may_have_changed_are_not_followed(void **state)
{
	static uint8_t before[CODE_VIEW_PAGE_SIZE * 2], after[CODE_VIEW_PAGE_SIZE * 2];
	const struct code_view view = { .start = ANON,
					.n_pages = 2,
					.before = { before, before + CODE_VIEW_PAGE_SIZE },
					.after = { after, after + CODE_VIEW_PAGE_SIZE } };
	static const struct {
		size_t changed;
		bool is_known;
	} cases[] = { { 5, false }, { 20, false }, { 21, true }, { CODE_VIEW_PAGE_SIZE, true } };
	const uint64_t words[] = { ANON + 0x105, 0, 0, 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct user_stack stack = stack_at(ANON + 6, words, 4);
		struct unwind_result result;
		struct code_view_list list;
		struct frame frames[2];

		fill_code(before);
		fill_code(after);
		after[cases[i].changed]++;
		code_view_list_init(&list, &view, 1);
		stack.code = &list.source;
		/* What was learnt from other bytes there is forgotten. */
		unwinder_destroy(unwinder);
		unwinder = unwinder_create(elf_modules);
		assert_non_null(unwinder);
		size_t n = unwind_user_stack(unwinder, space, &stack, frames, NULL, 2, &result);
		assert_int_equal(n, cases[i].is_known ? 2 : 1);
	}
}

/* CPython's trampolines under -X perf: they only occur as callers. */
static void a_caller_in_anonymous_code_is_followed_to_its_return_too(void **state)
{
	static const uint8_t trampoline[] = { 0x48, 0x83, 0xec, 0x08, /* sub $8,%rsp */
					      0xff, 0xd1,             /* call *%rcx */
					      0x48, 0x83, 0xc4, 0x08, 0xc3,
					      /* add $8,%rsp; ret */ };
	static uint8_t code[CODE_VIEW_PAGE_SIZE];
	const struct code_view view = {
		.start = ANON, .n_pages = 1, .before = { code }, .after = { code }
	};
	const uint64_t words[] = { ANON + 0x106, ANON + 0x105, WITHOUT + 0x15, 0 };
	struct user_stack stack = stack_at(ANON + 0x200, words, 4);
	struct code_view_list list;
	struct unwind_result result;
	struct frame frames[3];

	(void)state;
	memcpy(code + 0x100, trampoline, sizeof(trampoline));
	code[0x200] = 0xc3;
	regs_set(&stack.regs, 6, 0x1234);
	assert_int_equal(unwind_user_stack(unwinder, space, &stack, frames, NULL, 3, &result), 1);
	code_view_list_init(&list, &view, 1);
	stack.code = &list.source;
	/* The second time from what the first has learnt. */
	for (int i = 0; i < 2; i++) {
		size_t n = unwind_user_stack(unwinder, space, &stack, frames, NULL, 3, &result);
		assert_int_equal(n, 3);
		assert_int_equal(frames[1].offset, ANON + 0x105);
		assert_int_equal(frames[1].origin, FRAME_GUESSED);
		assert_int_equal(frames[2].module, 1);
	}
	/* An address that does not follow a call is not a return address. */
	code[0x105] = 0x90;
	code_view_list_init(&list, &view, 1);
	unwinder_destroy(unwinder);
	unwinder = unwinder_create(elf_modules);
	assert_non_null(unwinder);
	assert_int_equal(unwind_user_stack(unwinder, space, &stack, frames, NULL, 3, &result), 1);
}

static void what_was_found_once_is_found_in_caches(void **state)
{
	const uint64_t words[] = { ROOT + 4 };
	struct user_stack stack = stack_at(FUNCTION, words, 1);
	const struct unwind_stats *stats = unwinder_stats(unwinder);
	struct unwind_result result;
	struct frame frames[2];

	(void)state;
	unwind_user_stack(unwinder, space, &stack, frames, NULL, 2, &result);
	assert_int_equal(stats->n_rule_misses, 2);
	assert_int_equal(stats->n_step_hits, 0);
	unwind_user_stack(unwinder, space, &stack, frames, NULL, 2, &result);
	assert_int_equal(stats->n_step_hits, 2);
	/* Data does not change what code is where. */
	program_map(0x900000, 0x1000, 0, IMAGE, false);
	unwind_user_stack(unwinder, space, &stack, frames, NULL, 2, &result);
	assert_int_equal(stats->n_step_hits, 4);
	/* Other code does; the rules stay. */
	program_map(0xa00000, 0x1000, 0, MISSING_FILE, true);
	unwind_user_stack(unwinder, space, &stack, frames, NULL, 2, &result);
	assert_int_equal(stats->n_step_hits, 4);
	assert_int_equal(stats->n_rule_hits, 2);
	assert_int_equal(stats->n_rule_misses, 2);
	assert_int_equal(stats->n_walks, 4);
	assert_int_equal(stats->n_frames, 8);
}

static void an_epoch_tells_modules_at_one_address_apart(void **state)
{
	const uint64_t words[] = { ROOT + 4 };
	struct user_stack stack = stack_at(FUNCTION, words, 1);
	struct unwind_result result;
	struct frame frames[2];

	(void)state;
	unwind_user_stack(unwinder, space, &stack, frames, NULL, 2, &result);
	assert_int_equal(frames[0].module, IMAGE);
	program_map(BASE, 0x2000, 0, MISSING_FILE, true);
	unwind_user_stack(unwinder, space, &stack, frames, NULL, 2, &result);
	assert_int_equal(frames[0].module, MISSING_FILE);
	assert_int_equal(result.end, UNWIND_MODULE_UNREADABLE);
}

static void modules_without_a_file_are_reported(void **state)
{
	const uint64_t words[] = { 0 };
	struct user_stack stack = stack_at(UNREADABLE, words, 1);
	struct elf_module_problem problems[2];
	struct unwind_result result;
	struct frame frames[1];

	(void)state;
	assert_int_equal(elf_modules_problems(elf_modules, problems, 2), 0);
	unwind_user_stack(unwinder, space, &stack, frames, NULL, 1, &result);
	stack.regs.pc = ANON;
	unwind_user_stack(unwinder, space, &stack, frames, NULL, 1, &result);
	stack.regs.pc = FUNCTION;
	unwind_user_stack(unwinder, space, &stack, frames, NULL, 1, &result);
	assert_int_equal(elf_modules_problems(elf_modules, problems, 2), 1);
	assert_int_equal(problems[0].module, MISSING_FILE);
	assert_non_null(problems[0].text);
	assert_int_equal(elf_modules_problems(elf_modules, NULL, 0), 1);
}

static void every_end_but_the_root_is_a_marker(void **state)
{
	(void)state;
	assert_int_equal(unwind_end_marker(UNWIND_STACK_CUT), MARKER_STACK_CUT);
	for (int end = UNWIND_ROOT + 1; end < N_UNWIND_ENDS; end++)
		assert_in_range(unwind_end_marker((enum unwind_end)end), MARKER_STACK_CUT,
				N_MARKERS - 1);
}

static void *walk_everything(void *argument)
{
	struct unwinder *mine = unwinder_create(elf_modules);
	size_t *n_frames = argument;

	for (size_t round = 0; round < 100; round++) {
		for (size_t i = 0; i < sizeof(walks) / sizeof(walks[0]); i++) {
			struct user_stack stack =
				stack_at(walks[i].pc, walks[i].words, walks[i].n_words);
			struct unwind_result result;
			struct frame frames[8];

			*n_frames +=
				unwind_user_stack(mine, space, &stack, frames, NULL, 8, &result);
		}
	}
	unwinder_destroy(mine);
	return NULL;
}

static void threads_share_modules(void **state)
{
	enum { N_THREADS = 4 };
	pthread_t threads[N_THREADS];
	size_t n_frames[N_THREADS] = { 0 };

	(void)state;
	for (size_t i = 0; i < N_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, walk_everything, &n_frames[i]),
				 0);
	for (size_t i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 1; i < N_THREADS; i++)
		assert_int_equal(n_frames[i], n_frames[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROGRAM_TEST(walks_end_for_a_reason),
		PROGRAM_TEST(sigreturn_leads_to_what_was_interrupted),
		PROGRAM_TEST(frames_are_offsets_in_modules),
		PROGRAM_TEST(zero_is_a_root_at_the_end_of_a_page),
		PROGRAM_TEST(zero_is_no_root_where_a_register_is_left),
		PROGRAM_TEST(no_more_frames_than_asked_for),
		PROGRAM_TEST(anonymous_code_is_walked_by_plausible_frame_pointers),
		PROGRAM_TEST(anonymous_code_without_a_frame_is_recognized_by_the_top_of_the_stack),
		PROGRAM_TEST(anonymous_code_whose_bytes_are_known_is_followed_to_its_return),
		PROGRAM_TEST(instructions_that_may_have_changed_are_not_followed),
		PROGRAM_TEST(a_caller_in_anonymous_code_is_followed_to_its_return_too),
		PROGRAM_TEST(what_was_found_once_is_found_in_caches),
		PROGRAM_TEST(an_epoch_tells_modules_at_one_address_apart),
		PROGRAM_TEST(modules_without_a_file_are_reported),
		cmocka_unit_test(every_end_but_the_root_is_a_marker),
		PROGRAM_TEST(threads_share_modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
