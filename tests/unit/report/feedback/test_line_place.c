/* Discriminators as LLVM puts them together, and lines beside the function's first one. */
#include "report/feedback/line_place.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

/* LLVM 14, include/llvm/Support/Discriminator.h: encodeComponent() and encodingBits(). */
static uint32_t encode(uint32_t number)
{
	if (!number)
		return 1;
	return (number > 0x1f ? (number & 0xfe0) << 1 | (number & 0x1f) | 0x20 : number) << 1;
}

static unsigned bits_of(uint32_t number)
{
	return number ? (number > 0x1f ? 14 : 7) : 1;
}

static void the_parts_of_a_discriminator_are_its_block_and_copies(void **state)
{
	static const uint32_t numbers[] = { 0, 1, 2, 0x1f, 0x20, 0x21, 0x5a5, 0xfff };
	static const size_t n = sizeof(numbers) / sizeof(numbers[0]);

	(void)state;
	for (size_t i = 0; i < n * n; i++) {
		const uint32_t block = numbers[i / n], copies = numbers[i % n];
		const uint32_t whole = encode(block) | encode(copies) << bits_of(block);

		assert_int_equal(discriminator_block(whole), block);
		assert_int_equal(discriminator_copies(whole), copies ? copies : 1);
	}
}

static void small_discriminators_are_those_in_files_of_clang(void **state)
{
	static const struct {
		uint32_t discriminator, block, copies;
	} cases[] = {
		{ 0, 0, 1 },
		{ 1, 0, 1 },
		{ 2, 1, 1 },
		{ 4, 2, 1 },
		{ 6, 3, 1 },
		{ 17, 0, 4 },
		{ 0x402, 1, 4 },
		{ UINT32_MAX, 0, 1 },
		{ 0x82, 1, 1 } /* the third part says which copy it is */,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(discriminator_block(cases[i].discriminator), cases[i].block);
		assert_int_equal(discriminator_copies(cases[i].discriminator), cases[i].copies);
	}
}

static void lines_count_from_the_first_one_of_the_function(void **state)
{
	static const struct {
		uint32_t first, line, offset;
		bool is_known;
	} cases[] = {
		{ 10, 10, 0, true },   { 10, 17, 7, true },      { 10, 9, 65535, true },
		{ 1, 65537, 0, true }, { 1, 70000, 4463, true }, { 0, 5, 0, false },
		{ 5, 0, 0, false },
	};
	struct line_place place;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct debug_function function = { .decl_line = cases[i].first,
							 .line = cases[i].line,
							 .discriminator = 6 };

		for (int is_of_llvm = 0; is_of_llvm < 2; is_of_llvm++) {
			assert_int_equal(line_place_find(&function, is_of_llvm, &place),
					 cases[i].is_known);
			if (!cases[i].is_known)
				continue;
			assert_int_equal(place.offset, cases[i].offset);
			assert_int_equal(place.block, is_of_llvm ? 3 : 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_parts_of_a_discriminator_are_its_block_and_copies),
		cmocka_unit_test(small_discriminators_are_those_in_files_of_clang),
		cmocka_unit_test(lines_count_from_the_first_one_of_the_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
