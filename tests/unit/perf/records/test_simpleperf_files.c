/* The sections with symbols of simpleperf's recordings, whole, cut and broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/fixtures/simpleperf_section.h"

/* The symbols and paths of a section in memory that ends where it does. */
static size_t count_symbols(const struct builder *section, size_t size, bool is_file2)
{
	uint8_t *exact = malloc(size ? size : 1);
	struct simpleperf_section left = { exact, size, is_file2 };
	struct simpleperf_file file;
	struct simpleperf_symbol symbol;
	size_t n = 0;

	assert_non_null(exact);
	memcpy(exact, section->bytes, size);
	while (simpleperf_files_next(&left, &file)) {
		while (simpleperf_symbols_next(&file, &symbol))
			n += symbol.name.size;
	}
	free(exact);
	return n;
}

static void cut_and_broken_sections_are_read_up_to_there(void **state)
{
	struct builder structs = { 0 }, messages = { 0 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		put_struct(&structs, "/lib/x", SIMPLEPERF_ELF, 0, 0x10, 0);
		put_message(&messages, "/lib/x", SIMPLEPERF_ELF, 0, 0x10, 0);
	}
	assert_int_equal(count_symbols(&structs, structs.size, false), 2);
	assert_int_equal(count_symbols(&messages, messages.size, true), 2);
	for (size_t size = 0; size < structs.size; size++)
		assert_in_range(count_symbols(&structs, size, false), 0, 1);
	for (size_t size = 0; size < messages.size; size++)
		assert_in_range(count_symbols(&messages, size, true), 0, 1);
	for (size_t i = 0; i < messages.size; i++) {
		messages.bytes[i] ^= 0xff;
		assert_in_range(count_symbols(&messages, messages.size, true), 0, 2);
		messages.bytes[i] ^= 0xff;
	}
	for (size_t i = 0; i < structs.size; i++) {
		structs.bytes[i] ^= 0xff;
		count_symbols(&structs, structs.size, false);
		structs.bytes[i] ^= 0xff;
	}
	free(structs.bytes);
	free(messages.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_and_broken_sections_are_read_up_to_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
