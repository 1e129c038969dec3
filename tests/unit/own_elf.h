/* This program's own ELF file, as the state of a test group. */
#ifndef TESTS_OWN_ELF_H
#define TESTS_OWN_ELF_H

#include <fcntl.h>
#include <libelf.h>
#include <unistd.h>

struct own_elf {
	int fd;
	Elf *elf;
};

static inline int own_elf_open(void **state)
{
	static struct own_elf own;

	elf_version(EV_CURRENT);
	own.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	own.elf = elf_begin(own.fd, ELF_C_READ_MMAP, NULL);
	*state = &own;
	return own.elf ? 0 : -1;
}

static inline int own_elf_close(void **state)
{
	struct own_elf *own = *state;

	elf_end(own->elf);
	close(own->fd);
	return 0;
}

#endif
