/* This program's own symbols. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cct/object/elf_symtab.h"
#include "tests/unit/fixtures/own_elf.h"

static void a_symbol_is_found_with_its_name(void **state)
{
	struct own_elf *own = *state;
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
	struct own_elf *own = *state;
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

	return cmocka_run_group_tests(tests, own_elf_open, own_elf_close);
}
