/* Sections are read back as written; files that were cut or changed are refused with a reason. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/encoding/sections.h"

struct bytes {
	char *bytes;
	size_t size;
};

static void write_section(struct section_writer *writer, uint32_t type, size_t size)
{
	struct byte_buffer body = { 0 };

	for (size_t i = 0; i < size; i++)
		byte_buffer_add_unsigned(&body, (i * i + type) & 0x7f);
	assert_int_equal(section_write(writer, type, 0, &body), 0);
	byte_buffer_deinit(&body);
}

/* Sections 1 (5 bytes), 2 (empty) and 3 (300 000 bytes). */
static struct bytes write_file(void)
{
	struct bytes file;
	struct section_writer writer;
	FILE *stream = open_memstream(&file.bytes, &file.size);

	assert_non_null(stream);
	assert_int_equal(section_writer_init(&writer, stream, SECTIONS_VERSION), 0);
	write_section(&writer, 1, 5);
	write_section(&writer, 2, 0);
	write_section(&writer, 3, 300000);
	assert_int_equal(section_writer_end(&writer), 0);
	section_writer_deinit(&writer);
	fclose(stream);
	return file;
}

/* Reads all sections. Returns the last result, with the number of sections read. */
static int read_file(const void *bytes, size_t size, unsigned *n_ret, char **error_ret)
{
	struct section_reader reader;
	struct section section;
	FILE *stream = fmemopen((void *)bytes, size, "r");

	assert_non_null(stream);
	*n_ret = 0;
	int got = section_reader_init(&reader, stream, error_ret);
	while (!got) {
		got = section_read(&reader, &section, error_ret);
		if (got <= 0)
			break;
		++*n_ret;
		for (size_t i = 0; i < section.size; i += 997)
			assert_int_equal(section.bytes[i], (i * i + section.type) & 0x7f);
		got = 0;
	}
	section_reader_deinit(&reader);
	fclose(stream);
	return got;
}

static void sections_are_read_back(void **state)
{
	struct bytes file = write_file();
	unsigned n;
	char *error;

	(void)state;
	assert_true(sections_recognize((const uint8_t *)file.bytes));
	assert_int_equal(read_file(file.bytes, file.size, &n, &error), 0);
	assert_int_equal(n, 3);
	free(file.bytes);
}

/* Bytes of two kinds, in turns; as pieces or not. */
static void make_body(struct byte_buffer *body, bool has_pieces)
{
	uint32_t state = 1;

	for (uint32_t i = 0; i < 80000; i++) {
		state = state * 1664525u + 1013904223u;
		const uint8_t byte = (uint8_t)(i / 10000 % 2 ? state >> 26 | 0x40 : state >> 28);

		if (has_pieces && i % 10000 == 0)
			byte_buffer_end_piece(body);
		byte_buffer_add(body, &byte, 1);
	}
}

/* Reads a file of a single section, whose body is this. */
static void expect_body(const struct bytes *file, const struct byte_buffer *body)
{
	FILE *stream = fmemopen(file->bytes, file->size, "r");
	struct section_reader reader;
	struct section section;
	char *error;

	assert_non_null(stream);
	assert_int_equal(section_reader_init(&reader, stream, &error), 0);
	assert_int_equal(section_read(&reader, &section, &error), 1);
	assert_int_equal(section.size, body->size);
	assert_memory_equal(section.bytes, body->bytes, body->size);
	assert_int_equal(section_read(&reader, &section, &error), 0);
	section_reader_deinit(&reader);
	fclose(stream);
}

static void pieces_of_different_kinds_take_less(void **state)
{
	size_t sizes[2];

	(void)state;
	for (int has_pieces = 0; has_pieces < 2; has_pieces++) {
		struct byte_buffer body = { 0 };
		struct section_writer writer;
		struct bytes file;
		FILE *stream = open_memstream(&file.bytes, &file.size);

		make_body(&body, has_pieces);
		assert_int_equal(body.n_ends, has_pieces ? 7 : 0);
		assert_int_equal(section_writer_init(&writer, stream, SECTIONS_VERSION), 0);
		assert_int_equal(section_write(&writer, 1, 0, &body), 0);
		assert_int_equal(section_writer_end(&writer), 0);
		section_writer_deinit(&writer);
		fclose(stream);
		expect_body(&file, &body);
		sizes[has_pieces] = file.size;
		free(file.bytes);
		byte_buffer_deinit(&body);
	}
	assert_in_range(sizes[1], 1, sizes[0] - sizes[0] / 20);
}

static void a_file_cut_anywhere_is_refused(void **state)
{
	struct bytes file = write_file();

	(void)state;
	for (size_t size = 1; size < file.size; size++) {
		unsigned n;
		char *error;

		assert_int_equal(read_file(file.bytes, size, &n, &error), -EINVAL);
		assert_non_null(strstr(error, "the profile was cut off"));
		free(error);
	}
	free(file.bytes);
}

/* Its type, flags or size; of the first section and of the last one, where the file ends. */
static void a_changed_start_is_refused(void **state)
{
	struct bytes file = write_file();
	const size_t starts[] = { 16, file.size - 16 };

	(void)state;
	for (size_t at = 0; at < 32; at++) {
		for (int bit = 0; bit < 8; bit++) {
			char *byte = &file.bytes[starts[at / 16] + at % 16];
			unsigned n;
			char *error;

			*byte ^= (char)(1 << bit);
			assert_int_equal(read_file(file.bytes, file.size, &n, &error), -EINVAL);
			assert_non_null(strstr(error, ": its start was changed"));
			free(error);
			*byte ^= (char)(1 << bit);
		}
	}
	free(file.bytes);
}

/* Files that earlier dendros have written. */
static void starts_without_a_check_are_read(void **state)
{
	static const char start[16] = { 1 }, end[16];
	struct bytes file = write_file();
	char *error;
	unsigned n;

	(void)state;
	memcpy(file.bytes + 16, start, sizeof(start));
	memcpy(file.bytes + 32, end, sizeof(end));
	assert_int_equal(read_file(file.bytes, 48, &n, &error), 0);
	assert_int_equal(n, 1);
	free(file.bytes);
}

static void a_changed_body_is_refused(void **state)
{
	struct bytes file = write_file();
	const size_t first = 16 + 16, end = first + 5; /* of section 1's frame, at least */

	(void)state;
	for (size_t at = first; at < end; at++) {
		unsigned n;
		char *error;

		file.bytes[at] ^= 0x41;
		assert_int_equal(read_file(file.bytes, file.size, &n, &error), -EINVAL);
		assert_non_null(strstr(error, "the profile is damaged: section 1 "));
		free(error);
		file.bytes[at] ^= 0x41;
	}
	free(file.bytes);
}

static void another_version_and_another_format_are_named(void **state)
{
	struct bytes file = write_file();
	unsigned n;
	char *error;

	(void)state;
	file.bytes[SECTIONS_MAGIC_SIZE] = 9;
	assert_int_equal(read_file(file.bytes, file.size, &n, &error), -EINVAL);
	assert_string_equal(error, "the profile has version 9 of the format; this dendro reads "
				   "versions 1 to 5");
	free(error);
	file.bytes[0] = 'P';
	assert_int_equal(read_file(file.bytes, file.size, &n, &error), -EINVAL);
	assert_string_equal(error, "it is not a profile of dendro's");
	free(error);
	free(file.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_are_read_back),
		cmocka_unit_test(pieces_of_different_kinds_take_less),
		cmocka_unit_test(a_file_cut_anywhere_is_refused),
		cmocka_unit_test(a_changed_start_is_refused),
		cmocka_unit_test(starts_without_a_check_are_read),
		cmocka_unit_test(a_changed_body_is_refused),
		cmocka_unit_test(another_version_and_another_format_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
