#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cct/model/module.h"

static struct module_key elf_key(const char *path, uint64_t inode)
{
	return (struct module_key){ .kind = MODULE_ELF, .path = path, .inode = inode };
}

static void the_same_key_is_the_same_module(void **state)
{
	struct module_table table;
	struct module_key a = elf_key("/bin/a", 1), b = elf_key("/bin/a", 2);

	(void)state;
	assert_int_equal(module_table_init(&table), 0);
	uint32_t id = module_table_add(&table, &a);
	assert_int_not_equal(id, 0);
	assert_int_equal(module_table_add(&table, &a), id);
	assert_int_not_equal(module_table_add(&table, &b), id);
	assert_null(module_table_get(&table, 0));
	assert_null(module_table_get(&table, 99));
	module_table_deinit(&table);
}

static void build_ids_decide_over_inodes(void **state)
{
	struct module_table table;
	struct module_key a = elf_key("/lib/x.so", 1), b = elf_key("/lib/x.so", 2);

	(void)state;
	a.build_id = (struct build_id){ .size = 2, .bytes = { 1, 2 } };
	b.build_id = a.build_id;
	assert_int_equal(module_table_init(&table), 0);
	uint32_t id = module_table_add(&table, &a);
	assert_int_equal(module_table_add(&table, &b), id);
	b.build_id.bytes[1] = 3;
	assert_int_not_equal(module_table_add(&table, &b), id);
	module_table_deinit(&table);
}

static void thousands_of_modules_keep_their_ids(void **state)
{
	struct module_table table;
	char path[32];

	(void)state;
	assert_int_equal(module_table_init(&table), 0);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 1; i <= 5000; i++) {
			snprintf(path, sizeof(path), "/lib/%u.so", i);
			struct module_key key = elf_key(path, i);
			assert_int_equal(module_table_add(&table, &key), i);
		}
	}
	assert_string_equal(module_name(module_table_get(&table, 77)), "77.so");
	module_table_deinit(&table);
}

static void a_symbol_reaches_to_its_size_or_the_next_symbol(void **state)
{
	struct symbol_table *table = symbol_table_create();
	static const struct {
		uint64_t offset;
		const char *name;
	} cases[] = { { 5, NULL },    { 10, "sized" }, { 19, "sized" }, { 20, NULL },
		      { 30, "open" }, { 39, "open" },  { 40, "last" },  { 99999, "last" } };

	(void)state;
	symbol_table_add(table, 40, 0, "last", 4);
	symbol_table_add(table, 10, 10, "sizedXX", 5);
	symbol_table_add(table, 30, 0, "open", 4);
	symbol_table_sort(table);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct symbol *symbol = symbol_table_find(table, cases[i].offset);

		if (!cases[i].name)
			assert_null(symbol);
		else
			assert_string_equal(symbol->name, cases[i].name);
	}
	symbol_table_destroy(table);
}

static void an_alias_without_underscores_names_the_address(void **state)
{
	struct symbol_table *table = symbol_table_create();

	(void)state;
	symbol_table_add(table, 8, 0, "__pi_memcpy", 11);
	symbol_table_add(table, 8, 0, "memcpy", 6);
	symbol_table_add(table, 8, 0, "__memcpy", 8);
	symbol_table_sort(table);
	assert_string_equal(symbol_table_find(table, 9)->name, "memcpy");
	symbol_table_destroy(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_key_is_the_same_module),
		cmocka_unit_test(build_ids_decide_over_inodes),
		cmocka_unit_test(thousands_of_modules_keep_their_ids),
		cmocka_unit_test(a_symbol_reaches_to_its_size_or_the_next_symbol),
		cmocka_unit_test(an_alias_without_underscores_names_the_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
