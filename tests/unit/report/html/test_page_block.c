/* Blocks of the page, read back by zlib and a decoder of digits that is written for this test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "report/html/page_block.h"

static uint64_t value_of(char digit)
{
	assert_in_range(digit, PAGE_BLOCK_FIRST, PAGE_BLOCK_FOR_LESS);
	assert_true(digit != '<' && digit != '&');
	return (uint64_t)((digit == PAGE_BLOCK_FOR_LESS ? '<' : digit) - PAGE_BLOCK_FIRST);
}

/* The last group may be incomplete: its largest digits are then missing. */
static size_t decode(const char *text, uint8_t *bytes)
{
	const size_t size = strlen(text);
	size_t n = 0;

	for (size_t i = 0; i < size; i += 5) {
		const size_t left = size - i < 5 ? size - i : 5;
		uint64_t group = 0;

		assert_true(left > 1);
		for (size_t j = 0; j < 5; j++)
			group = group * 85 + (j < left ? value_of(text[i + j]) : 84);
		for (size_t j = 0; j + 1 < left; j++)
			bytes[n++] = (uint8_t)(group >> (24 - 8 * j));
	}
	return n;
}

/* Puts the elements of a block together, and counts them. */
static size_t join(char *text)
{
	const size_t tag = strlen(PAGE_BLOCK_MORE);
	size_t n = 1;

	for (char *next; (next = strstr(text, PAGE_BLOCK_MORE)); n++) {
		assert_int_equal(next - text, PAGE_BLOCK_DIGITS);
		memmove(next, next + tag, strlen(next + tag) + 1);
		text = next;
	}
	assert_in_range(strlen(text), n > 1, PAGE_BLOCK_DIGITS);
	return n;
}

/* How many elements the block has. */
static size_t check(const uint8_t *bytes, size_t size)
{
	char *text = NULL;
	size_t text_size;
	FILE *out = open_memstream(&text, &text_size);

	assert_int_equal(page_block_write(out, bytes, size), 0);
	fclose(out);
	const size_t n_elements = join(text);
	uint8_t *compressed = malloc(text_size + 1), *back = malloc(size + 1);
	z_stream zlib = { .next_in = compressed, .avail_in = (uInt)decode(text, compressed) };
	zlib.next_out = back;
	zlib.avail_out = (uInt)size + 1;
	assert_int_equal(inflateInit2(&zlib, -15), Z_OK);
	assert_int_equal(inflate(&zlib, Z_FINISH), Z_STREAM_END);
	inflateEnd(&zlib);
	assert_int_equal(zlib.total_out, size);
	if (size)
		assert_memory_equal(back, bytes, size);
	free(compressed);
	free(back);
	free(text);
	return n_elements;
}

static void large_blocks_have_several_elements(void **state)
{
	/* What does not compress has five bytes more for each 64 KiB. */
	static const struct {
		size_t size, n_elements;
	} cases[] = { { 131072 - 20, 1 }, { 131072, 2 }, { 400000, 4 } };
	static uint8_t bytes[400000];
	uint64_t random = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		bytes[i] = (uint8_t)(random >> 56);
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(check(bytes, cases[i].size), cases[i].n_elements);
}

static void blocks_of_any_size_are_read_back(void **state)
{
	uint8_t bytes[300];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * i * 7 >> 3);
	for (size_t size = 0; size <= sizeof(bytes); size++)
		check(bytes, size);
}

static void a_block_of_zeros_is_short(void **state)
{
	static const uint8_t zeros[1 << 20];
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	check(zeros, sizeof(zeros));
	assert_int_equal(page_block_write(out, zeros, sizeof(zeros)), 0);
	fclose(out);
	assert_true(size < sizeof(zeros) / 100);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_of_any_size_are_read_back),
		cmocka_unit_test(large_blocks_have_several_elements),
		cmocka_unit_test(a_block_of_zeros_is_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
