/* A bit per byte of code. */
#include "unwind/code/function_starts.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "cct/object/elf_image.h"

struct function_starts {
	size_t size;
	uint64_t bits[];
};

static void mark(struct function_starts *starts, uint64_t at)
{
	if (at < starts->size)
		starts->bits[at / 64] |= 1ull << at % 64;
}

/* Pointers that the dynamic loader fills in. */
static void mark_relocated(struct function_starts *starts, Elf_Data *data, uint64_t vaddr)
{
	GElf_Rela rela;

	for (int i = 0; gelf_getrela(data, i, &rela); i++)
		if (GELF_R_SYM(rela.r_info) == 0)
			mark(starts, (uint64_t)rela.r_addend - vaddr);
}

/* Pointers of a program that is not relocated. */
static void mark_pointers(struct function_starts *starts, const Elf_Data *data, size_t pointer_size,
			  uint64_t vaddr)
{
	const uint8_t *bytes = data->d_buf;

	for (size_t at = 0; bytes && at + pointer_size <= data->d_size; at += pointer_size) {
		uint64_t pointer = 0;

		memcpy(&pointer, bytes + at, pointer_size);
		mark(starts, pointer - vaddr);
	}
}

static void mark_by_data(struct function_starts *starts, Elf *elf, size_t pointer_size,
			 uint64_t vaddr)
{
	struct elf_section section = { 0 };
	GElf_Ehdr ehdr;

	if (!gelf_getehdr(elf, &ehdr))
		return;
	while (elf_next_section(elf, &section)) {
		uint32_t type = section.header.sh_type;
		uint64_t flags = section.header.sh_flags;
		const Elf_Data *bytes;
		Elf_Data *data;

		if (!(flags & SHF_ALLOC))
			continue;
		bool is_data =
			type == SHT_PROGBITS || type == SHT_INIT_ARRAY || type == SHT_FINI_ARRAY;
		if (type == SHT_RELA && (data = elf_section_data(&section)))
			mark_relocated(starts, data, vaddr);
		else if (is_data && ehdr.e_type == ET_EXEC && !(flags & SHF_EXECINSTR) &&
			 (bytes = elf_section_bytes(&section)))
			mark_pointers(starts, bytes, pointer_size, vaddr);
	}
}

struct function_starts *function_starts_create(const struct arch *arch, Elf *elf,
					       const uint8_t *code, size_t size, uint64_t vaddr)
{
	if (!arch->mark_function_starts)
		return NULL;
	struct function_starts *starts =
		calloc(1, sizeof(*starts) + (size / 64 + 1) * sizeof(starts->bits[0]));
	if (!starts)
		return NULL;
	starts->size = size;
	arch->mark_function_starts(code, size, starts->bits);
	mark_by_data(starts, elf, arch->pointer_size, vaddr);
	return starts;
}

void function_starts_destroy(struct function_starts *starts)
{
	free(starts);
}

size_t function_starts_size(const struct function_starts *starts)
{
	return sizeof(*starts) + (starts->size / 64 + 1) * sizeof(starts->bits[0]);
}

bool function_starts_has(const struct function_starts *starts, size_t at)
{
	return at < starts->size && (starts->bits[at / 64] >> at % 64 & 1);
}

bool function_starts_before(const struct function_starts *starts, size_t at, size_t distance,
			    size_t *start_ret)
{
	if (at >= starts->size)
		return false;
	size_t last = at > distance ? at - distance : 0;
	uint64_t bits = starts->bits[at / 64] & ~0ull >> (63 - at % 64);
	size_t word = at / 64;

	while (!bits && word > last / 64)
		bits = starts->bits[--word];
	if (!bits)
		return false;
	*start_ret = word * 64 + 63 - (size_t)__builtin_clzll(bits);
	return *start_ret >= last;
}
