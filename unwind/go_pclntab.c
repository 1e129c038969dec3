#include "unwind/go_pclntab.h"

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
/* The longest of the names that are looked for, and its end. */
#define NAME_MAX_SIZE 40u

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

/* The record of the function that holds @offset from the start of the text. NULL: none. */
static const uint8_t *find_func(const struct go_pclntab *table, uint64_t offset,
				struct reads *reads)
{
	uint64_t low = 0, high = table->n_funcs;

	note_entry(reads, low);
	note_entry(reads, high);
	if (offset < entry_of(table, low) || offset >= entry_of(table, high))
		return NULL;
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
		return NULL;
	note(reads, table->funcs.bytes + at, FUNC_SIZE);
	return table->funcs.bytes + at;
}

/* Empty where the name is longer than those that matter. */
static const char *func_name(const struct go_pclntab *table, const uint8_t *func,
			     struct reads *reads)
{
	uint64_t at = read_le(func + FUNC_NAME, 4);

	if (at >= table->names.size)
		return "";
	const char *name = (const char *)table->names.bytes + at;
	uint64_t left = table->names.size - at;
	size_t looked_at = left < NAME_MAX_SIZE ? left : NAME_MAX_SIZE;
	const char *end = memchr(name, 0, looked_at);
	note(reads, table->names.bytes + at, end ? (uint64_t)(end - name) + 1 : looked_at);
	return end ? name : "";
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

/* How far the stack pointer lies below where it was at the function's first instruction. */
static bool stack_depth(const struct go_pclntab *table, const uint8_t *func, uint64_t offset,
			int64_t *depth_ret, struct reads *reads)
{
	uint64_t at = read_le(func + FUNC_PCSP, 4), pc = read_le(func, 4);
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
		if (offset < pc) {
			const uint8_t *start = table->pc_tables.bytes + at;

			note(reads, start, (uint64_t)(part.bytes - start));
			*depth_ret = depth;
			return true;
		}
	}
	return false;
}

/* Assembly's names end in .abi0 if the program has a table of both calling conventions. */
static bool is_one_of(const char *name, const char *const *names)
{
	static const char abi0[] = ".abi0";

	for (; *names; names++) {
		size_t size = strlen(*names);

		if (!strncmp(name, *names, size) && (!name[size] || !strcmp(name + size, abi0)))
			return true;
	}
	return false;
}

/* Go keeps no register but the stack pointer for its callers; what C code saved is not followed. */
static bool depth_rule(const struct arch *arch, int64_t depth, struct rule *rule_ret)
{
	struct rule rule = { .kind = RULE_CFA_REGISTER };
	size_t n_slots = 0;

	if (depth < 0 || depth % arch->pointer_size || depth / arch->pointer_size >= INT16_MAX)
		return false;
	rule.cfa_reg = arch->sp & 31;
	rule.cfa_offset = (int16_t)(depth / arch->pointer_size + 1);
	for (uint64_t left = rule_saved_regs(arch); left; left &= left - 1)
		rule.slots[n_slots++] =
			(unsigned)__builtin_ctzll(left) == arch->ra ? 1 : SLOT_UNDEFINED;
	*rule_ret = rule;
	return true;
}

bool go_pclntab_find_rule(const struct go_pclntab *table, const struct arch *arch, uint64_t vaddr,
			  bool is_return, struct rule *rule_ret)
{
	/* A goroutine's and a thread's first function, and the first ones on a scheduler's stack.
	 */
	static const char *const outermost[] = { "runtime.goexit", "runtime.mstart",
						 "runtime.rt0_go", "_rt0_amd64_linux",
						 "_rt0_amd64",     NULL };
	static const char *const switch_for_good[] = { "runtime.mcall", "runtime.morestack", NULL };
	static const char *const switch_and_return[] = {
		"runtime.systemstack", "runtime.asmcgocall", "runtime.nanotime1",
		"runtime.walltime",    "time.now",           NULL
	};
	static const char *const not_called[] = { "runtime.sigreturn",
						  "runtime.sigreturn__sigaction", NULL };
	bool ra_on_stack = !(arch->callee_saved >> arch->ra & 1);
	uint64_t offset = vaddr - table->text;
	const uint8_t *func = find_func(table, offset, NULL);
	int64_t depth;

	if (!func || vaddr < table->text || !ra_on_stack)
		return false;
	const char *name = func_name(table, func, NULL);
	bool is_for_good = is_one_of(name, switch_for_good);
	if (is_one_of(name, outermost)) {
		*rule_ret = (struct rule){ .kind = RULE_ROOT };
		return true;
	}
	if (is_for_good || is_one_of(name, switch_and_return)) {
		/* Only at a call is it known on which stack it runs. */
		enum rule_kind kind = is_for_good ? RULE_ROOT : RULE_OTHER_STACK;

		*rule_ret = (struct rule){ .kind = is_return ? kind : RULE_NONE };
		return true;
	}
	return !is_one_of(name, not_called) && stack_depth(table, func, offset, &depth, NULL) &&
	       depth_rule(arch, depth, rule_ret);
}

size_t go_pclntab_ranges(const struct go_pclntab *table, uint64_t vaddr,
			 struct go_pclntab_range ranges[GO_PCLNTAB_RANGES_MAX])
{
	struct reads reads = { .table = table, .ranges = ranges };
	uint64_t offset = vaddr - table->text;
	int64_t depth;

	note(&reads, table->bytes, HEADER_SIZE);
	const uint8_t *func = vaddr < table->text ? NULL : find_func(table, offset, &reads);
	if (!func)
		return 0;
	func_name(table, func, &reads);
	stack_depth(table, func, offset, &depth, &reads);
	return reads.n;
}
