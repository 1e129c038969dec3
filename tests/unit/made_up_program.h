/* A made-up program for walks: module 1, an ELF image of a page and a bit, mapped as code. */
#ifndef TESTS_MADE_UP_PROGRAM_H
#define TESTS_MADE_UP_PROGRAM_H

#include "tests/unit/elf_image.h"
#include "unwind/walk/unwind.h"

static struct module_table modules;
static struct address_space *space;
static struct elf_modules *elf_modules;
static struct unwinder *unwinder;

static inline void program_map(uint64_t start, uint64_t size, uint64_t offset, uint32_t module,
			       bool is_exec)
{
	const struct mapping mapping = { start, start + size, offset, module, is_exec };

	assert_int_equal(address_space_map(&space, &mapping), 0);
}

static inline uint32_t program_add_module(enum module_kind kind, const char *path)
{
	const struct module_key key = { .kind = kind, .path = path };

	return module_table_add(&modules, &key);
}

/* Result as a set-up function's. */
static inline int program_begin(const struct elf_image *image, uint64_t base)
{
	assert_int_equal(module_table_init(&modules), 0);
	assert_int_equal(program_add_module(MODULE_ELF, "/made/up"), 1);
	module_table_get(&modules, 1)->located.image_fd = elf_image_to_fd(image);
	elf_modules = elf_modules_create(&modules);
	unwinder = unwinder_create(elf_modules);
	space = address_space_create();
	program_map(base, CODE_START + CODE_SIZE, 0, 1, true);
	return !unwinder;
}

/* As a tear-down function. */
static inline int program_end(void **state)
{
	(void)state;
	unwinder_destroy(unwinder);
	elf_modules_destroy(elf_modules);
	address_space_unref(space);
	module_table_deinit(&modules);
	return 0;
}

/* An x86-64 sample at @pc, with its stack pointer at @sp. */
static inline struct user_stack program_stack(uint64_t pc, uint64_t sp, const uint64_t *words,
					      size_t n_words)
{
	struct user_stack stack = { .arch = &arch_x86_64,
				    .bytes = (const uint8_t *)words,
				    .size = n_words * sizeof(*words) };

	stack.regs.pc = pc;
	regs_set(&stack.regs, 16, pc);
	regs_set(&stack.regs, 7, sp);
	return stack;
}

#define PROGRAM_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, program_end)

#endif
