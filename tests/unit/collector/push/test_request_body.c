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
	assert_int_equal(request_body_pack(&packed, bytes, SIZE), 0);
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
	assert_int_equal(request_body_pack(&packed, bytes, SIZE), 0);
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
	assert_int_equal(request_body_pack(&packed, zeros, size), 0);
	expect_refusal(packed.bytes, packed.size);
	free(packed.bytes);
	free(zeros);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_repacked_is_gzip_of_the_same_bytes),
		cmocka_unit_test(what_is_not_one_frame_is_refused),
		cmocka_unit_test(a_small_body_of_many_bytes_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
