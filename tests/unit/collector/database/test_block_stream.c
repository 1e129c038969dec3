#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/database/block_stream.h"

#define LARGE (BLOCK_MAX + 17)

/* What is written, as it is read: a text of LARGE times @byte, and its end. */
static FILE *write_text(char byte, const char *words, char **bytes, size_t *size)
{
	char *text = malloc(LARGE);
	FILE *out = open_memstream(bytes, size);

	assert_non_null(text);
	memset(text, byte, LARGE);
	assert_true(blocks_write(out, text, LARGE));
	assert_true(blocks_end(out, words));
	free(text);
	fclose(out);
	FILE *in = fmemopen(*bytes, *size, "r");
	assert_non_null(in);
	return in;
}

static size_t count(struct block_stream *blocks, char byte)
{
	FILE *in = block_stream_open(blocks);
	size_t n = 0;

	assert_non_null(in);
	for (int c; (c = getc(in)) != EOF; n++)
		assert_int_equal(c, byte);
	fclose(in);
	return n;
}

static void a_text_larger_than_a_block_is_read_whole(void **state)
{
	char *bytes;
	size_t size;
	struct block_stream blocks = { .from = write_text('a', NULL, &bytes, &size) };

	(void)state;
	assert_int_equal(count(&blocks, 'a'), LARGE);
	assert_true(blocks.is_whole);
	fclose(blocks.from);
	free(bytes);
}

static void a_text_that_was_cut_off_is_not_whole(void **state)
{
	char *bytes;
	size_t size;
	FILE *whole = write_text('a', NULL, &bytes, &size);

	(void)state;
	for (size_t left = 0; left < size; left += 4099) {
		struct block_stream blocks = { .from = fmemopen(bytes, left + 1, "r") };

		assert_true(count(&blocks, 'a') <= LARGE);
		assert_false(blocks.is_whole);
		fclose(blocks.from);
	}
	fclose(whole);
	free(bytes);
}

static void a_text_says_why_it_is_not_whole(void **state)
{
	char *bytes;
	size_t size;
	struct block_stream blocks = { .from = write_text('b', "no more", &bytes, &size) };

	(void)state;
	assert_int_equal(count(&blocks, 'b'), LARGE);
	assert_false(blocks.is_whole);
	assert_string_equal(blocks.words, "no more");
	block_stream_deinit(&blocks);
	fclose(blocks.from);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_larger_than_a_block_is_read_whole),
		cmocka_unit_test(a_text_that_was_cut_off_is_not_whole),
		cmocka_unit_test(a_text_says_why_it_is_not_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
