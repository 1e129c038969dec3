/* Trees of DIEs made by hand: what each form takes up, where siblings are, and lies. */
#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "report/dwarf/debug_tree.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define HEADER_SIZE 11 /* of a unit before version 5 */
#define LEAF        2
#define LIST        3
#define LINKED      4

struct unit {
	uint8_t abbreviations[256], bytes[256];
	size_t n_abbreviations, size;
	struct debug_sections sections;
	struct debug_abbreviation_tables tables;
	struct debug_tree tree;
};

static void put(struct unit *unit, const void *bytes, size_t size)
{
	memcpy(unit->bytes + unit->size, bytes, size);
	unit->size += size;
}

#define PUT(unit, ...)                                    \
	do {                                              \
		const uint8_t bytes_[] = { __VA_ARGS__ }; \
		put(unit, bytes_, sizeof(bytes_));        \
	} while (0)

static void put_abbreviation(struct unit *unit, const void *bytes, size_t size)
{
	memcpy(unit->abbreviations + unit->n_abbreviations, bytes, size);
	unit->n_abbreviations += size;
}

/* Abbreviation 1 has one attribute of @form, and what follows the form in the table. */
static void begin(struct unit *unit, uint16_t version, uint64_t form)
{
	const uint8_t first[] = { 1, DW_TAG_variable, DW_CHILDREN_no, DW_AT_location,
				  (uint8_t)(form & 0x7f) | (form > 0x7f ? 0x80 : 0) };
	const uint8_t more[] = { (uint8_t)(form >> 7 & 0x7f) | (form >> 14 ? 0x80 : 0),
				 (uint8_t)(form >> 14) };
	/* clang-format off */
	static const uint8_t others[] = {
		0, 0,
		LEAF, DW_TAG_member, DW_CHILDREN_no, 0, 0,
		LIST, DW_TAG_structure_type, DW_CHILDREN_yes, 0, 0,
		LINKED, DW_TAG_namespace, DW_CHILDREN_yes, DW_AT_sibling, DW_FORM_ref4, 0, 0,
		0,
	};
	/* clang-format on */
	const uint8_t old[] = { 0, 0, 0, 0, (uint8_t)version, 0, 0, 0, 0, 0, 8 };
	const uint8_t new[] = { 0, 0, 0, 0, (uint8_t)version, 0, DW_UT_compile, 8, 0, 0, 0, 0 };
	static const uint8_t constant[] = { 0x85, 1 }; /* of DW_FORM_implicit_const */

	*unit = (struct unit){ .tables.budget = 4096 };
	put_abbreviation(unit, first, sizeof(first));
	if (form > 0x7f)
		put_abbreviation(unit, more, form >> 14 ? 2 : 1);
	if (form == DW_FORM_implicit_const)
		put_abbreviation(unit, constant, sizeof(constant));
	put_abbreviation(unit, others, sizeof(others));
	put(unit, version < 5 ? old : new, version < 5 ? sizeof(old) : sizeof(new));
}

static int finish(struct unit *unit)
{
	uint32_t size = (uint32_t)unit->size - 4;

	memcpy(unit->bytes, &size, 4);
	unit->sections.byte_order = ELFDATA2LSB;
	unit->sections.of[DEBUG_ABBREV] =
		(struct debug_bytes){ unit->abbreviations, unit->n_abbreviations };
	unit->sections.of[DEBUG_INFO] = (struct debug_bytes){ unit->bytes, unit->size };
	return debug_tree_init(&unit->tree, &unit->tables, &unit->sections, 0);
}

static void every_form_takes_up_its_size(void **state)
{
	static const struct {
		uint64_t form;
		uint16_t version;
		size_t size;
		uint8_t bytes[20];
	} cases[] = {
		{ DW_FORM_addr, 4, 8, { 1, 2, 3, 4, 5, 6, 7, 8 } },
		{ DW_FORM_data1, 4, 1, { 1 } },
		{ DW_FORM_flag, 4, 1, { 1 } },
		{ DW_FORM_ref1, 4, 1, { 1 } },
		{ DW_FORM_data2, 4, 2, { 1, 1 } },
		{ DW_FORM_ref2, 4, 2, { 1, 1 } },
		{ DW_FORM_data4, 4, 4, { 1, 1, 1, 1 } },
		{ DW_FORM_ref4, 4, 4, { 1, 1, 1, 1 } },
		{ DW_FORM_data8, 4, 8, { 1, 1, 1, 1, 1, 1, 1, 1 } },
		{ DW_FORM_ref8, 4, 8, { 1, 1, 1, 1, 1, 1, 1, 1 } },
		{ DW_FORM_ref_sig8, 4, 8, { 1, 1, 1, 1, 1, 1, 1, 1 } },
		{ DW_FORM_data16, 5, 16, { 1 } },
		{ DW_FORM_strp, 4, 4, { 1, 1, 1, 1 } },
		{ DW_FORM_line_strp, 5, 4, { 1, 1, 1, 1 } },
		{ DW_FORM_sec_offset, 4, 4, { 1, 1, 1, 1 } },
		{ DW_FORM_ref_addr, 2, 8, { 1, 1, 1, 1, 1, 1, 1, 1 } },
		{ DW_FORM_ref_addr, 3, 4, { 1, 1, 1, 1 } },
		{ DW_FORM_GNU_ref_alt, 4, 4, { 1, 1, 1, 1 } },
		{ DW_FORM_GNU_strp_alt, 4, 4, { 1, 1, 1, 1 } },
		{ DW_FORM_strp_sup, 5, 4, { 1, 1, 1, 1 } },
		{ DW_FORM_ref_sup4, 5, 4, { 1, 1, 1, 1 } },
		{ DW_FORM_ref_sup8, 5, 8, { 1, 1, 1, 1, 1, 1, 1, 1 } },
		{ DW_FORM_udata, 4, 2, { 0x81, 1 } },
		{ DW_FORM_sdata, 4, 3, { 0xff, 0xff, 0x7f } },
		{ DW_FORM_ref_udata, 4, 1, { 1 } },
		{ DW_FORM_strx, 5, 2, { 0x81, 1 } },
		{ DW_FORM_addrx, 5, 2, { 0x81, 1 } },
		{ DW_FORM_loclistx, 5, 2, { 0x81, 1 } },
		{ DW_FORM_rnglistx, 5, 2, { 0x81, 1 } },
		{ DW_FORM_GNU_addr_index, 4, 2, { 0x81, 1 } },
		{ DW_FORM_GNU_str_index, 4, 2, { 0x81, 1 } },
		{ DW_FORM_strx1, 5, 1, { 1 } },
		{ DW_FORM_addrx1, 5, 1, { 1 } },
		{ DW_FORM_strx2, 5, 2, { 1, 1 } },
		{ DW_FORM_addrx2, 5, 2, { 1, 1 } },
		{ DW_FORM_strx3, 5, 3, { 1, 1, 1 } },
		{ DW_FORM_addrx3, 5, 3, { 1, 1, 1 } },
		{ DW_FORM_strx4, 5, 4, { 1, 1, 1, 1 } },
		{ DW_FORM_addrx4, 5, 4, { 1, 1, 1, 1 } },
		{ DW_FORM_string, 4, 4, { 'a', 'b', 'c', 0 } },
		{ DW_FORM_block, 4, 3, { 2, 1, 1 } },
		{ DW_FORM_exprloc, 4, 3, { 2, 1, 1 } },
		{ DW_FORM_block1, 4, 3, { 2, 1, 1 } },
		{ DW_FORM_block2, 4, 4, { 2, 0, 1, 1 } },
		{ DW_FORM_block4, 4, 6, { 2, 0, 0, 0, 1, 1 } },
		{ DW_FORM_flag_present, 4, 0, { 0 } },
		{ DW_FORM_implicit_const, 5, 0, { 0 } },
		{ DW_FORM_indirect, 4, 5, { DW_FORM_data4, 1, 1, 1, 1 } },
		{ DW_FORM_indirect, 4, 4, { DW_FORM_indirect, DW_FORM_block1, 1, 1 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct debug_tree_die die, next;
		struct unit unit;

		begin(&unit, cases[i].version, cases[i].form);
		const uint8_t *at = unit.bytes + unit.size;
		PUT(&unit, 1);
		put(&unit, cases[i].bytes, cases[i].size);
		PUT(&unit, LEAF, 0);
		assert_int_equal(finish(&unit), 0);
		assert_true(debug_tree_read(&unit.tree, at, &die));
		assert_int_equal(die.tag, DW_TAG_variable);
		assert_int_equal(die.inside - at, 1 + cases[i].size);
		assert_true(debug_tree_next(&unit.tree, &die, &next));
		assert_int_equal(next.tag, DW_TAG_member);
		assert_false(debug_tree_next(&unit.tree, &next, &next));
		debug_abbreviation_tables_deinit(&unit.tables);
	}
}

static void attributes_that_do_not_fit_are_no_die(void **state)
{
	static const uint64_t forms[] = { DW_FORM_data8, DW_FORM_string, DW_FORM_block1,
					  DW_FORM_block, DW_FORM_udata,  DW_FORM_indirect };

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct debug_tree_die die;
		struct unit unit;

		begin(&unit, 4, forms[i]);
		PUT(&unit, 1, 0xff, 0xff, 0xff);
		assert_int_equal(finish(&unit), 0);
		assert_false(debug_tree_read(&unit.tree, unit.bytes + HEADER_SIZE, &die));
		debug_abbreviation_tables_deinit(&unit.tables);
	}
}

static void unknown_forms_and_codes_end_a_list(void **state)
{
	struct debug_tree_die die, next;
	struct unit unit;

	(void)state;
	begin(&unit, 4, 0x7e);
	PUT(&unit, LEAF, 1, LEAF, 9, LEAF, 0);
	assert_int_equal(finish(&unit), 0);
	assert_true(debug_tree_read(&unit.tree, unit.bytes + HEADER_SIZE, &die));
	assert_false(debug_tree_next(&unit.tree, &die, &next));
	assert_true(debug_tree_read(&unit.tree, unit.bytes + HEADER_SIZE + 2, &die));
	assert_false(debug_tree_next(&unit.tree, &die, &next));
	assert_false(debug_tree_read(&unit.tree, unit.bytes + unit.size, &die));
	assert_false(debug_tree_read(&unit.tree, unit.bytes - 1, &die));
	debug_abbreviation_tables_deinit(&unit.tables);
}

static void siblings_are_behind_all_that_is_inside(void **state)
{
	struct debug_tree_die die, child;
	struct unit unit;

	(void)state;
	begin(&unit, 4, DW_FORM_data1);
	PUT(&unit, LIST, LEAF, LIST, LEAF, 0, LIST, 0, LEAF, 0, 1, 7, 0);
	assert_int_equal(finish(&unit), 0);
	assert_true(debug_tree_read(&unit.tree, unit.bytes + HEADER_SIZE, &die));
	assert_true(debug_tree_child(&unit.tree, &die, &child));
	assert_int_equal(child.tag, DW_TAG_member);
	assert_false(debug_tree_child(&unit.tree, &child, &child));
	assert_true(debug_tree_next(&unit.tree, &die, &die));
	assert_int_equal(die.tag, DW_TAG_variable);
	assert_false(debug_tree_next(&unit.tree, &die, &die));
	debug_abbreviation_tables_deinit(&unit.tables);
}

static void a_die_may_say_where_its_sibling_is(void **state)
{
	struct debug_tree_die die;
	struct unit unit;

	(void)state;
	begin(&unit, 4, DW_FORM_data1);
	/* Its content is malformed, but nobody reads it. */
	PUT(&unit, LINKED, HEADER_SIZE + 8, 0, 0, 0, 99, 99, 99, LEAF, 0);
	assert_int_equal(finish(&unit), 0);
	assert_true(debug_tree_read(&unit.tree, unit.bytes + HEADER_SIZE, &die));
	assert_true(debug_tree_next(&unit.tree, &die, &die));
	assert_int_equal(die.tag, DW_TAG_member);
	debug_abbreviation_tables_deinit(&unit.tables);
}

static void units_that_make_no_sense_are_refused(void **state)
{
	struct unit unit;

	(void)state;
	begin(&unit, 4, DW_FORM_data1);
	unit.size = HEADER_SIZE - 2;
	assert_int_equal(finish(&unit), -EINVAL);
	begin(&unit, 4, DW_FORM_data1);
	assert_int_equal(finish(&unit), 0);
	unit.bytes[0]++;
	assert_int_equal(debug_tree_init(&unit.tree, &unit.tables, &unit.sections, 0), -EINVAL);
	unit.bytes[0]--;
	unit.bytes[7] = 1; /* abbreviations far beyond the section's end */
	assert_int_equal(debug_tree_init(&unit.tree, &unit.tables, &unit.sections, 0), -EINVAL);
	assert_int_equal(debug_tree_init(&unit.tree, &unit.tables, &unit.sections, 1000), -EINVAL);
	debug_abbreviation_tables_deinit(&unit.tables);
}

static void tables_are_read_once_and_within_the_budget(void **state)
{
	struct debug_tree_die die;
	struct unit unit;

	(void)state;
	begin(&unit, 4, DW_FORM_data1);
	PUT(&unit, LEAF, 0);
	assert_int_equal(finish(&unit), 0);
	const struct debug_abbreviations *first = unit.tree.abbreviations;
	uint64_t left = unit.tables.budget;
	assert_true(left < 4096);
	assert_int_equal(debug_tree_init(&unit.tree, &unit.tables, &unit.sections, 0), 0);
	assert_ptr_equal(unit.tree.abbreviations, first);
	assert_int_equal(unit.tables.budget, left);
	debug_abbreviation_tables_deinit(&unit.tables);
	assert_int_equal(debug_tree_init(&unit.tree, &unit.tables, &unit.sections, 0), 0);
	assert_false(debug_tree_read(&unit.tree, unit.bytes + HEADER_SIZE, &die));
	debug_abbreviation_tables_deinit(&unit.tables);
}

static void tables_tell_whether_functions_have_addresses(void **state)
{
	static const struct {
		uint8_t tag, attribute;
		bool has_code;
	} cases[] = {
		{ DW_TAG_subprogram, DW_AT_low_pc, true },
		{ DW_TAG_subprogram, DW_AT_ranges, true },
		{ DW_TAG_subprogram, DW_AT_sibling, false },
		{ DW_TAG_inlined_subroutine, DW_AT_low_pc, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unit unit;

		begin(&unit, 4, DW_FORM_data1);
		unit.abbreviations[1] = cases[i].tag;
		unit.abbreviations[3] = cases[i].attribute;
		assert_int_equal(finish(&unit), 0);
		assert_int_equal(debug_tree_has_code(&unit.tree), cases[i].has_code);
		debug_abbreviation_tables_deinit(&unit.tables);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_takes_up_its_size),
		cmocka_unit_test(attributes_that_do_not_fit_are_no_die),
		cmocka_unit_test(unknown_forms_and_codes_end_a_list),
		cmocka_unit_test(siblings_are_behind_all_that_is_inside),
		cmocka_unit_test(a_die_may_say_where_its_sibling_is),
		cmocka_unit_test(units_that_make_no_sense_are_refused),
		cmocka_unit_test(tables_are_read_once_and_within_the_budget),
		cmocka_unit_test(tables_tell_whether_functions_have_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
