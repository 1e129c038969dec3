#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/code/elf_symbols.h"
#include "report/code/plt.h"
#include "report/demangle/demangle.h"
#include "report/names/symbolize.h"
#include "tests/unit/fixtures/elf_image.h"

#define TEXT_OFFSET 0x1000u
#define TEXT_VADDR  0x401000u
#define TEXT_SIZE   0x1000u

/* One symbol of a made-up file; values are relative to its .text. */
struct made_symbol {
	const char *name;
	uint64_t value, size;
	unsigned char bind, type;
	bool elsewhere; /* in a section without code */
};

enum { SECTION_NULL, SECTION_TEXT, SECTION_SYMTAB, SECTION_STRTAB, SECTION_FRAMES, N_SECTIONS };

struct made_file {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[N_SECTIONS];
	Elf64_Sym symbols[32];
	char strings[512];
	uint8_t frames[512];
};

static void add_sections(struct made_file *file, size_t n_symbols)
{
	file->sections[SECTION_TEXT] = (Elf64_Shdr){
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = TEXT_VADDR,
		.sh_offset = TEXT_OFFSET,
		.sh_size = TEXT_SIZE,
	};
	file->sections[SECTION_SYMTAB] = (Elf64_Shdr){
		.sh_type = SHT_SYMTAB,
		.sh_offset = offsetof(struct made_file, symbols),
		.sh_size = (n_symbols + 1) * sizeof(Elf64_Sym),
		.sh_link = SECTION_STRTAB,
		.sh_entsize = sizeof(Elf64_Sym),
	};
	file->sections[SECTION_STRTAB] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct made_file, strings),
		.sh_size = sizeof(file->strings),
	};
	file->sections[SECTION_FRAMES] = (Elf64_Shdr){
		.sh_name = (Elf64_Word)(sizeof(file->strings) - sizeof(".eh_frame")),
		.sh_type = SHT_PROGBITS,
		.sh_offset = offsetof(struct made_file, frames),
	};
	strcpy(file->strings + sizeof(file->strings) - sizeof(".eh_frame"), ".eh_frame");
}

/* The unwind table knows a function of this size at this place of .text. */
static void add_fde(struct made_file *file, uint64_t value, uint64_t size)
{
	struct elf_image image;

	elf_image_init(&image, ".eh_frame");
	image.sections[1].sh_size = file->sections[SECTION_FRAMES].sh_size;
	memcpy(image.cfi, file->frames, sizeof(file->frames));
	elf_image_add_fde(&image, TEXT_VADDR + value, size, false, "", 0);
	file->sections[SECTION_FRAMES].sh_size = image.sections[1].sh_size;
	memcpy(file->frames, image.cfi, sizeof(file->frames));
}

static void make_file(struct made_file *file, const struct made_symbol *symbols, size_t n_symbols)
{
	size_t used = 1;

	*file = (struct made_file){
		.header = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				     EV_CURRENT },
			.e_type = ET_EXEC,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_phoff = offsetof(struct made_file, segment),
			.e_shoff = offsetof(struct made_file, sections),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1,
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = N_SECTIONS,
			.e_shstrndx = SECTION_STRTAB,
		},
		.segment = {
			.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_offset = TEXT_OFFSET,
			.p_vaddr = TEXT_VADDR,
			.p_filesz = TEXT_SIZE,
			.p_memsz = TEXT_SIZE,
		},
	};
	add_sections(file, n_symbols);
	for (size_t i = 0; i < n_symbols; i++) {
		file->symbols[i + 1] = (Elf64_Sym){
			.st_name = (uint32_t)used,
			.st_info = ELF64_ST_INFO(symbols[i].bind, symbols[i].type),
			.st_shndx = symbols[i].elsewhere ? SECTION_SYMTAB : SECTION_TEXT,
			.st_value = TEXT_VADDR + symbols[i].value,
			.st_size = symbols[i].size,
		};
		used += (size_t)snprintf(file->strings + used, sizeof(file->strings) - used, "%s",
					 symbols[i].name) +
			1;
	}
}

/* In memory, as large as the segment says. */
static int write_file(const struct made_file *file)
{
	int fd = memfd_create("made", MFD_CLOEXEC);

	assert_int_equal(pwrite(fd, file, sizeof(*file), 0), sizeof(*file));
	assert_int_equal(ftruncate(fd, TEXT_OFFSET + TEXT_SIZE), 0);
	return fd;
}

static void the_best_symbol_of_an_address_is_chosen(void **state)
{
	static const struct made_symbol symbols[] = {
		{ "__read", 0x100, 0x20, STB_GLOBAL, STT_FUNC, false },
		{ "read", 0x100, 0x20, STB_GLOBAL, STT_FUNC, false },
		{ "local_read", 0x100, 0x20, STB_LOCAL, STT_FUNC, false },
		{ "weak", 0x140, 0x10, STB_WEAK, STT_FUNC, false },
		{ "local", 0x140, 0x10, STB_LOCAL, STT_FUNC, false },
		{ "label_in_local", 0x148, 0, STB_LOCAL, STT_NOTYPE, false },
		{ "outer", 0x200, 0x100, STB_GLOBAL, STT_FUNC, false },
		{ "inner", 0x240, 0x10, STB_LOCAL, STT_FUNC, false },
		{ "sizeless", 0x400, 0, STB_GLOBAL, STT_FUNC, false },
		{ "next", 0x480, 0x10, STB_GLOBAL, STT_GNU_IFUNC, false },
		{ "data", 0x4a0, 0x10, STB_GLOBAL, STT_OBJECT, false },
		{ "$x", 0x4b0, 0, STB_LOCAL, STT_NOTYPE, false },
		{ "not_code", 0x4c0, 0x10, STB_GLOBAL, STT_FUNC, true },
		{ "assembly", 0x500, 0, STB_LOCAL, STT_NOTYPE, false },
	};
	static const struct {
		uint64_t value;
		const char *name; /* NULL: none */
		uint64_t start;
	} cases[] = {
		{ 0x0ff, NULL, 0 },           { 0x100, "read", 0x100 },
		{ 0x11f, "read", 0x100 },     { 0x120, NULL, 0 },
		{ 0x14a, "weak", 0x140 },     { 0x200, "outer", 0x200 },
		{ 0x24f, "inner", 0x240 },    { 0x250, "outer", 0x200 },
		{ 0x300, NULL, 0 },           { 0x47f, "sizeless", 0x400 },
		{ 0x480, "next", 0x480 },     { 0x490, NULL, 0 },
		{ 0x4a0, NULL, 0 },           { 0x4c0, NULL, 0 },
		{ 0xfff, "assembly", 0x500 },
	};
	struct elf_symbols *found;
	struct elf_symbol_match match;
	struct made_file file;
	int fd;
	Elf *elf;

	(void)state;
	make_file(&file, symbols, sizeof(symbols) / sizeof(symbols[0]));
	fd = write_file(&file);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_int_equal(elf_symbols_create(elf, &found), 0);
	assert_true(elf_symbols_any(found));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t vaddr;

		assert_true(elf_symbols_vaddr(found, TEXT_OFFSET + cases[i].value, &vaddr));
		assert_int_equal(vaddr, TEXT_VADDR + cases[i].value);
		if (!elf_symbols_find(found, vaddr, &match)) {
			assert_null(cases[i].name);
			continue;
		}
		assert_non_null(cases[i].name);
		assert_string_equal(match.name, cases[i].name);
		assert_int_equal(match.start, TEXT_VADDR + cases[i].start);
	}
	assert_false(elf_symbols_vaddr(found, TEXT_OFFSET + TEXT_SIZE, &(uint64_t){ 0 }));
	elf_symbols_destroy(found);
	elf_end(elf);
	close(fd);
}

static void functions_end_with_their_fde(void **state)
{
	static const struct made_symbol symbols[] = {
		{ "sizeless_in_fde", 0x100, 0, STB_GLOBAL, STT_FUNC, false },
		{ "sizeless_before_fde", 0x200, 0, STB_GLOBAL, STT_FUNC, false },
		{ "too_small", 0x300, 4, STB_GLOBAL, STT_FUNC, false },
		{ "memcpy@@GLIBC_2.14", 0x400, 4, STB_GLOBAL, STT_FUNC, false },
		{ "@", 0x410, 4, STB_GLOBAL, STT_FUNC, false },
	};
	static const struct {
		uint64_t value;
		const char *name; /* NULL: none */
		uint64_t start;   /* of the symbol, or of the FDE */
	} cases[] = {
		{ 0x100, "sizeless_in_fde", 0x100 },
		{ 0x11f, "sizeless_in_fde", 0x100 },
		{ 0x120, NULL, 0 }, /* in no FDE */
		{ 0x150, NULL, 0x140 },
		{ 0x17f, NULL, 0x140 },
		{ 0x20f, "sizeless_before_fde", 0x200 },
		{ 0x210, NULL, 0x210 },
		{ 0x220, NULL, 0 },
		{ 0x303, "too_small", 0x300 },
		{ 0x31f, "too_small", 0x300 },
		{ 0x320, NULL, 0 },
		{ 0x400, "memcpy", 0x400 },
		{ 0x410, "@", 0x410 },
	};
	struct elf_symbols *found;
	struct made_file file;

	(void)state;
	make_file(&file, symbols, sizeof(symbols) / sizeof(symbols[0]));
	add_fde(&file, 0x300, 0x20); /* in no order */
	add_fde(&file, 0x100, 0x20);
	add_fde(&file, 0x140, 0x40);
	add_fde(&file, 0x210, 0x10);
	int fd = write_file(&file);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);

	assert_int_equal(elf_symbols_create(elf, &found), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct elf_symbol_match match = { 0 };
		uint64_t start = TEXT_VADDR, vaddr = TEXT_VADDR + cases[i].value;

		assert_int_equal(elf_symbols_find(found, vaddr, &match), cases[i].name != NULL);
		if (cases[i].name) {
			assert_string_equal(match.name, cases[i].name);
			start = match.start;
		} else {
			assert_int_equal(elf_symbols_function_start(found, vaddr, &start),
					 cases[i].start != 0);
		}
		assert_int_equal(start, TEXT_VADDR + cases[i].start);
	}
	elf_symbols_destroy(found);
	elf_end(elf);
	close(fd);
}

/* Looks a few addresses up in whatever the bytes are. */
static void survive(const struct made_file *file)
{
	int fd = write_file(file);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	struct elf_symbols *found;

	if (elf && elf_symbols_create(elf, &found) == 0) {
		for (uint64_t offset = 0; offset < 2 * TEXT_SIZE; offset += 64) {
			struct elf_symbol_match match;
			uint64_t vaddr = offset, start;

			elf_symbols_vaddr(found, offset, &vaddr);
			if (elf_symbols_find(found, vaddr, &match))
				assert_true(strlen(match.name) < sizeof(*file));
			elf_symbols_function_start(found, vaddr, &start);
		}
		elf_symbols_destroy(found);
	}
	elf_end(elf);
	close(fd);
}

static void a_damaged_file_does_no_harm(void **state)
{
	static const struct made_symbol symbols[] = {
		{ "a", 0, 0x40, STB_GLOBAL, STT_FUNC, false },
		{ "b", 0x40, 0, STB_LOCAL, STT_FUNC, false },
		{ "c", 0x50, UINT64_MAX, STB_WEAK, STT_FUNC, false },
	};
	static const unsigned char values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	struct made_file file;

	(void)state;
	make_file(&file, symbols, sizeof(symbols) / sizeof(symbols[0]));
	add_fde(&file, 0x80, 0x40);
	for (size_t i = 0; i < offsetof(struct made_file, symbols) + 4 * sizeof(Elf64_Sym); i++) {
		unsigned char *byte = (unsigned char *)&file + i, old = *byte;

		for (size_t j = 0; j < sizeof(values); j++) {
			*byte = values[j];
			survive(&file);
		}
		*byte = old;
	}
	memset(file.strings, 'x', sizeof(file.strings)); /* names without an end */
	survive(&file);
}

static void plt_entries_lead_to_their_slot(void **state)
{
	/* Bytes as linkers write them. */
	static const struct plt_place place = { .vaddr = 0x1020, .got_vaddr = 0x3ff4 };
	static const struct {
		plt_decode_function *decode;
		uint8_t code[16];
		uint64_t slot;
	} cases[] = {
		{ plt_decode_x86_64, /* jmp *0x2fe2(%rip); push $0; jmp .plt */
		  { 0xff, 0x25, 0xe2, 0x2f, 0, 0, 0x68, 0, 0, 0, 0, 0xe9, 0xe0, 0xff, 0xff, 0xff },
		  0x4008 },
		{ plt_decode_x86_64, /* endbr64; bnd jmp *0x2f75(%rip) */
		  { 0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0x75, 0x2f, 0, 0 },
		  0x3fa0 },
		{ plt_decode_x86_64, /* jmp *-0x1000(%rip) */
		  { 0xff, 0x25, 0x00, 0xf0, 0xff, 0xff },
		  0x26 },
		{ plt_decode_i386, /* jmp *0x804c000; push $0; jmp .plt */
		  { 0xff, 0x25, 0, 0xc0, 0x04, 0x08, 0x68, 0, 0, 0, 0, 0xe9, 0xe0, 0xff, 0xff,
		    0xff },
		  0x804c000 },
		{ plt_decode_i386, /* endbr32; jmp *-0x8(%ebx) */
		  { 0xf3, 0x0f, 0x1e, 0xfb, 0xff, 0xa3, 0xf8, 0xff, 0xff, 0xff },
		  0x3fec },
		{ plt_decode_aarch64, /* adrp x16, +0x10000; ldr x17, [x16, #8] */
		  { 0x90, 0, 0, 0x90, 0x11, 0x06, 0x40, 0xf9, 0x10, 0x22, 0, 0x91, 0x20, 0x02, 0x1f,
		    0xd6 },
		  0x11008 },
		{ plt_decode_aarch64, /* bti c; adrp x16, -0x1000; ldr x17, [x16, #0xff8] */
		  { 0x5f, 0x24, 0x03, 0xd5, 0xf0, 0xff, 0xff, 0xf0, 0x11, 0xfe, 0x47, 0xf9 },
		  0xff8 },
	};
	uint64_t slot;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(cases[i].decode(cases[i].code, sizeof(cases[i].code), &place, &slot));
		assert_int_equal(slot, cases[i].slot);
		assert_false(cases[i].decode(cases[i].code, 5, &place, &slot));
	}
}

/* The section of this name in the program that runs, with its file offset; false: none. */
static bool find_own_section(Elf *elf, const char *wanted, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t names;

	assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, header) &&
		    strcmp(elf_strptr(elf, names, header->sh_name), wanted) == 0)
			return true;
	}
	return false;
}

static void plt_entries_of_this_program_are_named(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	struct elf_symbols *symbols;
	unsigned n_found = 0;
	GElf_Shdr plt;
#ifdef __aarch64__
	const uint64_t header_size = 32;
#else
	const uint64_t header_size = 16;
#endif

	(void)state;
	assert_non_null(elf);
	if (!find_own_section(elf, ".plt", &plt)) {
		print_message("this program has no .plt\n");
		skip();
	}
	assert_int_equal(elf_symbols_create(elf, &symbols), 0);
	for (uint64_t at = 0; at < plt.sh_size; at += 16) {
		struct elf_symbol_match match;

		assert_true(elf_symbols_find(symbols, plt.sh_addr + at, &match));
		assert_int_equal(match.plt, at >= header_size);
		if (at < header_size) { /* where functions are bound */
			assert_string_equal(match.name, ".plt");
			assert_int_equal(match.start, plt.sh_addr);
			assert_int_equal(match.end, plt.sh_addr + header_size);
		}
		n_found += strcmp(match.name, "calloc") == 0;
	}
	assert_int_equal(n_found, 1);
	elf_symbols_destroy(symbols);
	elf_end(elf);
	close(fd);
}

struct fixture {
	struct profile *profile;
	struct symbolizer *symbolizer;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->profile = profile_create();
	fixture->symbolizer =
		symbolizer_create(fixture->profile, &(struct symbolizer_options){ 0 });
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	symbolizer_destroy(fixture->symbolizer);
	profile_destroy(fixture->profile);
	free(fixture);
	return 0;
}

static struct frame_name name_of(struct fixture *fixture, enum frame_kind kind, uint32_t module,
				 uint64_t offset)
{
	struct frame frame = { .kind = kind, .module = module, .offset = offset };
	struct frame_name name;

	assert_int_equal(symbolizer_name(fixture->symbolizer, &frame, &name), 0);
	return name;
}

/* The file offset of code in this program. */
static uint64_t own_offset(const void *code)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	uint64_t start, end, offset, found = 0;
	char line[512];

	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &offset) ==
			    3 &&
		    (uintptr_t)code >= start && (uintptr_t)code < end)
			found = (uintptr_t)code - start + offset;
	}
	fclose(maps);
	return found;
}

static void functions_of_this_program_have_their_names(void **state)
{
	struct fixture *fixture = *state;
	struct module_key key = { .kind = MODULE_ELF, .path = "/proc/self/exe" };
	uint32_t module = module_table_add(&fixture->profile->modules, &key);
	struct frame_name first, second;

	first = name_of(fixture, FRAME_USER, module, own_offset(symbolizer_create));
	assert_string_equal(first.name, "symbolizer_create");
	assert_string_equal(first.module, "exe");
	assert_int_equal(first.symbol_offset, 0);
	second = name_of(fixture, FRAME_USER, module, own_offset(symbolizer_create) + 3);
	assert_int_equal(second.symbol_offset, 3);
	assert_int_equal(second.function, first.function);
	assert_ptr_equal(second.name, first.name);
	second = name_of(fixture, FRAME_USER, module, own_offset(own_offset));
	assert_string_equal(second.name, "own_offset");
	assert_int_not_equal(second.function, first.function);
}

/* The name of an offset that the module's captured symbols name jit::code(). */
static const char *name_with_captured(struct fixture *fixture, const struct module_key *key,
				      uint64_t offset)
{
	uint32_t id = module_table_add(&fixture->profile->modules, key);
	struct module *module = module_table_get(&fixture->profile->modules, id);

	module->symbols = symbol_table_create();
	symbol_table_add(module->symbols, offset, 1, "_ZN3jit4codeEv", 14);
	symbol_table_sort(module->symbols);
	return name_of(fixture, FRAME_USER, id, offset).name;
}

static void captured_names_are_used_where_the_file_has_none(void **state)
{
	const struct module_key file = { .kind = MODULE_ELF, .path = "/proc/self/exe" };
	const struct module_key missing = { .kind = MODULE_ELF, .path = "/no/such/libx.so" };
	const struct module_key jit = { .kind = MODULE_ANON, .path = "//anon" };
	uint64_t offset = own_offset(symbolizer_create);

	assert_string_equal(name_with_captured(*state, &file, offset), "symbolizer_create");
	assert_string_equal(name_with_captured(*state, &missing, 0x100), "jit::code()");
	assert_string_equal(name_with_captured(*state, &jit, 0x100), "jit::code()");
}

static void functions_that_the_recording_has_inlined_are_named(void **state)
{
	struct fixture *fixture = *state;
	struct module_table *modules = &fixture->profile->modules;
	const struct module_key key = { .kind = MODULE_JIT, .path = "[java]", .inode = 7 };
	struct frame frame = { .module = module_table_add(modules, &key),
			       .kind = FRAME_USER,
			       .offset = 0x120 };
	struct module *module = module_table_get(modules, frame.module);
	const struct frame_name *names;
	size_t n;

	module->symbols = symbol_table_create();
	module->inlines = inline_table_create();
	symbol_table_add(module->symbols, 0x100, 0x100, "Map.merge", 9);
	inline_table_add(module->inlines, 0x120, 0x10, "Map.put\0Map.get", 15);
	assert_int_equal(symbolizer_expand(fixture->symbolizer, &frame, &names, &n), 0);
	assert_int_equal(n, 3);
	assert_string_equal(names[0].name, "Map.merge");
	assert_false(names[0].is_inlined);
	assert_string_equal(names[1].name, "Map.put");
	assert_true(names[1].is_inlined);
	assert_string_equal(names[2].name, "Map.get");
	frame.offset = 0x130;
	assert_int_equal(symbolizer_expand(fixture->symbolizer, &frame, &names, &n), 0);
	assert_int_equal(n, 1);
}

static void without_a_symbol_the_name_is_module_and_offset(void **state)
{
	struct fixture *fixture = *state;
	struct module_key keys[] = {
		{ .kind = MODULE_ELF, .path = "/no/such/libx.so" },
		{ .kind = MODULE_ANON, .path = "//anon" },
		{ .kind = MODULE_KERNEL, .path = "[kernel.kallsyms]", .base = 0xff00 },
	};
	struct symbol_problem problems[4];
	uint32_t modules[3];
	struct frame_name name;

	for (size_t i = 0; i < 3; i++)
		modules[i] = module_table_add(&fixture->profile->modules, &keys[i]);
	name = name_of(fixture, FRAME_USER, modules[0], 0x1234);
	assert_string_equal(name.name, "libx.so+0x1234");
	assert_string_equal(name.module_path, "/no/such/libx.so");
	assert_true(name.symbol_offset == UINT64_MAX);
	assert_string_equal(name_of(fixture, FRAME_USER, modules[1], 0x77).name, "0x77");
	name = name_of(fixture, FRAME_KERNEL, modules[2], 0x11);
	assert_string_equal(name.name, "0xff11");
	assert_string_equal(name.module, "[kernel]");
	assert_string_equal(name_of(fixture, FRAME_USER, 0, 0xabc).name, "0xabc");
	assert_string_equal(name_of(fixture, FRAME_USER, 0, 0xabc).module, "");
	assert_int_equal(symbolizer_problems(fixture->symbolizer, problems, 4), 3);
	assert_int_equal(problems[0].module, modules[0]);
	assert_string_equal(problems[0].text, "the file is missing");
	assert_int_equal(symbolizer_problems(fixture->symbolizer, problems, 2), 2);
}

/* A file without symbols that has another one with a function at 0x10 packed into it. */
static int make_packed(size_t n_bytes_kept)
{
	static const struct made_symbol symbols[] = {
		{ "packed_function", 0x10, 0x20, STB_LOCAL, STT_FUNC, false },
	};
	struct elf_image image;
	struct made_file inner;
	size_t size = 0;

	make_file(&inner, symbols, 1);
	elf_image_init(&image, ".gnu_debugdata");
	image.segments[0].p_vaddr = TEXT_VADDR;
	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, (uint8_t *)&inner,
						 sizeof(inner), image.cfi, &size,
						 sizeof(image.cfi)),
			 LZMA_OK);
	image.sections[1].sh_size = size < n_bytes_kept ? size : n_bytes_kept;
	return elf_image_to_fd(&image);
}

static void symbols_that_are_packed_into_a_file_name_its_code(void **state)
{
	struct fixture *fixture = *state;
	const struct module_key keys[] = { { .kind = MODULE_ELF, .path = "/packed" },
					   { .kind = MODULE_ELF, .path = "/broken" } };
	uint32_t whole = module_table_add(&fixture->profile->modules, &keys[0]);
	uint32_t broken = module_table_add(&fixture->profile->modules, &keys[1]);

	module_table_get(&fixture->profile->modules, whole)->located.image_fd =
		make_packed(SIZE_MAX);
	module_table_get(&fixture->profile->modules, broken)->located.image_fd = make_packed(100);
	assert_string_equal(name_of(fixture, FRAME_USER, whole, TEXT_OFFSET + 0x12).name,
			    "packed_function");
	assert_string_equal(name_of(fixture, FRAME_USER, whole, TEXT_OFFSET + 0x40).name,
			    "packed+0x401040");
	assert_string_equal(name_of(fixture, FRAME_USER, broken, TEXT_OFFSET + 0x12).name,
			    "broken+0x401012");
}

static void another_file_than_the_recorded_one_is_not_used(void **state)
{
	struct fixture *fixture = *state;
	struct module_key key = { .kind = MODULE_ELF,
				  .path = "/proc/self/exe",
				  .build_id = { .size = 20, .bytes = { 1, 2, 3 } } };
	uint32_t module = module_table_add(&fixture->profile->modules, &key);
	struct symbol_problem problem;
	struct frame_name name =
		name_of(fixture, FRAME_USER, module, own_offset(symbolizer_create));

	assert_true(name.symbol_offset == UINT64_MAX);
	assert_int_equal(symbolizer_problems(fixture->symbolizer, &problem, 1), 1);
	assert_string_equal(problem.text, "changed since the recording");
}

static void what_is_not_code_has_a_name_too(void **state)
{
	struct fixture *fixture = *state;

	profile_add_process(fixture->profile, 1, "init");
	profile_add_thread(fixture->profile, 2, 0, "worker");
	assert_string_equal(name_of(fixture, FRAME_PROCESS, 0, 0).name, "init");
	assert_string_equal(name_of(fixture, FRAME_THREAD, 0, 0).name, "worker");
	assert_string_equal(name_of(fixture, FRAME_PROCESS, 0, 99).name, "[unknown]");
	assert_string_equal(name_of(fixture, FRAME_MARKER, 0, MARKER_STACK_CUT).name,
			    marker_text(MARKER_STACK_CUT));
	assert_int_equal(name_of(fixture, FRAME_MARKER, 0, MARKER_STACK_CUT).function,
			 name_of(fixture, FRAME_MARKER, 0, MARKER_STACK_CUT).function);
}

static void modules_that_come_later_are_named(void **state)
{
	struct fixture *fixture = *state;

	for (uint32_t i = 0; i < 100; i++) {
		char path[32], expected[64];
		struct module_key key = { .kind = MODULE_ELF, .path = path };
		uint32_t module;

		snprintf(path, sizeof(path), "/no/such/%u", i);
		snprintf(expected, sizeof(expected), "%u+0x5", i);
		module = module_table_add(&fixture->profile->modules, &key);
		assert_string_equal(name_of(fixture, FRAME_USER, module, 5).name, expected);
	}
}

/* Frames in this program as several modules, and in one whose file is missing. */
static void add_own_frames(struct profile *profile)
{
	char by_pid[64];
	const char *const paths[] = { "/proc/self/exe", "/proc/thread-self/exe", by_pid, "/no/x" };
	const uint64_t start = own_offset(symbolizer_create);

	snprintf(by_pid, sizeof(by_pid), "/proc/%d/exe", (int)getpid());
	profile->cct = cct_create(1);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct module_key key = { .kind = MODULE_ELF, .path = paths[i] };
		uint32_t module = module_table_add(&profile->modules, &key);

		for (uint64_t at = 0; at < 4096; at += 8) {
			struct frame frame = { .kind = FRAME_USER,
					       .module = module,
					       .offset = start + at };

			assert_int_not_equal(cct_child(profile->cct, CCT_ROOT, &frame), CCT_NONE);
		}
	}
}

static void check_same_place(const struct frame_name *a, const struct frame_name *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->module, b->module);
	assert_int_equal(a->symbol_offset, b->symbol_offset);
	assert_int_equal(a->function, b->function);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->is_inlined, b->is_inlined);
}

static void names_are_the_same_when_files_were_opened_ahead(void **state)
{
	const struct symbolizer_options options = { .lines = true };
	struct fixture *fixture = *state;
	struct symbolizer *ahead = symbolizer_create(fixture->profile, &options);
	struct symbolizer *one_by_one = symbolizer_create(fixture->profile, &options);
	size_t n_inlined = 0;

	add_own_frames(fixture->profile);
	symbolizer_open_ahead(ahead);
	for (uint32_t node = 1; node < fixture->profile->cct->n_nodes; node++) {
		const struct frame *frame = cct_frame(fixture->profile->cct, node);
		const struct frame_name *a, *b;
		size_t n_a, n_b;

		assert_int_equal(symbolizer_expand(ahead, frame, &a, &n_a), 0);
		assert_int_equal(symbolizer_expand(one_by_one, frame, &b, &n_b), 0);
		assert_int_equal(n_a, n_b);
		for (size_t i = 0; i < n_a; i++) {
			check_same_place(&a[i], &b[i]);
			n_inlined += a[i].is_inlined;
		}
	}
	assert_true(n_inlined > 0);
	symbolizer_destroy(one_by_one);
	symbolizer_destroy(ahead);
}

static void lines_that_are_wanted_later_are_those_wanted_at_once(void **state)
{
	struct fixture *fixture = *state;
	struct symbolizer *at_once =
		symbolizer_create(fixture->profile, &(struct symbolizer_options){ .lines = true });
	struct symbolizer *later =
		symbolizer_create(fixture->profile, &(struct symbolizer_options){ .lines = false });
	size_t n_lines = 0;

	add_own_frames(fixture->profile);
	assert_int_equal(symbolizer_expand_all(at_once), 0);
	assert_int_equal(symbolizer_expand_all(later), 0);
	symbolizer_want_lines(later);
	for (uint32_t node = 1; node < fixture->profile->cct->n_nodes; node++) {
		const struct frame *frame = cct_frame(fixture->profile->cct, node);
		const struct frame_name *a, *b;
		size_t n_a, n_b;

		assert_int_equal(symbolizer_expand(at_once, frame, &a, &n_a), 0);
		assert_int_equal(symbolizer_expand(later, frame, &b, &n_b), 0);
		assert_int_equal(n_a, n_b);
		for (size_t i = 0; i < n_a; i++)
			check_same_place(&a[i], &b[i]);
		n_lines += b[n_b - 1].line != 0;
	}
	assert_true(n_lines > 0);
	symbolizer_destroy(later);
	symbolizer_destroy(at_once);
}

static void names_are_demangled(void **state)
{
	static const struct {
		const char *mangled, *name;
	} cases[] = {
		{ "main", NULL },
		{ "_start", NULL },
		{ "", NULL },
		{ "_Z", NULL },
		{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
		  "std::vector<int, std::allocator<int> >::push_back(int const&)" },
		{ "_Z3maxIiET_S0_S0_", "int max<int>(int, int)" },
		{ "_ZNSolsEi@@GLIBCXX_3.4", "std::ostream::operator<<(int)@@GLIBCXX_3.4" },
		{ "_ZN3foo3barEv.cold", "foo::bar() [clone .cold]" },
		{ "_ZN3foo3barEv.part.0.constprop.1",
		  "foo::bar() [clone .part.0] [clone .constprop.1]" },
		{ "_ZN3foo3barEQ.isra.0", "foo::bar [clone .isra.0]" }, /* unknown parameters */
		{ "_ZN3foo3barEv.llvm.12345", "foo::bar() [clone .llvm.12345]" },
		{ "foo.cold", NULL },
		{ "memcpy@@GLIBC_2.14", NULL },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE.llvm.123",
		  "core::fmt::Formatter::pad [clone .llvm.123]" },
		{ "_ZN3foo17h0123456789abcdef", NULL },
		{ "_RNvCs4fqI2P2rA04_7mycrate3foo.cold.1", "mycrate::foo [clone .cold.1]" },
		{ "_RNvCs4fqI2P2rA04_7mycrate3foo", "mycrate::foo" },
		{ "_Dmain", "D main" },
		{ "_D3foo3barFiZv", "foo.bar(int)" },
		{ "_D3foo3Bar3bazMxFNaNbAyaPvZi", "foo.Bar.baz(immutable(char)[], void*) const" },
		{ "_D3std5stdio__T7writelnTAyaTiZQqFNfQnQnZv",
		  NULL }, /* a reference beyond the text before it */
		{ "_D3foo3Bar6__ctorMFiZCQwQs", NULL },
		{ "_D3foo3Bar6__ctorMFiZv", "foo.Bar.this(int)" },
		{ "_D3foo3Bar6__initZ", "initializer for foo.Bar" },
		{ "_D3foo__T3maxTiVii5Vmi7VAyaa2_6869ZQBaFiiZi",
		  "foo.max!(int, 5, 7uL, \"hi\").max(int, int)" },
		{ "_D3foo3barFDFiZvHlAaG4fZv",
		  "foo.bar(void delegate(int), char[][long], float[4])" },
		{ "_D", NULL },
		{ "_Dfoo", NULL },
		{ "_D3foo", NULL },
		{ "_D99foo", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *name = demangle_symbol(cases[i].mangled);

		if (cases[i].name)
			assert_string_equal(name, cases[i].name);
		else
			assert_null(name);
		free(name);
	}
}

static void names_without_parameters_are_those_of_perf(void **state)
{
	static const char *const cases[][2] = {
		{ "_Z3maxIiET_S0_S0_", "max<int>" },
		{ "_ZN3foo3barEi.cold", "foo::bar" },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
		{ "_D3foo3barFiZv", "foo.bar" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *name = demangle_without_parameters(cases[i][0]);

		assert_string_equal(name, cases[i][1]);
		free(name);
	}
}

static void hostile_names_stay_as_they_are(void **state)
{
	static const char *const pieces[] = { "N1aI", "I1A", "Z1a", "pl",  "Nv",     "RT",
					      "P",    "F",   "Qb",  "PQb", "__T1aT", "AFPS3foo" };
	static const char *const starts[] = { "_Z1f", "_Z",   "_ZN",   "_R",        "_Z1fIX",
					      "_RI",  "_D1a", "_D1aF", "_D__T1aTPi" };
	char name[8192], type[] = "1aIS0_S0_E";
	size_t size;

	(void)state;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		for (size_t j = 0; j < sizeof(pieces) / sizeof(pieces[0]); j++) {
			size = (size_t)snprintf(name, sizeof(name), "%s", starts[i]);
			while (size < 4080)
				size += (size_t)snprintf(name + size, sizeof(name) - size, "%s",
							 pieces[j]);
			free(demangle_symbol(name));
		}
	}
	/* Each argument names the one before twice: the output doubles 30 times. */
	size = (size_t)snprintf(name, sizeof(name), "_Z1fI1aIiiE1aIS1_S1_E");
	for (size_t i = 0; i < 30; i++) {
		type[4] = type[7] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i + 2];
		size += (size_t)snprintf(name + size, sizeof(name) - size, "%s", type);
	}
	snprintf(name + size, sizeof(name) - size, "Evv");
	free(demangle_symbol(name));
	/* Rust: a back reference that leads to itself. */
	free(demangle_symbol("_RINbNbNiB4_5boxed5FnBoxuEp6OutputuEL_ECs1iopQbuBiw2_3std"));
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memcpy(name, "_Z8000", 6);
	assert_null(demangle_symbol(name));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_best_symbol_of_an_address_is_chosen),
		cmocka_unit_test(functions_end_with_their_fde),
		cmocka_unit_test(a_damaged_file_does_no_harm),
		cmocka_unit_test(plt_entries_lead_to_their_slot),
		cmocka_unit_test(plt_entries_of_this_program_are_named),
		TEST(functions_of_this_program_have_their_names),
		TEST(captured_names_are_used_where_the_file_has_none),
		TEST(functions_that_the_recording_has_inlined_are_named),
		TEST(without_a_symbol_the_name_is_module_and_offset),
		TEST(symbols_that_are_packed_into_a_file_name_its_code),
		TEST(another_file_than_the_recorded_one_is_not_used),
		TEST(what_is_not_code_has_a_name_too),
		TEST(modules_that_come_later_are_named),
		TEST(names_are_the_same_when_files_were_opened_ahead),
		TEST(lines_that_are_wanted_later_are_those_wanted_at_once),
		cmocka_unit_test(names_are_demangled),
		cmocka_unit_test(names_without_parameters_are_those_of_perf),
		cmocka_unit_test(hostile_names_stay_as_they_are),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
