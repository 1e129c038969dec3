#include "cct/object/elf_notes.h"

#include <elf.h>
#include <string.h>

static uint64_t align_up(uint64_t at, size_t align)
{
	return (at + align - 1) & ~((uint64_t)align - 1);
}

static bool is_build_id(const Elf64_Nhdr *note, const uint8_t *name)
{
	return note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof("GNU") &&
	       memcmp(name, "GNU", sizeof("GNU")) == 0 && note->n_descsz &&
	       note->n_descsz <= BUILD_ID_MAX_SIZE;
}

bool elf_notes_build_id(const uint8_t *notes, size_t size, size_t align, struct build_id *ret)
{
	Elf64_Nhdr note; /* the same in both classes */

	for (uint64_t at = 0; at <= size && size - at >= sizeof(note);) {
		memcpy(&note, notes + at, sizeof(note));
		uint64_t name = at + sizeof(note);
		uint64_t desc = align_up(name + note.n_namesz, align);
		if (desc > size || note.n_descsz > size - desc)
			return false;
		if (is_build_id(&note, notes + name)) {
			ret->size = (uint8_t)note.n_descsz;
			memcpy(ret->bytes, notes + desc, note.n_descsz);
			return true;
		}
		at = align_up(desc + note.n_descsz, align);
	}
	return false;
}
