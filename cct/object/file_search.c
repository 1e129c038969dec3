/* Opens files of a recording wherever they may be looked for. */
#include "cct/object/file_search.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zstd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/broker/file_request.h"
#include "cct/model/module.h"
#include "cct/system/temporary_file.h"

/* Without O_NONBLOCK a FIFO would wait for a writer. */
#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
/* Finding a file has no effect on it. */
#define FIND_FLAGS (O_PATH | O_CLOEXEC)
/* What all carried files may expand to. */
#define EXPANDED_MAX (8ull << 30)

struct carried_file {
	char *key;
	int packed_fd;
	int fd; /* expanded; -1: not requested yet */
	int err;
};

struct file_search {
	int root_fd;   /* -1: this machine's */
	char *cache;   /* NULL: none */
	char *result;  /* likewise */
	int server_fd; /* a process that opens files for this one; -1: none */
	int64_t recorded;
	bool is_complete;
	struct carried_file *carried;
	size_t n_carried, n_carried_allocated;
	bool keeps_found;

	/* Of what follows, of what @carried has expanded, and of an exchange with the server. */
	pthread_mutex_t lock;
	struct found_file *found;
	size_t n_found, n_found_allocated;
	int found_err;
	uint64_t n_expanded; /* bytes */
};

struct file_search *file_search_create(void)
{
	struct file_search *search = calloc(1, sizeof(*search));

	if (!search)
		return NULL;
	search->root_fd = search->server_fd = -1;
	pthread_mutex_init(&search->lock, NULL);
	return search;
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

void file_search_forget_carried(struct file_search *search)
{
	for (size_t i = 0; i < search->n_carried; i++) {
		close_if_open(search->carried[i].packed_fd);
		close_if_open(search->carried[i].fd);
		free(search->carried[i].key);
	}
	search->n_carried = 0;
	search->n_expanded = 0;
	search->is_complete = false;
}

void file_search_destroy(struct file_search *search)
{
	if (!search)
		return;
	file_search_forget_carried(search);
	for (size_t i = 0; i < search->n_found; i++) {
		close_if_open(search->found[i].fd);
		free(search->found[i].key);
		free(search->found[i].text);
	}
	free(search->carried);
	free(search->found);
	free(search->cache);
	free(search->result);
	close_if_open(search->root_fd);
	close_if_open(search->server_fd);
	pthread_mutex_destroy(&search->lock);
	free(search);
}

static int open_in_root(int root_fd, const char *path, int flags)
{
	struct open_how how = { .flags = (uint64_t)flags,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	long fd;

	/* EAGAIN: a rename somewhere made ".." doubtful. */
	do
		fd = syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
	while (fd < 0 && (errno == EINTR || errno == EAGAIN));
	return fd < 0 ? -errno : (int)fd;
}

int file_search_set_root(struct file_search *search, const char *folder)
{
	int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	_cleanup_close_ int inside = open_in_root(fd, "/", OPEN_FLAGS);
	if (inside < 0 && inside != -EACCES) {
		close(fd);
		return inside;
	}
	close_if_open(search->root_fd);
	search->root_fd = fd;
	return 0;
}

int file_search_root_fd(const struct file_search *search)
{
	return search->root_fd;
}

int file_search_set_cache(struct file_search *search, const char *folder)
{
	char *copy = strdup(folder);

	if (!copy)
		return -ENOMEM;
	free(search->cache);
	search->cache = copy;
	return 0;
}

/* As the manual of debuginfod's clients describes. NULL: none. */
static char *find_cache(void)
{
	const char *path = getenv("DEBUGINFOD_CACHE_PATH"), *home = getenv("HOME");
	const char *caches = getenv("XDG_CACHE_HOME");
	char *folder;

	if (path && *path)
		return strdup(path);
	if (home && asprintf(&folder, "%s/.debuginfod_client_cache", home) >= 0) {
		if (access(folder, F_OK) == 0)
			return folder;
		free(folder);
	}
	if (caches && *caches)
		return asprintf(&folder, "%s/debuginfod_client", caches) < 0 ? NULL : folder;
	return home && asprintf(&folder, "%s/.cache/debuginfod_client", home) >= 0 ? folder : NULL;
}

int file_search_use_own_cache(struct file_search *search)
{
	_cleanup_free_ char *folder = find_cache();

	return folder ? file_search_set_cache(search, folder) : 0;
}

void file_search_set_server(struct file_search *search, int server_fd)
{
	close_if_open(search->server_fd);
	search->server_fd = server_fd;
}

int file_search_set_result(struct file_search *search, const char *path)
{
	search->result = strdup(path);
	return search->result ? 0 : -ENOMEM;
}

int file_search_open_result(const struct file_search *search, const char *path)
{
	if (!search->result || strcmp(search->result, path) != 0)
		return -EACCES;
	const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	return fd < 0 ? -errno : fd;
}

void file_search_set_recorded(struct file_search *search, int64_t recorded)
{
	search->recorded = recorded;
}

int64_t file_search_recorded(const struct file_search *search)
{
	return search ? search->recorded : 0;
}

static struct carried_file *find_carried(const struct file_search *search, const char *key)
{
	for (size_t i = 0; search && i < search->n_carried; i++) {
		if (strcmp(search->carried[i].key, key) == 0)
			return &search->carried[i];
	}
	return NULL;
}

int file_search_carry(struct file_search *search, const char *key, int fd)
{
	struct carried_file file = { .fd = -1 };

	if (find_carried(search, key)) /* the first one of a key counts, as with all attachments */
		return 0;
	if (array_reserve(search->carried, search->n_carried, search->n_carried_allocated, 1))
		return -ENOMEM;
	file.packed_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (file.packed_fd < 0)
		return -errno;
	file.key = strdup(key);
	if (!file.key) {
		close(file.packed_fd);
		return -ENOMEM;
	}
	search->carried[search->n_carried++] = file;
	return 0;
}

void file_search_set_complete(struct file_search *search)
{
	search->is_complete = true;
}

bool file_search_is_complete(const struct file_search *search)
{
	return search && search->is_complete;
}

bool file_search_looks_around(const struct file_search *search)
{
	return !search || !search->is_complete || search->root_fd >= 0;
}

bool file_search_is_here(const struct file_search *search)
{
	return !search || (!search->is_complete && search->root_fd < 0);
}

/* Expands what was read to @in, as far as it goes. *@left_ret: 0 where a frame has ended. */
static int expand_piece(ZSTD_DCtx *zstd, ZSTD_inBuffer *in, int to, uint64_t *size,
			size_t *left_ret)
{
	static const size_t room_size = 1 << 17;
	_cleanup_free_ uint8_t *room = malloc(room_size);
	bool has_more = true;
	int err = room ? 0 : -ENOMEM;

	while (!err && (in->pos < in->size || has_more)) {
		ZSTD_outBuffer out = { room, room_size, 0 };

		*left_ret = ZSTD_decompressStream(zstd, &out, in);
		*size += out.pos;
		has_more = out.pos == out.size;
		if (ZSTD_isError(*left_ret) || *size > EXPANDED_MAX)
			return -EINVAL;
		err = temporary_file_write(to, room, out.pos);
	}
	return err;
}

static int expand(int from, int to, uint64_t *n_expanded)
{
	static const size_t piece_size = 1 << 17;
	_cleanup_free_ uint8_t *piece = malloc(piece_size);
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	int err = piece && zstd ? 0 : -ENOMEM;
	size_t left = 1;
	off_t at = 0;

	while (!err) {
		ssize_t n = pread(from, piece, piece_size, at);

		if (n <= 0) {
			err = n < 0 ? -errno : left ? -EINVAL : 0;
			break;
		}
		at += n;
		ZSTD_inBuffer in = { piece, (size_t)n, 0 };
		err = expand_piece(zstd, &in, to, n_expanded, &left);
	}
	ZSTD_freeDCtx(zstd);
	return err;
}

static int expand_carried(struct file_search *search, struct carried_file *file)
{
	int fd = temporary_file_open();
	int err = fd < 0 ? -errno : expand(file->packed_fd, fd, &search->n_expanded);

	if (err) {
		close_if_open(fd);
		return err;
	}
	file->fd = fd;
	return 0;
}

/* Opens the file again, because all duplicates of a descriptor share one file position. */
static int reopen(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int again = open(path, O_RDONLY | O_CLOEXEC);
	return again < 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : again;
}

int file_search_open_carried(struct file_search *search, const char *key)
{
	struct carried_file *file = find_carried(search, key);

	if (!file)
		return -ENOENT;
	pthread_mutex_lock(&search->lock);
	if (file->fd < 0 && !file->err)
		file->err = expand_carried(search, file);
	pthread_mutex_unlock(&search->lock);
	if (file->err)
		return file->err;
	int fd = reopen(file->fd);
	return fd < 0 ? -errno : fd;
}

/* Asks the server. The answer's descriptor, -1 if it has none, or -errno. */
static int ask(const struct file_search *search, const struct file_request *request, int sent_fd,
	       struct file_answer *answer, int *fd_ret)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)&search->lock;

	pthread_mutex_lock(lock);
	int err = file_request_ask(search->server_fd, request, sent_fd, answer, fd_ret);
	pthread_mutex_unlock(lock);
	if (err || answer->err >= 0)
		return err;
	close_if_open(*fd_ret);
	return answer->err;
}

static bool has_server(const struct file_search *search)
{
	return search && search->server_fd >= 0;
}

/* A descriptor, or -errno. */
static int ask_for_file(const struct file_search *search, struct file_request *request,
			const char *path)
{
	struct file_answer answer;
	int fd = -1;
	int err = file_request_set_path(request, path);

	if (!err)
		err = ask(search, request, -1, &answer, &fd);
	return err ? err : fd < 0 ? -ENOENT : fd;
}

static int open_path(const struct file_search *search, const char *path, int flags)
{
	if (search && search->root_fd >= 0)
		return open_in_root(search->root_fd, path, flags);
	if (!file_search_is_here(search))
		return -ENOENT;
	int fd = open(path, flags);
	return fd < 0 ? -errno : fd;
}

int file_search_open(const struct file_search *search, const char *path)
{
	struct file_request request = { .kind = FILE_REQUEST_PATH };

	return has_server(search) ? ask_for_file(search, &request, path)
				  : open_path(search, path, OPEN_FLAGS);
}

int file_search_find(const struct file_search *search, const char *path)
{
	return open_path(search, path, FIND_FLAGS);
}

static char *path_of(int fd)
{
	char link[64], path[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t size = fd < 0 ? -1 : readlink(link, path, sizeof(path));
	return size > 0 && (size_t)size < sizeof(path) && *path == '/' ? strndup(path, (size_t)size)
								       : NULL;
}

static char *ask_for_path(const struct file_search *search, int fd)
{
	const struct file_request request = { .kind = FILE_REQUEST_PATH_OF };
	struct file_answer answer;
	int no_fd = -1;
	int err = fd < 0 ? -EBADF : ask(search, &request, fd, &answer, &no_fd);

	close_if_open(no_fd);
	return err ? NULL : strdup(answer.path);
}

bool file_search_identity(const struct file_search *search, int fd, struct file_identity *ret)
{
	const struct file_request request = { .kind = FILE_REQUEST_IDENTITY };
	struct file_answer answer;
	int no_fd = -1;

	if (!has_server(search))
		return file_identity_as_mapped(fd, ret);
	if (ask(search, &request, fd, &answer, &no_fd))
		return false;
	close_if_open(no_fd);
	*ret = (struct file_identity){ answer.dev_major, answer.dev_minor, answer.inode };
	return true;
}

char *file_search_path_of(const struct file_search *search, int fd)
{
	if (has_server(search))
		return ask_for_path(search, fd);
	char *path = path_of(fd);

	if (!path || !search || search->root_fd < 0)
		return path;
	_cleanup_free_ char *root = path_of(search->root_fd);
	size_t size = root && strcmp(root, "/") != 0 ? strlen(root) : 0;
	bool is_below = root && strncmp(path, root, size) == 0 && path[size] == '/';
	if (is_below)
		memmove(path, path + size, strlen(path + size) + 1);
	else
		free(path);
	return is_below ? path : NULL;
}

static int open_cached(const struct file_search *search, const struct build_id *build_id,
		       const char *name, int flags)
{
	char id[BUILD_ID_TEXT_SIZE];
	_cleanup_free_ char *path = NULL;

	if (!search || !search->cache || !build_id->size)
		return -ENOENT;
	build_id_format(build_id, id);
	if (asprintf(&path, "%s/%s/%s", search->cache, id, name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	int fd = open(path, flags);
	return fd < 0 ? -errno : fd;
}

int file_search_open_cached(const struct file_search *search, const struct build_id *build_id,
			    const char *name)
{
	struct file_request request = { .kind = FILE_REQUEST_CACHED, .build_id = *build_id };

	return has_server(search) && search->cache
		       ? ask_for_file(search, &request, name)
		       : open_cached(search, build_id, name, OPEN_FLAGS);
}

int file_search_find_cached(const struct file_search *search, const struct build_id *build_id,
			    const char *name)
{
	return open_cached(search, build_id, name, FIND_FLAGS);
}

static int open_below_root(const char *root, const char *path, int flags)
{
	_cleanup_close_ int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return root_fd < 0 ? -errno : open_in_root(root_fd, path, flags);
}

int file_search_open_below_root(const struct file_search *search, const char *root,
				const char *path)
{
	struct file_request request = { .kind = FILE_REQUEST_BELOW_ROOT };

	if (!has_server(search))
		return open_below_root(root, path, OPEN_FLAGS);
	return sscanf(root, "/proc/%d/", &request.pid) == 1 ? ask_for_file(search, &request, path)
							    : -ENOENT;
}

int file_search_find_below_root(const char *root, const char *path)
{
	return open_below_root(root, path, FIND_FLAGS);
}

void file_search_keep_found(struct file_search *search)
{
	search->keeps_found = true;
}

bool file_search_keeps_found(const struct file_search *search)
{
	return search && search->keeps_found;
}

static int add_found(struct file_search *search, const char *key, int fd, const char *text)
{
	struct found_file file = { .fd = -1 };

	if (array_reserve(search->found, search->n_found, search->n_found_allocated, 1))
		return -ENOMEM;
	file.key = strdup(key);
	file.text = text ? strdup(text) : NULL;
	file.fd = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
	if (!file.key || (text && !file.text) || (fd >= 0 && file.fd < 0)) {
		int err = fd >= 0 && file.fd < 0 ? -errno : -ENOMEM;

		free(file.key);
		free(file.text);
		close_if_open(file.fd);
		return err;
	}
	search->found[search->n_found++] = file;
	return 0;
}

static bool has_found(const struct file_search *search, const char *key)
{
	for (size_t i = 0; i < search->n_found; i++) {
		if (strcmp(search->found[i].key, key) == 0)
			return true;
	}
	return false;
}

void file_search_found(struct file_search *search, const char *key, int fd, const char *text)
{
	if (!file_search_keeps_found(search) || find_carried(search, key))
		return;
	pthread_mutex_lock(&search->lock);
	if (!search->found_err && !has_found(search, key))
		search->found_err = add_found(search, key, fd, text);
	pthread_mutex_unlock(&search->lock);
}

static int compare_found(const void *a, const void *b)
{
	const struct found_file *x = a, *y = b;

	return strcmp(x->key, y->key);
}

int file_search_list_found(struct file_search *search, const struct found_file **files_ret,
			   size_t *n_files_ret)
{
	if (search->n_found)
		qsort(search->found, search->n_found, sizeof(*search->found), compare_found);
	*files_ret = search->found;
	*n_files_ret = search->n_found;
	return search->found_err;
}
