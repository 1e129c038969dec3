/* Code made at run time that keeps no frame pointer, followed in the bytes that a jitdump has. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "unwind/walk/unwind.h"

#define BASE      0x7f0000001000ull
#define AT        0x100u /* of the code in the dump */
#define OUTER     0x00u
#define IN_OUTER  0x05u /* return addresses */
#define MIDDLE    0x20u
#define IN_MIDDLE 0x2au
#define LEAF      0x60u
#define IN_LEAF   0x63u
#define STACK     0x7ffc00000000ull

static const uint8_t outer[] = { 0xe8, 0x1b, 0, 0, 0, /* call middle */ 0xc3 };
static const uint8_t middle[] = { 0x53,                      /* push %rbx */
				  0x48, 0x83, 0xec, 0x20,    /* sub $0x20,%rsp */
				  0xe8, 0x36, 0,    0,    0, /* call leaf */
				  0x48, 0x83, 0xc4, 0x20,    /* add $0x20,%rsp */
				  0x5b, 0xc3 };
static const uint8_t leaf[] = { 0x55,       /* push %rbp */
				0x89, 0xfd, /* mov %edi,%ebp */
				0x90, 0x5d, 0xc3 };

struct fixture {
	struct module_table modules;
	struct elf_modules *elf_modules;
	struct unwinder *unwinder;
	struct address_space *space;
	uint64_t words[16];
	struct user_stack stack;
};

static int make_dump(void)
{
	int fd = memfd_create("dump", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 0x1000), 0);
	assert_int_equal(pwrite(fd, outer, sizeof(outer), AT + OUTER), sizeof(outer));
	assert_int_equal(pwrite(fd, middle, sizeof(middle), AT + MIDDLE), sizeof(middle));
	assert_int_equal(pwrite(fd, leaf, sizeof(leaf), AT + LEAF), sizeof(leaf));
	return fd;
}

static void map(struct fixture *fixture, uint64_t start, uint64_t size)
{
	const struct mapping mapping = { .start = BASE + start,
					 .end = BASE + start + size,
					 .offset = AT + start,
					 .module = 1,
					 .is_exec = true };

	assert_int_equal(address_space_map(&fixture->space, &mapping), 0);
}

static int setup(void **state)
{
	static struct fixture fixture;
	const struct arch *arch = arch_find("x86_64", PERF_SAMPLE_REGS_ABI_64);

	fixture = (struct fixture){ .space = address_space_create() };
	assert_int_equal(module_table_init(&fixture.modules), 0);
	assert_int_equal(module_table_add(&fixture.modules,
					  &(struct module_key){ .kind = MODULE_JIT,
								.path = "/tmp/jit-1.dump" }),
			 1);
	module_table_get(&fixture.modules, 1)->located.image_fd = make_dump();
	map(&fixture, OUTER, sizeof(outer));
	map(&fixture, MIDDLE, sizeof(middle));
	map(&fixture, LEAF, sizeof(leaf));
	fixture.elf_modules = elf_modules_create(&fixture.modules);
	fixture.unwinder = unwinder_create(fixture.elf_modules);

	/* Leaf's saved %rbp, where it returns to; what middle has there, a stale return address
	 * among it; its %rbx, and where it returns to; where outer does. */
	const uint64_t words[] = { 7, BASE + IN_MIDDLE, 1, BASE + IN_OUTER, 2, 3,
				   0, BASE + IN_OUTER,  0 };
	memcpy(fixture.words, words, sizeof(words));
	fixture.stack = (struct user_stack){ .arch = arch,
					     .bytes = (const uint8_t *)fixture.words,
					     .size = sizeof(fixture.words) };
	regs_set(&fixture.stack.regs, arch->sp, STACK);
	regs_set(&fixture.stack.regs, arch->fp, 5);
	fixture.stack.regs.pc = BASE + IN_LEAF;
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	unwinder_destroy(fixture->unwinder);
	elf_modules_destroy(fixture->elf_modules);
	module_table_deinit(&fixture->modules);
	address_space_unref(fixture->space);
	return 0;
}

static size_t walk(struct fixture *fixture, struct frame *frames, size_t max)
{
	struct unwind_result result;

	return unwind_user_stack(fixture->unwinder, fixture->space, &fixture->stack, frames, NULL,
				 max, &result);
}

static void code_without_frame_pointers_is_followed(void **state)
{
	struct fixture *fixture = *state;
	struct frame frames[8];

	/* The second walk uses the rule found by the first. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(walk(fixture, frames, 8), 3);
		assert_int_equal(frames[0].offset, AT + IN_LEAF);
		assert_int_equal(frames[1].offset, AT + IN_MIDDLE - 1);
		assert_int_equal(frames[2].offset, AT + IN_OUTER - 1);
		assert_int_equal(frames[2].module, 1);
		assert_int_equal(frames[2].origin, FRAME_GUESSED);
	}
}

/* The end of the caller's code is another's by now. */
static void code_that_was_replaced_in_part_is_not_followed_there(void **state)
{
	struct fixture *fixture = *state;
	struct frame frames[8];

	assert_int_equal(walk(fixture, frames, 8), 3);
	const struct mapping other = { .start = BASE + IN_MIDDLE + 2,
				       .end = BASE + LEAF,
				       .offset = 0x800,
				       .module = 1,
				       .is_exec = true };
	assert_int_equal(address_space_map(&fixture->space, &other), 0);
	assert_int_equal(walk(fixture, frames, 8), 2);
}

static void a_return_address_that_no_call_left_needs_frame_pointers(void **state)
{
	struct fixture *fixture = *state;
	struct frame frames[8];

	fixture->words[1] = BASE + IN_MIDDLE - 1;
	assert_int_equal(walk(fixture, frames, 8), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(code_without_frame_pointers_is_followed),
		TEST(code_that_was_replaced_in_part_is_not_followed_there),
		TEST(a_return_address_that_no_call_left_needs_frame_pointers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
