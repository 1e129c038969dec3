#include "collector/files/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/system/temporary_file.h"
#include "collector/attached/carried_files.h"
#include "collector/attached/packer.h"
#include "perf/writer/data_copy.h"

#define COMPRESSION_LEVEL 6
#define PIECE_SIZE        (1u << 17)

/* A file without a name in the folder of @path, or with one, where the file system has no others.
 */
struct new_file {
	int fd;
	char temporary[PATH_MAX]; /* "": it has no name */
};

static int folder_of(const char *path, char folder[static PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	int n = slash ? snprintf(folder, PATH_MAX, "%.*s", (int)(slash - path) + 1, path)
		      : snprintf(folder, PATH_MAX, "./");

	return n > 0 && n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int new_file_open(struct new_file *file, const char *path)
{
	char folder[PATH_MAX];
	int err = folder_of(path, folder);

	*file = (struct new_file){ .fd = -1 };
	if (err)
		return err;
	file->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (file->fd >= 0)
		return 0;
	int n = snprintf(file->temporary, PATH_MAX, "%s.XXXXXX", path);
	if (n < 0 || n >= PATH_MAX) {
		file->temporary[0] = '\0';
		return -ENAMETOOLONG;
	}
	file->fd = mkostemp(file->temporary, O_CLOEXEC);
	if (file->fd >= 0)
		return 0;
	file->temporary[0] = '\0';
	return -errno;
}

/* A name for what has none: a file that is there already can only be replaced by another name. */
static int give_name(struct new_file *file, const char *path)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
	for (unsigned i = 0; i < 1000; i++) {
		int n = snprintf(file->temporary, PATH_MAX, "%s.%d.%u", path, getpid(), i);

		if (n < 0 || n >= PATH_MAX)
			break;
		if (linkat(AT_FDCWD, link, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) == 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	file->temporary[0] = '\0';
	return errno ? -errno : -ENAMETOOLONG;
}

static int new_file_finish(struct new_file *file, const char *path)
{
	int err = file->temporary[0] ? 0 : give_name(file, path);

	if (err)
		return err;
	if (rename(file->temporary, path))
		return -errno;
	file->temporary[0] = '\0';
	return 0;
}

static void new_file_close(struct new_file *file)
{
	if (file->temporary[0])
		unlink(file->temporary);
	if (file->fd >= 0)
		close(file->fd);
}

/* What is packed by now goes to @to. */
static int write_packed(struct packer *packer, int to)
{
	size_t size = packer->size;

	packer->size = 0;
	return temporary_file_write(to, packer->bytes, size);
}

static int pack_pieces(struct packer *packer, int from, int to, struct work_done *work)
{
	uint8_t piece[PIECE_SIZE];
	ssize_t n = 1;

	for (off_t at = 0; n; at += n) {
		n = pread(from, piece, sizeof(piece), at);
		if (n < 0)
			return -errno;
		int err = n ? packer_add(packer, piece, (size_t)n) : packer_end(packer, NULL, 0);
		if (!err)
			err = write_packed(packer, to);
		if (err)
			return err;
		work_done_add(work, (uint64_t)n);
	}
	return 0;
}

static int compress(int from, int to, struct work_done *work)
{
	struct packer packer = { .size = 0 };
	int err = packer_begin(&packer, COMPRESSION_LEVEL);

	if (!err)
		err = pack_pieces(&packer, from, to, work);
	packer_deinit(&packer);
	return err;
}

static int attach_compressed(struct data_copy *copy, enum attachment_kind kind, const char *key,
			     int fd)
{
	_cleanup_close_ int packed = temporary_file_open();

	if (packed < 0)
		return -errno;
	int err = compress(fd, packed, copy->work);
	return err ? err : data_copy_attach(copy, kind, key, packed);
}

static int attach_text(struct data_copy *copy, const char *key, const char *text)
{
	_cleanup_close_ int fd = memfd_create("text", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	int err = temporary_file_write(fd, text, strlen(text));
	return err ? err : attach_compressed(copy, ATTACHMENT_FILE, key, fd);
}

static int attach_found(struct data_copy *copy, const struct found_file *file)
{
	if (file->fd < 0)
		return attach_text(copy, file->key, file->text);
	if (strcmp(file->key, CARRIED_VDSO) == 0)
		return data_copy_attach(copy, ATTACHMENT_VDSO, file->key, file->fd);
	if (strcmp(file->key, CARRIED_KALLSYMS) == 0)
		return attach_compressed(copy, ATTACHMENT_KALLSYMS, "", file->fd);
	if (strncmp(file->key, CARRIED_JITDUMP, strlen(CARRIED_JITDUMP)) == 0)
		return attach_compressed(copy, ATTACHMENT_JITDUMP,
					 file->key + strlen(CARRIED_JITDUMP), file->fd);
	return attach_compressed(copy, ATTACHMENT_FILE, file->key, file->fd);
}

static int attach_all(struct data_copy *copy, struct file_search *files, uint32_t *n_files_ret)
{
	const struct found_file *found;
	size_t n_found;
	int err = file_search_list_found(files, &found, &n_found);

	if (!err && !file_search_is_complete(files))
		err = attach_text(copy, CARRIED_ARCHIVE, "1\n");
	for (size_t i = 0; i < n_found && !err; i++) {
		err = attach_found(copy, &found[i]);
		*n_files_ret += found[i].fd >= 0;
	}
	return err;
}

/* Of what is packed and copied. */
static uint64_t count_bytes(struct file_search *files, const struct data_copy *copy)
{
	const struct found_file *found;
	uint64_t size = copy->from_size - copy->data_start;
	size_t n_found;

	if (file_search_list_found(files, &found, &n_found))
		return size;
	for (size_t i = 0; i < n_found; i++) {
		struct stat status;

		if (found[i].fd >= 0 && fstat(found[i].fd, &status) == 0)
			size += (uint64_t)status.st_size;
	}
	return size;
}

int archive_write(const char *from, bool is_cut, const char *to, struct file_search *files,
		  struct work_done *work, struct archive_result *result_ret)
{
	_cleanup_close_ int from_fd = open(from, O_RDONLY | O_CLOEXEC);
	struct archive_result result = { 0 };
	struct data_copy copy;
	struct new_file file;

	if (from_fd < 0)
		return -errno;
	int err = new_file_open(&file, to);
	if (!err)
		err = data_copy_start(&copy, from_fd, file.fd, is_cut);
	if (!err) {
		copy.work = work;
		work_done_expect(work, count_bytes(files, &copy));
	}
	if (!err)
		err = attach_all(&copy, files, &result.n_files);
	if (!err) {
		result.added_size = copy.position - copy.data_start;
		err = data_copy_finish(&copy);
	}
	if (!err)
		err = new_file_finish(&file, to);
	new_file_close(&file);
	if (err)
		return err;
	result.size = copy.from_size + result.added_size;
	*result_ret = result;
	return 0;
}
