/* Where the code of symbols was in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cct/code/symbol_table.h"

#define NOT_THERE UINT64_MAX

static void code_is_where_it_was_until_other_code_takes_its_place(void **state)
{
	static const struct {
		const char *name;
		uint64_t addr, size;
		uint64_t found;
	} cases[] = {
		{ "first", 0x1000, 0x20, NOT_THERE }, /* its end is replaced */
		{ "second", 0x1020, 0x20, 0x1020 },   /* the same is described again */
		{ "inner", 0x2010, 0x10, NOT_THERE },     { "takes first", 0x101f, 1, 0x101f },
		{ "around inner", 0x2000, 0x40, 0x2000 }, { "before second", 0x1018, 7, 0x1018 },
		{ "second", 0x1020, 0x20, 0x1020 },       { "another life", 0x3000, 8, NOT_THERE },
		{ "another name", 0x3000, 8, 0x3000 },
	};
	const size_t n_cases = sizeof(cases) / sizeof(cases[0]);
	struct symbol_table *table = symbol_table_create();

	(void)state;
	assert_non_null(table);
	for (size_t i = 0; i < n_cases; i++)
		assert_int_equal(symbol_table_add_at(table, i * 0x100, cases[i].size, cases[i].name,
						     strlen(cases[i].name), cases[i].addr),
				 0);
	for (size_t i = 0; i < n_cases; i++) {
		const struct symbol *symbol = symbol_table_find(table, i * 0x100);
		uint64_t addr = NOT_THERE;

		assert_non_null(symbol);
		assert_string_equal(symbol->name, cases[i].name);
		assert_int_equal(symbol_table_find_addr(table, symbol, &addr),
				 cases[i].found != NOT_THERE);
		assert_int_equal(addr, cases[i].found);
	}
	symbol_table_destroy(table);
}

static void symbols_without_addresses_are_nowhere(void **state)
{
	struct symbol_table *table = symbol_table_create();
	uint64_t addr;

	(void)state;
	assert_non_null(table);
	assert_int_equal(symbol_table_add(table, 0, 8, "f", 1), 0);
	assert_false(symbol_table_find_addr(table, &table->symbols[0], &addr));
	symbol_table_destroy(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_where_it_was_until_other_code_takes_its_place),
		cmocka_unit_test(symbols_without_addresses_are_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
