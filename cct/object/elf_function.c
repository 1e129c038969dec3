#include "cct/object/elf_function.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "cct/object/elf_image.h"
#include "cct/object/elf_symtab.h"

/* A symbol's version is hidden: it is not the default one (System V gABI, symbol versioning). */
#define VERSION_HIDDEN 0x8000

struct versioned_symbols {
	Elf *elf;
	struct elf_symtab table;
	Elf_Data *versions; /* of dynamic symbols; NULL: none */
};

struct wanted {
	const char *name;
	size_t length;       /* without the version */
	const char *version; /* NULL: the default one */
};

static bool open_symbols(Elf *elf, uint32_t type, struct versioned_symbols *symbols)
{
	struct elf_section versions;

	*symbols = (struct versioned_symbols){ .elf = elf };
	if (type == SHT_DYNSYM && elf_find_section_type(elf, SHT_GNU_versym, &versions))
		symbols->versions = elf_section_data(&versions);
	return elf_symtab_open(elf, type, &symbols->table);
}

/* The name of a defined version; NULL: not defined. */
static const char *version_name(Elf *elf, unsigned index)
{
	struct elf_section section;
	Elf_Data *data = elf_find_section_type(elf, SHT_GNU_verdef, &section)
				 ? elf_section_data(&section)
				 : NULL;
	GElf_Verdef definition;
	GElf_Verdaux name;
	int64_t at = 0;

	/* Each entry says how far the next one is: forward only. */
	for (size_t i = 0; data && i < section.header.sh_info && at <= INT32_MAX; i++) {
		if (!gelf_getverdef(data, (int)at, &definition))
			return NULL;
		if (definition.vd_ndx == index)
			return at + definition.vd_aux <= INT32_MAX &&
					       gelf_getverdaux(data, (int)(at + definition.vd_aux),
							       &name)
				       ? elf_strptr(elf, section.header.sh_link, name.vda_name)
				       : NULL;
		if (!definition.vd_next)
			return NULL;
		at += definition.vd_next;
	}
	return NULL;
}

/* 0: not this one; 1: an older version of it; 2: this one. */
static int judge_version(const struct versioned_symbols *symbols, int index,
			 const struct wanted *wanted)
{
	GElf_Versym version = 0;

	if (!symbols->versions || !gelf_getversym(symbols->versions, index, &version))
		return wanted->version ? 0 : 2;
	if (!wanted->version)
		return version & VERSION_HIDDEN ? 1 : 2;
	const char *name = version_name(symbols->elf, version & ~VERSION_HIDDEN);
	return name && strcmp(name, wanted->version) == 0 ? 2 : 0;
}

/* The best of the table's symbols so far: @judged says how good. */
static void search_table(const struct versioned_symbols *symbols, const struct wanted *wanted,
			 GElf_Sym *best, int *judged, struct near_names *near)
{
	GElf_Sym symbol;

	for (size_t i = 0; *judged < 2 && elf_symtab_get(&symbols->table, i, &symbol); i++) {
		const char *name = elf_symbol_is_function(&symbol)
					   ? elf_symtab_name(&symbols->table, &symbol)
					   : NULL;
		if (!name)
			continue;
		if (near)
			near_names_offer(near, name);
		if (strncmp(name, wanted->name, wanted->length) != 0 || name[wanted->length])
			continue;
		int judgement = judge_version(symbols, (int)i, wanted);
		if (judgement > *judged) {
			*judged = judgement;
			*best = symbol;
		}
	}
}

/* An address, to where the file has its bytes, in executable code. */
static int to_offset(Elf *elf, uint64_t addr, uint64_t *offset_ret)
{
	struct elf_segments segments;

	if (elf_segments_init(&segments, elf))
		return -ENOMEM;
	const struct elf_segment *segment = elf_segments_at_vaddr(&segments, addr);
	bool is_code = segment && segment->is_executable;

	if (is_code)
		*offset_ret = addr - segment->vaddr + segment->offset;
	elf_segments_deinit(&segments);
	return is_code ? 0 : -ENOEXEC;
}

static uint16_t machine_of(Elf *elf)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header))
		return EM_NONE;
	const bool is_64 = header.e_ident[EI_CLASS] == ELFCLASS64;
	return is_64 || header.e_machine == EM_386 ? header.e_machine : EM_NONE;
}

static int find(Elf *elf, const char *name, struct elf_function *ret, struct near_names *near)
{
	static const GElf_Word types[] = { SHT_SYMTAB, SHT_DYNSYM };
	const char *at = strchr(name, '@');
	struct wanted wanted = { name, at ? (size_t)(at - name) : strlen(name),
				 at ? at + 1 + (at[1] == '@') : NULL };
	struct versioned_symbols symbols;
	GElf_Sym symbol = { 0 };
	int judged = 0;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (judged < 2 && open_symbols(elf, types[i], &symbols))
			search_table(&symbols, &wanted, &symbol, &judged, near);
	if (!judged)
		return -ENOENT;
	ret->machine = machine_of(elf);
	ret->vaddr = symbol.st_value;
	ret->is_ifunc = GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC;
	return to_offset(elf, symbol.st_value, &ret->offset);
}

int elf_function_find(const char *path, const char *name, struct elf_function *ret,
		      struct near_names *near)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	int err = elf && elf_kind(elf) == ELF_K_ELF ? find(elf, name, ret, near) : -EINVAL;

	elf_end(elf);
	close(fd);
	return err;
}
