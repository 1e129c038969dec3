#include "report/dwarf/debug_lines.h"

#include <dwarf.h>
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/sorted.h"
#define MAX_PATH_PART 4096
#define MAX_FORMATS   16

struct header {
	uint64_t program, end; /* offsets in .debug_line */
	uint16_t version;
	uint8_t offset_size;
	uint8_t instruction_size, operations, line_range, opcode_base;
	int8_t line_base;
	uint8_t opcode_lengths[256]; /* number of operands, by standard opcode */
};

/* The registers of the state machine that line number programs run on (DWARF 5, 6.2.2). */
struct state {
	uint64_t address;
	uint32_t operation, file, line, discriminator;
	uint32_t first_row; /* of the sequence */
};

static void release_rows(struct debug_lines *lines)
{
	free(lines->sequences);
	free(lines->rows);
	free(lines->discriminators);
	lines->sequences = NULL;
	lines->rows = NULL;
	lines->discriminators = NULL;
	lines->n_sequences = lines->n_sequences_allocated = 0;
	lines->n_rows = lines->n_rows_allocated = lines->n_discriminators_allocated = 0;
}

static void release_lines(struct debug_lines *lines)
{
	for (uint32_t i = 0; i < lines->n_files; i++)
		free(lines->files[i].path);
	free(lines->files);
	free(lines->directories);
	release_rows(lines);
	*lines = (struct debug_lines){ 0 };
}

/* false: the version of the table is none of 2 to 5, or the header is malformed; its code has no
 * lines. */
static bool read_header(const struct debug_sections *sections, struct dwarf_reader *reader,
			struct header *header)
{
	const uint8_t *section = sections->of[DEBUG_LINE].bytes;
	uint64_t size = dwarf_read_unsigned(reader, 4);

	*header = (struct header){ .offset_size = 4, .operations = 1 };
	if (size == UINT32_MAX) {
		header->offset_size = 8;
		size = dwarf_read_unsigned(reader, 8);
	}
	if (size > dwarf_left(reader))
		return false;
	reader->end = reader->at + size;
	header->end = (uint64_t)(reader->end - section);
	header->version = (uint16_t)dwarf_read_unsigned(reader, 2);
	if (header->version < 2 || header->version > 5)
		return false;
	if (header->version == 5)
		dwarf_skip(reader, 2); /* sizes of addresses and of segments */
	size = dwarf_read_unsigned(reader, header->offset_size);
	if (size > dwarf_left(reader))
		return false;
	header->program = (uint64_t)(reader->at - section) + size;
	header->instruction_size = dwarf_read_byte(reader);
	if (header->version >= 4)
		header->operations = dwarf_read_byte(reader);
	dwarf_skip(reader, 1); /* default_is_stmt */
	header->line_base = (int8_t)dwarf_read_byte(reader);
	header->line_range = dwarf_read_byte(reader);
	header->opcode_base = dwarf_read_byte(reader);
	for (unsigned i = 1; i < header->opcode_base; i++)
		header->opcode_lengths[i] = dwarf_read_byte(reader);
	return !reader->is_broken && header->line_range && header->operations &&
	       header->opcode_base;
}

static int add_directory(struct debug_lines *lines, const char *name)
{
	if (array_reserve(lines->directories, lines->n_directories, lines->n_directories_allocated,
			  1))
		return -ENOMEM;
	lines->directories[lines->n_directories++] = name;
	return 0;
}

static int add_file(struct debug_lines *lines, const char *name, uint64_t directory)
{
	if (array_reserve(lines->files, lines->n_files, lines->n_files_allocated, 1))
		return -ENOMEM;
	lines->files[lines->n_files++] = (struct debug_source_file){
		.name = name,
		.directory =
			directory < lines->n_directories ? lines->directories[directory] : NULL,
	};
	return 0;
}

/* Before DWARF 5, files and directories are numbered from 1, and directory 0 is the unit's. */
static int read_old_names(struct debug_lines *lines, struct dwarf_reader *reader,
			  const char *unit_directory)
{
	int err = add_directory(lines, unit_directory);
	const char *name;

	while (!err && (name = dwarf_read_string(reader, DEBUG_STRING_MAX)) && *name)
		err = add_directory(lines, name);
	if (!err)
		err = add_file(lines, NULL, 0);
	while (!err && (name = dwarf_read_string(reader, DEBUG_STRING_MAX)) && *name) {
		uint64_t directory = dwarf_read_uleb(reader);

		dwarf_read_uleb(reader); /* modification time */
		dwarf_read_uleb(reader); /* its size */
		err = add_file(lines, name, directory);
	}
	return err;
}

struct format {
	uint64_t content, form;
};

static size_t read_formats(struct dwarf_reader *reader, struct format *formats)
{
	size_t n = dwarf_read_byte(reader);

	if (n > MAX_FORMATS)
		dwarf_break(reader);
	for (size_t i = 0; i < n && !reader->is_broken; i++) {
		formats[i].content = dwarf_read_uleb(reader);
		formats[i].form = dwarf_read_uleb(reader);
	}
	return reader->is_broken ? 0 : n;
}

/* Reads an offset and returns the string there in section @which. */
static const char *take_string_of(const struct debug_sections *sections,
				  struct dwarf_reader *reader, enum debug_section which,
				  uint8_t offset_size)
{
	uint64_t offset = dwarf_read_unsigned(reader, offset_size);
	struct dwarf_reader at = debug_reader_at(sections, which, offset);
	const char *string = dwarf_read_string(&at, DEBUG_STRING_MAX);

	if (at.is_broken)
		dwarf_break(reader);
	return string;
}

/* Reads one value, a string or a number, by its form. */
static void read_value(const struct debug_sections *sections, struct dwarf_reader *reader,
		       uint64_t form, uint8_t offset_size, const char **text_ret,
		       uint64_t *number_ret)
{
	switch (form) {
	case DW_FORM_string:
		*text_ret = dwarf_read_string(reader, DEBUG_STRING_MAX);
		return;
	case DW_FORM_line_strp:
		*text_ret = take_string_of(sections, reader, DEBUG_LINE_STR, offset_size);
		return;
	case DW_FORM_strp:
		*text_ret = take_string_of(sections, reader, DEBUG_STR, offset_size);
		return;
	case DW_FORM_udata:
		*number_ret = dwarf_read_uleb(reader);
		return;
	case DW_FORM_data1:
		*number_ret = dwarf_read_byte(reader);
		return;
	case DW_FORM_data2:
		*number_ret = dwarf_read_unsigned(reader, 2);
		return;
	case DW_FORM_data4:
		*number_ret = dwarf_read_unsigned(reader, 4);
		return;
	case DW_FORM_data8:
		*number_ret = dwarf_read_unsigned(reader, 8);
		return;
	case DW_FORM_data16:
		dwarf_skip(reader, 16);
		return;
	case DW_FORM_block:
		dwarf_skip(reader, dwarf_read_uleb(reader));
		return;
	default:
		dwarf_break(reader);
	}
}

/* Reads the list of directories or files of DWARF 5. */
static int read_names(struct debug_lines *lines, struct dwarf_reader *reader, uint8_t offset_size,
		      bool is_files)
{
	struct format formats[MAX_FORMATS];
	size_t n_formats = read_formats(reader, formats);
	uint64_t n = n_formats ? dwarf_read_uleb(reader) : 0;
	int err = 0;

	if (!n_formats)
		dwarf_read_uleb(reader);
	/* Each value takes at least one byte, so the loop ends. */
	for (uint64_t i = 0; i < n && !err && !reader->is_broken; i++) {
		uint64_t directory = 0, number = 0;
		const char *name = NULL, *text = NULL;

		for (size_t k = 0; k < n_formats; k++) {
			read_value(lines->sections, reader, formats[k].form, offset_size, &text,
				   &number);
			if (formats[k].content == DW_LNCT_path)
				name = text;
			if (formats[k].content == DW_LNCT_directory_index)
				directory = number;
		}
		if (!reader->is_broken)
			err = is_files ? add_file(lines, name, directory)
				       : add_directory(lines, name);
	}
	return err;
}

static bool continues_row(const struct debug_lines *lines, const struct state *state)
{
	if (lines->n_rows == state->first_row)
		return false;
	const struct debug_line *last = &lines->rows[lines->n_rows - 1];
	return last->file == state->file && last->line == state->line &&
	       (!lines->has_discriminators ||
		lines->discriminators[lines->n_rows - 1] == state->discriminator);
}

static int add_row(struct debug_lines *lines, const struct state *state)
{
	if (continues_row(lines, state))
		return 0;
	if (array_reserve(lines->rows, lines->n_rows, lines->n_rows_allocated, 1))
		return -ENOMEM;
	if (lines->has_discriminators) {
		if (array_reserve(lines->discriminators, lines->n_rows,
				  lines->n_discriminators_allocated, 1))
			return -ENOMEM;
		lines->discriminators[lines->n_rows] = state->discriminator;
	}
	lines->rows[lines->n_rows++] =
		(struct debug_line){ state->address, state->file, state->line };
	return 0;
}

/* Ends the sequence before @end. */
static int end_sequence(struct debug_lines *lines, struct state *state, uint64_t end)
{
	uint32_t first = state->first_row, n = lines->n_rows - first;

	state->first_row = lines->n_rows;
	if (!n || lines->rows[first].address >= end)
		return 0;
	if (array_reserve(lines->sequences, lines->n_sequences, lines->n_sequences_allocated, 1))
		return -ENOMEM;
	lines->sequences[lines->n_sequences++] = (struct debug_sequence){
		.start = lines->rows[first].address, .end = end, .first_row = first, .n_rows = n
	};
	return 0;
}

/* Adds a row. Addresses must not decrease in a sequence; if they do, another sequence begins. */
static int append(struct debug_lines *lines, struct state *state)
{
	uint64_t last =
		lines->n_rows > state->first_row ? lines->rows[lines->n_rows - 1].address : 0;
	int err = state->address < last ? end_sequence(lines, state, last) : 0;

	if (!err)
		err = add_row(lines, state);
	state->discriminator = 0;
	return err;
}

static void advance(struct state *state, const struct header *header, uint64_t operations)
{
	uint64_t n = state->operation + operations;

	state->address += header->instruction_size * (n / header->operations);
	state->operation = (uint32_t)(n % header->operations);
}

static void begin_sequence(struct state *state)
{
	state->address = 0;
	state->operation = 0;
	state->file = 1;
	state->line = 1;
	state->discriminator = 0;
}

static int run_extended(struct debug_lines *lines, struct dwarf_reader *reader, struct state *state)
{
	uint64_t size = dwarf_read_uleb(reader);
	int err = 0;

	if (!size || !dwarf_skip(reader, size)) {
		dwarf_break(reader);
		return 0;
	}
	struct dwarf_reader inside = *reader;
	inside.end = inside.at;
	inside.at -= size;
	switch (dwarf_read_byte(&inside)) {
	case DW_LNE_end_sequence:
		err = end_sequence(lines, state, state->address);
		begin_sequence(state);
		return err;
	case DW_LNE_set_address:
		if (size - 1 <= 8)
			state->address = dwarf_read_unsigned(&inside, size - 1);
		state->operation = 0;
		return 0;
	case DW_LNE_set_discriminator:
		state->discriminator = (uint32_t)dwarf_read_uleb(&inside);
		return 0;
	case DW_LNE_define_file: {
		const char *name = dwarf_read_string(&inside, DEBUG_STRING_MAX);

		return name ? add_file(lines, name, dwarf_read_uleb(&inside)) : 0;
	}
	default:
		return 0;
	}
}

static int run_standard(struct debug_lines *lines, struct dwarf_reader *reader,
			const struct header *header, uint8_t opcode, struct state *state)
{
	switch (opcode) {
	case DW_LNS_copy:
		return append(lines, state);
	case DW_LNS_advance_pc:
		advance(state, header, dwarf_read_uleb(reader));
		return 0;
	case DW_LNS_advance_line:
		state->line += (uint32_t)dwarf_read_sleb(reader);
		return 0;
	case DW_LNS_set_file:
		state->file = (uint32_t)dwarf_read_uleb(reader);
		return 0;
	case DW_LNS_const_add_pc:
		advance(state, header, (255u - header->opcode_base) / header->line_range);
		return 0;
	case DW_LNS_fixed_advance_pc:
		state->address += dwarf_read_unsigned(reader, 2);
		state->operation = 0;
		return 0;
	default:
		for (uint8_t i = 0; i < header->opcode_lengths[opcode]; i++)
			dwarf_read_uleb(reader);
		return 0;
	}
}

static int run_special(struct debug_lines *lines, const struct header *header, uint8_t opcode,
		       struct state *state)
{
	uint8_t adjusted = opcode - header->opcode_base;

	advance(state, header, adjusted / header->line_range);
	state->line += (uint32_t)(header->line_base + adjusted % header->line_range);
	return append(lines, state);
}

static int run_program(struct debug_lines *lines, struct dwarf_reader *reader,
		       const struct header *header)
{
	struct state state = { 0 };
	int err = 0;

	begin_sequence(&state);
	while (!err && dwarf_left(reader)) {
		uint8_t opcode = dwarf_read_byte(reader);

		if (opcode >= header->opcode_base)
			err = run_special(lines, header, opcode, &state);
		else if (opcode)
			err = run_standard(lines, reader, header, opcode, &state);
		else
			err = run_extended(lines, reader, &state);
	}
	return err;
}

static int compare_sequences(const void *a, const void *b)
{
	const struct debug_sequence *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->first_row > y->first_row) - (x->first_row < y->first_row);
}

static void sort_sequences(struct debug_lines *lines)
{
	uint64_t reach = 0;

	if (lines->n_sequences)
		qsort(lines->sequences, lines->n_sequences, sizeof(*lines->sequences),
		      compare_sequences);
	for (uint32_t i = 0; i < lines->n_sequences; i++) {
		if (lines->sequences[i].end > reach)
			reach = lines->sequences[i].end;
		lines->sequences[i].reach = reach;
	}
}

static int read_names_of_files(struct debug_lines *lines, struct dwarf_reader *reader,
			       const struct header *header, const char *directory)
{
	if (header->version < 5)
		return read_old_names(lines, reader, directory);
	int err = read_names(lines, reader, header->offset_size, false);
	return err ? err : read_names(lines, reader, header->offset_size, true);
}

/* Reads a table without its rows. */
static int read_lines(struct debug_lines *lines, const struct debug_sections *sections,
		      uint64_t offset, const char *directory, uint64_t *budget)
{
	struct dwarf_reader reader = debug_reader_at(sections, DEBUG_LINE, offset);
	struct header header;

	*lines = (struct debug_lines){ .sections = sections, .offset = offset, .has_rows = true };
	if (!read_header(sections, &reader, &header) || header.end - offset > *budget)
		return 0;
	*budget -= header.end - offset;
	lines->has_rows = false;
	return read_names_of_files(lines, &reader, &header, directory);
}

/* Rows that do not fit into memory are left out. */
static void read_rows(struct debug_lines *lines)
{
	struct dwarf_reader reader = debug_reader_at(lines->sections, DEBUG_LINE, lines->offset);
	struct header header;

	if (lines->has_rows)
		return;
	lines->has_rows = true;
	if (!read_header(lines->sections, &reader, &header))
		return;
	struct dwarf_reader program = debug_reader_at(lines->sections, DEBUG_LINE, header.program);
	if (program.is_broken)
		return;
	program.end = lines->sections->of[DEBUG_LINE].bytes + header.end;
	run_program(lines, &program, &header);
	sort_sequences(lines);
}

struct table {
	const uint8_t *start; /* first, because the tree is searched by it */
	struct debug_lines lines;
};

static int compare_tables(const void *a, const void *b)
{
	const struct table *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void free_table(void *opaque)
{
	struct table *table = opaque;

	release_lines(&table->lines);
	free(table);
}

void debug_line_tables_deinit(struct debug_line_tables *tables)
{
	tdestroy(tables->tree, free_table);
	*tables = (struct debug_line_tables){ 0 };
}

struct debug_lines *debug_line_tables_get(struct debug_line_tables *tables,
					  const struct debug_sections *sections, uint64_t offset,
					  const char *directory)
{
	const struct debug_bytes *section = &sections->of[DEBUG_LINE];

	if (!section->bytes || offset >= section->size)
		return NULL;
	const struct table key = { .start = section->bytes + offset };
	void *found = tfind(&key, &tables->tree, compare_tables);
	if (found)
		return &(*(struct table **)found)->lines;
	struct table *table = calloc(1, sizeof(*table));
	if (!table)
		return NULL;
	table->start = key.start;
	if (!tsearch(table, &tables->tree, compare_tables) ||
	    read_lines(&table->lines, sections, offset, directory, &tables->budget)) {
		tdelete(table, &tables->tree, compare_tables);
		free_table(table);
		return NULL;
	}
	return &table->lines;
}

static const struct debug_line *find_row(const struct debug_lines *lines,
					 const struct debug_sequence *sequence, uint64_t vaddr)
{
	const struct debug_line *rows = lines->rows + sequence->first_row;
	uint32_t low = sorted_count(sequence->n_rows, i, rows[i].address <= vaddr);

	return low ? &rows[low - 1] : NULL;
}

const struct debug_line *debug_lines_find_discriminated(struct debug_lines *lines, uint64_t vaddr,
							uint32_t *discriminator_ret)
{
	if (!lines->has_discriminators) {
		lines->has_discriminators = true;
		lines->has_rows &= !lines->n_rows;
		release_rows(lines);
	}
	const struct debug_line *line = debug_lines_find(lines, vaddr);
	if (line)
		*discriminator_ret = lines->discriminators[line - lines->rows];
	return line;
}

const struct debug_line *debug_lines_find(struct debug_lines *lines, uint64_t vaddr)
{
	read_rows(lines);
	uint32_t low = sorted_count(lines->n_sequences, i, lines->sequences[i].start <= vaddr);

	while (low-- > 0 && lines->sequences[low].reach > vaddr)
		if (lines->sequences[low].end > vaddr)
			return find_row(lines, &lines->sequences[low], vaddr);
	return NULL;
}

const char *debug_lines_file(struct debug_lines *lines, uint64_t number)
{
	/* Line number programs may define more files. */
	if (number >= lines->n_files)
		read_rows(lines);
	struct debug_source_file *file = number < lines->n_files ? &lines->files[number] : NULL;
	if (!file || !file->name)
		return NULL;
	if (*file->name == '/' || !file->directory ||
	    strnlen(file->name, MAX_PATH_PART) == MAX_PATH_PART ||
	    strnlen(file->directory, MAX_PATH_PART) == MAX_PATH_PART)
		return file->name;
	if (!file->path && asprintf(&file->path, "%s/%s", file->directory, file->name) < 0)
		file->path = NULL;
	return file->path ? file->path : file->name;
}
