/* ELF gABI chapter 5, and the GNU hash table as binutils writes it (bfd/elflink.c). */
#include "collector/record/live/image_symbol.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#define PHDRS_MAX   64
#define DYNAMIC_MAX 256
#define CHAIN_MAX   4096
#define NAME_MAX    128
#define PAGE        4096u

int process_memory_text(const struct process_memory *memory, uint64_t addr, char *to, size_t size)
{
	size_t n = 0;

	/* A string may end just before memory that is not mapped. */
	while (n < size) {
		size_t left = PAGE - (size_t)((addr + n) % PAGE);
		size_t part = left < size - n ? left : size - n;
		int err = memory->read(memory, addr + n, to + n, part);

		if (err)
			return err;
		if (memchr(to + n, '\0', part))
			return 0;
		n += part;
	}
	return -ENOENT;
}

static int find_dynamic(const struct process_memory *memory, uint64_t image, uint64_t *addr_ret)
{
	Elf64_Phdr segment;
	Elf64_Ehdr header;

	int err = memory->read(memory, image, &header, sizeof(header));
	if (err)
		return err;
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phnum > PHDRS_MAX ||
	    header.e_phentsize != sizeof(segment))
		return -ENOENT;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		err = memory->read(memory, image + header.e_phoff + i * sizeof(segment), &segment,
				   sizeof(segment));
		if (err)
			return err;
		if (segment.p_type == PT_DYNAMIC) {
			*addr_ret = image + segment.p_vaddr;
			return 0;
		}
	}
	return -ENOENT;
}

/* glibc's dynamic linker has made addresses of the offsets in .dynamic, musl's has not. */
static uint64_t to_addr(uint64_t image, uint64_t value)
{
	return value < image ? image + value : value;
}

int image_symbols_find(const struct process_memory *memory, uint64_t image,
		       struct image_symbols *symbols_ret)
{
	struct image_symbols symbols = { .image = image };
	Elf64_Dyn entry = { .d_tag = DT_NULL };
	uint64_t dynamic;

	int err = find_dynamic(memory, image, &dynamic);
	for (unsigned i = 0; i < DYNAMIC_MAX && !err; i++) {
		err = memory->read(memory, dynamic + i * sizeof(entry), &entry, sizeof(entry));
		if (err || entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_SYMTAB)
			symbols.symbols = to_addr(image, entry.d_un.d_ptr);
		else if (entry.d_tag == DT_STRTAB)
			symbols.strings = to_addr(image, entry.d_un.d_ptr);
		else if (entry.d_tag == DT_GNU_HASH)
			symbols.hash = to_addr(image, entry.d_un.d_ptr);
	}
	if (err)
		return err;
	if (!symbols.symbols || !symbols.strings || !symbols.hash)
		return -ENOENT;
	*symbols_ret = symbols;
	return 0;
}

static uint32_t hash_name(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

/* 0: it is this one. */
static int match(const struct process_memory *memory, const struct image_symbols *symbols,
		 uint32_t index, const char *name, uint64_t *addr_ret)
{
	char found[NAME_MAX];
	Elf64_Sym symbol;

	int err = memory->read(memory, symbols->symbols + (uint64_t)index * sizeof(symbol), &symbol,
			       sizeof(symbol));
	if (!err)
		err = process_memory_text(memory, symbols->strings + symbol.st_name, found,
					  sizeof(found));
	if (err)
		return err;
	if (strcmp(found, name) != 0 || symbol.st_shndx == SHN_UNDEF)
		return -ENOENT;
	*addr_ret = symbols->image + symbol.st_value;
	return 0;
}

int image_symbol_find(const struct process_memory *memory, const struct image_symbols *symbols,
		      const char *name, uint64_t *addr_ret)
{
	const uint32_t hash = hash_name(name);
	uint32_t header[4]; /* buckets, first symbol, words of the filter, its shift */
	uint32_t index, value;

	int err = memory->read(memory, symbols->hash, header, sizeof(header));
	if (err)
		return err;
	if (!header[0])
		return -ENOENT;
	const uint64_t buckets = symbols->hash + sizeof(header) + 8ull * header[2];
	const uint64_t chains = buckets + 4ull * header[0];
	err = memory->read(memory, buckets + 4ull * (hash % header[0]), &index, sizeof(index));
	if (err)
		return err;
	for (unsigned n = 0; n < CHAIN_MAX && index >= header[1]; n++, index++) {
		err = memory->read(memory, chains + 4ull * (index - header[1]), &value,
				   sizeof(value));
		if (err)
			return err;
		if ((value | 1) == (hash | 1) && match(memory, symbols, index, name, addr_ret) == 0)
			return 0;
		if (value & 1)
			break;
	}
	return -ENOENT;
}
