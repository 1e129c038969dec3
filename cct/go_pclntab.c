#include "cct/go_pclntab.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* The header, and a function's record; all little endian, pointers of 8 bytes. */
#define MAGIC_1_18       0xfffffff0u
#define MAGIC_1_20       0xfffffff1u
#define HEADER_SIZE      72u
#define HEADER_POINTER   7u
#define HEADER_N_FUNCS   8u
#define HEADER_TEXT      24u
#define HEADER_NAMES     32u
#define HEADER_PC_TABLES 56u
#define HEADER_FUNCS     64u
#define FUNC_SIZE        20u
#define FUNC_NAME        4u
#define FUNC_PCSP        16u
/* As much of a name as tells the functions that unwinding knows by their names. */
#define NAME_NOTED 40u

/* A part of the section, checked to lie inside it. */
struct part {
	const uint8_t *bytes;
	uint64_t size;
};

struct go_pclntab {
	const uint8_t *bytes; /* of the section, which is at @offset of the file */
	uint64_t offset;
	uint64_t text; /* what offsets of functions count from */
	uint64_t n_funcs;
	struct part names, pc_tables;
	struct part funcs; /* pairs of entry and place of the record, then the records */
};

static uint64_t read_le(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

static Elf_Scn *find_section(Elf *elf)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab", NULL };
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		const char *name = elf_strptr(elf, strings, header.sh_name);
		for (size_t i = 0; name && names[i]; i++)
			if (!strcmp(name, names[i]))
				return section;
	}
	return NULL;
}

static bool take_part(const struct part *section, uint64_t header_at, struct part *part_ret)
{
	uint64_t start = read_le(section->bytes + header_at, 8);

	if (start > section->size)
		return false;
	*part_ret = (struct part){ section->bytes + start, section->size - start };
	return true;
}

static bool read_header(const struct part *section, struct go_pclntab *table)
{
	uint32_t magic;

	if (section->size < HEADER_SIZE)
		return false;
	magic = (uint32_t)read_le(section->bytes, sizeof(magic));
	if ((magic != MAGIC_1_18 && magic != MAGIC_1_20) || section->bytes[HEADER_POINTER] != 8)
		return false;
	table->n_funcs = read_le(section->bytes + HEADER_N_FUNCS, 8);
	table->text = read_le(section->bytes + HEADER_TEXT, 8);
	/* Linked by another linker, a position-independent program may have no start yet: unused.
	 * One entry more than there are functions: where the last one ends. */
	return table->text && take_part(section, HEADER_NAMES, &table->names) &&
	       take_part(section, HEADER_PC_TABLES, &table->pc_tables) &&
	       take_part(section, HEADER_FUNCS, &table->funcs) && table->n_funcs > 0 &&
	       table->n_funcs < table->funcs.size / 8;
}

struct go_pclntab *go_pclntab_create(Elf *elf)
{
	Elf_Scn *section = find_section(elf);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	GElf_Shdr header;
	if (!data || !data->d_buf || !gelf_getshdr(section, &header))
		return NULL;

	struct part part = { data->d_buf, data->d_size };
	struct go_pclntab *table = calloc(1, sizeof(*table));
	if (table && !read_header(&part, table)) {
		free(table);
		return NULL;
	}
	if (table) {
		table->bytes = part.bytes;
		table->offset = header.sh_offset;
	}
	return table;
}

void go_pclntab_destroy(struct go_pclntab *table)
{
	free(table);
}

static uint64_t entry_of(const struct go_pclntab *table, uint64_t i)
{
	return read_le(table->funcs.bytes + 8 * i, 4);
}

/* For those who want to know what was read. */
struct reads {
	const struct go_pclntab *table;
	struct go_pclntab_range *ranges;
	size_t n;
};

static void note(struct reads *reads, const uint8_t *from, uint64_t size)
{
	if (reads && reads->n < GO_PCLNTAB_RANGES_MAX)
		reads->ranges[reads->n++] = (struct go_pclntab_range){
			reads->table->offset + (uint64_t)(from - reads->table->bytes), size
		};
}

static void note_entry(struct reads *reads, uint64_t i)
{
	if (reads)
		note(reads, reads->table->funcs.bytes + 8 * i, 8);
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
	uint64_t at = read_le(table->funcs.bytes + 8 * low + 4, 4);
	if (table->funcs.size < FUNC_SIZE || at > table->funcs.size - FUNC_SIZE)
		return false;
	function->record = table->funcs.bytes + at;
	function->start = table->text + entry_of(table, low);
	function->end = table->text + entry_of(table, high);
	note(reads, function->record, FUNC_SIZE);
	return true;
}

/* Empty where there is none. */
static const char *func_name(const struct go_pclntab *table, const uint8_t *func,
			     struct reads *reads)
{
	uint64_t at = read_le(func + FUNC_NAME, 4);

	if (at >= table->names.size)
		return "";
	const char *name = (const char *)table->names.bytes + at;
	uint64_t left = table->names.size - at;
	if (!memchr(name, 0, left))
		return "";
	note(reads, table->names.bytes + at, strnlen(name, NAME_NOTED - 1) + 1);
	return name;
}

static bool read_varint(struct part *part, uint32_t *value_ret)
{
	uint32_t value = 0;

	for (unsigned shift = 0; shift < 32; shift += 7) {
		if (!part->size)
			return false;
		uint8_t byte = *part->bytes++;
		part->size--;
		value |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*value_ret = value;
			return true;
		}
	}
	return false;
}

static bool find_depth(const struct go_pclntab *table, const struct go_function *function,
		       uint64_t vaddr, int64_t *depth_ret, struct reads *reads)
{
	uint64_t at = read_le(function->record + FUNC_PCSP, 4), pc = function->start;
	uint32_t change, size;
	int64_t depth = -1;

	if (!at || at >= table->pc_tables.size)
		return false;
	struct part part = { table->pc_tables.bytes + at, table->pc_tables.size - at };
	for (bool is_first = true; read_varint(&part, &change); is_first = false) {
		if ((!change && !is_first) || !read_varint(&part, &size))
			return false;
		depth += change & 1 ? -(int64_t)(change >> 1) - 1 : (int64_t)(change >> 1);
		pc += size;
		if (vaddr < pc) {
			const uint8_t *start = table->pc_tables.bytes + at;

			note(reads, start, (uint64_t)(part.bytes - start));
			*depth_ret = depth;
			return true;
		}
	}
	return false;
}

bool go_pclntab_find(const struct go_pclntab *table, uint64_t vaddr,
		     struct go_function *function_ret)
{
	struct go_function function;

	if (!find_function(table, vaddr, &function, NULL))
		return false;
	function.name = func_name(table, function.record, NULL);
	*function_ret = function;
	return true;
}

bool go_pclntab_depth(const struct go_pclntab *table, const struct go_function *function,
		      uint64_t vaddr, int64_t *depth_ret)
{
	return find_depth(table, function, vaddr, depth_ret, NULL);
}

size_t go_pclntab_ranges(const struct go_pclntab *table, uint64_t vaddr,
			 struct go_pclntab_range ranges[GO_PCLNTAB_RANGES_MAX])
{
	struct reads reads = { .table = table, .ranges = ranges };
	struct go_function function;
	int64_t depth;

	note(&reads, table->bytes, HEADER_SIZE);
	if (!find_function(table, vaddr, &function, &reads))
		return 0;
	func_name(table, function.record, &reads);
	find_depth(table, &function, vaddr, &depth, &reads);
	return reads.n;
}
