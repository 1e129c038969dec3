#include <errno.h>
#include <zstd.h>

#include "tests/unit/fixtures/built_recording.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static void a_record_of_size_zero_ends_the_reading_and_keeps_what_precedes(void **state)
{
	struct builder b = two_events_in_a_pipe();
	size_t offset;

	(void)state;
	put_sample(&b, 1, 1);
	put_sample(&b, 1, 2);
	offset = b.size;
	put_u32(&b, PERF_RECORD_SAMPLE);
	put_u32(&b, 0);
	put_sample(&b, 1, 3);
	check_corrupt(&b, 2, "size 0", offset);
}

static void a_record_beyond_the_data_section_is_refused(void **state)
{
	struct builder data = { 0 }, b;
	size_t offset;

	(void)state;
	put_sample(&data, 1, 1);
	offset = data.size;
	begin_record(&data, PERF_RECORD_SAMPLE, 0);
	put_zeros(&data, 16);
	end_record(&data);
	data.size -= 8;
	struct feature hostname = string_feature(HOSTNAME, "oak");
	b = two_events_in_a_file(&data, &hostname, 1);
	check_corrupt(&b, 1, "beyond the end of the data",
		      offset + FILE_HEADER_SIZE + 24 + 2 * (ATTR_SIZE + 16));
}

/* A copy with @size bytes at @offset set to @value. */
static struct builder damaged(const struct builder *whole, size_t offset, uint8_t value,
			      size_t size)
{
	struct builder copy = { 0 };

	put_bytes(&copy, whole->bytes, offset);
	for (size_t i = 0; i < size; i++)
		put_bytes(&copy, &value, 1);
	put_bytes(&copy, whole->bytes + offset + size, whole->size - offset - size);
	return copy;
}

static void files_that_are_no_recordings_are_refused_with_a_sentence(void **state)
{
	static const uint8_t swapped[16] = "2ELIFREP";
	static const uint8_t tiny_header[16] = "PERFILE2\x18";
	struct builder data = { 0 };
	struct builder whole = two_events_in_a_file(&data, NULL, 0);
	struct builder no_attrs = damaged(&whole, 32, 0, 8);
	struct builder bad_attr_size = damaged(&whole, 16, 0, 8);
	struct builder bad_ids = damaged(&whole, FILE_HEADER_SIZE + 24 + ATTR_SIZE + 8, 0xff, 8);
	struct data_file *file;
	char *error;

	(void)state;
	const struct {
		const void *bytes;
		size_t size;
		const char *sentence;
	} cases[] = {
		{ "", 0, "is empty" },
		{ "PERF", 4, "ends inside its header" },
		{ "#!/bin/sh\nexit 0\n", 17, "not a perf.data file" },
		{ swapped, 16, "other byte order" },
		{ tiny_header, 16, "header's size" },
		{ whole.bytes, 60, "inside its header" },
		{ whole.bytes, 300, "inside its event descriptions" },
		{ no_attrs.bytes, no_attrs.size, "names no event" },
		{ bad_attr_size.bytes, bad_attr_size.size, "offset 16" },
		{ bad_ids.bytes, bad_ids.size, "ids of the event" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(try_open(cases[i].bytes, cases[i].size, &file, &error), -EINVAL);
		check_error(error, cases[i].sentence);
		free(error);
	}
	free(whole.bytes);
	free(no_attrs.bytes);
	free(bad_attr_size.bytes);
	free(bad_ids.bytes);
}

static void paths_that_can_not_be_opened_are_named(void **state)
{
	struct data_file *file;
	char *error;

	(void)state;
	assert_int_equal(data_file_open("/nonexistent/x.data", &file, &error), -ENOENT);
	check_error(error, "/nonexistent/x.data");
	free(error);
	assert_int_equal(data_file_open("/tmp", &file, &error), -EISDIR);
	check_error(error, "directory");
	free(error);
}

/* Reads the first @size bytes: how many records, as far as the file can be opened. */
static size_t read_cut(const uint8_t *bytes, size_t size, bool *is_reported)
{
	struct data_file *file;
	struct counts counts;
	char *error;

	*is_reported = true;
	if (try_open(bytes, size, &file, &error)) {
		assert_non_null(error);
		free(error);
		return 0;
	}
	counts = count_all(file);
	assert_int_equal(counts.end, 0);
	*is_reported = data_file_truncation(file) && data_file_info(file)->is_cut;
	data_file_close(file);
	return counts.n_records;
}

static void a_file_cut_at_any_byte_is_read_up_to_there(void **state)
{
	struct feature features[] = { string_feature(HOSTNAME, "oak"), event_desc_feature() };
	struct builder data = { 0 }, inner = { 0 }, b;
	size_t n_before = 0;
	bool is_reported;

	(void)state;
	for (uint64_t ip = 0; ip < 5; ip++)
		put_sample(&data, 1, ip);
	for (uint64_t ip = 0; ip < 20; ip++)
		put_sample(&inner, 3, ip);
	put_compressed(&data, &inner, 100, RECORD_COMPRESSED, ZSTD_e_flush);
	free(inner.bytes);
	b = two_events_in_a_file(&data, features, 2);
	for (size_t size = 0; size < b.size; size++) {
		size_t n = read_cut(b.bytes, size, &is_reported);
		assert_true(n >= n_before);
		assert_true(is_reported);
		n_before = n;
	}
	assert_int_equal(read_cut(b.bytes, b.size, &is_reported), 25);
	assert_false(is_reported);
	free(b.bytes);
}

static void a_pipe_cut_inside_a_record_says_so(void **state)
{
	struct builder b = two_events_in_a_pipe();

	(void)state;
	put_sample(&b, 1, 1);
	put_sample(&b, 1, 2);
	b.size -= 5;
	struct data_file *file = open_built(&b);
	check_two_events(file, 1, 0);
	assert_true(data_file_info(file)->is_cut);
	check_error(data_file_truncation(file), "inside the record at offset");
	data_file_close(file);
}

static void a_recording_never_finished_is_read_to_its_end(void **state)
{
	struct feature hostname = string_feature(HOSTNAME, "oak");
	struct builder data = { 0 }, b;

	(void)state;
	put_sample(&data, 1, 1);
	put_sample(&data, 3, 1);
	b = two_events_in_a_file(&data, &hostname, 1);
	memset(b.bytes + 48, 0, 8);           /* the data's size */
	b.size -= hostname.content.size + 16; /* and no table */
	struct data_file *file = open_built(&b);
	assert_true(data_file_info(file)->is_cut);
	check_two_events(file, 1, 1);
	check_error(data_file_truncation(file), "did not finish");
	data_file_close(file);
}

static void a_finished_recording_without_records_is_not_cut(void **state)
{
	struct feature hostname = string_feature(HOSTNAME, "oak");
	struct builder data = { 0 };
	struct builder b = two_events_in_a_file(&data, &hostname, 1);

	(void)state;
	struct data_file *file = open_built(&b);
	assert_false(data_file_info(file)->is_cut);
	assert_string_equal(data_file_info(file)->hostname, "oak");
	check_two_events(file, 0, 0);
	data_file_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_of_size_zero_ends_the_reading_and_keeps_what_precedes),
		cmocka_unit_test(a_record_beyond_the_data_section_is_refused),
		cmocka_unit_test(files_that_are_no_recordings_are_refused_with_a_sentence),
		cmocka_unit_test(paths_that_can_not_be_opened_are_named),
		cmocka_unit_test(a_file_cut_at_any_byte_is_read_up_to_there),
		cmocka_unit_test(a_pipe_cut_inside_a_record_says_so),
		cmocka_unit_test(a_recording_never_finished_is_read_to_its_end),
		cmocka_unit_test(a_finished_recording_without_records_is_not_cut),
	};

	return cmocka_run_group_tests_name("data_file_cut", tests, NULL, NULL);
}
