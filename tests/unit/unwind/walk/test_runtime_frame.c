/* Frames of code that a run-time system has described, at each instruction of a function. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/walk/unwind.h"

#define BASE        0x7f0000001000ull
#define LEAF        (BASE + 0x100)
#define CALLER      (BASE + 0x200)
#define INTERPRETER (BASE + 0x300)
#define STUB        (BASE + 0x400)
#define ADAPTER     (BASE + 0x600)
#define METHOD      0x7e0000000100ull
#define STACK       0x7ffc00000000ull
#define FP          0x77ull /* the caller's, any value */
#define N_WORDS     32

/* As C2 makes it: a frame of 0x20 bytes, the frame pointer used for something else. */
static const uint8_t leaf[] = {
	0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff, /* 0: mov %eax,-0x14000(%rsp) */
	0x55,                                     /* 7: push %rbp */
	0x48, 0x83, 0xec, 0x10,                   /* 8: sub $0x10,%rsp */
	0x89, 0xfd,                               /* c: mov %edi,%ebp */
	0x51,                                     /* e: push %rcx */
	0x90,                                     /* f: nop */
	0x59,                                     /* 10: pop %rcx */
	0xeb, 0x00,                               /* 11: jmp 0x13 */
	0x48, 0x83, 0xc4, 0x10,                   /* 13: add $0x10,%rsp */
	0x5d,                                     /* 17: pop %rbp */
	0x49, 0x3b, 0xa7, 0x38, 0x03, 0,    0,    /* 18: cmp 0x338(%r15),%rsp */
	0x0f, 0x87, 0x01, 0,    0,    0,          /* 1f: ja 0x26 */
	0xc3,                                     /* 25: ret */
	0x90,                                     /* 26: nop */
};

/* Between the interpreter and compiled code. */
static const uint8_t adapter[] = {
	0x48, 0x8b, 0x04, 0x24, /* 0: mov (%rsp),%rax */
	0x4c, 0x8b, 0xdc,       /* 4: mov %rsp,%r11 */
	0x48, 0x83, 0xe4, 0xf0, /* 7: and $-16,%rsp */
	0x50,                   /* b: push %rax */
	0xff, 0x63, 0x48,       /* c: jmp *0x48(%rbx) */
};

struct fixture {
	struct module_table modules;
	struct elf_modules *elf_modules;
	struct unwinder *unwinder;
	struct address_space *space;
	struct runtime_codes *codes;
	uint8_t page[CODE_VIEW_PAGE_SIZE];
	struct code_view view;
	struct code_view_list list;
	uint64_t words[N_WORDS];
	struct user_stack stack;
};

static void describe(struct fixture *fixture, uint64_t start, uint64_t size,
		     enum runtime_frame frame, uint32_t frame_size, uint32_t complete)
{
	const struct runtime_code code = { .start = start,
					   .end = start + size,
					   .offset = start & 0xfff,
					   .frame_size = frame_size,
					   .complete = complete,
					   .frame = (uint8_t)frame };

	assert_int_equal(runtime_codes_add(&fixture->codes, &code), 0);
}

static int setup(void **state)
{
	static struct fixture fixture;
	const struct arch *arch = arch_find("x86_64", PERF_SAMPLE_REGS_ABI_64);
	const struct mapping mapping = {
		.start = BASE, .end = BASE + 0x1000, .offset = BASE, .module = 1, .is_exec = true
	};

	fixture = (struct fixture){ .space = address_space_create() };
	assert_int_equal(module_table_init(&fixture.modules), 0);
	assert_int_equal(
		module_table_add(&fixture.modules,
				 &(struct module_key){ .kind = MODULE_ANON, .path = "//anon" }),
		1);
	assert_int_equal(address_space_map(&fixture.space, &mapping), 0);
	fixture.elf_modules = elf_modules_create(&fixture.modules);
	fixture.unwinder = unwinder_create(fixture.elf_modules);
	fixture.codes = runtime_codes_create(2);
	describe(&fixture, LEAF, sizeof(leaf), RUNTIME_FRAME_SIZED, 0x20, 0xc);
	describe(&fixture, CALLER, 0x80, RUNTIME_FRAME_SIZED, 0x30, 0x10);
	describe(&fixture, INTERPRETER, 0x100, RUNTIME_FRAME_INTERPRETED, 0, 0);
	describe(&fixture, STUB, 0x100, RUNTIME_FRAME_STUB, 0, 0);
	describe(&fixture, ADAPTER, sizeof(adapter), RUNTIME_FRAME_STUB, 0, 0);
	describe(&fixture, METHOD, 1, RUNTIME_FRAME_METHOD, 0, 0);
	memset(fixture.page, 0x90, sizeof(fixture.page));
	memcpy(fixture.page + (LEAF - BASE), leaf, sizeof(leaf));
	memcpy(fixture.page + (ADAPTER - BASE), adapter, sizeof(adapter));
	fixture.view = (struct code_view){
		.start = BASE, .n_pages = 1, .before = { fixture.page }, .after = { fixture.page }
	};
	code_view_list_init(&fixture.list, &fixture.view, 1);
	fixture.stack = (struct user_stack){ .arch = arch,
					     .bytes = (const uint8_t *)fixture.words,
					     .size = sizeof(fixture.words),
					     .code = &fixture.list.source,
					     .runtime = fixture.codes };
	regs_set(&fixture.stack.regs, arch->sp, STACK);
	regs_set(&fixture.stack.regs, arch->fp, FP);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	runtime_codes_unref(fixture->codes);
	unwinder_destroy(fixture->unwinder);
	elf_modules_destroy(fixture->elf_modules);
	module_table_deinit(&fixture->modules);
	address_space_unref(fixture->space);
	return 0;
}

/* Where the walk is after the first frame; nothing there: it has no caller. */
static struct regs caller_of(struct fixture *fixture, uint64_t pc, struct frame *frame_ret)
{
	struct unwind_walk walk;

	fixture->stack.regs.pc = pc;
	unwind_begin(&walk, fixture->unwinder, fixture->space, &fixture->stack);
	assert_true(unwind_frame(&walk));
	struct frame frame = walk.frame;
	if (!unwind_caller(&walk))
		return (struct regs){ .pc = 0 };
	frame.origin = walk.frame.origin;
	*frame_ret = frame;
	return walk.regs;
}

/* A sample in leaf at @at: its return address, into the caller, is @n_words above the stack
 * pointer; the caller's frame pointer is in its register, or the word below. */
static void expect_caller(struct fixture *fixture, unsigned at, unsigned n_words, bool is_saved)
{
	const struct arch *arch = fixture->stack.arch;
	struct frame frame = { .offset = 0 };

	memset(fixture->words, 0, sizeof(fixture->words));
	fixture->words[n_words] = CALLER + 0x40;
	if (is_saved)
		fixture->words[n_words - 1] = FP + 1;
	const struct regs regs = caller_of(fixture, LEAF + at, &frame);
	assert_int_equal(regs.pc, CALLER + 0x40);
	assert_int_equal(regs.values[arch->sp], STACK + 8 * (n_words + 1));
	assert_true(regs_have(&regs, arch->fp));
	assert_int_equal(regs.values[arch->fp], FP + is_saved);
	assert_int_equal(frame.module, 2);
	assert_int_equal(frame.offset, 0x100 + at);
	assert_int_equal(frame.origin, FRAME_BY_CFI);
}

static void each_instruction_of_a_function_has_its_caller(void **state)
{
	struct fixture *fixture = *state;

	expect_caller(fixture, 0, 0, false);
	expect_caller(fixture, 7, 0, false);
	expect_caller(fixture, 8, 1, true);
	expect_caller(fixture, 0xc, 3, true);
	expect_caller(fixture, 0xe, 3, true);
	expect_caller(fixture, 0xf, 4, true); /* between a push and its pop */
	expect_caller(fixture, 0x11, 3, true);
	expect_caller(fixture, 0x13, 3, true);
	expect_caller(fixture, 0x17, 1, true);
	expect_caller(fixture, 0x18, 0, false);
	expect_caller(fixture, 0x25, 0, false);
}

static void a_frame_that_leads_nowhere_is_not_used(void **state)
{
	struct fixture *fixture = *state;
	struct frame frame;

	memset(fixture->words, 0, sizeof(fixture->words));
	assert_int_equal(caller_of(fixture, LEAF + 0xc, &frame).pc, 0);
	/* A method is not code. */
	fixture->words[3] = METHOD + 1;
	assert_int_equal(caller_of(fixture, LEAF + 0xc, &frame).pc, 0);
}

static void a_stub_that_has_no_frame_has_its_caller(void **state)
{
	static const uint8_t known[] = { 0, 4, 7, 0xc };
	struct fixture *fixture = *state;
	struct frame frame;

	for (size_t i = 0; i < sizeof(known); i++) {
		memset(fixture->words, 0, sizeof(fixture->words));
		fixture->words[0] = CALLER + 0x40;
		assert_int_equal(caller_of(fixture, ADAPTER + known[i], &frame).pc, CALLER + 0x40);
		assert_int_equal(frame.origin, FRAME_BY_CFI);
	}
}

static void callers_are_found_by_their_description_alone(void **state)
{
	struct fixture *fixture = *state;
	struct frame frames[8];
	struct unwind_result result;

	fixture->stack.regs.pc = LEAF + 0xc;
	fixture->words[3] = CALLER + 0x40;
	fixture->words[2] = FP;
	/* That has a frame of six words, and called a stub with a frame pointer. */
	fixture->words[4 + 5] = STUB + 0x20;
	fixture->words[4 + 4] = STACK + 8 * 20;
	fixture->words[20] = STACK + 8 * 24;
	fixture->words[21] = CALLER + 0x50;
	assert_int_equal(unwind_user_stack(fixture->unwinder, fixture->space, &fixture->stack,
					   frames, NULL, 8, &result),
			 4);
	assert_int_equal(frames[1].offset, 0x200 + 0x3f);
	assert_int_equal(frames[2].offset, 0x400 + 0x1f);
	assert_int_equal(frames[3].offset, 0x200 + 0x4f);
	assert_int_equal(result.n_guessed, 0);
}

static void a_frame_of_the_interpreter_is_its_methods(void **state)
{
	struct fixture *fixture = *state;
	const struct arch *arch = fixture->stack.arch;
	struct frame frame = { .offset = 0 };

	regs_set(&fixture->stack.regs, arch->fp, STACK + 8 * 10);
	memset(fixture->words, 0, sizeof(fixture->words));
	fixture->words[7] = METHOD;
	fixture->words[9] = STACK + 8 * 14; /* after its arguments */
	fixture->words[10] = FP;
	fixture->words[11] = CALLER + 0x40;
	struct regs regs = caller_of(fixture, INTERPRETER + 0x20, &frame);
	assert_int_equal(regs.pc, CALLER + 0x40);
	assert_int_equal(regs.values[arch->sp], STACK + 8 * 14);
	assert_int_equal(regs.values[arch->fp], FP);
	assert_int_equal(frame.offset, METHOD & 0xfff);
	/* A method that is not known, and a stack pointer below the frame. */
	fixture->words[7] = METHOD + 8;
	regs = caller_of(fixture, INTERPRETER + 0x20, &frame);
	assert_int_equal(frame.offset, 0x320);
	fixture->words[9] = STACK + 8 * 11;
	assert_int_equal(caller_of(fixture, INTERPRETER + 0x20, &frame).pc, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_instruction_of_a_function_has_its_caller,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_frame_that_leads_nowhere_is_not_used, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_stub_that_has_no_frame_has_its_caller, setup,
						teardown),
		cmocka_unit_test_setup_teardown(callers_are_found_by_their_description_alone, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_frame_of_the_interpreter_is_its_methods, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
