#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#include "perf/file/data_inflate.h"
#include "tests/unit/fixtures/built_recording.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static void compressed_records_are_expanded_whatever_their_borders(void **state)
{
	static const size_t steps[] = { 1, 7, 48, 100, 4096, 1 << 20 };
	static const uint32_t types[] = { RECORD_COMPRESSED, RECORD_COMPRESSED2 };
	static const ZSTD_EndDirective directives[] = { ZSTD_e_flush, ZSTD_e_end };

	(void)state;
	for (size_t i = 0; i < 6 * 2 * 2; i++) {
		struct builder b = two_events_in_a_pipe(), inner = { 0 };
		for (uint64_t ip = 0; ip < 50; ip++)
			put_sample(&inner, 1 + ip % 3, ip);
		put_compressed(&b, &inner, steps[i / 4], types[i / 2 % 2], directives[i % 2]);
		put_sample(&b, 3, 1); /* plain again */
		free(inner.bytes);
		struct data_file *file = open_built(&b);
		check_two_events(file, 34, 17);
		assert_true(data_file_info(file)->is_compressed);
		data_file_close(file);
	}
}

static void large_compressed_recordings_pass_through_many_blocks(void **state)
{
	struct builder b = two_events_in_a_pipe(), inner = { 0 };

	(void)state;
	for (uint64_t ip = 0; ip < 100000; ip++)
		put_sample(&inner, 1, ip);
	put_compressed(&b, &inner, 1 << 19, RECORD_COMPRESSED, ZSTD_e_flush);
	free(inner.bytes);
	struct data_file *file = open_built(&b);
	check_two_events(file, 100000, 0);
	data_file_close(file);
}

static void corrupt_compressed_records_are_named(void **state)
{
	static const uint8_t no_zstd[16] = "this is not zstd";
	struct builder b, inner = { 0 };
	size_t offset;

	(void)state;
	b = two_events_in_a_pipe();
	put_sample(&b, 1, 1);
	offset = b.size;
	put_payload(&b, RECORD_COMPRESSED, no_zstd, sizeof(no_zstd));
	check_corrupt(&b, 1, "can't be expanded", offset);

	b = two_events_in_a_pipe();
	offset = b.size;
	begin_record(&b, RECORD_COMPRESSED2, 0);
	put_u64(&b, 1000);
	end_record(&b);
	check_corrupt(&b, 0, "longer than the record", offset);

	b = two_events_in_a_pipe();
	offset = b.size;
	put_payload(&inner, RECORD_COMPRESSED, no_zstd, sizeof(no_zstd));
	put_compressed(&b, &inner, 1 << 20, RECORD_COMPRESSED, ZSTD_e_end);
	free(inner.bytes);
	check_corrupt(&b, 0, "another compressed record", offset);
}

enum { FRAME_SAMPLES = 500 };

/* A frame of its samples, flushed after each of them, as dendro writes it; @n_cut bytes of its end
 * are left out. */
static void put_frame(struct builder *b, uint64_t first_ip, size_t n_samples, size_t n_cut)
{
	ZSTD_CCtx *encoder = ZSTD_createCCtx();
	static uint8_t room[60000];
	ZSTD_outBuffer out = { .dst = room, .size = sizeof(room) };

	for (size_t i = 0; i < n_samples; i++) {
		struct builder inner = { 0 };
		put_sample(&inner, 1, first_ip + i);
		ZSTD_inBuffer in = { .src = inner.bytes, .size = inner.size };
		assert_int_equal(ZSTD_compressStream2(encoder, &out, &in, ZSTD_e_flush), 0);
		free(inner.bytes);
	}
	ZSTD_inBuffer none = { .size = 0 };
	assert_int_equal(ZSTD_compressStream2(encoder, &out, &none, ZSTD_e_end), 0);
	put_payload(b, RECORD_COMPRESSED2, room, out.pos - n_cut);
	ZSTD_freeCCtx(encoder);
}

static void check_ips_ascend(struct data_file *file, uint64_t n)
{
	struct raw_record raw;
	struct record record;
	size_t event;

	for (uint64_t ip = 0; ip < n; ip++) {
		assert_int_equal(data_file_next(file, &raw), 1);
		assert_int_equal(data_file_decode(file, raw.header, &record, &event), RECORD_OK);
		assert_int_equal(record.sample.ip, ip);
		data_block_unref(raw.block);
	}
	assert_int_equal(data_file_next(file, &raw), 0);
}

/* Whole frames, plain samples, and a stream that is cut anywhere; many more than fit a block. */
static struct builder mixed_recording(uint64_t *n_ret)
{
	struct builder b = two_events_in_a_pipe();
	uint64_t ip = 0;

	for (size_t i = 0; i < 400; i++) {
		struct builder inner = { 0 };

		put_frame(&b, ip, FRAME_SAMPLES, 0);
		ip += FRAME_SAMPLES;
		if (i % 5 == 0)
			put_sample(&b, 1, ip++);
		if (i % 7 != 0)
			continue;
		for (size_t j = 0; j < 20; j++)
			put_sample(&inner, 1, ip++);
		put_compressed(&b, &inner, 100, RECORD_COMPRESSED2, ZSTD_e_end);
		free(inner.bytes);
	}
	*n_ret = ip;
	return b;
}

static void frames_streams_and_plain_records_keep_their_order(void **state)
{
	uint64_t n;
	struct builder b = mixed_recording(&n);

	(void)state;
	struct data_file *file = open_built(&b);
	check_ips_ascend(file, n);
	data_file_close(file);
}

struct helper {
	struct data_file *file;
	atomic_bool is_over;
};

static void *help(void *arg)
{
	struct helper *helper = arg;

	while (!atomic_load(&helper->is_over))
		data_file_help(helper->file);
	return NULL;
}

static void other_threads_may_help(void **state)
{
	enum { N_HELPERS = 3 };
	struct helper helper = { .is_over = false };
	pthread_t threads[N_HELPERS];
	uint64_t n;
	struct builder b = mixed_recording(&n);

	(void)state;
	helper.file = open_built(&b);
	for (size_t i = 0; i < N_HELPERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, help, &helper), 0);
	check_ips_ascend(helper.file, n);
	atomic_store(&helper.is_over, true);
	for (size_t i = 0; i < N_HELPERS; i++)
		pthread_join(threads[i], NULL);
	data_file_close(helper.file);
}

static void a_file_closed_early_drops_the_frames_ahead(void **state)
{
	struct builder b = two_events_in_a_pipe();

	(void)state;
	for (size_t i = 0; i < 8; i++)
		put_frame(&b, 0, 3, 0);
	struct data_file *file = open_built(&b);
	assert_true(data_file_help(file));
	data_file_close(file);
}

/* What precedes the damage is read, at least up to the frame. */
static void what_precedes_a_damaged_frame_is_read(void **state)
{
	struct builder b = two_events_in_a_pipe();

	(void)state;
	put_frame(&b, 0, FRAME_SAMPLES, 0);
	put_frame(&b, 0, FRAME_SAMPLES, 1);
	struct data_file *file = open_built(&b);
	check_two_events(file, 2 * FRAME_SAMPLES, 0);
	data_file_close(file);

	b = two_events_in_a_pipe();
	put_frame(&b, 0, FRAME_SAMPLES, 0);
	size_t offset = b.size;
	put_frame(&b, 0, FRAME_SAMPLES, 0);
	memset(b.bytes + b.size - 16, 0xff, 8);
	put_frame(&b, 0, FRAME_SAMPLES, 0);
	file = open_built(&b);
	struct counts counts = count_all(file);
	assert_int_equal(counts.end, -EINVAL);
	assert_in_range(counts.n_samples[0], FRAME_SAMPLES, 2 * FRAME_SAMPLES - 1);
	check_error(data_file_error(file), "can't be expanded");
	char place[32];
	snprintf(place, sizeof(place), "offset %zu", offset);
	check_error(data_file_error(file), place);
	data_file_close(file);
}

/* A frame that expands to more than a block is read as a stream. */
static void frames_of_any_size_are_read(void **state)
{
	enum { N = FRAME_BLOCK_SIZE / 48 + 1000 };
	struct builder b = two_events_in_a_pipe(), inner = { 0 };
	size_t bound;

	(void)state;
	for (size_t i = 0; i < N; i++)
		put_sample(&inner, 1, 0);
	bound = ZSTD_compressBound(inner.size);
	void *packed = malloc(bound);
	assert_non_null(packed);
	size_t size = ZSTD_compress(packed, bound, inner.bytes, inner.size, 1);
	for (size_t i = 0; i < 3; i++)
		put_payload(&b, RECORD_COMPRESSED2, packed, size);
	free(packed);
	free(inner.bytes);
	struct data_file *file = open_built(&b);
	check_two_events(file, 3 * N, 0);
	data_file_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compressed_records_are_expanded_whatever_their_borders),
		cmocka_unit_test(large_compressed_recordings_pass_through_many_blocks),
		cmocka_unit_test(corrupt_compressed_records_are_named),
		cmocka_unit_test(frames_streams_and_plain_records_keep_their_order),
		cmocka_unit_test(other_threads_may_help),
		cmocka_unit_test(a_file_closed_early_drops_the_frames_ahead),
		cmocka_unit_test(what_precedes_a_damaged_frame_is_read),
		cmocka_unit_test(frames_of_any_size_are_read),
	};

	return cmocka_run_group_tests_name("data_inflate", tests, NULL, NULL);
}
