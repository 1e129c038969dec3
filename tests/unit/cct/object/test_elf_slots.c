#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/object/elf_slots.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

extern const char __executable_start[];

static Elf *open_own(int *fd)
{
	*fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	assert_true(*fd >= 0);
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(*fd, ELF_C_READ_MMAP, NULL);
	assert_non_null(elf);
	return elf;
}

/* Functions are called through slots, or their addresses are read from them. */
static void the_loader_has_filled_the_slots_of_this_program(void **state)
{
	(void)state;
	char *(*volatile function)(const char *) = getenv;
	struct elf_slots slots;
	unsigned n_found = 0;
	int fd;
	Elf *elf = open_own(&fd);

	assert_int_equal(elf_slots_init(&slots, elf), 0);
	assert_true(slots.n > 0);
	for (size_t i = 0; i < slots.n; i++) {
		assert_true(!i || slots.slots[i - 1].addr <= slots.slots[i].addr);
		assert_non_null(elf_slots_find(&slots, slots.slots[i].addr));
		if (!slots.slots[i].name || strcmp(slots.slots[i].name, "getenv") != 0)
			continue;
		uintptr_t value;
		memcpy(&value, __executable_start + slots.slots[i].addr, sizeof(value));
		n_found += value == (uintptr_t)function;
	}
	assert_true(n_found > 0);
	assert_null(elf_slots_find(&slots, UINT64_MAX));
	elf_slots_deinit(&slots);
	elf_end(elf);
	close(fd);
}

/* A file that is cut has no section headers, or no bytes where they say. */
static void a_file_that_is_cut_has_fewer_slots(void **state)
{
	(void)state;
	struct elf_slots slots;
	char *bytes = malloc(1 << 16);
	int fd;
	Elf *whole = open_own(&fd);

	assert_non_null(bytes);
	elf_end(whole);
	ssize_t size = pread(fd, bytes, 1 << 16, 0);
	assert_true(size > 0);
	close(fd);
	for (ssize_t n = 64; n < size; n += 61) {
		Elf *elf = elf_memory(bytes, (size_t)n);

		if (!elf)
			continue;
		assert_int_equal(elf_slots_init(&slots, elf), 0);
		elf_slots_deinit(&slots);
		elf_end(elf);
	}
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_loader_has_filled_the_slots_of_this_program),
		cmocka_unit_test(a_file_that_is_cut_has_fewer_slots),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
