#include "collector/agent/window_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/clock.h"
#include "cct/base/sentence.h"

#define LOCK_NAME   ".lock"
#define SUFFIX      ".tmp"
#define NAMES_TRIED 1000

static int fail(int err, char **error_ret, char *message)
{
	*error_ret = message;
	return err;
}

/* Nobody else may read what is in it, or put a link where a profile will be. */
static int check_owner(const struct window_folder *folder, char **error_ret)
{
	struct stat st;

	if (fstat(folder->fd, &st))
		return fail(-errno, error_ret,
			    sentence("cannot look at '%s': %s.", folder->path, strerror(errno)));
	if (st.st_uid != geteuid() || st.st_mode & 077)
		return fail(-EPERM, error_ret,
			    sentence("'%s' is not for its owner alone, and profiles have names of "
				     "all users' programs: chown and chmod 700 it, or choose "
				     "another folder with --directory.",
				     folder->path));
	return 0;
}

static int take_lock(struct window_folder *folder, char **error_ret)
{
	folder->lock_fd =
		openat(folder->fd, LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (folder->lock_fd >= 0 && flock(folder->lock_fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	const int err = errno;
	return fail(-err, error_ret,
		    err == EWOULDBLOCK
			    ? sentence("another dendro agent writes to '%s': stop it, or choose "
				       "another folder with --directory.",
				       folder->path)
			    : sentence("cannot write into '%s': %s.", folder->path, strerror(err)));
}

static bool is_temporary(const char *name)
{
	const size_t size = strlen(name);

	return size > strlen(SUFFIX) && strcmp(name + size - strlen(SUFFIX), SUFFIX) == 0;
}

static DIR *open_list(int folder_fd)
{
	const int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

static void clean(struct window_folder *folder)
{
	DIR *dir = open_list(folder->fd);

	for (const struct dirent *entry; dir && (entry = readdir(dir));) {
		if (is_temporary(entry->d_name))
			folder->n_cleaned += unlinkat(folder->fd, entry->d_name, 0) == 0;
	}
	if (dir)
		closedir(dir);
}

int window_folder_open(struct window_folder *folder, const char *path, char **error_ret)
{
	*folder = (struct window_folder){ .path = path, .fd = -1, .lock_fd = -1 };
	*error_ret = NULL;
	if (mkdir(path, 0700) && errno != EEXIST)
		return fail(-errno, error_ret,
			    sentence("cannot make '%s': %s.", path, strerror(errno)));
	folder->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder->fd < 0)
		return fail(-errno, error_ret,
			    sentence("cannot open '%s': %s.", path, strerror(errno)));
	int err = check_owner(folder, error_ret);
	if (!err)
		err = take_lock(folder, error_ret);
	if (err)
		window_folder_close(folder);
	else
		clean(folder);
	return err;
}

void window_folder_close(struct window_folder *folder)
{
	if (folder->lock_fd >= 0)
		close(folder->lock_fd);
	if (folder->fd >= 0)
		close(folder->fd);
	folder->fd = folder->lock_fd = -1;
}

int window_folder_create(struct window_folder *folder, char name_ret[TEMPORARY_NAME_MAX])
{
	snprintf(name_ret, TEMPORARY_NAME_MAX, "%u" SUFFIX, folder->n_created++);
	const int fd = openat(folder->fd, name_ret, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

int window_folder_keep(struct window_folder *folder, int fd, const char *name,
		       const struct time_span *span, char kept_ret[WINDOW_NAME_MAX])
{
	struct time_span shown = *span;

	if (fsync(fd))
		return -errno;
	for (unsigned i = 0; i < NAMES_TRIED; i++) {
		window_name_write(kept_ret, &shown);
		if (renameat2(folder->fd, name, folder->fd, kept_ret, RENAME_NOREPLACE) == 0)
			return fsync(folder->fd) ? -errno : 0;
		if (errno != EEXIST)
			return -errno;
		shown.start_ns += NSEC_PER_MSEC;
		shown.end_ns += NSEC_PER_MSEC;
	}
	return -EEXIST;
}

void window_folder_remove(struct window_folder *folder, const char *name)
{
	unlinkat(folder->fd, name, 0);
}

static int compare_files(const void *a, const void *b)
{
	const struct window_file *x = a, *y = b;

	if (x->span.start_ns != y->span.start_ns)
		return x->span.start_ns < y->span.start_ns ? -1 : 1;
	return (x->span.end_ns < y->span.end_ns) - (x->span.end_ns > y->span.end_ns);
}

static int list_file(int folder_fd, const char *name, struct window_list *list)
{
	struct window_file file;
	struct stat st;

	if (window_name_parse(name, &file.span) ||
	    fstatat(folder_fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return 0;
	if (array_reserve_one(list->files, list->n))
		return -ENOMEM;
	window_name_write(file.name, &file.span); /* which is the same */
	file.size = (uint64_t)st.st_blocks * 512;
	list->files[list->n++] = file;
	return 0;
}

int window_folder_list(int folder_fd, struct window_list *list_ret)
{
	struct window_list list = { 0 };
	DIR *dir = open_list(folder_fd);
	int err = dir ? 0 : -errno;

	for (const struct dirent *entry; !err && (entry = readdir(dir));)
		err = list_file(folder_fd, entry->d_name, &list);
	if (dir)
		closedir(dir);
	if (err) {
		window_list_deinit(&list);
		return err;
	}
	if (list.n)
		qsort(list.files, list.n, sizeof(*list.files), compare_files);
	*list_ret = list;
	return 0;
}

void window_list_deinit(struct window_list *list)
{
	free(list->files);
	*list = (struct window_list){ 0 };
}
