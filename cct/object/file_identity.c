#include "cct/object/file_identity.h"

#include <stddef.h>
#include <sys/mman.h>

#include "cct/text/maps_line.h"

bool file_identity_as_mapped(int fd, struct file_identity *ret)
{
	void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);

	if (page == MAP_FAILED)
		return false;
	struct maps_line line;
	bool found = maps_line_own((uintptr_t)page, &line);
	if (found)
		*ret = (struct file_identity){ line.dev_major, line.dev_minor, line.inode };
	munmap(page, 1);
	return found;
}
