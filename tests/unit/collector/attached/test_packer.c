/* What is packed, at once or piece by piece, is what is read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/attached/attached_text.h"
#include "collector/attached/packer.h"

enum { SIZE = 3 << 20, PIECE = 100000 };

/* Bytes that hardly become fewer by packing. */
static uint8_t *noise(void)
{
	uint8_t *bytes = malloc(SIZE);
	uint64_t number = 1;

	assert_non_null(bytes);
	for (size_t i = 0; i < SIZE; i++) {
		number = number * 6364136223846793005u + 1442695040888963407u;
		bytes[i] = (uint8_t)(number >> 56);
	}
	return bytes;
}

static void expect_unpacked(const void *packed, size_t packed_size, const void *bytes, size_t size)
{
	struct file_text text = { 0 };
	int fd = memfd_create("packed", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, packed, packed_size), packed_size);
	assert_int_equal(attached_text_decompress(&text, fd), 0);
	assert_int_equal(text.size, size);
	if (size)
		assert_memory_equal(text.bytes, bytes, size);
	free(text.bytes);
	close(fd);
}

static void bytes_packed_at_once_are_read_back(void **state)
{
	static const size_t sizes[] = { 0, 1, 4096, SIZE };
	uint8_t *bytes = noise();

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct packer packer = { .size = 0 };

		assert_int_equal(packer_begin(&packer, 3), 0);
		assert_int_equal(packer_end(&packer, bytes, sizes[i]), 0);
		expect_unpacked(packer.bytes, packer.size, bytes, sizes[i]);
		packer_deinit(&packer);
	}
	free(bytes);
}

static void pieces_are_one_frame(void **state)
{
	struct packer packer = { .size = 0 };
	uint8_t *bytes = noise();

	(void)state;
	assert_int_equal(packer_begin(&packer, 1), 0);
	for (size_t at = 0; at < SIZE; at += PIECE)
		assert_int_equal(
			packer_add(&packer, bytes + at, SIZE - at < PIECE ? SIZE - at : PIECE), 0);
	assert_int_equal(packer_end(&packer, NULL, 0), 0);
	expect_unpacked(packer.bytes, packer.size, bytes, SIZE);
	packer_deinit(&packer);
	free(bytes);
}

static void packed_bytes_may_be_taken_away_on_the_way(void **state)
{
	struct packer packer = { .size = 0 };
	uint8_t *bytes = noise(), *taken = malloc(2 * SIZE);
	size_t n_taken = 0;

	(void)state;
	assert_non_null(taken);
	assert_int_equal(packer_begin(&packer, 1), 0);
	for (size_t at = 0; at <= SIZE; at += SIZE / 4) {
		assert_int_equal(at < SIZE ? packer_add(&packer, bytes + at, SIZE / 4)
					   : packer_end(&packer, NULL, 0),
				 0);
		memcpy(taken + n_taken, packer.bytes, packer.size);
		n_taken += packer.size;
		packer.size = 0;
	}
	expect_unpacked(taken, n_taken, bytes, SIZE);
	packer_deinit(&packer);
	free(bytes);
	free(taken);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_packed_at_once_are_read_back),
		cmocka_unit_test(pieces_are_one_frame),
		cmocka_unit_test(packed_bytes_may_be_taken_away_on_the_way),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
