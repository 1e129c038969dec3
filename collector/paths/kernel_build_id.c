#include "collector/paths/kernel_build_id.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/object/elf_notes.h"

static bool read_notes(const char *path, struct build_id *ret)
{
	uint8_t notes[4096];
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, notes, sizeof(notes));

	return n > 0 && elf_notes_build_id(notes, (size_t)n, 4, ret);
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
