/* This program's own symbols. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/object/elf_symtab.h"

struct own {
	int fd;
	Elf *elf;
};

static int open_own(void **state)
{
	static struct own own;

	elf_version(EV_CURRENT);
	own.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	own.elf = elf_begin(own.fd, ELF_C_READ_MMAP, NULL);
	*state = &own;
	return own.elf ? 0 : -1;
}

static int close_own(void **state)
{
	struct own *own = *state;

	elf_end(own->elf);
	close(own->fd);
	return 0;
}

static void a_symbol_is_found_with_its_name(void **state)
{
	struct own *own = *state;
	struct elf_symtab table;
	GElf_Sym symbol;
	unsigned n_found = 0;

	assert_true(elf_symtab_open(own->elf, SHT_SYMTAB, &table));
	for (size_t i = 0; elf_symtab_get(&table, i, &symbol); i++) {
		const char *name = elf_symtab_name(&table, &symbol);

		assert_non_null(name);
		if (strcmp(name, "main") == 0 && elf_symbol_is_function(&symbol))
			n_found++;
	}
	assert_int_equal(n_found, 1);
}

static void names_beyond_the_strings_are_not_read(void **state)
{
	struct own *own = *state;
	struct elf_symtab table;
	GElf_Sym symbol = { 0 };

	assert_true(elf_symtab_open(own->elf, SHT_DYNSYM, &table));
	assert_string_equal(elf_symtab_name(&table, &symbol), "");
	symbol.st_name = (uint32_t)table.names_size;
	assert_null(elf_symtab_name(&table, &symbol));
	symbol.st_name = UINT32_MAX;
	assert_null(elf_symtab_name(&table, &symbol));
	assert_false(elf_symtab_get(&table, table.n, &symbol));
	assert_false(elf_symtab_get(&table, SIZE_MAX, &symbol));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_symbol_is_found_with_its_name),
		cmocka_unit_test(names_beyond_the_strings_are_not_read),
	};

	return cmocka_run_group_tests(tests, open_own, close_own);
}
