#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/fixtures/built_recording.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static void raw_bytes_behind_a_record_are_left_out(void **state)
{
	struct builder b = two_events_in_a_pipe();
	struct counts counts;

	(void)state;
	begin_record(&b, RECORD_AUXTRACE, 0);
	put_u64(&b, 3 << 20);
	put_zeros(&b, 32);
	end_record(&b);
	put_zeros(&b, 3 << 20);
	begin_record(&b, RECORD_TRACING_DATA, 0);
	put_u32(&b, 100);
	end_record(&b);
	put_zeros(&b, 100);
	put_sample(&b, 1, 1);
	struct data_file *file = open_built(&b);
	counts = count_all(file);
	assert_int_equal(counts.end, 0);
	assert_int_equal(counts.n_records, 3);
	assert_int_equal(counts.n_samples[0], 1);
	data_file_close(file);
}

static void tracing_data_inside_its_record_is_not_skipped_again(void **state)
{
	struct builder b = two_events_in_a_pipe();

	(void)state;
	begin_record(&b, RECORD_TRACING_DATA, 0);
	put_u32(&b, 2048);
	put_zeros(&b, 2048);
	end_record(&b);
	put_sample(&b, 1, 1);
	struct data_file *file = open_built(&b);
	struct counts counts = count_all(file);
	assert_int_equal(counts.end, 0);
	assert_int_equal(counts.n_records, 2);
	assert_int_equal(counts.n_samples[0], 1);
	data_file_close(file);
}

static void raw_bytes_that_lead_beyond_the_file_cut_it(void **state)
{
	struct builder b = two_events_in_a_pipe();
	struct counts counts;

	(void)state;
	begin_record(&b, RECORD_AUXTRACE, 0);
	put_u64(&b, UINT64_MAX);
	put_zeros(&b, 32);
	end_record(&b);
	put_sample(&b, 1, 1);
	struct data_file *file = open_built(&b);
	counts = count_all(file);
	assert_int_equal(counts.end, 0);
	assert_int_equal(counts.n_records, 1);
	assert_non_null(data_file_truncation(file));
	data_file_close(file);
}

static void records_of_odd_sizes_are_handed_out_aligned(void **state)
{
	struct builder b = two_events_in_a_pipe();
	struct counts counts;

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		begin_record(&b, RECORD_THREAD_MAP, 0);
		put_zeros(&b, i % 13);
		end_record(&b);
		put_sample(&b, 1 + i % 3, i);
	}
	struct data_file *file = open_built(&b);
	counts = count_all(file); /* checks the alignment */
	assert_int_equal(counts.end, 0);
	assert_int_equal(counts.n_records, 2000);
	assert_int_equal(counts.n_samples[0], 667);
	assert_int_equal(counts.n_samples[1], 333);
	data_file_close(file);
}

static void records_stay_as_they_are_while_held(void **state)
{
	enum { N = 300, BODY = 30000 };
	struct builder b = two_events_in_a_pipe();
	struct raw_record held[N];
	uint8_t body[BODY];

	(void)state;
	for (size_t i = 0; i < N; i++) {
		memset(body, (int)(i % 251), sizeof(body));
		begin_record(&b, RECORD_THREAD_MAP, 0);
		put_bytes(&b, body, sizeof(body) - i % 7 * 8);
		end_record(&b);
	}
	struct data_file *file = open_built(&b);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(data_file_next(file, &held[i]), 1);
	for (size_t i = 0; i < N; i++) {
		const uint8_t *bytes = (const uint8_t *)(held[i].header + 1);
		assert_int_equal(held[i].header->size, 8 + BODY - i % 7 * 8);
		assert_int_equal(bytes[0], i % 251);
		assert_int_equal(bytes[held[i].header->size - 9], i % 251);
		data_block_unref(held[i].block);
	}
	assert_int_equal(data_file_next(file, &held[0]), 0);
	data_file_close(file);
}

static void build_ids_are_read(void **state)
{
	struct builder b = two_events_in_a_pipe();

	(void)state;
	for (int has_size = 0; has_size < 2; has_size++) {
		begin_record(&b, RECORD_BUILD_ID, has_size ? 1 << 15 : 0);
		put_u32(&b, UINT32_MAX);
		put_bytes(&b, "BUILDIDBUILDIDBUILDI", 20);
		put_u32(&b, has_size ? 16 : 0);
		put_string(&b, "/lib/libc.so.6");
		end_record(&b);
	}
	struct data_file *file = open_built(&b);
	check_two_events(file, 0, 0);
	assert_int_equal(data_file_n_build_ids(file), 2);
	assert_string_equal(data_file_build_id(file, 0)->path, "/lib/libc.so.6");
	assert_int_equal(data_file_build_id(file, 0)->size, 20);
	assert_int_equal(data_file_build_id(file, 1)->size, 16);
	assert_memory_equal(data_file_build_id(file, 1)->bytes, "BUILDID", 7);
	data_file_close(file);
}

/* Records of all sizes, over many windows; where @shift is odd, they do not lie aligned. */
static struct builder many_records(size_t shift)
{
	struct builder b = two_events_in_a_pipe();

	begin_record(&b, RECORD_THREAD_MAP, 0);
	put_zeros(&b, shift);
	end_record(&b);
	for (size_t i = 0; i < 700; i++) {
		put_sample(&b, 1, i);
		begin_record(&b, RECORD_THREAD_MAP, 0);
		put_zeros(&b, i * 8 * 997 % 60000);
		end_record(&b);
	}
	return b;
}

static void check_samples(struct data_file *file)
{
	struct raw_record raw;
	struct record record;
	size_t event;
	uint64_t n = 0;

	while (data_file_next(file, &raw) > 0) {
		assert_int_equal((uintptr_t)raw.header % 8, 0);
		if (raw.header->type == PERF_RECORD_SAMPLE) {
			assert_int_equal(data_file_decode(file, raw.header, &record, &event),
					 RECORD_OK);
			assert_int_equal(record.sample.ip, n++);
		}
		data_block_unref(raw.block);
	}
	assert_int_equal(n, 700);
	assert_null(data_file_error(file));
	assert_null(data_file_truncation(file));
}

static void records_lie_across_the_windows_of_a_file(void **state)
{
	(void)state;
	for (size_t shift = 0; shift < 2; shift++) {
		struct builder b = many_records(shift);
		struct data_file *file = open_built(&b);
		check_samples(file);
		data_file_close(file);
	}
}

struct piped {
	struct builder b;
	int fd;
};

static void *write_all(void *arg)
{
	struct piped *piped = arg;
	size_t done = 0;

	while (done < piped->b.size) {
		ssize_t got = write(piped->fd, piped->b.bytes + done, piped->b.size - done);
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	close(piped->fd);
	return NULL;
}

static void records_lie_across_the_windows_of_a_pipe(void **state)
{
	(void)state;
	for (size_t shift = 0; shift < 2; shift++) {
		struct piped piped = { .b = many_records(shift) };
		struct data_file *file;
		char path[64], *error = NULL;
		pthread_t writer;
		int fds[2];

		assert_int_equal(pipe(fds), 0);
		piped.fd = fds[1];
		assert_int_equal(pthread_create(&writer, NULL, write_all, &piped), 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
		assert_int_equal(data_file_open(path, &file, &error), 0);
		close(fds[0]);
		check_samples(file);
		pthread_join(writer, NULL);
		data_file_close(file);
		free(piped.b.bytes);
	}
}

/* It is refused where it leads beyond the data, although the file has more bytes. */
static void a_window_ends_where_the_data_end(void **state)
{
	struct feature hostname = string_feature(HOSTNAME, "oak");
	struct builder data = { 0 };

	(void)state;
	for (size_t i = 0; i < 100000; i++)
		put_sample(&data, 1, i);
	begin_record(&data, RECORD_THREAD_MAP, 0);
	put_zeros(&data, 16);
	end_record(&data);
	data.size -= 8;
	struct builder b = two_events_in_a_file(&data, &hostname, 1);
	put_zeros(&b, 1 << 16);
	struct data_file *file = open_built(&b);
	struct counts counts = count_all(file);
	assert_int_equal(counts.n_samples[0], 100000);
	assert_int_equal(counts.end, -EINVAL);
	check_error(data_file_error(file), "beyond the end of the data");
	data_file_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(raw_bytes_behind_a_record_are_left_out),
		cmocka_unit_test(tracing_data_inside_its_record_is_not_skipped_again),
		cmocka_unit_test(raw_bytes_that_lead_beyond_the_file_cut_it),
		cmocka_unit_test(records_of_odd_sizes_are_handed_out_aligned),
		cmocka_unit_test(records_stay_as_they_are_while_held),
		cmocka_unit_test(build_ids_are_read),
		cmocka_unit_test(records_lie_across_the_windows_of_a_file),
		cmocka_unit_test(records_lie_across_the_windows_of_a_pipe),
		cmocka_unit_test(a_window_ends_where_the_data_end),
	};

	return cmocka_run_group_tests_name("data_stream", tests, NULL, NULL);
}
