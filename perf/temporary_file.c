#include "perf/temporary_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Disk before memory: it may become as large as a program. */
int temporary_file_open(void)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd >= 0 ? fd : memfd_create("dendro", MFD_CLOEXEC);
}
