/* A child unmaps its own vdso, has the 32-bit one mapped, and sends it through a pipe. */
#include "collector/record/start/vdso32.h"

#include <errno.h>
#include <stdlib.h>

#ifdef __x86_64__

#include <asm/prctl.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/text/maps_line.h"

#define PAGE       4096ul
#define ADDRESS    0x10000000ul /* free in 64-bit programs, whose addresses are larger */
#define PAGES_MAX  64           /* of the vdso and its data, which precedes it */
#define RANGES_MAX 8

struct range {
	uint64_t start, end;
};

/* This process's vdso and the data before it, which must all be unmapped. */
static size_t own_ranges(struct range *ranges)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	size_t n_ranges = 0;
	char text[PATH_MAX + 128];

	while (maps && n_ranges < RANGES_MAX && fgets(text, sizeof(text), maps)) {
		struct maps_line line;

		text[strcspn(text, "\n")] = '\0';
		if (maps_line_parse(text, &line) &&
		    (!strcmp(line.path, "[vdso]") || !strncmp(line.path, "[vvar", 5)))
			ranges[n_ranges++] = (struct range){ line.start, line.end };
	}
	if (maps)
		fclose(maps);
	return n_ranges;
}

/* Not all pages there can be read. A system call fails on those, whereas an access would be fatal.
 */
static bool is_elf_at(uint64_t addr)
{
	char magic[SELFMAG];
	const struct iovec to = { magic, sizeof(magic) };
	const struct iovec from = { (void *)addr, sizeof(magic) };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == SELFMAG &&
	       !memcmp(magic, ELFMAG, SELFMAG);
}

/* Runs in a child of a process with threads, where locks may never be released, so it uses only
 * system calls. */
static void send_image(const struct range *ranges, size_t n_ranges, int fd)
{
	for (size_t i = 0; i < n_ranges; i++)
		munmap((void *)ranges[i].start, ranges[i].end - ranges[i].start);
	long size = syscall(SYS_arch_prctl, ARCH_MAP_VDSO_32, ADDRESS);
	for (size_t i = 0; size > 0 && i < PAGES_MAX; i++) {
		if (!is_elf_at(ADDRESS + i * PAGE))
			continue;
		_exit(write(fd, (void *)(ADDRESS + i * PAGE), (size_t)size) != size);
	}
	_exit(1);
}

static size_t read_all(int fd, uint8_t *bytes, size_t max)
{
	size_t size = 0;
	ssize_t n;

	while (size < max && (n = read(fd, bytes + size, max - size)) > 0)
		size += (size_t)n;
	return size;
}

/* The number of bytes that a child has sent; 0: it failed. */
static size_t receive_image(uint8_t *bytes, size_t max)
{
	struct range ranges[RANGES_MAX];
	size_t n_ranges = own_ranges(ranges);
	int fds[2], status;

	if (pipe2(fds, O_CLOEXEC))
		return 0;
	/* Makes a child that sends no signal when it exits, so that no other code waits for it. */
	pid_t pid = (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0);
	if (pid == 0)
		send_image(ranges, n_ranges, fds[1]);
	close(fds[1]);
	size_t size = pid > 0 ? read_all(fds[0], bytes, max) : 0;
	close(fds[0]);
	return pid > 0 && waitpid(pid, &status, __WCLONE) == pid && !status ? size : 0;
}

int vdso32_read(uint8_t **bytes_ret, size_t *size_ret)
{
	const size_t max = PAGES_MAX * PAGE;
	uint8_t *bytes = malloc(max);
	if (!bytes)
		return -ENOMEM;

	size_t size = receive_image(bytes, max);
	if (size <= EI_CLASS || bytes[EI_CLASS] != ELFCLASS32) {
		free(bytes);
		return -ENOTSUP;
	}
	*bytes_ret = bytes;
	*size_ret = size;
	return 0;
}

#else

int vdso32_read(uint8_t **bytes_ret, size_t *size_ret)
{
	(void)bytes_ret;
	(void)size_ret;
	return -ENOTSUP;
}

#endif
