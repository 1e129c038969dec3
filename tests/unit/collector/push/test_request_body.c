#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "collector/push/request_body.h"

#define SIZE (5u << 20)

static char *make_bytes(void)
{
	char *bytes = malloc(SIZE);

	assert_non_null(bytes);
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (char)(i * i >> 7);
	return bytes;
}

static void what_is_repacked_is_gzip_of_the_same_bytes(void **state)
{
	char *bytes = make_bytes(), *seen = calloc(1, SIZE + 1);
	struct request_body packed, repacked = { 0 };
	z_stream stream = { 0 };

	(void)state;
	assert_int_equal(request_body_pack(&packed, bytes, SIZE, false), 0);
	assert_int_equal(request_body_repack(&repacked, packed.bytes, packed.size), 0);
	stream.next_in = (Bytef *)repacked.bytes;
	stream.avail_in = (uInt)repacked.size;
	stream.next_out = (Bytef *)seen;
	stream.avail_out = SIZE + 1;
	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(stream.total_out, SIZE);
	assert_memory_equal(seen, bytes, SIZE);
	inflateEnd(&stream);
	free(repacked.bytes);
	free(packed.bytes);
	free(bytes);
	free(seen);
}

static void expect_refusal(const void *bytes, size_t size)
{
	struct request_body repacked = { 0 };

	assert_int_equal(request_body_repack(&repacked, bytes, size), -EBADMSG);
	free(repacked.bytes);
}

static void what_is_not_one_frame_is_refused(void **state)
{
	char *bytes = make_bytes();
	struct request_body packed;

	(void)state;
	assert_int_equal(request_body_pack(&packed, bytes, SIZE, false), 0);
	packed.bytes = realloc(packed.bytes, packed.size + 1);
	assert_non_null(packed.bytes);
	packed.bytes[packed.size] = 0;
	expect_refusal(packed.bytes, packed.size + 1);
	expect_refusal(packed.bytes, packed.size - 1);
	expect_refusal(packed.bytes, packed.size / 2);
	expect_refusal("", 0);
	expect_refusal("no frame", 8);
	free(packed.bytes);
	free(bytes);
}

static void a_small_body_of_many_bytes_is_refused(void **state)
{
	const size_t size = (size_t)65 << 20;
	char *zeros = calloc(1, size);
	struct request_body packed;

	(void)state;
	assert_non_null(zeros);
	assert_int_equal(request_body_pack(&packed, zeros, size, false), 0);
	expect_refusal(packed.bytes, packed.size);
	free(packed.bytes);
	free(zeros);
}

#define ROW_SIZE 144

/* Most of a row is what all have; the rest are numbers, of which few differ. */
static char *make_rows(size_t n)
{
	char *rows = calloc(n, ROW_SIZE);
	uint64_t random = 1;

	assert_non_null(rows);
	for (size_t i = 0; i < n; i++) {
		uint64_t numbers[4];

		random = random * 6364136223846793005ull + 1442695040888963407ull;
		numbers[0] = (i / 5) * 0x9e3779b97f4a7c15ull;
		numbers[1] = i * 4 + (random >> 62);
		numbers[2] = 1 + (random >> 33) % 5;
		numbers[3] = numbers[2] * 20408163;
		for (size_t k = 0; k < ROW_SIZE - sizeof(numbers); k++)
			rows[i * ROW_SIZE + k] = (char)k;
		memcpy(rows + (i + 1) * ROW_SIZE - sizeof(numbers), numbers, sizeof(numbers));
	}
	return rows;
}

static void samples_are_packed_smaller_and_stay_what_they_are(void **state)
{
	const size_t size = (size_t)20000 * ROW_SIZE;
	char *rows = make_rows(20000), *seen = malloc(size);
	struct request_body packed, samples;

	(void)state;
	assert_non_null(seen);
	assert_int_equal(request_body_pack(&packed, rows, size, false), 0);
	assert_int_equal(request_body_pack(&samples, rows, size, true), 0);
	assert_int_equal(ZSTD_decompress(seen, size, samples.bytes, samples.size), size);
	assert_memory_equal(seen, rows, size);
	assert_true(samples.size < packed.size);
	free(packed.bytes);
	free(samples.bytes);
	free(seen);
	free(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_repacked_is_gzip_of_the_same_bytes),
		cmocka_unit_test(what_is_not_one_frame_is_refused),
		cmocka_unit_test(a_small_body_of_many_bytes_is_refused),
		cmocka_unit_test(samples_are_packed_smaller_and_stay_what_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
