/* Blocks of the page, read back by zlib and a decoder of base64 that is written for this test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "report/html/page_block.h"

static size_t decode(const char *text, uint8_t *bytes)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0;
	unsigned n_bits = 0;
	size_t n = 0;

	for (; *text && *text != '='; text++) {
		const char *digit = strchr(digits, *text);

		assert_non_null(digit);
		bits = bits << 6 | (uint32_t)(digit - digits);
		n_bits += 6;
		if (n_bits < 8)
			continue;
		n_bits -= 8;
		bytes[n++] = (uint8_t)(bits >> n_bits);
	}
	return n;
}

static void check(const uint8_t *bytes, size_t size)
{
	char *text = NULL;
	size_t text_size;
	FILE *out = open_memstream(&text, &text_size);

	assert_int_equal(page_block_write(out, bytes, size), 0);
	fclose(out);
	assert_int_equal(text_size % 4, 0);
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
		cmocka_unit_test(a_block_of_zeros_is_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
