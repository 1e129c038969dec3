/* This program's own sections and segments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cct/object/elf_image.h"
#include "tests/unit/fixtures/own_elf.h"

static void sections_are_found_by_name_and_type(void **state)
{
	struct own_elf *own = *state;
	struct elf_section section;

	assert_true(elf_find_section(own->elf, ".text", &section));
	assert_true(section.header.sh_flags & SHF_EXECINSTR);
	assert_non_null(elf_section_bytes(&section));
	assert_true(elf_find_section_type(own->elf, SHT_DYNAMIC, &section));
	assert_string_equal(section.name, ".dynamic");
	/* It has no bytes in the file. */
	assert_false(elf_find_section(own->elf, ".bss", &section));
	assert_false(elf_find_section(own->elf, ".none", &section));
}

static void an_offset_leads_to_its_address_and_back(void **state)
{
	struct own_elf *own = *state;
	struct elf_segments segments;
	struct elf_section text;
	uint64_t vaddr, offset;

	assert_int_equal(elf_segments_init(&segments, own->elf), 0);
	assert_true(elf_find_section(own->elf, ".text", &text));
	assert_true(elf_segments_to_vaddr(&segments, text.header.sh_offset, &vaddr));
	assert_int_equal(vaddr, text.header.sh_addr);
	assert_true(elf_segments_to_offset(&segments, vaddr, &offset));
	assert_int_equal(offset, text.header.sh_offset);
	assert_true(elf_segments_at_vaddr(&segments, vaddr)->is_executable);
	assert_false(elf_segments_to_vaddr(&segments, UINT64_MAX, &vaddr));
	assert_false(elf_segments_to_offset(&segments, UINT64_MAX, &offset));
	elf_segments_deinit(&segments);
}

static void of_segments_that_overlap_one_of_code_is_found(void **state)
{
	struct elf_segment all[] = {
		{ .offset = 0, .vaddr = 0x1000, .size = 0x100 },
		{ .offset = 0x80, .vaddr = 0x2080, .size = 0x100, .is_executable = true },
	};
	const struct elf_segments segments = { all, 2 };
	(void)state;

	assert_ptr_equal(elf_segments_at_offset(&segments, 0x7f), &all[0]);
	assert_ptr_equal(elf_segments_at_offset(&segments, 0x90), &all[1]);
	assert_null(elf_segments_at_offset(&segments, 0x180));
	assert_null(elf_segments_at_vaddr(&segments, 0xfff));
}

static void bytes_beyond_the_file_are_not_read(void **state)
{
	struct own_elf *own = *state;
	size_t size;

	assert_non_null(elf_rawfile(own->elf, &size));
	assert_non_null(elf_file_bytes(own->elf, 0, size));
	assert_null(elf_file_bytes(own->elf, 0, size + 1));
	assert_null(elf_file_bytes(own->elf, size, 1));
	assert_null(elf_file_bytes(own->elf, UINT64_MAX, 2));
	assert_null(elf_file_bytes(own->elf, 1, UINT64_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_are_found_by_name_and_type),
		cmocka_unit_test(an_offset_leads_to_its_address_and_back),
		cmocka_unit_test(of_segments_that_overlap_one_of_code_is_found),
		cmocka_unit_test(bytes_beyond_the_file_are_not_read),
	};

	return cmocka_run_group_tests(tests, own_elf_open, own_elf_close);
}
