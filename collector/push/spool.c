#include "collector/push/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/sentence.h"

#define SUFFIX      ".request"
#define UNNAMED     ".new"     /* a request that is being written */
#define DROPPED     ".dropped" /* how many requests and bytes made room, as text */
#define DROPPED_MAX 64

static int fail(int err, char **error_ret, char *message)
{
	*error_ret = message;
	return err;
}

static bool ends_with(const char *text, const char *end)
{
	const size_t size = strlen(text), end_size = strlen(end);

	return size > end_size && strcmp(text + size - end_size, end) == 0;
}

bool spool_is_refused(const struct spool_file *file)
{
	return ends_with(file->name, SPOOL_REFUSED);
}

char *spool_default_path(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (geteuid() == 0)
		return strdup("/var/lib/dendro/spool");
	if (state && state[0] == '/')
		return sentence("%s/dendro/spool", state);
	return home && home[0] == '/' ? sentence("%s/.local/state/dendro/spool", home) : NULL;
}

/* -- opening -------------------------------------------------------------------------------- */

/* With what is above it. 0 or -errno. */
static int make_folder(const char *path)
{
	_cleanup_free_ char *above = strdup(path);

	if (!above)
		return -ENOMEM;
	for (char *slash = strchr(above + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(above, 0700) && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
}

/* Nobody else may read profiles, or put a link where a request will be. */
static int check_owner(const struct spool *spool, char **error_ret)
{
	struct stat st;

	if (fstat(spool->fd, &st))
		return fail(-errno, error_ret,
			    sentence("cannot look at '%s': %s.", spool->path, strerror(errno)));
	if (st.st_uid == geteuid() && !(st.st_mode & 077))
		return 0;
	return fail(
		-EPERM, error_ret,
		sentence("'%s' is not for its owner alone, and requests have names of programs: "
			 "chown and chmod 700 it, or choose another folder with --spool.",
			 spool->path));
}

static int take_lock(struct spool *spool, enum spool_use use)
{
	spool->lock_fd = openat(spool->fd, use == SPOOL_WRITE ? ".writing" : ".sending",
				O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (spool->lock_fd < 0)
		return -errno;
	while (flock(spool->lock_fd, LOCK_EX)) {
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

static int compare_files(const void *a, const void *b)
{
	const struct spool_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int list_file(struct spool *spool, const char *name)
{
	struct stat st;

	if (strlen(name) >= SPOOL_NAME_MAX ||
	    !(ends_with(name, SUFFIX) || ends_with(name, SUFFIX SPOOL_REFUSED)) ||
	    fstatat(spool->fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return 0;
	if (array_reserve(spool->files, spool->n_files, spool->n_allocated, 1))
		return -ENOMEM;
	struct spool_file *file = &spool->files[spool->n_files++];
	strcpy(file->name, name);
	file->size = (uint64_t)st.st_size;
	spool->size += file->size;
	return 0;
}

/* Who writes removes what another one had begun when it was killed. */
static int list_files(struct spool *spool, enum spool_use use)
{
	const int fd = openat(spool->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int err = 0;

	if (!dir) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	for (struct dirent *entry; !err && (entry = readdir(dir));) {
		if (use == SPOOL_WRITE && ends_with(entry->d_name, UNNAMED))
			unlinkat(spool->fd, entry->d_name, 0);
		else
			err = list_file(spool, entry->d_name);
	}
	closedir(dir);
	if (spool->n_files)
		qsort(spool->files, spool->n_files, sizeof(*spool->files), compare_files);
	return err;
}

int spool_open(struct spool *spool, const char *path, enum spool_use use, char **error_ret)
{
	*spool = (struct spool){ .path = strdup(path), .fd = -1, .lock_fd = -1 };
	*error_ret = NULL;
	if (!spool->path)
		return -ENOMEM;
	int err = make_folder(path);
	if (!err)
		spool->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (err || spool->fd < 0)
		return fail(err ? err : -errno, error_ret,
			    sentence("cannot make or open the folder '%s': %s.", path,
				     strerror(err ? -err : errno)));
	err = check_owner(spool, error_ret);
	if (err)
		return err;
	err = take_lock(spool, use);
	if (!err)
		err = list_files(spool, use);
	return err ? fail(err, error_ret,
			  sentence("cannot use the folder '%s': %s.", path, strerror(-err)))
		   : 0;
}

/* How many were dropped before; 0 if the file is missing, or has no numbers. */
static void read_dropped(int folder_fd, uint64_t *n, uint64_t *n_bytes)
{
	_cleanup_close_ int fd = openat(folder_fd, DROPPED, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char text[DROPPED_MAX + 1];
	const ssize_t size = fd < 0 ? -1 : read(fd, text, DROPPED_MAX);

	*n = *n_bytes = 0;
	if (size <= 0)
		return;
	text[size] = '\0';
	if (sscanf(text, "%" SCNu64 " %" SCNu64, n, n_bytes) != 2)
		*n = *n_bytes = 0;
}

/* Nobody else writes meanwhile. What can't be counted is not. */
static void count_dropped(const struct spool *spool)
{
	uint64_t n, n_bytes;

	read_dropped(spool->fd, &n, &n_bytes);
	_cleanup_close_ int fd = openat(
		spool->fd, DROPPED, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0)
		dprintf(fd, "%" PRIu64 " %" PRIu64 "\n", n + spool->n_dropped,
			n_bytes + spool->n_dropped_bytes);
}

void spool_close(struct spool *spool)
{
	if (spool->n_dropped)
		count_dropped(spool);
	if (spool->n_added)
		fsync(spool->fd); /* the names */
	if (spool->fd >= 0)
		close(spool->fd);
	if (spool->lock_fd >= 0)
		close(spool->lock_fd);
	free(spool->files);
	free(spool->path);
}

int spool_look(const char *path, struct spool_state *state_ret)
{
	struct spool spool = { .lock_fd = -1 };
	struct spool_state state = { 0 };

	spool.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = spool.fd < 0 ? -errno : list_files(&spool, SPOOL_SEND);
	for (size_t i = 0; !err && i < spool.n_files; i++) {
		const bool is_refused = spool_is_refused(&spool.files[i]);

		state.n_refused += is_refused;
		state.n_waiting += !is_refused;
		state.n_waiting_bytes += is_refused ? 0 : spool.files[i].size;
	}
	if (!err)
		read_dropped(spool.fd, &state.n_dropped, &state.n_dropped_bytes);
	spool_close(&spool);
	if (!err)
		*state_ret = state;
	return err;
}

/* -- requests ------------------------------------------------------------------------------- */

static int drop_oldest(struct spool *spool)
{
	const struct spool_file *file = &spool->files[spool->first++];

	spool->size -= file->size;
	if (unlinkat(spool->fd, file->name, 0))
		return errno == ENOENT ? 0 : -errno; /* it was sent meanwhile */
	spool->n_dropped++;
	spool->n_dropped_bytes += file->size;
	return 0;
}

/* Of names that are made one after the other, each is later than the one before. */
static void make_name(struct spool *spool, char name[static SPOOL_NAME_MAX])
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	const uint64_t ns = (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;

	spool->last_ns = ns > spool->last_ns ? ns : spool->last_ns + 1;
	snprintf(name, SPOOL_NAME_MAX, "%020" PRIu64 "-%d" SUFFIX, spool->last_ns, (int)getpid());
}

/* Writes the file UNNAMED. 0 or -errno. */
static int write_file(const struct spool *spool, const struct spool_request *request,
		      uint64_t *size_ret)
{
	const int fd = openat(spool->fd, UNNAMED,
			      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int err = out ? spool_request_write(out, request) : -errno;

	if (!err) {
		*size_ret = (uint64_t)ftello(out);
		err = fsync(fd) ? -errno : 0;
	}
	if (out)
		fclose(out);
	else if (fd >= 0)
		close(fd);
	return err;
}

int spool_add(struct spool *spool, const struct spool_request *request, uint64_t max)
{
	struct spool_file file = { 0 };
	int err = write_file(spool, request, &file.size);

	if (!err && file.size > max)
		err = -EFBIG;
	while (!err && spool->size + file.size > max && spool->first < spool->n_files)
		err = drop_oldest(spool);
	if (!err)
		err = array_reserve(spool->files, spool->n_files, spool->n_allocated, 1);
	make_name(spool, file.name);
	if (!err && renameat(spool->fd, UNNAMED, spool->fd, file.name))
		err = -errno;
	if (err) {
		unlinkat(spool->fd, UNNAMED, 0);
		return err;
	}
	spool->files[spool->n_files++] = file;
	spool->size += file.size;
	spool->n_added++;
	spool->n_added_bytes += file.size;
	return 0;
}

int spool_read(const struct spool *spool, const struct spool_file *file, struct file_text *text,
	       struct spool_request *request_ret)
{
	_cleanup_close_ int fd = openat(spool->fd, file->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return -errno;
	int err = file_text_read(text, fd);
	return err ? err : spool_request_parse(text, request_ret);
}

int spool_remove(const struct spool *spool, const struct spool_file *file)
{
	return unlinkat(spool->fd, file->name, 0) && errno != ENOENT ? -errno : 0;
}

int spool_note_sent(const struct spool *spool, const struct spool_file *file)
{
	static const struct timespec now[] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_NOW } };

	return utimensat(spool->fd, file->name, now, AT_SYMLINK_NOFOLLOW) ||
			       fchmodat(spool->fd, file->name, S_IRUSR, 0)
		       ? -errno
		       : 0;
}

uint64_t spool_sent_ns(const struct spool *spool, const struct spool_file *file)
{
	struct stat st;

	if (fstatat(spool->fd, file->name, &st, AT_SYMLINK_NOFOLLOW) || st.st_mode & S_IWUSR)
		return 0;
	if (st.st_mtim.tv_sec <= 0)
		return 1;
	return (uint64_t)st.st_mtim.tv_sec * NSEC_PER_SEC + (uint64_t)st.st_mtim.tv_nsec;
}

int spool_refuse(const struct spool *spool, const struct spool_file *file)
{
	char name[SPOOL_NAME_MAX + sizeof(SPOOL_REFUSED)];

	snprintf(name, sizeof(name), "%s" SPOOL_REFUSED, file->name);
	return renameat(spool->fd, file->name, spool->fd, name) && errno != ENOENT ? -errno : 0;
}
