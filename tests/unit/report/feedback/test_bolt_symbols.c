/* How functions are written in files for BOLT, and found by address. */
#include <stdlib.h>
#include <string.h>

#include "report/feedback/bolt_symbols.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

static void names_have_numbers_and_escapes(void **state)
{
	static const struct {
		struct bolt_function function;
		const char *text; /* NULL: it cannot be named */
	} cases[] = {
		{ { .name = "main" }, "1 main " },
		{ { .name = "f", .number = 2 }, "1 f/2 " },
		{ { .name = "memcpy", .is_plt = true }, "1 memcpy@PLT " },
		{ { .name = "a name" }, "1 a\\ name " },
		{ { .name = "a\\b" }, "1 a\\\\b " },
		{ { .name = "a\nb" }, NULL },
		{ { .name = "a\xff" }, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		assert_int_equal(bolt_symbols_can_name(&cases[i].function), !!cases[i].text);
		bolt_symbols_write(out, &cases[i].function);
		fclose(out);
		if (cases[i].text)
			assert_string_equal(text, cases[i].text);
		free(text);
	}
}

static void addresses_belong_to_the_function_before_them_in_its_section(void **state)
{
	struct bolt_function functions[] = {
		{ .start = 0x10, .end = 0x40, .name = "a" },
		{ .start = 0x20, .end = 0x40, .name = "b" },
		{ .start = 0x80, .end = 0x90, .name = "c" },
	};
	const struct bolt_symbols symbols = { functions, 3 };

	(void)state;
	assert_null(bolt_symbols_find(&symbols, 0xf));
	assert_ptr_equal(bolt_symbols_find(&symbols, 0x10), &functions[0]);
	assert_ptr_equal(bolt_symbols_find(&symbols, 0x1f), &functions[0]);
	assert_ptr_equal(bolt_symbols_find(&symbols, 0x3f), &functions[1]);
	assert_null(bolt_symbols_find(&symbols, 0x40));
	assert_ptr_equal(bolt_symbols_find(&symbols, 0x80), &functions[2]);
	assert_null(bolt_symbols_find(&symbols, 0x90));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_have_numbers_and_escapes),
		cmocka_unit_test(addresses_belong_to_the_function_before_them_in_its_section),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
