#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#include "perf/file/data_file.h"
#include "perf/writer/data_writer.h"
#include "tests/unit/fixtures/memory_recording.h"

#define MMAP_LEN (4u << 20)

enum { HEADER_SIZE = 104, DATA_OFFSET_AT = 40, DATA_SIZE_AT = 48, FEATURES_AT = 72 };

static const uint64_t ids[] = { 11, 12 };

static struct perf_event_attr attr_of_test(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER7,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.sample_id_all = 1,
	};
}

struct bench {
	int fd;
	struct perf_event_attr attr;
	struct data_writer *writer;
};

static void bench_init_threads(struct bench *bench, int level, unsigned n_threads, bool is_pipe)
{
	const struct data_writer_options options = { .compression_level = level,
						     .n_threads = n_threads,
						     .is_pipe = is_pipe };

	bench->fd = memory_create("", 0);
	bench->attr = attr_of_test();
	bench->writer = memory_write_recording(bench->fd, &bench->attr, &options);
}

static void bench_init(struct bench *bench, int level, bool is_pipe)
{
	bench_init_threads(bench, level, 0, is_pipe);
}

static void bench_deinit(struct bench *bench)
{
	data_writer_destroy(bench->writer);
	close(bench->fd);
}

/* A sample numbered by its time; its raw part is @size bytes. */
struct test_sample {
	struct perf_event_header header;
	uint64_t id, time_ns;
	uint32_t raw_size;
	uint8_t raw[65000];
};

static const struct perf_event_header *make_sample(uint64_t number, uint32_t raw_size,
						   bool is_random)
{
	static struct test_sample sample;
	uint64_t random = number * 0x9e3779b97f4a7c15ull + 1;

	raw_size = (raw_size + 7) / 8 * 8 + 4; /* the whole is a multiple of 8 */
	sample.header = (struct perf_event_header){ .type = PERF_RECORD_SAMPLE,
						    .size = (uint16_t)(28 + raw_size) };
	sample.id = ids[0];
	sample.time_ns = number;
	sample.raw_size = raw_size;
	for (uint32_t i = 0; i < raw_size; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		sample.raw[i] = is_random ? (uint8_t)random : (uint8_t)(i / 64);
	}
	return &sample.header;
}

static void append_samples(struct bench *bench, uint64_t first, uint64_t n, uint32_t raw_size,
			   bool is_random)
{
	for (uint64_t i = first; i < first + n; i++) {
		const struct perf_event_header *sample = make_sample(i, raw_size, is_random);
		assert_int_equal(data_writer_append(bench->writer, sample, sample->size), 0);
	}
}

static uint64_t u64_at(int fd, off_t offset)
{
	uint64_t value = 0;

	assert_int_equal(pread(fd, &value, sizeof(value), offset), sizeof(value));
	return value;
}

/* Reads samples, checks that they are numbered from 0, and returns how many there are. */
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
			assert_int_equal(event, 0);
			n++;
		}
		data_block_unref(raw.block);
	}
	assert_null(data_file_error(file));
	return n;
}

static void records_come_back_in_order_whatever_the_level(void **state)
{
	static const struct {
		int level;
		bool is_pipe, is_random;
		uint32_t size;
	} cases[] = {
		{ 0, false, false, 100 },   { 1, false, false, 100 },  { 3, false, false, 16000 },
		{ 3, false, true, 16000 },  { -5, false, true, 3000 }, { 3, true, false, 16000 },
		{ 3, false, false, 64900 }, { 3, false, true, 64900 }, { 0, true, true, 64900 },
		{ 19, false, false, 9000 },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench bench;

		bench_init_threads(&bench, cases[i / 2].level, i % 2 ? 3 : 0, cases[i / 2].is_pipe);
		append_samples(&bench, 0, 500, cases[i / 2].size, cases[i / 2].is_random);
		assert_int_equal(data_writer_finish(bench.writer), 0);
		assert_int_equal(data_writer_n_bytes(bench.writer), lseek(bench.fd, 0, SEEK_END));

		struct data_file *file = memory_open_recording(bench.fd);
		assert_int_equal(count_samples(file), 500);
		assert_string_equal(data_file_info(file)->hostname, "box");
		assert_string_equal(data_file_event(file, 1)->name, "dummy");
		assert_int_equal(data_file_event(file, 1)->ids[0], 12);
		assert_null(data_file_truncation(file));
		data_file_close(file);
		bench_deinit(&bench);
	}
}

/* Walks the records of the data section without the code under test. */
static size_t check_frames(int fd, uint64_t offset, uint64_t end)
{
	uint8_t *payload = malloc(65536), *expanded = malloc(MMAP_LEN + 1);
	size_t n_frames = 0;

	while (offset < end) {
		struct perf_event_header header;

		assert_int_equal(pread(fd, &header, sizeof(header), (off_t)offset), sizeof(header));
		assert_int_equal(header.size % 8, 0);
		assert_int_equal(offset % 8, 0);
		if (header.type == RECORD_COMPRESSED) {
			size_t size = header.size - sizeof(header);
			assert_int_equal(pread(fd, payload, size, (off_t)offset + 8), size);
			size_t n = ZSTD_decompress(expanded, MMAP_LEN + 1, payload, size);
			assert_false(ZSTD_isError(n));
			assert_in_range(n, 1, MMAP_LEN);
			assert_int_equal(ZSTD_findFrameCompressedSize(payload, size), size);
			for (size_t at = 0; at < n;) {
				struct perf_event_header *inner = (void *)(expanded + at);
				assert_true(inner->size <= n - at && inner->size >= 8);
				at += inner->size;
			}
			n_frames++;
		}
		offset += header.size;
	}
	assert_int_equal(offset, end);
	free(payload);
	free(expanded);
	return n_frames;
}

static void each_compressed_record_is_one_frame_of_whole_records(void **state)
{
	static const struct {
		uint32_t size;
		bool is_random;
		uint64_t n;
		size_t min_frames;
	} cases[] = {
		{ 16000, false, 2000, 7 }, /* limited by what a frame expands to */
		{ 1000, true, 1000, 15 },  /* by its size in the file */
		{ 40000, true, 100, 60 },
		{ 8, false, 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench bench;

		bench_init_threads(&bench, 3, i % 2 ? 2 : 0, false);
		append_samples(&bench, 0, cases[i / 2].n, cases[i / 2].size,
			       cases[i / 2].is_random);
		assert_int_equal(data_writer_finish(bench.writer), 0);
		uint64_t offset = u64_at(bench.fd, DATA_OFFSET_AT);
		uint64_t end = offset + u64_at(bench.fd, DATA_SIZE_AT);
		assert_true(check_frames(bench.fd, offset, end) >= cases[i / 2].min_frames);
		bench_deinit(&bench);
	}
}

static void a_record_that_does_not_compress_is_written_as_it_is(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 3, false);
	append_samples(&bench, 0, 1, 64900, true);
	append_samples(&bench, 1, 1, 100, false);
	assert_int_equal(data_writer_finish(bench.writer), 0);
	uint64_t offset = u64_at(bench.fd, DATA_OFFSET_AT);
	uint64_t end = offset + u64_at(bench.fd, DATA_SIZE_AT);
	assert_int_equal(check_frames(bench.fd, offset, end), 1);
	struct data_file *file = memory_open_recording(bench.fd);
	assert_int_equal(count_samples(file), 2);
	data_file_close(file);
	bench_deinit(&bench);
}

/* Whatever the place of the cut, the samples before it are there, and the file tells its host. */
static void a_file_cut_anywhere_is_read_up_to_there(void **state)
{
	static uint8_t bytes[1 << 20];
	struct bench bench;
	uint64_t n_before = 0;

	(void)state;
	bench_init(&bench, 3, false);
	for (uint64_t i = 0; i < 20; i++) {
		append_samples(&bench, i * 10, 10, 300, true);
		data_writer_flush(bench.writer);
	}
	assert_int_equal(data_writer_finish(bench.writer), 0);
	uint64_t start = u64_at(bench.fd, DATA_OFFSET_AT);
	uint64_t end = start + u64_at(bench.fd, DATA_SIZE_AT);
	assert_true(end < sizeof(bytes));
	assert_int_equal(pread(bench.fd, bytes, end, 0), end);
	/* As a recorder leaves it that never came to the end. */
	memset(bytes + DATA_SIZE_AT, 0, 8);
	memset(bytes + FEATURES_AT, 0, 32);

	for (uint64_t cut = start; cut <= end; cut += 97) {
		int fd = memfd_create("cut", MFD_CLOEXEC);
		assert_int_equal(write(fd, bytes, cut), cut);
		struct data_file *file = memory_open_recording(fd);
		uint64_t n = count_samples(file);
		assert_true(n >= n_before);
		assert_int_equal(n % 10, 0);
		if (n)
			assert_string_equal(data_file_info(file)->hostname, "box");
		n_before = n;
		data_file_close(file);
		close(fd);
	}
	assert_true(n_before >= 190);
	bench_deinit(&bench);
}

static void check_attachment(const struct data_file *file, enum attachment_kind kind,
			     const char *key, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < data_file_n_attachments(file); i++) {
		const struct data_file_attachment *attachment = data_file_attachment(file, i);

		if (attachment->kind != kind || strcmp(attachment->key, key) != 0)
			continue;
		uint8_t *back = malloc(size + 1);
		assert_true(attachment->is_complete);
		assert_int_equal(attachment->size, size);
		assert_int_equal(pread(attachment->fd, back, size + 1, 0), size);
		assert_memory_equal(back, bytes, size);
		free(back);
		return;
	}
	fail_msg("no attachment %s", key);
}

static void attachments_longer_than_a_record_come_back_whole(void **state)
{
	size_t size = 300001;
	uint8_t *bytes = malloc(size);

	(void)state;
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(i * i >> 7);
	for (int i = 0; i < 3; i++) {
		for (int is_pipe = 0; is_pipe < 2; is_pipe++) {
			struct bench bench;

			bench_init_threads(&bench, i ? 3 : 0, i == 2, is_pipe);
			append_samples(&bench, 0, 1, 100, false);
			data_writer_attach(bench.writer, ATTACHMENT_KALLSYMS, "", bytes, size);
			data_writer_attach(bench.writer, ATTACHMENT_ELF, "- 0:0:1 /a b", bytes, 7);
			data_writer_attach(bench.writer, ATTACHMENT_VDSO, "[vdso]", bytes, 0);
			append_samples(&bench, 1, 1, 100, false);
			assert_int_equal(data_writer_finish(bench.writer), 0);
			struct data_file *file = memory_open_recording(bench.fd);
			assert_int_equal(count_samples(file), 2);
			check_attachment(file, ATTACHMENT_KALLSYMS, "", bytes, size);
			check_attachment(file, ATTACHMENT_ELF, "- 0:0:1 /a b", bytes, 7);
			data_file_close(file);
			bench_deinit(&bench);
		}
	}
	free(bytes);
}

static void an_error_sticks(void **state)
{
	struct data_writer_options options = { .compression_level = 0 };
	struct perf_event_attr attr = attr_of_test();
	const struct data_writer_event events[] = { { &attr, "cpu-clock", ids, 1 } };
	struct data_writer *writer = NULL;
	int fd = open("/dev/full", O_RDWR | O_CLOEXEC);

	(void)state;
	if (fd < 0)
		skip();
	int err = data_writer_create(fd, &options, events, 1, NULL, 0, &writer);
	if (!err) {
		const struct perf_event_header *sample = make_sample(0, 100, false);

		err = data_writer_finish(writer);
		assert_int_equal(data_writer_append(writer, sample, sample->size), err);
		assert_int_equal(data_writer_flush(writer), err);
		assert_int_equal(data_writer_n_bytes(writer), 0);
		data_writer_destroy(writer);
	}
	assert_int_equal(err, -ENOSPC);
	close(fd);
}

static void attrs_of_different_sizes_get_the_largest(void **state)
{
	struct data_writer_options options = { .compression_level = 0 };
	struct perf_event_attr small = attr_of_test(), large = attr_of_test();
	const struct data_writer_event events[] = { { &small, "small", ids, 1 },
						    { &large, "large", ids + 1, 1 } };
	struct data_writer *writer;
	int fd = memfd_create("recording", MFD_CLOEXEC);

	(void)state;
	small.size = PERF_ATTR_SIZE_VER5;
	assert_int_equal(data_writer_create(fd, &options, events, 2, NULL, 0, &writer), 0);
	assert_int_equal(data_writer_finish(writer), 0);
	struct data_file *file = memory_open_recording(fd);
	assert_int_equal(data_file_n_events(file), 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(data_file_event(file, i)->attr.size, PERF_ATTR_SIZE_VER7);
		assert_int_equal(data_file_event(file, i)->attr.config, PERF_COUNT_SW_CPU_CLOCK);
	}
	data_file_close(file);
	data_writer_destroy(writer);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_come_back_in_order_whatever_the_level),
		cmocka_unit_test(each_compressed_record_is_one_frame_of_whole_records),
		cmocka_unit_test(a_record_that_does_not_compress_is_written_as_it_is),
		cmocka_unit_test(a_file_cut_anywhere_is_read_up_to_there),
		cmocka_unit_test(attachments_longer_than_a_record_come_back_whole),
		cmocka_unit_test(an_error_sticks),
		cmocka_unit_test(attrs_of_different_sizes_get_the_largest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
