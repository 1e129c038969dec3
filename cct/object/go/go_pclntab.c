#include "cct/object/go/go_pclntab.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "cct/object/dwarf_reader.h"
#include "cct/object/elf_image.h"
#include "cct/object/go/go_module_data.h"

#define MAGIC_1_2  0xfffffffbu
#define MAGIC_1_16 0xfffffffau
#define MAGIC_1_18 0xfffffff0u
#define MAGIC_1_20 0xfffffff1u

/* The header: magic, 0, 0, size of instructions, size of pointers, then words of that size. */
#define HEADER_QUANTUM 6u
#define HEADER_POINTER 7u
#define HEADER_WORDS   8u
#define HEADER_SIZE    72u /* the largest */
#define N_WORDS        8u
#define NO_WORD        N_WORDS

/* 32-bit words of a function's record after its entry; before 1.16 it has no unit. */
enum { FUNC_NAME = 0, FUNC_PCSP = 3, FUNC_PCFILE, FUNC_PCLN, FUNC_N_PCDATA, FUNC_UNIT };
/* What unwinding reads of it. */
#define FUNC_NOTED(table) ((table)->entry_size + 4 * (FUNC_PCSP + 1u))

#define PCDATA_INLINED   2u
#define FUNCDATA_INLINED 3u
/* Functions whose inlined calls are read to see whether they can be. */
#define PROBES_MAX   64u
#define PROBE_BUDGET (1u << 22)

/* As much of a name as tells the functions that unwinding knows by their names. */
#define NAME_NOTED 40u
/* Places where a table might begin in a section of another name. */
#define BEGINNINGS_MAX 4u

/* Bytes of the file. */
struct part {
	const uint8_t *bytes;
	uint64_t size;
};

struct go_pclntab {
	Elf *elf;
	enum go_version version;
	unsigned quantum, pointer_size;
	unsigned entry_size; /* of a number in the list of functions */
	struct part table;   /* from its header on */
	uint64_t offset;     /* of the header in the file */
	uint64_t vaddr;
	uint64_t text; /* what entries of functions count from */
	uint64_t n_funcs;
	struct part names, units, files, pc_tables;
	struct part funcs;   /* pairs of entry and place of the record */
	struct part records; /* what those places count from */
	struct part inlined; /* go:func.*, from 1.18 on */
	bool knows_inlined;
	struct go_module_data module; /* n_ranges 0: not needed so far */
};

static uint64_t read_le(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

static bool read_at(const struct part *part, uint64_t at, unsigned size, uint64_t *value_ret)
{
	if (part->size < size || at > part->size - size)
		return false;
	*value_ret = read_le(part->bytes + at, size);
	return true;
}

static struct part part_from(const struct part *part, uint64_t at)
{
	return at < part->size ? (struct part){ part->bytes + at, part->size - at }
			       : (struct part){ NULL, 0 };
}

static uint64_t entry_of(const struct go_pclntab *table, uint64_t i)
{
	return read_le(table->funcs.bytes + 2 * table->entry_size * i, table->entry_size);
}

/* The words of the header that say where the parts are; before 1.16 all is in one. */
static const struct layout {
	uint8_t text, names, units, files, pc_tables, funcs;
} layouts[] = {
	[GO_1_2] = { NO_WORD, NO_WORD, NO_WORD, NO_WORD, NO_WORD, NO_WORD },
	[GO_1_16] = { NO_WORD, 2, 3, 4, 5, 6 },
	[GO_1_18] = { 2, 3, 4, 5, 6, 7 },
	[GO_1_20] = { 2, 3, 4, 5, 6, 7 },
};

static bool read_magic(struct go_pclntab *table)
{
	static const struct {
		uint32_t magic;
		enum go_version version;
	} magics[] = {
		{ MAGIC_1_20, GO_1_20 },
		{ MAGIC_1_18, GO_1_18 },
		{ MAGIC_1_16, GO_1_16 },
		{ MAGIC_1_2, GO_1_2 },
	};
	uint32_t magic = (uint32_t)read_le(table->table.bytes, sizeof(magic));

	table->quantum = table->table.bytes[HEADER_QUANTUM];
	table->pointer_size = table->table.bytes[HEADER_POINTER];
	if ((table->quantum != 1 && table->quantum != 2 && table->quantum != 4) ||
	    (table->pointer_size != 4 && table->pointer_size != 8))
		return false;
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		table->version = magics[i].version;
		if (magic == magics[i].magic)
			return true;
	}
	return false;
}

static uint64_t header_word(const struct go_pclntab *table, unsigned word)
{
	return word == NO_WORD ? 0
			       : read_le(table->table.bytes + HEADER_WORDS +
						 (size_t)word * table->pointer_size,
					 table->pointer_size);
}

/* Before 1.16 the list of files follows that of functions, and counts from the table's start. */
static void find_old_files(struct go_pclntab *table)
{
	uint64_t at = 2 * table->entry_size * table->n_funcs + table->entry_size, files;

	if (read_at(&table->funcs, at, 4, &files))
		table->files = part_from(&table->table, files);
}

static bool read_parts(struct go_pclntab *table)
{
	const struct layout *layout = &layouts[table->version];

	table->entry_size = table->version >= GO_1_18 ? 4 : table->pointer_size;
	table->n_funcs = header_word(table, 0);
	table->text = header_word(table, layout->text);
	table->names = part_from(&table->table, header_word(table, layout->names));
	table->units = part_from(&table->table, header_word(table, layout->units));
	table->files = part_from(&table->table, header_word(table, layout->files));
	table->pc_tables = part_from(&table->table, header_word(table, layout->pc_tables));
	table->records = part_from(&table->table, header_word(table, layout->funcs));
	table->funcs = table->version == GO_1_2
			       ? part_from(&table->table, HEADER_WORDS + table->pointer_size)
			       : table->records;
	/* One entry more than there are functions: where the last one ends. */
	if (!table->n_funcs || table->n_funcs >= table->funcs.size / (2 * table->entry_size))
		return false;
	if (table->version == GO_1_2)
		find_old_files(table);
	return entry_of(table, 0) < entry_of(table, table->n_funcs);
}

static bool find_module_data(struct go_pclntab *table)
{
	const struct go_module_key key = {
		.pclntab = table->vaddr,
		.functions = table->vaddr + (uint64_t)(table->funcs.bytes - table->table.bytes),
		.n_functions = table->n_funcs,
		.pointer_size = table->pointer_size,
	};

	return table->module.n_ranges || go_module_data_find(table->elf, &key, &table->module);
}

/* The header has no number in position-independent programs, and since Go 1.26. */
static bool find_text(struct go_pclntab *table)
{
	if (table->version < GO_1_18 || table->text)
		return true;
	if (!find_module_data(table))
		return false;
	table->text = table->module.words[GO_MODULE_TEXT];
	return table->text;
}

static bool read_table(struct go_pclntab *table)
{
	return table->table.size >= HEADER_SIZE && read_magic(table) && read_parts(table) &&
	       find_text(table);
}

/* The first section by one of two names. */
static bool find_section(Elf *elf, const char *name, const char *other,
			 struct elf_section *section_ret)
{
	return elf_find_section(elf, name, section_ret) ||
	       elf_find_section(elf, other, section_ret);
}

static bool read_from(struct go_pclntab *table, const Elf_Data *data, const GElf_Shdr *header,
		      uint64_t at)
{
	Elf *elf = table->elf;

	*table = (struct go_pclntab){
		.elf = elf,
		.table = { (const uint8_t *)data->d_buf + at, data->d_size - at },
		.offset = header->sh_offset + at,
		.vaddr = header->sh_addr + at,
	};
	return read_table(table);
}

/* Other linkers merge it with what else relocations write. */
static bool read_merged(struct go_pclntab *table)
{
	unsigned n_beginnings = 0;
	struct elf_section section;

	if (!find_section(table->elf, ".go.buildinfo", ".note.go.buildid", &section) ||
	    !elf_find_section(table->elf, ".data.rel.ro", &section))
		return false;
	const Elf_Data *data = elf_section_bytes(&section);
	if (!data)
		return false;
	for (uint64_t at = 0; data->d_size - at >= HEADER_SIZE; at += 8) {
		/* All magic numbers begin alike; two zeros follow. */
		uint64_t start = read_le((const uint8_t *)data->d_buf + at, 6);

		if ((start | 0xff) != 0xffffffff)
			continue;
		if (read_from(table, data, &section.header, at))
			return true;
		if (++n_beginnings == BEGINNINGS_MAX)
			return false;
	}
	return false;
}

static bool find_table(struct go_pclntab *table)
{
	struct elf_section section;

	if (!find_section(table->elf, ".gopclntab", ".data.rel.ro.gopclntab", &section))
		return read_merged(table);
	const Elf_Data *data = elf_section_bytes(&section);
	return data && read_from(table, data, &section.header, 0);
}

struct go_pclntab *go_pclntab_create(Elf *elf)
{
	struct go_pclntab found = { .elf = elf };
	struct go_pclntab *table = find_table(&found) ? malloc(sizeof(*table)) : NULL;

	if (table)
		*table = found;
	return table;
}

void go_pclntab_destroy(struct go_pclntab *table)
{
	free(table);
}

enum go_version go_pclntab_version(const struct go_pclntab *table)
{
	return table->version;
}

uint64_t go_pclntab_size(const struct go_pclntab *table)
{
	return table->table.size;
}

unsigned go_pclntab_pointer_size(const struct go_pclntab *table)
{
	return table->pointer_size;
}

/* For callers that want to know what was read. */
struct reads {
	const struct go_pclntab *table;
	struct go_pclntab_range *ranges;
	size_t n;
};

static void note_range(struct reads *reads, uint64_t offset, uint64_t size)
{
	if (reads && reads->n < GO_PCLNTAB_RANGES_MAX)
		reads->ranges[reads->n++] = (struct go_pclntab_range){ offset, size };
}

static void note(struct reads *reads, const uint8_t *from, uint64_t size)
{
	if (reads)
		note_range(reads,
			   reads->table->offset + (uint64_t)(from - reads->table->table.bytes),
			   size);
}

static void note_entry(struct reads *reads, uint64_t i)
{
	if (reads) {
		unsigned size = 2 * reads->table->entry_size;

		note(reads, reads->table->funcs.bytes + size * i, size);
	}
}

/* All zero where the record is cut off. */
static uint64_t func_field(const struct go_pclntab *table, const struct go_function *function,
			   unsigned field)
{
	uint64_t value = 0;

	read_at(&table->records, function->record + table->entry_size + 4 * field, 4, &value);
	return value;
}

/* The function that holds @vaddr, but for its name. */
static bool find_function(const struct go_pclntab *table, uint64_t vaddr,
			  struct go_function *function, struct reads *reads)
{
	uint64_t low = 0, high = table->n_funcs, offset = vaddr - table->text;

	note_entry(reads, low);
	note_entry(reads, high);
	if (vaddr < table->text || offset < entry_of(table, low) || offset >= entry_of(table, high))
		return false;
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		note_entry(reads, middle);
		if (entry_of(table, middle) <= offset)
			low = middle;
		else
			high = middle;
	}
	function->start = table->text + entry_of(table, low);
	function->end = table->text + entry_of(table, high);
	function->record =
		read_le(table->funcs.bytes + 2 * table->entry_size * low + table->entry_size,
			table->entry_size);
	if (table->records.size < FUNC_NOTED(table) ||
	    function->record > table->records.size - FUNC_NOTED(table))
		return false;
	note(reads, table->records.bytes + function->record, FUNC_NOTED(table));
	return true;
}

static const char *text_at(const struct part *part, uint64_t at)
{
	if (at >= part->size || !memchr(part->bytes + at, 0, part->size - at))
		return NULL;
	return (const char *)part->bytes + at;
}

/* Empty where there is none. */
static const char *func_name(const struct go_pclntab *table, const struct go_function *function,
			     struct reads *reads)
{
	const char *name = text_at(&table->names, func_field(table, function, FUNC_NAME));

	if (!name)
		return "";
	note(reads, (const uint8_t *)name, strnlen(name, NAME_NOTED - 1) + 1);
	return name;
}

/* Rows of (change of the value, size of code), varints; 0 ends them, where it is not the first. */
struct pc_table {
	struct dwarf_reader rest;
	const uint8_t *start;
	uint64_t end; /* of the row's code */
	int64_t value;
	bool is_first;
};

/* false: the function has no such table. */
static bool pc_table_init(struct pc_table *rows, const struct go_pclntab *table,
			  const struct go_function *function, uint64_t at)
{
	if (!at || at >= table->pc_tables.size)
		return false;
	*rows = (struct pc_table){
		.rest = dwarf_reader(table->pc_tables.bytes + at, table->pc_tables.size - at),
		.start = table->pc_tables.bytes + at,
		.end = function->start,
		.value = -1,
		.is_first = true,
	};
	return true;
}

static bool pc_table_next(struct pc_table *rows, const struct go_pclntab *table)
{
	uint32_t change = (uint32_t)dwarf_read_uleb(&rows->rest), size;

	if (!change && !rows->is_first)
		return false;
	size = (uint32_t)dwarf_read_uleb(&rows->rest);
	if (rows->rest.is_broken)
		return false;
	rows->is_first = false;
	rows->value += change & 1 ? -(int64_t)(change >> 1) - 1 : (int64_t)(change >> 1);
	rows->end += (uint64_t)size * table->quantum;
	return true;
}

/* The row that holds @vaddr. */
static bool pc_table_find(struct pc_table *rows, const struct go_pclntab *table,
			  const struct go_function *function, uint64_t at, uint64_t vaddr,
			  uint64_t *budget)
{
	if (!pc_table_init(rows, table, function, at))
		return false;
	while (*budget && pc_table_next(rows, table)) {
		--*budget;
		if (vaddr < rows->end)
			return true;
	}
	return false;
}

static bool find_depth(const struct go_pclntab *table, const struct go_function *function,
		       uint64_t vaddr, int64_t *depth_ret, struct reads *reads)
{
	uint64_t budget = UINT64_MAX;
	struct pc_table rows;

	if (!pc_table_find(&rows, table, function, func_field(table, function, FUNC_PCSP), vaddr,
			   &budget))
		return false;
	note(reads, rows.start, (uint64_t)(rows.rest.at - rows.start));
	*depth_ret = rows.value;
	return true;
}

bool go_pclntab_find(const struct go_pclntab *table, uint64_t vaddr,
		     struct go_function *function_ret)
{
	struct go_function function;

	if (!find_function(table, vaddr, &function, NULL))
		return false;
	function.name = func_name(table, &function, NULL);
	*function_ret = function;
	return true;
}

bool go_pclntab_depth(const struct go_pclntab *table, const struct go_function *function,
		      uint64_t vaddr, int64_t *depth_ret)
{
	return find_depth(table, function, vaddr, depth_ret, NULL);
}

uint64_t go_pclntab_end(const struct go_pclntab *table, const struct go_function *function,
			uint64_t *budget)
{
	struct pc_table rows;

	/* Functions of other languages that Go's linker took in have a name only. */
	if (!pc_table_init(&rows, table, function, func_field(table, function, FUNC_PCLN)))
		return function->end;
	while (*budget && pc_table_next(&rows, table))
		--*budget;
	return *budget && rows.end < function->end ? rows.end : function->end;
}

static const char *file_name(const struct go_pclntab *table, const struct go_function *function,
			     int64_t number)
{
	uint64_t at, index = (uint64_t)number;

	if (number < 0)
		return NULL;
	if (table->version == GO_1_2)
		return read_at(&table->files, 4 * index, 4, &at) ? text_at(&table->table, at)
								 : NULL;
	index += func_field(table, function, FUNC_UNIT);
	return read_at(&table->units, 4 * index, 4, &at) ? text_at(&table->files, at) : NULL;
}

void go_pclntab_line(const struct go_pclntab *table, const struct go_function *function,
		     uint64_t vaddr, uint64_t *budget, const char **file_ret, uint32_t *line_ret)
{
	struct pc_table rows;

	*file_ret = NULL;
	*line_ret = 0;
	if (!pc_table_find(&rows, table, function, func_field(table, function, FUNC_PCFILE), vaddr,
			   budget))
		return;
	const char *file = file_name(table, function, rows.value);
	if (!file ||
	    !pc_table_find(&rows, table, function, func_field(table, function, FUNC_PCLN), vaddr,
			   budget) ||
	    rows.value <= 0 || rows.value > UINT32_MAX)
		return;
	*file_ret = file;
	*line_ret = (uint32_t)rows.value;
}

/* The calls that were inlined into a function, and which of them holds an instruction. */
struct inline_tree {
	struct part calls;
	uint64_t index_table;
};

/* The record is followed by tables by instruction, then by data of the function. */
static bool find_inline_tree(const struct go_pclntab *table, const struct go_function *function,
			     struct inline_tree *tree)
{
	uint64_t n_pcdata = func_field(table, function, FUNC_N_PCDATA), n_funcdata, at;
	uint64_t end = function->record + table->entry_size + 4 * (FUNC_UNIT + 1u);

	end += table->version >= GO_1_20 ? 8 : 4; /* the line it starts at; kinds and counts */
	if (!read_at(&table->records, end - 1, 1, &n_funcdata) || n_pcdata <= PCDATA_INLINED ||
	    n_funcdata <= FUNCDATA_INLINED ||
	    !read_at(&table->records, end + 4 * PCDATA_INLINED, 4, &tree->index_table))
		return false;
	at = end + 4 * n_pcdata;
	if (table->version >= GO_1_18) {
		if (!read_at(&table->records, at + 4 * FUNCDATA_INLINED, 4, &at) ||
		    at == UINT32_MAX)
			return false;
		tree->calls = part_from(&table->inlined, at);
		return tree->calls.bytes;
	}
	uint64_t records = table->vaddr + (uint64_t)(table->records.bytes - table->table.bytes);
	at += (0 - (records + at)) & (table->pointer_size - 1);
	if (!read_at(&table->records, at + FUNCDATA_INLINED * table->pointer_size,
		     table->pointer_size, &at) ||
	    !at)
		return false;
	tree->calls.bytes = go_bytes_at(table->elf, at, &tree->calls.size);
	return tree->calls.bytes;
}

/* false: the record of the call contradicts itself. */
static bool read_call(const struct go_pclntab *table, const struct go_function *function,
		      const struct inline_tree *tree, int64_t index, const char **name_ret,
		      uint64_t *call_ret)
{
	bool is_new = table->version >= GO_1_20;
	uint64_t at = (uint64_t)index * (is_new ? 16 : 20), name, call;

	if (!read_at(&tree->calls, at + (is_new ? 4 : 12), 4, &name) ||
	    !read_at(&tree->calls, at + (is_new ? 8 : 16), 4, &call) ||
	    call >= function->end - function->start)
		return false;
	*name_ret = text_at(&table->names, name);
	*call_ret = function->start + call;
	return *name_ret && **name_ret && (!name || !table->names.bytes[name - 1]);
}

/* 1: all calls of the function can be read; 0: it has none; -1: there is something else. */
static int probe_function(const struct go_pclntab *table, const struct go_function *function,
			  uint64_t *budget)
{
	struct inline_tree tree;
	struct pc_table rows;
	const char *name;
	uint64_t call;
	int found = 0;

	if (!find_inline_tree(table, function, &tree) ||
	    !pc_table_init(&rows, table, function, tree.index_table))
		return 0;
	while (*budget && pc_table_next(&rows, table)) {
		--*budget;
		if (rows.value < 0)
			continue;
		if (!read_call(table, function, &tree, rows.value, &name, &call))
			return -1;
		found = 1;
	}
	return found;
}

static bool probe_inlined(const struct go_pclntab *table)
{
	uint64_t budget = PROBE_BUDGET;
	unsigned n_read = 0;

	for (uint64_t i = 0; i < table->n_funcs && n_read < PROBES_MAX && budget; i++) {
		struct go_function function;

		budget--;
		if (!find_function(table, table->text + entry_of(table, i), &function, NULL))
			continue;
		int found = probe_function(table, &function, &budget);
		if (found < 0)
			return false;
		n_read += (unsigned)found;
	}
	return n_read;
}

bool go_pclntab_open_inlined(struct go_pclntab *table)
{
	if (table->version >= GO_1_18 && find_module_data(table)) {
		unsigned word =
			table->version == GO_1_18 ? GO_MODULE_INLINED_1_18 : GO_MODULE_INLINED_1_20;

		table->inlined.bytes =
			go_bytes_at(table->elf, table->module.words[word], &table->inlined.size);
		if (!table->inlined.bytes)
			table->inlined.size = 0;
	}
	table->knows_inlined = table->version >= GO_1_16 && probe_inlined(table);
	return table->knows_inlined;
}

bool go_pclntab_inlined(const struct go_pclntab *table, const struct go_function *function,
			uint64_t vaddr, uint64_t *budget, const char **name_ret, uint64_t *call_ret)
{
	struct inline_tree tree;
	struct pc_table rows;

	return table->knows_inlined && find_inline_tree(table, function, &tree) &&
	       pc_table_find(&rows, table, function, tree.index_table, vaddr, budget) &&
	       rows.value >= 0 && read_call(table, function, &tree, rows.value, name_ret, call_ret);
}

size_t go_pclntab_ranges(const struct go_pclntab *table, uint64_t vaddr,
			 struct go_pclntab_range ranges[GO_PCLNTAB_RANGES_MAX])
{
	struct reads reads = { .table = table, .ranges = ranges };
	struct go_function function;
	int64_t depth;

	note(&reads, table->table.bytes, HEADER_SIZE);
	for (size_t i = 0; i < table->module.n_ranges; i++)
		note_range(&reads, table->module.ranges[i].offset, table->module.ranges[i].size);
	if (!find_function(table, vaddr, &function, &reads))
		return 0;
	func_name(table, &function, &reads);
	find_depth(table, &function, vaddr, &depth, &reads);
	return reads.n;
}
