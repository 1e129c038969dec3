#include "cct/object/file_server.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/broker/descriptor_message.h"
#include "cct/broker/file_request.h"
#include "cct/object/file_identity.h"

#define SIZE_MAX_BYTES (16ll << 30)
/* All that is read of a file here: up to the type. */
#define ELF_START_SIZE (EI_NIDENT + 2)

/* A program, a library, an object, or a debug file of these; or the code of a run-time compiler, as
 * it has written it down (jitdump, of either byte order). */
static bool is_program(int fd)
{
	uint8_t start[ELF_START_SIZE];

	if (pread(fd, start, sizeof(start), 0) != (ssize_t)sizeof(start))
		return false;
	if (memcmp(start, "JiTD", 4) == 0 || memcmp(start, "DTiJ", 4) == 0)
		return true;
	if (memcmp(start, ELFMAG, SELFMAG) != 0)
		return false;
	const unsigned low = start[EI_DATA] == ELFDATA2MSB, high = !low;
	const unsigned type = start[EI_NIDENT + low] | (unsigned)start[EI_NIDENT + high] << 8;
	return type == ET_REL || type == ET_EXEC || type == ET_DYN;
}

/* Modules may be compressed, and lists of them are text. In the root of a process those folders may
 * be anything. */
static bool is_of_kernel(const struct file_search *search, int fd)
{
	static const char *const folders[] = { "/usr/lib/debug/", "/usr/lib/modules/",
					       "/lib/modules/" };
	_cleanup_free_ char *path = file_search_path_of(search, fd);

	for (size_t i = 0; path && i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (strncmp(path, folders[i], strlen(folders[i])) == 0)
			return true;
	}
	return false;
}

/* Opens what was found, which is closed. A descriptor, or -errno; -ENOEXEC: not such a file. */
static int open_found(const struct file_search *search, int found, bool may_be_kernels)
{
	_cleanup_close_ int found_fd = found;
	char link[32];
	struct stat st;

	if (found_fd < 0)
		return found_fd;
	if (fstat(found_fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size > SIZE_MAX_BYTES)
		return -EINVAL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", found_fd);
	const int fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (is_program(fd) || (may_be_kernels && is_of_kernel(search, fd)))
		return fd;
	close(fd);
	return -ENOEXEC;
}

static int find(const struct file_search *search, const struct file_request *request)
{
	char root[32];

	if (request->kind == FILE_REQUEST_CACHED) {
		if (strcmp(request->path, "debuginfo") != 0 &&
		    strcmp(request->path, "executable") != 0)
			return -EINVAL;
		if (request->build_id.size > sizeof(request->build_id.bytes))
			return -EINVAL;
		return file_search_find_cached(search, &request->build_id, request->path);
	}
	if (*request->path != '/')
		return -EINVAL;
	if (request->kind == FILE_REQUEST_PATH)
		return file_search_find(search, request->path);
	if (request->pid <= 0 || !file_search_is_here(search))
		return -EINVAL;
	snprintf(root, sizeof(root), "/proc/%d/root", request->pid);
	return file_search_find_below_root(root, request->path);
}

static int tell_path(const struct file_search *search, int fd, struct file_answer *answer)
{
	_cleanup_free_ char *path = file_search_path_of(search, fd);

	if (!path || strlen(path) >= sizeof(answer->path))
		return -ENOENT;
	strcpy(answer->path, path);
	return 0;
}

static int tell_identity(int fd, struct file_answer *answer)
{
	struct file_identity identity;

	if (!file_identity_as_mapped(fd, &identity))
		return -ENOENT;
	answer->dev_major = identity.dev_major;
	answer->dev_minor = identity.dev_minor;
	answer->inode = identity.inode;
	return 0;
}

/* *@fd_ret: -1, or what is to be sent. */
static void answer_request(const struct file_search *search, const struct file_request *request,
			   int sent_fd, struct file_answer *answer, int *fd_ret)
{
	int fd = -1;

	switch (request->kind) {
	case FILE_REQUEST_PATH:
	case FILE_REQUEST_BELOW_ROOT:
	case FILE_REQUEST_CACHED:
		fd = open_found(search, find(search, request), request->kind == FILE_REQUEST_PATH);
		answer->err = fd < 0 ? fd : 0;
		break;
	case FILE_REQUEST_RESULT:
		fd = file_search_open_result(search, request->path);
		answer->err = fd < 0 ? fd : 0;
		break;
	case FILE_REQUEST_PATH_OF:
		answer->err = tell_path(search, sent_fd, answer);
		break;
	case FILE_REQUEST_IDENTITY:
		answer->err = tell_identity(sent_fd, answer);
		break;
	default:
		answer->err = -EINVAL;
	}
	*fd_ret = fd < 0 ? -1 : fd;
}

void file_server_run(const struct file_search *search, int socket_fd)
{
	struct file_request request;
	int sent[DESCRIPTOR_MESSAGE_MAX];
	size_t n_sent = 0;
	int err;

	while ((err = descriptor_message_receive(socket_fd,
						 &(struct iovec){ &request, sizeof(request) }, sent,
						 &n_sent)) == 0 ||
	       err == -EPROTO) {
		struct file_answer answer = { .err = err };

		_cleanup_close_ int fd = -1;
		request.path[sizeof(request.path) - 1] = '\0';
		if (!err)
			answer_request(search, &request, n_sent ? sent[0] : -1, &answer, &fd);
		err = descriptor_message_send(socket_fd, &(struct iovec){ &answer, sizeof(answer) },
					      &fd, fd >= 0);
		while (n_sent)
			close(sent[--n_sent]);
		if (err)
			return;
	}
}
