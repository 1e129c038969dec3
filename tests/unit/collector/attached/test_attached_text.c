/* Texts of attachments: frames of zstd with and without their size, several, cut and made up. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#include "collector/attached/attached_text.h"

#define TEXT_SIZE ((size_t)300 << 10) /* more than a block of zstd */

static char whole[TEXT_SIZE];

static int setup(void **state)
{
	(void)state;
	for (size_t i = 0; i < TEXT_SIZE; i++)
		whole[i] = (char)('a' + (i * i >> 7) % 26);
	return 0;
}

/* Adds a frame with the first @size bytes of the text. */
static size_t add_frame(uint8_t *bytes, size_t room, size_t size, bool has_size)
{
	ZSTD_CCtx *stream = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(stream, ZSTD_c_contentSizeFlag, has_size);
	size_t n = ZSTD_compress2(stream, bytes, room, whole, size);
	assert_false(ZSTD_isError(n));
	ZSTD_freeCCtx(stream);
	return n;
}

static int decompress(const uint8_t *bytes, size_t size, struct file_text *text)
{
	int fd = memfd_create("text", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	int err = attached_text_decompress(text, fd);
	close(fd);
	return err;
}

static void a_text_is_what_was_packed_and_a_zero(void **state)
{
	static uint8_t bytes[2 * TEXT_SIZE];

	(void)state;
	for (int has_size = 0; has_size <= 1; has_size++) {
		struct file_text text = { 0 };
		size_t size = add_frame(bytes, sizeof(bytes), TEXT_SIZE, has_size);

		assert_int_equal(decompress(bytes, size, &text), 0);
		assert_int_equal(text.size, TEXT_SIZE);
		assert_memory_equal(text.bytes, whole, TEXT_SIZE);
		assert_int_equal(text.bytes[TEXT_SIZE], '\0');
		free(text.bytes);
	}
}

static void several_frames_are_one_text(void **state)
{
	static uint8_t bytes[2 * TEXT_SIZE];
	struct file_text text = { 0 };

	(void)state;
	size_t size = add_frame(bytes, sizeof(bytes), 1000, true);
	size += add_frame(bytes + size, sizeof(bytes) - size, 500, true);
	assert_int_equal(decompress(bytes, size, &text), 0);
	assert_int_equal(text.size, 1500);
	assert_memory_equal(text.bytes, whole, 1000);
	assert_memory_equal(text.bytes + 1000, whole, 500);
	free(text.bytes);
}

static void an_empty_text_is_empty(void **state)
{
	uint8_t bytes[64];

	(void)state;
	for (int has_size = 0; has_size <= 1; has_size++) {
		struct file_text text = { 0 };
		size_t size = add_frame(bytes, sizeof(bytes), 0, has_size);

		assert_int_equal(decompress(bytes, size, &text), 0);
		assert_int_equal(text.size, 0);
		assert_string_equal(text.bytes, "");
		free(text.bytes);
	}
}

static void of_a_cut_frame_there_is_the_beginning(void **state)
{
	static uint8_t bytes[2 * TEXT_SIZE];
	struct file_text text = { 0 };

	(void)state;
	size_t size = add_frame(bytes, sizeof(bytes), TEXT_SIZE, true);
	assert_int_equal(decompress(bytes, size - 1, &text), 0);
	assert_in_range(text.size, 1, TEXT_SIZE - 1);
	assert_memory_equal(text.bytes, whole, text.size);
	free(text.bytes);
}

static void what_is_not_a_frame_is_refused(void **state)
{
	static const struct {
		uint8_t bytes[20];
		size_t size;
		int error;
	} cases[] = {
		{ "no frame", 8, -EINVAL },
		/* 2^62 bytes that end with a block of none. */
		{ { 0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0x40, 1, 0, 0 },
		  16,
		  -EFBIG },
		/* Five bytes, in a block of a kind that does not exist. */
		{ { 0x28, 0xb5, 0x2f, 0xfd, 0x20, 5, 7, 0, 0 }, 9, -EINVAL },
		/* Five bytes, of which a block has three. */
		{ { 0x28, 0xb5, 0x2f, 0xfd, 0x20, 5, 0x19, 0, 0, 'a', 'b', 'c' }, 12, -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct file_text text = { 0 };

		assert_int_equal(decompress(cases[i].bytes, cases[i].size, &text), cases[i].error);
		free(text.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_what_was_packed_and_a_zero),
		cmocka_unit_test(several_frames_are_one_text),
		cmocka_unit_test(an_empty_text_is_empty),
		cmocka_unit_test(of_a_cut_frame_there_is_the_beginning),
		cmocka_unit_test(what_is_not_a_frame_is_refused),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
