/* Sections that are compressed, each way there is; and some that say so and lie. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "report/dwarf/debug_sections.h"
#include "tests/unit/fixtures/debug_image.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define ROOM     8192
#define BY_ZSTD  2
#define PLAIN    0
#define OLD_ZLIB 99

/* What a section becomes by being compressed. */
static size_t pack(int method, const char *text, size_t claimed, char *room)
{
	Elf64_Chdr header = { .ch_type = (Elf64_Word)method, .ch_size = claimed };
	uint64_t old_size = htobe64(claimed);
	size_t at = sizeof(header), size = strlen(text) + 1;

	if (method == PLAIN) {
		memcpy(room, text, size);
		return size;
	}
	if (method == OLD_ZLIB) {
		memcpy(room, "ZLIB", 4);
		memcpy(room + 4, &old_size, 8);
		at = 12;
	} else {
		memcpy(room, &header, sizeof(header));
	}
	if (method == BY_ZSTD)
		return at + ZSTD_compress(room + at, ROOM - at, text, size, 1);
	struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(6);
	at += libdeflate_zlib_compress(compressor, text, size, room + at, ROOM - at);
	libdeflate_free_compressor(compressor);
	return at;
}

static void read_section(struct debug_sections *sections, struct debug_image *image, int method,
			 const char *text, size_t claimed)
{
	char room[ROOM];
	struct image_section section = {
		.name = method == OLD_ZLIB ? ".zdebug_str" : ".debug_str",
		.bytes = room,
		.size = pack(method, text, claimed, room),
		.flags = method == PLAIN || method == OLD_ZLIB ? 0 : SHF_COMPRESSED,
	};

	debug_image_init(image, &section, 1);
	assert_int_equal(debug_sections_read(sections, image->elf, false, false), 0);
}

static const int methods[] = { PLAIN, ELFCOMPRESS_ZLIB, BY_ZSTD, OLD_ZLIB };
static const char text[] = "names names names names of of of of things things things things";

static void sections_are_read_whatever_they_are_compressed_by(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		struct debug_sections sections;
		struct debug_image image;

		read_section(&sections, &image, methods[i], text, sizeof(text));
		assert_int_equal(sections.of[DEBUG_STR].size, sizeof(text));
		assert_memory_equal(sections.of[DEBUG_STR].bytes, text, sizeof(text));
		assert_null(sections.of[DEBUG_INFO].bytes);
		debug_sections_deinit(&sections);
		debug_image_deinit(&image);
	}
}

static void sections_that_lie_about_their_size_are_missing(void **state)
{
	static const size_t claims[] = { 0,        1,        sizeof(text) - 1, sizeof(text) + 1,
					 1u << 30, SIZE_MAX, SIZE_MAX / 2 };

	(void)state;
	for (size_t i = 1; i < sizeof(methods) / sizeof(methods[0]); i++) {
		for (size_t k = 0; k < sizeof(claims) / sizeof(claims[0]); k++) {
			struct debug_sections sections;
			struct debug_image image;

			read_section(&sections, &image, methods[i], text, claims[k]);
			assert_null(sections.of[DEBUG_STR].bytes);
			debug_sections_deinit(&sections);
			debug_image_deinit(&image);
		}
	}
}

static void sections_compressed_by_an_unknown_method_are_missing(void **state)
{
	struct debug_sections sections;
	struct debug_image image;

	(void)state;
	read_section(&sections, &image, 7, text, sizeof(text));
	assert_null(sections.of[DEBUG_STR].bytes);
	debug_sections_deinit(&sections);
	debug_image_deinit(&image);
}

/* Bytes that do not compress well, so that the sections are large in the file, too. */
static void fill(uint8_t *bytes, size_t size, uint32_t seed)
{
	for (size_t i = 0; i < size; i++) {
		seed = seed * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(seed >> 24);
	}
}

static size_t pack_large(const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size)
{
	Elf64_Chdr header = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = size };
	struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(1);

	memcpy(room, &header, sizeof(header));
	size = libdeflate_zlib_compress(compressor, bytes, size, room + sizeof(header),
					room_size - sizeof(header));
	libdeflate_free_compressor(compressor);
	return sizeof(header) + size;
}

/* In any order of sizes, and one of them is broken. */
static void large_sections_are_read_by_several_threads(void **state)
{
	static const char *const names[] = { ".debug_str", ".debug_info", ".debug_line",
					     ".debug_ranges" };
	static const enum debug_section which[] = { DEBUG_STR, DEBUG_INFO, DEBUG_LINE,
						    DEBUG_RANGES };
	static const size_t sizes[] = { 150000, 400000, 300000, 90000 };
	enum { N = 4, BROKEN = 2 };
	uint8_t *bytes[N], *packed[N];
	struct image_section section[N];
	struct debug_sections sections;
	struct debug_image image;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		bytes[i] = malloc(sizes[i]);
		packed[i] = malloc(2 * sizes[i]);
		fill(bytes[i], sizes[i], (uint32_t)i);
		section[i] = (struct image_section){
			.name = names[i],
			.bytes = (const char *)packed[i],
			.size = pack_large(bytes[i], sizes[i], packed[i], 2 * sizes[i]),
			.flags = SHF_COMPRESSED,
		};
	}
	packed[BROKEN][section[BROKEN].size / 2] ^= 0xff;
	debug_image_init(&image, section, N);
	assert_int_equal(debug_sections_read(&sections, image.elf, false, false), 0);
	for (size_t i = 0; i < N; i++) {
		const struct debug_bytes *of = &sections.of[which[i]];

		if (i == BROKEN) {
			assert_null(of->bytes);
		} else {
			assert_int_equal(of->size, sizes[i]);
			assert_memory_equal(of->bytes, bytes[i], sizes[i]);
		}
	}
	debug_sections_deinit(&sections);
	debug_image_deinit(&image);
	for (size_t i = 0; i < N; i++) {
		free(bytes[i]);
		free(packed[i]);
	}
}

static void sections_of_split_units_are_distinguished(void **state)
{
	static const struct image_section both[] = {
		{ ".debug_str", "whole", 6, 0 },
		{ ".debug_str.dwo", "split", 6, 0 },
		{ ".debug_str_offsets.dwo", "offsets", 8, 0 },
		{ ".debug_cu_index", "index", 6, 0 },
		{ ".debug_strange", "no", 3, 0 },
	};
	struct debug_sections sections;
	struct debug_image image;

	(void)state;
	debug_image_init(&image, both, sizeof(both) / sizeof(both[0]));
	assert_int_equal(debug_sections_read(&sections, image.elf, false, false), 0);
	assert_string_equal((const char *)sections.of[DEBUG_STR].bytes, "whole");
	assert_null(sections.of[DEBUG_STR_OFFSETS].bytes);
	debug_sections_deinit(&sections);
	assert_int_equal(debug_sections_read(&sections, image.elf, true, false), 0);
	assert_string_equal((const char *)sections.of[DEBUG_STR].bytes, "split");
	assert_string_equal((const char *)sections.of[DEBUG_STR_OFFSETS].bytes, "offsets");
	assert_string_equal((const char *)sections.of[DEBUG_CU_INDEX].bytes, "index");
	debug_sections_deinit(&sections);
	debug_image_deinit(&image);
}

static void where_variables_are_is_read_where_it_is_asked_for(void **state)
{
	static const struct image_section lists[] = {
		{ ".debug_loc", "old", 4, 0 },
		{ ".debug_loclists", "new", 4, 0 },
	};
	struct debug_sections sections;
	struct debug_image image;

	(void)state;
	debug_image_init(&image, lists, sizeof(lists) / sizeof(lists[0]));
	assert_int_equal(debug_sections_read(&sections, image.elf, false, false), 0);
	assert_null(sections.of[DEBUG_LOC].bytes);
	assert_null(sections.of[DEBUG_LOCLISTS].bytes);
	debug_sections_deinit(&sections);
	assert_int_equal(debug_sections_read(&sections, image.elf, false, true), 0);
	assert_string_equal((const char *)sections.of[DEBUG_LOC].bytes, "old");
	assert_string_equal((const char *)sections.of[DEBUG_LOCLISTS].bytes, "new");
	debug_sections_deinit(&sections);
	debug_image_deinit(&image);
}

static void numbers_have_the_order_of_the_file(void **state)
{
	static const uint8_t bytes[] = { 1, 2, 3 };
	struct debug_sections sections = { .byte_order = ELFDATA2LSB };

	(void)state;
	assert_int_equal(debug_sections_number(&sections, bytes, 3), 0x030201);
	sections.byte_order = ELFDATA2MSB;
	assert_int_equal(debug_sections_number(&sections, bytes, 3), 0x010203);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_are_read_whatever_they_are_compressed_by),
		cmocka_unit_test(sections_that_lie_about_their_size_are_missing),
		cmocka_unit_test(sections_compressed_by_an_unknown_method_are_missing),
		cmocka_unit_test(large_sections_are_read_by_several_threads),
		cmocka_unit_test(sections_of_split_units_are_distinguished),
		cmocka_unit_test(where_variables_are_is_read_where_it_is_asked_for),
		cmocka_unit_test(numbers_have_the_order_of_the_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
