/* Copies of recordings with more attachments: read like the recording, with these besides. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "perf/file/data_file.h"
#include "perf/writer/data_copy.h"
#include "perf/writer/data_writer.h"
#include "tests/unit/fixtures/memory_recording.h"

#define N_SAMPLES 200

enum { DATA_OFFSET_AT = 40, DATA_SIZE_AT = 48 };

static const uint64_t ids[] = { 11, 12 };
static uint8_t large[200001];

struct made_sample {
	struct perf_event_header header;
	uint64_t id, time_ns;
};

/* A recording with samples, a feature, and a captured file that is listed in feature 192. */
static int make_recording(int level, bool is_pipe)
{
	const struct data_writer_options options = { .compression_level = level,
						     .is_pipe = is_pipe };
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					      .size = PERF_ATTR_SIZE_VER7,
					      .sample_type =
						      PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME,
					      .sample_id_all = 1 };
	int fd = memory_create("", 0);
	struct data_writer *writer = memory_write_recording(fd, &attr, &options);

	for (uint64_t i = 0; i < N_SAMPLES; i++) {
		struct made_sample sample = { { PERF_RECORD_SAMPLE, 0, sizeof(sample) },
					      ids[i % 2],
					      i };

		assert_int_equal(data_writer_append(writer, &sample, sizeof(sample)), 0);
	}
	data_writer_attach(writer, ATTACHMENT_ELF, "- 0:0:1 /captured", large, 100);
	assert_int_equal(data_writer_finish(writer), 0);
	data_writer_destroy(writer);
	return fd;
}

static void expect_attachment(const struct data_file *file, const char *key, size_t size)
{
	uint8_t bytes[sizeof(large) + 1];

	for (size_t i = 0; i < data_file_n_attachments(file); i++) {
		const struct data_file_attachment *found = data_file_attachment(file, i);

		if (strcmp(found->key, key) != 0)
			continue;
		assert_true(found->is_complete);
		assert_int_equal(pread(found->fd, bytes, sizeof(bytes), 0), size);
		assert_memory_equal(bytes, large, size);
		return;
	}
	fail_msg("no attachment %s", key);
}

/* Reads to the end: numbered samples of both events, in turn. */
static uint64_t count_samples(struct data_file *file)
{
	struct raw_record raw;
	struct record record;
	uint64_t n = 0;
	size_t event;

	while (data_file_next(file, &raw) == 1) {
		if (raw.header->type == PERF_RECORD_SAMPLE) {
			assert_int_equal(data_file_decode(file, raw.header, &record, &event),
					 RECORD_OK);
			assert_int_equal(record.time_ns, n);
			assert_int_equal(event, n % 2);
			n++;
		}
		data_block_unref(raw.block);
	}
	assert_null(data_file_error(file));
	return n;
}

/* The copy of @from with two attachments. */
static int copy_recording(int from, bool is_cut)
{
	struct data_copy copy;
	int to = memory_create("", 0), small = memory_create(large, 3),
	    big = memory_create(large, sizeof(large));

	assert_int_equal(data_copy_start(&copy, from, to, is_cut), 0);
	assert_int_equal(data_copy_attach(&copy, ATTACHMENT_FILE, "small", small), 0);
	assert_int_equal(data_copy_attach(&copy, ATTACHMENT_FILE, "big", big), 0);
	assert_int_equal(data_copy_finish(&copy), 0);
	assert_int_equal(lseek(to, 0, SEEK_END), copy.position);
	close(small);
	close(big);
	return to;
}

static void a_copy_is_the_recording_with_more_attachments(void **state)
{
	(void)state;
	for (int level = 0; level <= 3; level += 3) {
		for (int is_pipe = 0; is_pipe < 2; is_pipe++) {
			int from = make_recording(level, is_pipe), to = copy_recording(from, false);
			struct data_file *file = memory_open_recording(to);

			/* known before the first record */
			expect_attachment(file, "small", 3);
			expect_attachment(file, "big", sizeof(large));
			assert_string_equal(data_file_info(file)->hostname, "box");
			assert_string_equal(data_file_event(file, 1)->name, "dummy");
			if (!is_pipe)
				expect_attachment(file, "- 0:0:1 /captured", 100);
			assert_int_equal(count_samples(file), N_SAMPLES);
			expect_attachment(file, "- 0:0:1 /captured", 100);
			assert_null(data_file_truncation(file));
			data_file_close(file);
			close(from);
			close(to);
		}
	}
}

static uint64_t u64_at(int fd, uint64_t offset)
{
	uint64_t value = 0;

	assert_int_equal(pread(fd, &value, sizeof(value), (off_t)offset), sizeof(value));
	return value;
}

static void the_records_themselves_are_unchanged(void **state)
{
	int from = make_recording(3, false), to = copy_recording(from, false);
	uint64_t start = u64_at(from, DATA_OFFSET_AT), size = u64_at(from, DATA_SIZE_AT);
	uint64_t end_of_copy = u64_at(to, DATA_OFFSET_AT) + u64_at(to, DATA_SIZE_AT);
	uint8_t *before = malloc(size), *after = malloc(size);

	(void)state;
	assert_int_equal(u64_at(to, DATA_OFFSET_AT), start);
	assert_int_equal(pread(from, before, size, (off_t)start), size);
	assert_int_equal(pread(to, after, size, (off_t)(end_of_copy - size)), size);
	assert_memory_equal(before, after, size);
	free(before);
	free(after);
	close(from);
	close(to);
}

static void what_was_cut_stays_cut(void **state)
{
	int from = make_recording(0, false);
	uint64_t start = u64_at(from, DATA_OFFSET_AT), size = u64_at(from, DATA_SIZE_AT), zero = 0;

	(void)state;
	/* As a recorder that was killed leaves it, and as a copy that broke off. */
	for (int is_unfinished = 0; is_unfinished < 2; is_unfinished++) {
		assert_int_equal(ftruncate(from, (off_t)(start + size / 2 + 3)), 0);
		if (is_unfinished)
			assert_int_equal(pwrite(from, &zero, sizeof(zero), DATA_SIZE_AT),
					 sizeof(zero));
		struct data_file *before = memory_open_recording(from);
		uint64_t n = count_samples(before);
		assert_true(n > 10 && n < N_SAMPLES);
		int to = copy_recording(from, true);
		struct data_file *after = memory_open_recording(to);
		assert_true(data_file_info(after)->is_cut);
		expect_attachment(after, "big", sizeof(large));
		assert_int_equal(count_samples(after), n);
		assert_non_null(data_file_truncation(after));
		data_file_close(before);
		data_file_close(after);
		close(to);
	}
	close(from);
}

static void what_is_no_recording_is_refused(void **state)
{
	static const uint64_t headers[][13] = {
		/* records begin inside the header; beyond the end */
		{ 0x32454c4946524550ull, 104, 144, 104, 144, 8, 0 },
		{ 0x32454c4946524550ull, 104, 144, 104, 144, 1 << 20, 0 },
	};
	struct data_copy copy;
	int to = memory_create("", 0);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		int from = memory_create(headers[i], sizeof(headers[i]));

		assert_int_equal(data_copy_start(&copy, from, to, false), -EINVAL);
		close(from);
	}
	int from = memory_create("short", 5);
	assert_int_equal(data_copy_start(&copy, from, to, false), -ENODATA);
	close(from);
	close(to);
}

/* Tables that lead anywhere are copied as they are; nothing is read or written beyond the file. */
static void places_that_lead_nowhere_do_no_harm(void **state)
{
	static const size_t places[] = { 24, 32, 48, 16 };

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		static const uint64_t values[] = { UINT64_MAX, 1ull << 63, 1, 0 };

		for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
			int from = make_recording(0, false), to = memory_create("", 0);
			struct data_copy copy;

			assert_int_equal(pwrite(from, &values[k], 8, (off_t)places[i]), 8);
			if (data_copy_start(&copy, from, to, false) == 0)
				data_copy_finish(&copy);
			assert_true(lseek(to, 0, SEEK_END) <= lseek(from, 0, SEEK_END));
			close(from);
			close(to);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_is_the_recording_with_more_attachments),
		cmocka_unit_test(the_records_themselves_are_unchanged),
		cmocka_unit_test(what_was_cut_stays_cut),
		cmocka_unit_test(what_is_no_recording_is_refused),
		cmocka_unit_test(places_that_lead_nowhere_do_no_harm),
	};

	for (size_t i = 0; i < sizeof(large); i++)
		large[i] = (uint8_t)(i * i >> 7);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
