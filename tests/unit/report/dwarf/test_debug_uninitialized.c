/* What the compiler says is not initialized: as a location, and in lists of DWARF 4 and 5. */
#include <dwarf.h>
#include <stdint.h>
#include <string.h>

#include "report/dwarf/debug_location.h"
#include "tests/unit/fixtures/located_image.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define UNIT_BASE 0x1000

/* A variable whose location is a list of @size bytes. */
struct listed {
	struct debug_image image;
	Dwarf *dwarf;
	Dwarf_Die variable;
};

static void listed_init(struct listed *listed, int version, const uint8_t *list, size_t size)
{
	static const uint8_t abbreviations[] = {
		1, DW_TAG_compile_unit, 1, DW_AT_low_pc,   DW_FORM_addr,       0, 0,
		2, DW_TAG_variable,     0, DW_AT_location, DW_FORM_sec_offset, 0, 0,
		0,
	};
	struct located_bytes info = { .n = 4 };

	located_put(&info, (uint64_t)version, 2);
	if (version >= 5) {
		located_put(&info, DW_UT_compile, 1);
		located_put(&info, 8, 1);
		located_put(&info, 0, 4);
	} else {
		located_put(&info, 0, 4);
		located_put(&info, 8, 1);
	}
	located_put(&info, 1, 1);
	located_put(&info, UNIT_BASE, 8);
	const size_t variable = info.n;
	located_put(&info, 2, 1);
	located_put(&info, 0, 4);
	located_put(&info, 0, 1);
	const uint32_t length = (uint32_t)info.n - 4;
	memcpy(info.bytes, &length, sizeof(length));

	const struct image_section sections[] = {
		{ ".debug_abbrev", abbreviations, sizeof(abbreviations), 0 },
		{ ".debug_info", info.bytes, info.n, 0 },
		{ version >= 5 ? ".debug_loclists" : ".debug_loc", list, size, 0 },
	};
	debug_image_init(&listed->image, sections, 3);
	listed->dwarf = dwarf_begin_elf(listed->image.elf, DWARF_C_READ, NULL);
	assert_non_null(dwarf_offdie(listed->dwarf, variable, &listed->variable));
}

static void listed_deinit(struct listed *listed)
{
	dwarf_end(listed->dwarf);
	debug_image_deinit(&listed->image);
}

static enum debug_reason reason_at(struct listed *listed, uint64_t vaddr)
{
	static const uint64_t registers[17] = { 1 };
	const struct debug_frame frame = { .registers = registers, .known = ~0ull, .vaddr = vaddr };
	struct debug_location location;

	return debug_location_find(&location, &listed->variable, &frame);
}

static void check_list(int version, const uint8_t *list, size_t size)
{
	struct listed listed;

	listed_init(&listed, version, list, size);
	assert_int_equal(reason_at(&listed, UNIT_BASE + 0x10), DEBUG_KNOWN);
	assert_int_equal(reason_at(&listed, UNIT_BASE + 0x20), DEBUG_NOT_INITIALIZED);
	assert_int_equal(reason_at(&listed, UNIT_BASE + 0x2f), DEBUG_NOT_INITIALIZED);
	assert_int_equal(reason_at(&listed, UNIT_BASE + 0x30), DEBUG_OPTIMIZED_OUT);
	assert_int_equal(reason_at(&listed, 0x5008), DEBUG_NOT_INITIALIZED);
	assert_int_equal(reason_at(&listed, 0x5010), DEBUG_OPTIMIZED_OUT);
	listed_deinit(&listed);
}

static void a_list_says_where_a_variable_is_not_initialized(void **state)
{
	static const uint8_t list[] = {
		DW_LLE_offset_pair,
		0x10,
		0x20,
		1,
		DW_OP_reg5,
		DW_LLE_offset_pair,
		0x20,
		0x30,
		2,
		DW_OP_reg5,
		DW_OP_GNU_uninit,
		DW_LLE_base_address,
		0,
		0x50,
		0,
		0,
		0,
		0,
		0,
		0,
		DW_LLE_offset_pair,
		0,
		0x08,
		1,
		DW_OP_reg5,
		DW_LLE_start_length,
		8,
		0x50,
		0,
		0,
		0,
		0,
		0,
		0,
		4,
		2,
		DW_OP_reg5,
		DW_OP_GNU_uninit,
		DW_LLE_start_end,
		0x0c,
		0x50,
		0,
		0,
		0,
		0,
		0,
		0,
		0x10,
		0x50,
		0,
		0,
		0,
		0,
		0,
		0,
		2,
		DW_OP_reg5,
		DW_OP_GNU_uninit,
		DW_LLE_end_of_list,
	};
	static const uint8_t old[] = {
		0x10,       0,          0,
		0,          0,          0,
		0,          0,          0x20,
		0,          0,          0,
		0,          0,          0,
		0,          1,          0,
		DW_OP_reg5, 0x20,       0,
		0,          0,          0,
		0,          0,          0,
		0x30,       0,          0,
		0,          0,          0,
		0,          0,          2,
		0,          DW_OP_reg5, DW_OP_GNU_uninit,
		0xff,       0xff,       0xff,
		0xff,       0xff,       0xff,
		0xff,       0xff,       0,
		0x50,       0,          0,
		0,          0,          0,
		0,          0x08,       0,
		0,          0,          0,
		0,          0,          0,
		0x10,       0,          0,
		0,          0,          0,
		0,          0,          2,
		0,          DW_OP_reg5, DW_OP_GNU_uninit,
		0,          0,          0,
		0,          0,          0,
		0,          0,          0,
		0,          0,          0,
		0,          0,          0,
		0,
	};

	(void)state;
	check_list(5, list, sizeof(list));
	check_list(4, old, sizeof(old));
	/* Cut anywhere: bounded, and never a value that the whole list does not have. */
	for (size_t size = 0; size < sizeof(list); size++) {
		struct listed listed;

		listed_init(&listed, 5, list, size);
		assert_int_not_equal(reason_at(&listed, UNIT_BASE + 0x20), DEBUG_KNOWN);
		listed_deinit(&listed);
	}
}

static void a_location_says_it_likewise(void **state)
{
	static const uint8_t expression[] = { DW_OP_reg5, DW_OP_GNU_uninit };
	static const uint8_t unknown[] = { DW_OP_reg5, 0xff };
	struct located_image located;
	const struct located_options usual = { 0 };
	const struct debug_frame frame = { .vaddr = LOCATED_CALLEE };
	struct debug_location location;

	(void)state;
	located_image_init(&located, expression, sizeof(expression), &usual);
	assert_int_equal(debug_location_find(&location, &located.variable, &frame),
			 DEBUG_NOT_INITIALIZED);
	located_image_deinit(&located);
	located_image_init(&located, unknown, sizeof(unknown), &usual);
	assert_int_equal(debug_location_find(&location, &located.variable, &frame),
			 DEBUG_MALFORMED);
	located_image_deinit(&located);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_says_where_a_variable_is_not_initialized),
		cmocka_unit_test(a_location_says_it_likewise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
