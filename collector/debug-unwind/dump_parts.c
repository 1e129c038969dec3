#include "collector/debug-unwind/dump_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/hex.h"

#define LINE_SIZE 32

/* The bytes of one access. *@bytes_ret is to free. */
static int read_access(const struct module *module, const struct elf_access *access,
		       uint8_t **bytes_ret)
{
	uint8_t *bytes = malloc(access->size + 1);

	if (!bytes)
		return -ENOMEM;
	if (pread(module->located.image_fd, bytes, access->size, (off_t)access->offset) !=
	    (ssize_t)access->size) {
		free(bytes);
		return -EIO;
	}
	*bytes_ret = bytes;
	return 0;
}

int dump_parts_image(const struct module *module, const struct elf_access_log *log)
{
	int fd = memfd_create("parts", MFD_CLOEXEC), err = fd < 0 ? -errno : 0;
	struct stat st;

	if (!err && (fstat(module->located.image_fd, &st) != 0 || ftruncate(fd, st.st_size) != 0))
		err = -errno;
	for (size_t i = 0; i < log->n && !err; i++) {
		const struct elf_access *access = &log->accesses[i];
		_cleanup_free_ uint8_t *bytes = NULL;

		if (access->module != module->id || !access->size)
			continue;
		err = read_access(module, access, &bytes);
		if (!err && pwrite(fd, bytes, access->size, (off_t)access->offset) < 0)
			err = -errno;
	}
	if (!err)
		return fd;
	cleanup_close(&fd);
	return err;
}

static void write_lines(FILE *out, const uint8_t *bytes, uint64_t offset, size_t size)
{
	for (size_t i = 0; i < size; i += LINE_SIZE) {
		fprintf(out, "%" PRIx64 " ", offset + i);
		hex_write(out, bytes + i, size - i < LINE_SIZE ? size - i : LINE_SIZE);
		fputc('\n', out);
	}
}

int dump_parts_write(FILE *out, const struct module *module, const struct elf_access_log *log)
{
	uint64_t end = 0; /* of what was written */
	struct stat st;

	if (fstat(module->located.image_fd, &st) != 0)
		return -errno;
	fprintf(out, "size %" PRIu64 "\n", (uint64_t)st.st_size);
	for (size_t i = 0; i < log->n; i++) {
		struct elf_access access = log->accesses[i];
		_cleanup_free_ uint8_t *bytes = NULL;

		if (access.module != module->id || !access.size ||
		    access.offset + access.size <= end)
			continue;
		if (access.offset < end) {
			access.size -= end - access.offset;
			access.offset = end;
		}
		int err = read_access(module, &access, &bytes);
		if (err)
			return err;
		write_lines(out, bytes, access.offset, access.size);
		end = access.offset + access.size;
	}
	return 0;
}
