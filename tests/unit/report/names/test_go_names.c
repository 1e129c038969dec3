/*
 * Made-up programs of each version of Go, without symbols: three functions from TEXT on, the first
 * with two calls inlined into each other, the second with padding after it, the third C code that
 * Go's linker took in.
 */
#include <elf.h>
#include <libelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/object/go/go_pclntab.h"
#include "report/code/elf_symbols.h"
#include "report/dwarf/debug_info.h"
#include "report/names/go_names.h"

#define BASE    0x10000u /* addresses of the image's bytes */
#define TEXT    0x20000u
#define METHOD  TEXT
#define GENERIC (TEXT + 0x40)
#define C_CODE  (TEXT + 0x80)
#define END     (TEXT + 0xa0)

#define SECTIONS 0x040u
#define STRINGS  0x280u
#define TABLE    0x400u
#define CALLS    0xc00u
#define MODULE   0x1000u
#define RELA     0x1400u
#define SIZE     0x2000u

#define LARGE_SIZE 0x30000u

/* Parts of the table. */
#define NAMES     0x080u
#define UNITS     0x100u
#define FILES     0x120u
#define PC_TABLES 0x140u
#define FUNCS     0x180u
#define RECORDS   0x100u /* after FUNCS */

struct shape {
	enum go_version version;
	unsigned pointer_size;
	bool is_independent; /* of its position */
	bool is_merged;      /* the table has no separate section */
	bool has_text;       /* in its header */
	bool knows_inlined;
};

static const struct shape shapes[] = {
	{ GO_1_2, 8, false, false, false, false }, { GO_1_2, 4, false, false, false, false },
	{ GO_1_16, 8, false, false, false, true }, { GO_1_16, 4, false, false, false, true },
	{ GO_1_18, 8, false, false, true, true },  { GO_1_18, 8, true, false, false, true },
	{ GO_1_18, 4, false, false, true, true },  { GO_1_20, 8, false, false, true, true },
	{ GO_1_20, 8, false, false, false, true }, { GO_1_20, 8, true, false, false, true },
	{ GO_1_20, 8, true, true, false, true },   { GO_1_20, 4, false, false, false, true },
};

static const char strings[] = "\0.gopclntab\0.rodata\0.noptrdata\0.rela\0.shstrtab\0.data.rel.ro\0"
			      ".go.buildinfo";
static const char names[] = "main.(*T).Method\0main.Map[...]\0c_code\0strings.Index\0strings.inner";

static void set(uint8_t *image, size_t at, uint64_t value, size_t size)
{
	memcpy(image + at, &value, size);
}

static uint64_t name_offset(const char *name)
{
	const char *found = memmem(names, sizeof(names), name, strlen(name) + 1);

	assert_non_null(found);
	return (uint64_t)(found - names);
}

static uint32_t string_offset(const char *name)
{
	const char *found = memmem(strings, sizeof(strings), name, strlen(name) + 1);

	assert_non_null(found);
	return (uint32_t)(found - strings);
}

static void add_section(uint8_t *image, const char *name, uint32_t type, uint64_t flags,
			uint64_t offset, uint64_t size)
{
	Elf64_Ehdr *header = (Elf64_Ehdr *)image;
	Elf64_Shdr *section = (Elf64_Shdr *)(image + SECTIONS) + header->e_shnum++;

	*section = (Elf64_Shdr){
		.sh_name = string_offset(name),
		.sh_type = type,
		.sh_flags = flags,
		.sh_addr = flags & SHF_ALLOC ? BASE + offset : 0,
		.sh_offset = offset,
		.sh_size = size,
		.sh_addralign = 8,
		.sh_entsize = type == SHT_RELA ? sizeof(Elf64_Rela) : 0,
	};
}

static void make_elf(uint8_t *image, const struct shape *shape)
{
	Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = shape->is_independent ? ET_DYN : ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_shoff = SECTIONS,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 1,
		.e_shstrndx = 1,
	};

	memcpy(image, &header, sizeof(header));
	memcpy(image + STRINGS, strings, sizeof(strings));
	add_section(image, ".shstrtab", SHT_STRTAB, 0, STRINGS, sizeof(strings));
	if (shape->is_merged) {
		add_section(image, ".go.buildinfo", SHT_PROGBITS, SHF_ALLOC, STRINGS, 16);
		add_section(image, ".data.rel.ro", SHT_PROGBITS, SHF_ALLOC, TABLE - 0x40,
			    CALLS - TABLE + 0x40);
	} else {
		add_section(image, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, TABLE, CALLS - TABLE);
	}
	add_section(image, ".rodata", SHT_PROGBITS, SHF_ALLOC, CALLS, MODULE - CALLS);
	add_section(image, ".noptrdata", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, MODULE,
		    RELA - MODULE);
	if (shape->is_independent)
		add_section(image, ".rela", SHT_RELA, SHF_ALLOC, RELA, 8 * sizeof(Elf64_Rela));
}

static void make_header(uint8_t *image, const struct shape *shape)
{
	static const uint32_t magics[] = { 0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1 };
	static const uint64_t parts[] = { NAMES, UNITS, FILES, PC_TABLES, FUNCS };
	const unsigned size = shape->pointer_size;
	bool has_text = shape->version >= GO_1_18;

	set(image, TABLE, magics[shape->version], 4);
	image[TABLE + 6] = 1;
	image[TABLE + 7] = (uint8_t)size;
	set(image, TABLE + 8, 3, size);
	if (shape->version == GO_1_2)
		return;
	set(image, TABLE + 8 + size, 2, size);
	if (shape->has_text)
		set(image, TABLE + 8 + 2 * size, TEXT, size);
	for (size_t i = 0; i < 5; i++)
		set(image, TABLE + 8 + (2 + has_text + i) * size, parts[i], size);
}

static void make_names(uint8_t *image, const struct shape *shape)
{
	static const char files[] = "a.go\0b.go";
	const bool is_old = shape->version == GO_1_2;

	memcpy(image + TABLE + NAMES, names, sizeof(names));
	memcpy(image + TABLE + FILES, files, sizeof(files));
	set(image, TABLE + UNITS + 4, is_old ? FILES : 0, 4);
	set(image, TABLE + UNITS + 8, is_old ? FILES + 5 : 5, 4);
}

/* Of the first function: files, lines, inlined calls; of the second: files, lines. */
static const uint8_t pc_tables[] = {
	0,  4,    0x10, 2,  0x10, 1, 0x20, 0,                                           /* at 1 */
	22, 8,    2,    8,  0xb4, 1, 4,    0xc8, 1, 4,    0xc5, 1, 8, 0xb3, 1, 0x20, 0, /* 8 */
	0,  0x10, 2,    4,  2,    4, 1,    8,    1, 0x20, 0,                            /* 25 */
	4,  0x20, 0,    42, 0x20, 0,                                                    /* 36, 39 */
};

static void make_record(uint8_t *image, const struct shape *shape, unsigned i, uint64_t entry,
			const char *name, const unsigned tables[3])
{
	const bool is_new = shape->version >= GO_1_18, is_old = shape->version == GO_1_2;
	const unsigned entry_size = is_new ? 4 : shape->pointer_size;
	const uint64_t funcs = is_old ? 8 + shape->pointer_size : FUNCS;
	const uint64_t record = FUNCS + RECORDS + 0x80 * i;
	const uint64_t pcs = is_old ? PC_TABLES : 0;
	uint64_t at = TABLE + record + entry_size;

	set(image, TABLE + funcs + 2 * entry_size * i, is_new ? entry - TEXT : entry, entry_size);
	set(image, TABLE + funcs + 2 * entry_size * i + entry_size,
	    is_old ? record : record - FUNCS, entry_size);
	set(image, TABLE + record, is_new ? entry - TEXT : entry, entry_size);
	set(image, at, name_offset(name) + (is_old ? NAMES : 0), 4);
	set(image, at + 16, tables[0] ? tables[0] + pcs : 0, 4);
	set(image, at + 20, tables[1] ? tables[1] + pcs : 0, 4);
	set(image, at + 24, 3, 4);
	set(image, at + 28, 0, 4); /* the unit; its files' numbers begin at 1 */
	at += shape->version >= GO_1_20 ? 40 : 36;
	image[at - 1] = 4;
	set(image, at + 8, tables[2], 4);
	at += 12;
	if (is_new) {
		set(image, at + 12, tables[2] ? 0x40 : UINT32_MAX, 4);
		return;
	}
	at += (0 - (BASE + at)) & (shape->pointer_size - 1);
	set(image, at + 3 * shape->pointer_size, tables[2] ? BASE + CALLS + 0x40 : 0,
	    shape->pointer_size);
}

static void make_calls(uint8_t *image, const struct shape *shape)
{
	const bool is_new = shape->version >= GO_1_20;
	const size_t size = is_new ? 16 : 20, at = CALLS + 0x40;

	set(image, at + (is_new ? 4 : 12), name_offset("strings.Index"), 4);
	set(image, at + (is_new ? 8 : 16), 0x8, 4);
	set(image, at + size + (is_new ? 4 : 12), name_offset("strings.inner"), 4);
	set(image, at + size + (is_new ? 8 : 16), 0x12, 4);
}

static void set_module_word(uint8_t *image, const struct shape *shape, unsigned word,
			    uint64_t value, bool is_address)
{
	static unsigned n_relocations;
	const size_t at = MODULE + 0x20 + (size_t)word * shape->pointer_size;

	if (!shape->is_independent || !is_address) {
		set(image, at, value, shape->pointer_size);
		return;
	}
	Elf64_Rela *relocation = (Elf64_Rela *)(image + RELA) + (n_relocations++ % 8);
	*relocation = (Elf64_Rela){ .r_offset = BASE + at,
				    .r_info = ELF64_R_INFO(0, R_X86_64_RELATIVE),
				    .r_addend = (int64_t)value };
}

static void make_image(uint8_t *image, const struct shape *shape)
{
	const bool is_old = shape->version == GO_1_2, is_new = shape->version >= GO_1_18;
	const unsigned entry_size = is_new ? 4 : shape->pointer_size;
	const uint64_t funcs = TABLE + (is_old ? 8 + shape->pointer_size : FUNCS);

	memset(image, 0, SIZE);
	make_elf(image, shape);
	make_header(image, shape);
	make_names(image, shape);
	memcpy(image + TABLE + PC_TABLES, pc_tables, sizeof(pc_tables));
	make_record(image, shape, 0, METHOD, "main.(*T).Method", (unsigned[]){ 1, 8, 25 });
	make_record(image, shape, 1, GENERIC, "main.Map[...]", (unsigned[]){ 36, 39, 0 });
	make_record(image, shape, 2, C_CODE, "c_code", (unsigned[]){ 0, 0, 0 });
	set(image, funcs + 6 * entry_size, is_new ? END - TEXT : END, entry_size);
	if (is_old)
		set(image, funcs + 7 * entry_size, UNITS, 4);
	make_calls(image, shape);
	set_module_word(image, shape, 0, BASE + TABLE, true);
	set_module_word(image, shape, 16, BASE + TABLE + FUNCS, true);
	set_module_word(image, shape, 17, 4, false);
	set_module_word(image, shape, 22, TEXT, true);
	set_module_word(image, shape, shape->version == GO_1_18 ? 38 : 40, BASE + CALLS, true);
}

static Elf *open_image(uint8_t *image)
{
	Elf *elf = elf_memory((char *)image, SIZE);

	assert_non_null(elf);
	return elf;
}

static void is_place(const struct debug_function *place, const char *name, const char *file,
		     uint32_t line)
{
	assert_string_equal(place->name, name);
	assert_string_equal(place->file, file);
	assert_int_equal(place->line, line);
}

static void has_lines(struct go_names *names_of, bool knows_inlined)
{
	struct debug_function places[8];

	assert_int_equal(go_names_find(names_of, METHOD + 7, places, 8), 1);
	is_place(&places[0], "main.(*T).Method", "a.go", 10);
	assert_int_equal(go_names_find(names_of, METHOD + 0x3f, places, 8), 1);
	is_place(&places[0], "main.(*T).Method", "a.go", 12);
	assert_int_equal(go_names_find(names_of, GENERIC + 0x1f, places, 8), 1);
	is_place(&places[0], "main.Map[...]", "a.go", 20);
	assert_int_equal(go_names_find(names_of, METHOD + 0x15, places, 8), knows_inlined ? 3 : 1);
	is_place(&places[0], knows_inlined ? "strings.inner" : "main.(*T).Method", "b.go", 201);
	if (!knows_inlined)
		return;
	is_place(&places[1], "strings.Index", "b.go", 101);
	is_place(&places[2], "main.(*T).Method", "a.go", 11);
	assert_int_equal(go_names_find(names_of, METHOD + 0x18, places, 8), 2);
	is_place(&places[0], "strings.Index", "b.go", 102);
}

static void each_version_names_functions_calls_and_lines(void **state)
{
	static const struct {
		uint64_t vaddr;
		const char *name;
		uint64_t start, end;
	} cases[] = {
		{ METHOD - 1, NULL, 0, 0 },
		{ METHOD, "main.(*T).Method", METHOD, GENERIC },
		{ METHOD + 0x3f, "main.(*T).Method", METHOD, GENERIC },
		{ GENERIC, "main.Map[...]", GENERIC, GENERIC + 0x20 },
		{ GENERIC + 0x1f, "main.Map[...]", GENERIC, GENERIC + 0x20 },
		{ GENERIC + 0x20, NULL, 0, 0 },
		{ C_CODE + 4, "c_code", C_CODE, END },
		{ END, NULL, 0, 0 },
		{ UINT64_MAX, NULL, 0, 0 },
	};
	static uint8_t image[SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		make_image(image, &shapes[i]);
		Elf *elf = open_image(image);
		struct go_names *found = go_names_open(elf);

		assert_non_null(found);
		assert_int_equal(go_names_knows_inlined(found), shapes[i].knows_inlined);
		for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
			struct elf_symbol_match match;
			bool is_found = go_names_function(found, cases[j].vaddr, &match);

			assert_int_equal(is_found, cases[j].name != NULL);
			if (!is_found)
				continue;
			assert_string_equal(match.name, cases[j].name);
			assert_int_equal(match.start, cases[j].start);
			assert_int_equal(match.end, cases[j].end);
		}
		has_lines(found, shapes[i].knows_inlined);
		go_names_close(found);
		elf_end(elf);
	}
}

/* How many functions are at METHOD + 0x15; 0 if there is no table. */
static size_t depth_of(uint8_t *image)
{
	struct debug_function places[DEBUG_INFO_MAX_INLINED];
	Elf *elf = open_image(image);
	struct go_names *found = go_names_open(elf);
	size_t n = found ? go_names_find(found, METHOD + 0x15, places, DEBUG_INFO_MAX_INLINED) : 0;

	if (n)
		assert_string_equal(places[n - 1].name, "main.(*T).Method");
	go_names_close(found);
	elf_end(elf);
	return n;
}

static const struct shape newest = { GO_1_20, 8, false, false, true, true };

static void calls_that_contradict_themselves_are_not_believed(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
		size_t depth;
	} cases[] = {
		{ CALLS + 0x40 + 4, 0, 3 }, /* any name will do, */
		{ CALLS + 0x40 + 4, 1, 1 }, /* but from its beginning, */
		{ CALLS + 0x40 + 4, 0x7fffffff, 1 },
		{ CALLS + 0x40 + 8, 0x3f, 3 }, /* and a place within the function, */
		{ CALLS + 0x40 + 8, 0x40, 1 },
		{ CALLS + 0x40 + 8, 0x10, 1 },    /* which is not inlined there itself */
		{ MODULE + 0x20 + 8 * 40, 0, 1 }, /* calls are nowhere */
		{ MODULE + 0x20 + 8 * 17, 5, 1 }, /* another number of functions */
	};
	static uint8_t image[SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_image(image, &newest);
		set(image, cases[i].at, cases[i].value, 4);
		assert_int_equal(depth_of(image), cases[i].depth);
	}
}

static void a_program_whose_text_is_nowhere_said_has_no_names(void **state)
{
	static const struct shape unplaced = { GO_1_20, 8, false, false, false, true };
	static uint8_t image[SIZE];

	(void)state;
	make_image(image, &unplaced);
	set(image, MODULE + 0x20, 0, 8);
	assert_int_equal(depth_of(image), 0);
}

static void no_byte_of_a_program_leads_outside_it(void **state)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	static uint8_t image[SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (size_t at = SECTIONS; at < RELA + 8 * sizeof(Elf64_Rela); at++) {
			make_image(image, &shapes[i]);
			if (!image[at] && at % 7)
				continue;
			image[at] = values[at % sizeof(values)];
			Elf *elf = open_image(image);
			struct go_names *found = go_names_open(elf);
			struct debug_function places[DEBUG_INFO_MAX_INLINED];

			for (uint64_t vaddr = METHOD; found && vaddr <= END; vaddr += 0xb)
				go_names_find(found, vaddr, places, DEBUG_INFO_MAX_INLINED);
			go_names_close(found);
			elf_end(elf);
		}
}

/* A call inlined into itself, by long tables: reading them each time would take forever.
 */
static void tables_without_end_are_given_up_but_names_stay(void **state)
{
	const struct shape shape = { GO_1_18, 8, false, false, true, true };
	const uint64_t rows = 0x4000, at = TABLE + FUNCS + RECORDS + 4, code = 0xf000;
	struct debug_function places[DEBUG_INFO_MAX_INLINED];
	struct elf_symbol_match match;

	(void)state;
	uint8_t *image = calloc(1, LARGE_SIZE);
	assert_non_null(image);
	make_image(image, &shape);
	((Elf64_Shdr *)(image + SECTIONS))[2].sh_size = LARGE_SIZE - TABLE;
	for (size_t i = rows; i < LARGE_SIZE; i += 2) {
		image[i] = i % 4 ? 1 : 2; /* 0 and -1 in turn */
		image[i + 1] = 1;
	}
	set(image, at + 16, rows - TABLE - PC_TABLES, 4);
	set(image, at + 20, rows - TABLE - PC_TABLES, 4);
	set(image, at + 36 + 8, rows - TABLE - PC_TABLES, 4);
	for (size_t i = 1; i < 4; i++)
		set(image, TABLE + FUNCS + 8 * i, code + 0x20 * i, 4);
	set(image, CALLS + 0x40 + 16, code & ~1ull, 4);
	Elf *elf = elf_memory((char *)image, LARGE_SIZE);
	assert_non_null(elf);
	struct go_names *found = go_names_open(elf);

	assert_non_null(found);
	assert_true(go_names_knows_inlined(found));
	assert_false(go_names_gave_up(found));
	for (size_t i = 0; i < 1000 && !go_names_gave_up(found); i++)
		assert_in_range(go_names_find(found, TEXT + code, places, DEBUG_INFO_MAX_INLINED),
				1, DEBUG_INFO_MAX_INLINED);
	assert_true(go_names_gave_up(found));
	assert_true(go_names_function(found, TEXT + code, &match));
	assert_string_equal(match.name, "main.(*T).Method");
	go_names_close(found);
	elf_end(elf);
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_version_names_functions_calls_and_lines),
		cmocka_unit_test(calls_that_contradict_themselves_are_not_believed),
		cmocka_unit_test(a_program_whose_text_is_nowhere_said_has_no_names),
		cmocka_unit_test(no_byte_of_a_program_leads_outside_it),
		cmocka_unit_test(tables_without_end_are_given_up_but_names_stay),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
