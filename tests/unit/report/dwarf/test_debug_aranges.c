/* Tables of units' addresses made by hand. */
#include <assert.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "report/dwarf/debug_aranges.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

struct set {
	uint32_t size;
	uint16_t version;
	uint16_t unit[2];
	uint8_t address_size, segment_size;
	uint32_t padding;
	uint64_t tuples[6];
} __attribute__((packed));
static_assert(sizeof(struct set) == 64, "a header of 16 bytes, tuples of 16");

static const struct set sets[] = {
	{ 60, 2, { 0x40, 0 }, 8, 0, 0, { 0x2000, 0x10, 0x1000, 0x20 } },
	{ 60, 2, { 0, 0 }, 8, 0, 0, { 0x3000, 0x10, 0, 0x20, UINT64_MAX, 2 } },
	{ 60, 3, { 0x80, 0 }, 8, 0, 0, { 0x4000, 0x10 } },
	{ 60, 2, { 0x90, 0 }, 3, 0, 0, { 0x4000, 0x10 } },
	{ 60, 2, { 0xa0, 0 }, 8, 4, 0, { 0x4000, 0x10 } },
};

static struct debug_sections sections_of(const void *bytes, size_t size)
{
	struct debug_sections sections = { .byte_order = ELFDATA2LSB };

	sections.of[DEBUG_ARANGES] = (struct debug_bytes){ bytes, size };
	return sections;
}

static void units_have_the_ranges_that_are_listed(void **state)
{
	static const struct {
		uint64_t unit;
		size_t n;
		uint64_t start, end;
	} cases[] = { { 0, 1, 0x3000, 0x3010 }, { 0x40, 2, 0x1000, 0x1020 }, { 0x80, 0, 0, 0 },
		      { 0x90, 0, 0, 0 },        { 0xa0, 0, 0, 0 },           { 1, 0, 0, 0 } };
	struct debug_sections sections = sections_of(sets, sizeof(sets));
	struct debug_aranges aranges;

	(void)state;
	assert_int_equal(debug_aranges_read(&aranges, &sections), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n;
		const struct debug_arange *range = debug_aranges_of(&aranges, cases[i].unit, &n);

		assert_int_equal(n, cases[i].n);
		if (!n)
			continue;
		assert_int_equal(range->start, cases[i].start);
		assert_int_equal(range->end, cases[i].end);
	}
	debug_aranges_deinit(&aranges);
}

static void a_table_cut_at_any_byte_says_nothing_of_what_is_cut(void **state)
{
	(void)state;
	for (size_t size = 0; size <= sizeof(sets); size++) {
		uint8_t *cut = malloc(size + 1);
		struct debug_sections sections = sections_of(cut, size);
		struct debug_aranges aranges;
		size_t n;

		memcpy(cut, sets, size);
		assert_int_equal(debug_aranges_read(&aranges, &sections), 0);
		debug_aranges_of(&aranges, 0x40, &n);
		assert_int_equal(n, size >= 64 ? 2 : 0);
		debug_aranges_of(&aranges, 0, &n);
		assert_int_equal(n, size >= 128 ? 1 : 0);
		debug_aranges_deinit(&aranges);
		free(cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_have_the_ranges_that_are_listed),
		cmocka_unit_test(a_table_cut_at_any_byte_says_nothing_of_what_is_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
