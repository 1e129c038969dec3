/* This program's own debug information, whose inlined calls are known; and files that lie. */
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/debug_info.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define INLINED static inline __attribute__((always_inline))

extern const char place_in_innermost[], place_in_outer[];

INLINED void innermost(void)
{
	__asm__ volatile(".globl place_in_innermost\nplace_in_innermost: nop");
}

INLINED void middle(void)
{
	innermost();
}

__attribute__((noinline)) static void outer(void)
{
	__asm__ volatile(".globl place_in_outer\nplace_in_outer: nop");
	middle();
}

struct fixture {
	int fd;
	Elf *elf;
	struct debug_info *info;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	elf_version(EV_CURRENT);
	fixture->fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	fixture->elf = elf_begin(fixture->fd, ELF_C_READ_MMAP, NULL);
	fixture->info = debug_info_open(fixture->elf);
	*state = fixture;
	outer();
	return !fixture->info;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	debug_info_close(fixture->info);
	elf_end(fixture->elf);
	close(fixture->fd);
	free(fixture);
	return 0;
}

static int take_base(struct dl_phdr_info *object, size_t size, void *base)
{
	(void)size;
	*(uint64_t *)base = object->dlpi_addr;
	return 1; /* the first one is the program */
}

static uint64_t vaddr_of(const void *code)
{
	uint64_t base = 0;

	dl_iterate_phdr(take_base, &base);
	return (uint64_t)(uintptr_t)code - base;
}

static size_t find(struct fixture *fixture, const void *code, struct debug_function *functions)
{
	return debug_info_find(fixture->info, vaddr_of(code), functions, DEBUG_INFO_MAX_INLINED);
}

static void inlined_calls_come_innermost_first(void **state)
{
	static const char *const names[] = { "innermost", "middle", "outer" };
	struct debug_function functions[DEBUG_INFO_MAX_INLINED];

	assert_int_equal(find(*state, place_in_innermost, functions), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(functions[i].name, names[i]);
		assert_non_null(strstr(functions[i].file, "test_debug_info.c"));
	}
	/* A call stands below the function that makes it. */
	assert_true(functions[0].line < functions[1].line);
	assert_true(functions[1].line < functions[2].line);
	assert_true(functions[0].decl_line < functions[0].line);
}

static void code_that_is_not_inlined_has_one_function(void **state)
{
	struct debug_function functions[DEBUG_INFO_MAX_INLINED];

	assert_int_equal(find(*state, place_in_outer, functions), 1);
	assert_string_equal(functions[0].name, "outer");
	assert_true(functions[0].line > functions[0].decl_line);
}

static void addresses_without_code_have_none(void **state)
{
	struct fixture *fixture = *state;
	struct debug_function functions[4];
	static const uint64_t addresses[] = { 0, 1, UINT64_MAX, UINT64_MAX / 2 };

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		assert_int_equal(debug_info_find(fixture->info, addresses[i], functions, 4), 0);
	assert_int_equal(find(fixture, &addresses, functions), 0);
}

static void no_more_functions_come_than_there_is_room_for(void **state)
{
	struct debug_function functions[2];
	struct fixture *fixture = *state;

	assert_int_equal(debug_info_find(fixture->info, vaddr_of(place_in_innermost), functions, 2),
			 2);
	assert_string_equal(functions[1].name, "middle");
}

static void a_file_without_debug_information_has_none(void **state)
{
	Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   ELFDATA2LSB, EV_CURRENT },
			      .e_type = ET_DYN,
			      .e_machine = EM_X86_64,
			      .e_version = EV_CURRENT,
			      .e_ehsize = sizeof(Elf64_Ehdr) };
	Elf *elf = elf_memory((char *)&header, sizeof(header));

	(void)state;
	assert_non_null(elf);
	assert_null(debug_info_open(elf));
	elf_end(elf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inlined_calls_come_innermost_first),
		cmocka_unit_test(code_that_is_not_inlined_has_one_function),
		cmocka_unit_test(addresses_without_code_have_none),
		cmocka_unit_test(no_more_functions_come_than_there_is_room_for),
		cmocka_unit_test(a_file_without_debug_information_has_none),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
