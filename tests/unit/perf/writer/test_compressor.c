/* Blocks of records, compressed by several threads. */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

#include "perf/records/record.h"
#include "perf/writer/compressor.h"

enum { N_BLOCKS = 40, RECORD_SIZE = 4096, RECORDS_PER_BLOCK = 100 };

/* The bytes of the blocks that were written; no lock: it is one block at a time. */
struct file {
	uint8_t *bytes;
	size_t size;
	uint64_t n_expanded;
	unsigned n_blocks, fails_at; /* 0: never */
};

static int add_to_file(void *to, const struct compressor_block *block)
{
	struct file *file = to;

	if (++file->n_blocks == file->fails_at)
		return -ENOSPC;
	file->bytes = realloc(file->bytes, file->size + block->n_bytes);
	assert_non_null(file->bytes);
	memcpy(file->bytes + file->size, block->bytes, block->n_bytes);
	file->size += block->n_bytes;
	file->n_expanded += block->n_expanded;
	return 0;
}

/* Of numbers that go on from block to block, and are easy or hard to compress. */
static void fill(struct compressor_block *block, unsigned number)
{
	for (unsigned i = 0; i < RECORDS_PER_BLOCK; i++) {
		uint8_t *at = block->records + block->size;
		const struct perf_event_header header = { .type = PERF_RECORD_SAMPLE,
							  .size = RECORD_SIZE };
		uint64_t value = (uint64_t)number * RECORDS_PER_BLOCK + i;

		memcpy(at, &header, sizeof(header));
		memcpy(at + sizeof(header), &value, sizeof(value));
		for (size_t j = 16; j < RECORD_SIZE; j++)
			at[j] = number % 3 ? (uint8_t)(j / 64)
					   : (uint8_t)((value += j * 2654435761u) >> 13);
		block->size += RECORD_SIZE;
	}
}

static int compress_all(struct file *file, unsigned n_threads)
{
	const struct compressor_options options = {
		.level = 3, .n_threads = n_threads, .pass_on = add_to_file, .to = file
	};
	struct compressor *compressor;
	struct compressor_block *block;
	int err = 0;

	assert_int_equal(compressor_create(&options, &compressor), 0);
	for (unsigned i = 0; !err && i < N_BLOCKS; i++) {
		err = compressor_take(compressor, &block);
		if (err)
			break;
		assert_int_equal(block->size, 0);
		fill(block, i);
		block->is_plain = i % 7 == 6;
		compressor_put(compressor, block);
	}
	int end = compressor_drain(compressor);
	compressor_destroy(compressor);
	return err ? err : end;
}

/* Each record, expanded or not, has the next number. */
static void check_records(const uint8_t *bytes, size_t size, uint64_t *next)
{
	for (size_t at = 0; at < size; at += RECORD_SIZE, ++*next)
		assert_memory_equal(bytes + at + sizeof(struct perf_event_header), next,
				    sizeof(*next));
}

static void check_file(const struct file *file)
{
	uint8_t *expanded = malloc(FRAME_EXPANDED_MAX);
	uint64_t next = 0, n_expanded = 0;

	for (size_t at = 0; at < file->size;) {
		struct perf_event_header header;

		memcpy(&header, file->bytes + at, sizeof(header));
		if (header.type == RECORD_COMPRESSED) {
			size_t n = ZSTD_decompress(expanded, FRAME_EXPANDED_MAX,
						   file->bytes + at + sizeof(header),
						   header.size - sizeof(header));
			assert_false(ZSTD_isError(n));
			n_expanded += n;
			check_records(expanded, n, &next);
		} else {
			assert_int_equal(header.size, RECORD_SIZE);
			check_records(file->bytes + at, RECORD_SIZE, &next);
		}
		at += header.size;
	}
	assert_int_equal(next, N_BLOCKS * RECORDS_PER_BLOCK);
	assert_int_equal(n_expanded, file->n_expanded);
	free(expanded);
}

static void the_file_is_the_same_whatever_the_number_of_threads(void **state)
{
	struct file first = { 0 };

	(void)state;
	assert_int_equal(compress_all(&first, 1), 0);
	assert_int_equal(first.n_blocks, N_BLOCKS);
	check_file(&first);
	for (unsigned n_threads = 2; n_threads <= 5; n_threads++) {
		struct file file = { 0 };

		assert_int_equal(compress_all(&file, n_threads), 0);
		assert_int_equal(file.size, first.size);
		assert_memory_equal(file.bytes, first.bytes, first.size);
		free(file.bytes);
	}
	free(first.bytes);
}

static void after_an_error_nothing_is_passed_on(void **state)
{
	(void)state;
	for (unsigned n_threads = 1; n_threads <= 3; n_threads++) {
		for (unsigned fails_at = 1; fails_at <= N_BLOCKS; fails_at += 13) {
			struct file file = { .fails_at = fails_at };

			assert_int_equal(compress_all(&file, n_threads), -ENOSPC);
			assert_int_equal(file.n_blocks, fails_at);
			free(file.bytes);
		}
	}
}

static void what_was_not_passed_on_may_be_discarded(void **state)
{
	struct file file = { 0 };
	const struct compressor_options options = {
		.level = 1, .n_threads = 2, .pass_on = add_to_file, .to = &file
	};
	struct compressor *compressor;
	struct compressor_block *block;

	(void)state;
	assert_int_equal(compressor_create(&options, &compressor), 0);
	assert_int_equal(compressor_drain(compressor), 0);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(compressor_take(compressor, &block), 0);
		fill(block, i);
		if (i < 4)
			compressor_put(compressor, block);
	}
	compressor_destroy(compressor);
	assert_true(file.n_blocks <= 4);
	free(file.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_is_the_same_whatever_the_number_of_threads),
		cmocka_unit_test(after_an_error_nothing_is_passed_on),
		cmocka_unit_test(what_was_not_passed_on_may_be_discarded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
