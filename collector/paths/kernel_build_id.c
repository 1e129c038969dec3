#include "collector/paths/kernel_build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"

static bool read_notes(const char *path, struct build_id *ret)
{
	uint8_t notes[4096];
	Elf64_Nhdr note;

	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, notes, sizeof(notes));
	for (size_t at = 0, size = n > 0 ? (size_t)n : 0; size - at >= sizeof(note);) {
		memcpy(&note, notes + at, sizeof(note));
		size_t name = at + sizeof(note);
		size_t desc = name + ((note.n_namesz + 3ul) & ~3ul);
		size_t next = desc + ((note.n_descsz + 3ul) & ~3ul);
		if (next > size)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp(notes + name, "GNU", 4) == 0 && note.n_descsz <= BUILD_ID_MAX_SIZE) {
			ret->size = (uint8_t)note.n_descsz;
			memcpy(ret->bytes, notes + desc, note.n_descsz);
			return true;
		}
		at = next;
	}
	return false;
}

bool kernel_build_id(struct build_id *ret)
{
	return read_notes("/sys/kernel/notes", ret);
}

bool kernel_module_build_id(const char *name, struct build_id *ret)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name);

	return n > 0 && (size_t)n < sizeof(path) && read_notes(path, ret);
}
