#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "perf/file/data_file.h"
#include "perf/records/window_record.h"
#include "perf/writer/data_join.h"
#include "perf/writer/data_writer.h"
#include "tests/unit/fixtures/memory_recording.h"

#define N_PARTS   4
#define N_SAMPLES 1000 /* of each */

struct test_sample {
	struct perf_event_header header;
	uint64_t id, time_ns;
};

static struct perf_event_attr attr_of_test(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER7,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
	};
}

/* Samples numbered by their times, an attachment that a reader takes first, and a build ID. */
static int make_part(size_t part, int level)
{
	struct perf_event_attr attr = attr_of_test();
	const struct data_writer_options options = { .compression_level = level };
	int fd = memory_create("", 0);
	struct data_writer *writer = memory_write_recording(fd, &attr, &options);
	char key[64], text[8];

	for (size_t i = 0; i < N_SAMPLES; i++) {
		const struct test_sample sample = {
			.header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(sample) },
			.id = 11,
			.time_ns = 1 + part * N_SAMPLES + i,
		};

		assert_int_equal(data_writer_append(writer, &sample, sizeof(sample)), 0);
	}
	snprintf(key, sizeof(key), "- 0:0:0 /file%zu", part);
	snprintf(text, sizeof(text), "part %zu", part);
	assert_int_equal(data_writer_attach(writer, ATTACHMENT_ELF, key, text, strlen(text)), 0);
	assert_int_equal(data_writer_finish(writer), 0);
	data_writer_destroy(writer);
	return fd;
}

static int join_parts(int level, size_t step)
{
	struct window_record first, last;
	struct data_join *join;
	int fds[N_PARTS], out_fd = memory_create("", 0), more;

	for (size_t i = 0; i < N_PARTS; i++)
		fds[i] = make_part(i, level);
	window_record_init(&first, WINDOW_RECORD_BEGIN, 1);
	window_record_init(&last, WINDOW_RECORD_END, N_PARTS * N_SAMPLES);
	const struct data_join_options options = {
		.fds = fds,
		.n_fds = N_PARTS,
		.out_fd = out_fd,
		.first = &first,
		.first_size = sizeof(first),
		.last = &last,
		.last_size = sizeof(last),
	};
	assert_int_equal(data_join_create(&options, &join), 0);
	while ((more = data_join_step(join, step)) > 0)
		;
	assert_int_equal(more, 0);
	struct stat st;
	assert_int_equal(fstat(out_fd, &st), 0);
	assert_int_equal(st.st_size, data_join_n_bytes(join));
	data_join_destroy(join);
	for (size_t i = 0; i < N_PARTS; i++)
		close(fds[i]);
	return out_fd;
}

static void check_attachments(const struct data_file *file)
{
	size_t n = 0;

	for (size_t i = 0; i < data_file_n_attachments(file); i++) {
		const struct data_file_attachment *attachment = data_file_attachment(file, i);
		char text[8] = "", wanted[8];

		if (attachment->kind != ATTACHMENT_ELF)
			continue;
		snprintf(wanted, sizeof(wanted), "part %zu", n++);
		assert_int_equal(attachment->size, strlen(wanted));
		assert_int_equal(pread(attachment->fd, text, attachment->size, 0),
				 attachment->size);
		assert_string_equal(text, wanted);
	}
	assert_int_equal(n, N_PARTS);
}

static void check_file(int fd)
{
	struct data_file *file;
	struct raw_record raw;
	struct record record;
	uint64_t n_samples = 0, n_windows = 0;
	char path[32], *error = NULL;
	size_t event;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(data_file_open(path, &file, &error), 0);
	/* They are listed, so they are there before any record is read. */
	check_attachments(file);
	while (data_file_next(file, &raw) == 1) {
		if (window_record_is_type(raw.header))
			assert_int_equal(n_samples, n_windows++ ? N_PARTS * N_SAMPLES : 0);
		if (raw.header->type == PERF_RECORD_SAMPLE) {
			assert_int_equal(data_file_decode(file, raw.header, &record, &event),
					 RECORD_OK);
			assert_int_equal(record.time_ns, ++n_samples);
		}
		data_block_unref(raw.block);
	}
	assert_null(data_file_error(file));
	assert_int_equal(n_samples, N_PARTS * N_SAMPLES);
	assert_int_equal(n_windows, 2);
	data_file_close(file);
}

static void records_and_attachments_of_all_parts_are_in_the_file(void **state)
{
	static const size_t steps[] = { 100, 4096, SIZE_MAX };

	(void)state;
	for (int level = 0; level <= 3; level += 3) {
		for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
			int fd = join_parts(level, steps[i]);

			check_file(fd);
			close(fd);
		}
	}
}

static void what_is_not_a_finished_recording_is_refused(void **state)
{
	struct data_join *join;
	int fds[2] = { make_part(0, 0), memory_create("PERFILE2", 8) };
	const struct data_join_options options = { .fds = fds, .n_fds = 2, .out_fd = -1 };

	(void)state;
	assert_int_equal(data_join_create(&options, &join), -EINVAL);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_and_attachments_of_all_parts_are_in_the_file),
		cmocka_unit_test(what_is_not_a_finished_recording_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
