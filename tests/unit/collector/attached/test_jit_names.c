#include <stdlib.h>
#include <string.h>

#include "collector/attached/jit_names.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static struct symbol_table *parse(const char *text)
{
	struct symbol_table *table = jit_names_parse(text, strlen(text));

	assert_non_null(table);
	return table;
}

static void assert_name(const struct symbol_table *table, uint64_t addr, const char *name)
{
	const struct symbol *symbol = symbol_table_find(table, addr);

	if (!name) {
		assert_null(symbol);
		return;
	}
	assert_non_null(symbol);
	assert_string_equal(symbol->name, name);
}

static void names_may_hold_blanks_and_numbers_a_prefix(void **state)
{
	struct symbol_table *table = parse("1000 10 LazyCompile:~f /a b.js:3\n0x2000 0x8 g\r\n");

	(void)state;
	assert_name(table, 0xfff, NULL);
	assert_name(table, 0x1000, "LazyCompile:~f /a b.js:3");
	assert_name(table, 0x100f, "LazyCompile:~f /a b.js:3");
	assert_name(table, 0x1010, NULL);
	assert_name(table, 0x2007, "g");
	symbol_table_destroy(table);
}

static void the_latest_line_names_what_several_hold(void **state)
{
	static const struct {
		const char *text;
		const char *names[8]; /* of 0x0 to 0x7 */
	} cases[] = {
		{ "0 8 a\n2 2 b\n", { "a", "a", "b", "b", "a", "a", "a", "a" } },
		{ "2 2 b\n0 8 a\n", { "a", "a", "a", "a", "a", "a", "a", "a" } },
		{ "0 4 a\n2 4 b\n", { "a", "a", "b", "b", "b", "b", NULL, NULL } },
		{ "2 4 b\n0 4 a\n", { "a", "a", "a", "a", "b", "b", NULL, NULL } },
		{ "0 4 a\n0 4 b\n", { "b", "b", "b", "b", NULL, NULL, NULL, NULL } },
		{ "0 8 a\n1 6 b\n2 2 c\n", { "a", "b", "c", "c", "b", "b", "b", "a" } },
		{ "4 1 a\n1 1 b\n", { NULL, "b", NULL, NULL, "a", NULL, NULL, NULL } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct symbol_table *table = parse(cases[i].text);

		for (uint64_t addr = 0; addr < 8; addr++)
			assert_name(table, addr, cases[i].names[addr]);
		symbol_table_destroy(table);
	}
}

static void a_name_is_one_symbol_where_older_lines_begin_inside(void **state)
{
	struct symbol_table *table = parse("2 1 old\n4 1 old\n0 8 new\n");

	(void)state;
	assert_int_equal(table->n_symbols, 1);
	assert_int_equal(table->symbols[0].size, 8);
	symbol_table_destroy(table);
}

static void what_is_no_line_is_skipped(void **state)
{
	static const char *const texts[] = {
		"",
		"\n\n",
		"1000",
		"1000 10 cut",
		"1000 10 \n",
		"1000 10\n",
		"1000 0 empty\n",
		"x 10 name\n",
		"1000 x name\n",
		"11111111111111111 1 too_wide\n",
		"ffffffffffffffff 2 beyond_the_end\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct symbol_table *table = parse(texts[i]);

		assert_int_equal(table->n_symbols, 0);
		symbol_table_destroy(table);
	}
}

static void a_long_name_is_cut(void **state)
{
	char text[10000] = "1000 10 ";
	size_t at = strlen(text);

	(void)state;
	memset(text + at, 'n', sizeof(text) - at);
	text[sizeof(text) - 2] = '\n';
	text[sizeof(text) - 1] = '\0';
	struct symbol_table *table = parse(text);
	assert_int_equal(strlen(symbol_table_find(table, 0x1000)->name), 4096);
	symbol_table_destroy(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_may_hold_blanks_and_numbers_a_prefix),
		cmocka_unit_test(the_latest_line_names_what_several_hold),
		cmocka_unit_test(a_name_is_one_symbol_where_older_lines_begin_inside),
		cmocka_unit_test(what_is_no_line_is_skipped),
		cmocka_unit_test(a_long_name_is_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
