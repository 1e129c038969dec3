/* Line tables made by hand, in order, out of order and malformed. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "report/dwarf/debug_lines.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

/* Version 2, for instructions of one byte: a row is 0x20 + lines * 4 + bytes. */
static const uint8_t header[] = {
	0, 0, 0,  0, /* the size, to be set */
	2, 0, 28, 0, 0, 0, 1, 1, 0, 4, 0x20, 0,
	1, 1, 1,  1, 0, 0, 0, 1, 0, 0, 1, /* operands of the first 12 opcodes */
};

struct program {
	uint8_t bytes[512];
	size_t size;
	struct debug_sections sections;
	struct debug_line_tables tables;
};

static void put(struct program *program, const void *bytes, size_t size)
{
	memcpy(program->bytes + program->size, bytes, size);
	program->size += size;
}

static void begin(struct program *program)
{
	static const uint8_t operands[0x20 - 1 - 12]; /* of the others: none */
	static const uint8_t names[] = "include\0\0a.h\0\1\0\0/b.h\0\1\0\0";
	uint32_t header_size;

	*program = (struct program){ 0 };
	put(program, header, sizeof(header));
	put(program, operands, sizeof(operands));
	put(program, names, sizeof(names));
	header_size = (uint32_t)program->size - 10;
	memcpy(program->bytes + 6, &header_size, 4);
}

static void set_address(struct program *program, uint64_t address)
{
	static const uint8_t opcode[] = { 0, 9, DW_LNE_set_address };

	put(program, opcode, sizeof(opcode));
	put(program, &address, 8);
}

/* Adds a row, @lines and @bytes after the last one. */
static void row(struct program *program, unsigned lines, unsigned bytes)
{
	/* line_range is 4, line_base 0. */
	uint8_t opcode = (uint8_t)(0x20 + lines + 4 * bytes);

	put(program, &opcode, 1);
}

static void end_sequence(struct program *program, uint8_t bytes)
{
	const uint8_t opcodes[] = { DW_LNS_advance_pc, bytes, 0, 1, DW_LNE_end_sequence };

	put(program, opcodes, sizeof(opcodes));
}

static void discriminator(struct program *program, uint8_t number)
{
	const uint8_t opcode[] = { 0, 2, DW_LNE_set_discriminator, number };

	put(program, opcode, sizeof(opcode));
}

static struct debug_lines *finish(struct program *program)
{
	uint32_t size = (uint32_t)program->size - 4;

	memcpy(program->bytes, &size, 4);
	program->sections.byte_order = 1;
	program->sections.of[DEBUG_LINE] = (struct debug_bytes){ program->bytes, program->size };
	program->tables.budget = 2 * program->size;
	return debug_line_tables_get(&program->tables, &program->sections, 0, "/unit");
}

static uint32_t line_at(struct debug_lines *lines, uint64_t vaddr)
{
	const struct debug_line *line = debug_lines_find(lines, vaddr);

	return line ? line->line : 0;
}

static void sequences_are_found_in_any_order(void **state)
{
	struct program program;

	(void)state;
	begin(&program);
	set_address(&program, 0x2000);
	row(&program, 3, 0);
	row(&program, 0, 4);
	row(&program, 1, 4);
	end_sequence(&program, 8);
	set_address(&program, 0x1000);
	row(&program, 2, 0);
	end_sequence(&program, 0x10);
	struct debug_lines *lines = finish(&program);
	assert_non_null(lines);
	static const struct {
		uint64_t vaddr;
		uint32_t line;
	} cases[] = { { 0xfff, 0 },  { 0x1000, 3 }, { 0x100f, 3 }, { 0x1010, 0 }, { 0x1fff, 0 },
		      { 0x2000, 4 }, { 0x2007, 4 }, { 0x2008, 5 }, { 0x200f, 5 }, { 0x2010, 0 } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(line_at(lines, cases[i].vaddr), cases[i].line);
	assert_string_equal(debug_lines_file(lines, 1), "include/a.h");
	assert_string_equal(debug_lines_file(lines, 2), "/b.h");
	assert_null(debug_lines_file(lines, 0));
	assert_null(debug_lines_file(lines, 3));
	debug_line_tables_deinit(&program.tables);
}

static void addresses_that_go_back_begin_another_sequence(void **state)
{
	struct program program;

	(void)state;
	begin(&program);
	set_address(&program, 0x2000);
	row(&program, 1, 0);
	row(&program, 1, 8);
	set_address(&program, 0x1000);
	row(&program, 1, 0);
	end_sequence(&program, 4);
	struct debug_lines *lines = finish(&program);
	assert_int_equal(line_at(lines, 0x2004), 2);
	assert_int_equal(line_at(lines, 0x2008), 0);
	assert_int_equal(line_at(lines, 0x1003), 4);
	debug_line_tables_deinit(&program.tables);
}

static void a_table_cut_at_any_byte_gives_what_was_before(void **state)
{
	struct program program;

	(void)state;
	begin(&program);
	set_address(&program, 0x2000);
	row(&program, 1, 0);
	end_sequence(&program, 4);
	finish(&program);
	for (size_t size = 0; size < program.size; size++) {
		uint8_t *cut = malloc(size + 1);

		memcpy(cut, program.bytes, size);
		program.sections.of[DEBUG_LINE] = (struct debug_bytes){ cut, size };
		debug_line_tables_deinit(&program.tables);
		program.tables.budget = size;
		struct debug_lines *lines =
			debug_line_tables_get(&program.tables, &program.sections, 0, NULL);
		assert_true(!lines || line_at(lines, 0x2001) == 0);
		free(cut);
	}
	debug_line_tables_deinit(&program.tables);
}

static void discriminators_tell_rows_of_one_line_apart_if_they_are_wanted(void **state)
{
	struct program program;
	uint32_t found;

	(void)state;
	begin(&program);
	set_address(&program, 0x2000);
	row(&program, 3, 0);
	discriminator(&program, 6);
	row(&program, 0, 4);
	discriminator(&program, 7); /* holds for one row, and none follows */
	end_sequence(&program, 8);
	set_address(&program, 0x3000);
	row(&program, 1, 0);
	end_sequence(&program, 8);
	struct debug_lines *lines = finish(&program);
	assert_int_equal(debug_lines_find(lines, 0x2004)->address, 0x2000);
	assert_int_equal(lines->n_rows, 2);
	static const struct {
		uint64_t vaddr;
		uint32_t line, discriminator;
	} cases[] = { { 0x2000, 4, 0 }, { 0x2003, 4, 0 }, { 0x2004, 4, 6 }, { 0x3000, 2, 0 } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct debug_line *line =
			debug_lines_find_discriminated(lines, cases[i].vaddr, &found);

		assert_non_null(line);
		assert_int_equal(line->line, cases[i].line);
		assert_int_equal(found, cases[i].discriminator);
	}
	assert_int_equal(lines->n_rows, 3);
	assert_null(debug_lines_find_discriminated(lines, 0x1fff, &found));
	assert_int_equal(line_at(lines, 0x2004), 4);
	debug_line_tables_deinit(&program.tables);
}

static void tables_are_not_read_again_and_again(void **state)
{
	struct program program;

	(void)state;
	begin(&program);
	struct debug_lines *lines = finish(&program);
	assert_ptr_equal(debug_line_tables_get(&program.tables, &program.sections, 0, NULL), lines);
	assert_int_equal(program.tables.budget, program.size);
	program.tables.budget = 0;
	program.sections.of[DEBUG_LINE].size++;
	debug_line_tables_deinit(&program.tables);
	lines = debug_line_tables_get(&program.tables, &program.sections, 0, NULL);
	assert_int_equal(lines->n_files, 0);
	debug_line_tables_deinit(&program.tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequences_are_found_in_any_order),
		cmocka_unit_test(addresses_that_go_back_begin_another_sequence),
		cmocka_unit_test(a_table_cut_at_any_byte_gives_what_was_before),
		cmocka_unit_test(discriminators_tell_rows_of_one_line_apart_if_they_are_wanted),
		cmocka_unit_test(tables_are_not_read_again_and_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
