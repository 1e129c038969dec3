#include "cct/object/elf_function.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* A symbol's version is hidden: it is not the default one (System V gABI, symbol versioning). */
#define VERSION_HIDDEN 0x8000

struct symbol_table {
	Elf *elf;
	GElf_Shdr header;
	Elf_Data *symbols;
	Elf_Data *versions; /* of dynamic symbols; NULL: none */
};

struct wanted {
	const char *name;
	size_t length;       /* without the version */
	const char *version; /* NULL: the default one */
};

static Elf_Data *section_data(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
		if (gelf_getshdr(section, header) && header->sh_type == type)
			return elf_getdata(section, NULL);
	return NULL;
}

static bool open_table(Elf *elf, GElf_Word type, struct symbol_table *table)
{
	GElf_Shdr header;

	*table = (struct symbol_table){ .elf = elf };
	table->symbols = section_data(elf, type, &table->header);
	if (type == SHT_DYNSYM)
		table->versions = section_data(elf, SHT_GNU_versym, &header);
	return table->symbols && table->header.sh_entsize;
}

/* The name of a defined version: NULL where there is none. */
static const char *version_name(Elf *elf, unsigned index)
{
	GElf_Shdr header;
	Elf_Data *data = section_data(elf, SHT_GNU_verdef, &header);
	GElf_Verdef definition;
	GElf_Verdaux name;
	int64_t at = 0;

	/* Each entry says how far the next one is: forward only. */
	for (size_t i = 0; data && i < header.sh_info && at <= INT32_MAX; i++) {
		if (!gelf_getverdef(data, (int)at, &definition))
			return NULL;
		if (definition.vd_ndx == index)
			return at + definition.vd_aux <= INT32_MAX &&
					       gelf_getverdaux(data, (int)(at + definition.vd_aux),
							       &name)
				       ? elf_strptr(elf, header.sh_link, name.vda_name)
				       : NULL;
		if (!definition.vd_next)
			return NULL;
		at += definition.vd_next;
	}
	return NULL;
}

/* 0: not this one; 1: an older version of it; 2: this one. */
static int judge_version(const struct symbol_table *table, int index, const struct wanted *wanted)
{
	GElf_Versym version = 0;

	if (!table->versions || !gelf_getversym(table->versions, index, &version))
		return wanted->version ? 0 : 2;
	if (!wanted->version)
		return version & VERSION_HIDDEN ? 1 : 2;
	const char *name = version_name(table->elf, version & ~VERSION_HIDDEN);
	return name && strcmp(name, wanted->version) == 0 ? 2 : 0;
}

static bool is_function(const GElf_Sym *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF;
}

/* The best of the table's symbols so far: @judged says how good. */
static void search_table(const struct symbol_table *table, const struct wanted *wanted,
			 GElf_Sym *best, int *judged, struct near_names *near)
{
	size_t n = table->header.sh_size / table->header.sh_entsize;

	for (size_t i = 0; i < n && i <= INT32_MAX && *judged < 2; i++) {
		GElf_Sym symbol;

		if (!gelf_getsym(table->symbols, (int)i, &symbol))
			return;
		const char *name =
			is_function(&symbol)
				? elf_strptr(table->elf, table->header.sh_link, symbol.st_name)
				: NULL;
		if (!name)
			continue;
		if (near)
			near_names_offer(near, name);
		if (strncmp(name, wanted->name, wanted->length) != 0 || name[wanted->length])
			continue;
		int judgement = judge_version(table, (int)i, wanted);
		if (judgement > *judged) {
			*judged = judgement;
			*best = symbol;
		}
	}
}

/* An address, to where the file has its bytes, in executable code. */
static int to_offset(Elf *elf, uint64_t addr, uint64_t *offset_ret)
{
	size_t n = 0;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    !(header.p_flags & PF_X) || addr < header.p_vaddr ||
		    addr - header.p_vaddr >= header.p_filesz)
			continue;
		*offset_ret = addr - header.p_vaddr + header.p_offset;
		return 0;
	}
	return -ENOEXEC;
}

static int find(Elf *elf, const char *name, struct elf_function *ret, struct near_names *near)
{
	static const GElf_Word types[] = { SHT_SYMTAB, SHT_DYNSYM };
	const char *at = strchr(name, '@');
	struct wanted wanted = { name, at ? (size_t)(at - name) : strlen(name),
				 at ? at + 1 + (at[1] == '@') : NULL };
	struct symbol_table table;
	GElf_Sym symbol = { 0 };
	int judged = 0;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (judged < 2 && open_table(elf, types[i], &table))
			search_table(&table, &wanted, &symbol, &judged, near);
	if (!judged)
		return -ENOENT;
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
