/*
 * How a process without rights gets files: it asks another one, the file server, by a pair of
 * sockets (SOCK_SEQPACKET), and is sent open descriptors. A request names what is wanted; the
 * server decides (cct/object/file_server.h).
 */
#ifndef CCT_BROKER_FILE_REQUEST_H
#define CCT_BROKER_FILE_REQUEST_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "cct/model/build_id.h"

enum file_request_kind {
	FILE_REQUEST_PATH = 1,   /* a program, or its debug file, at .path */
	FILE_REQUEST_BELOW_ROOT, /* likewise, as the process .pid sees it */
	FILE_REQUEST_CACHED,     /* .path ("debuginfo", "executable") of .build_id in the cache */
	FILE_REQUEST_PATH_OF,    /* the path of the descriptor sent along */
	FILE_REQUEST_RESULT,     /* the result at .path, to add to it */
	FILE_REQUEST_IDENTITY,   /* how the kernel's maps call the descriptor sent along */
};

/* As sent: other processes of the same program read it. */
struct file_request {
	uint32_t kind;
	pid_t pid;
	struct build_id build_id;
	char path[PATH_MAX];
};

/* Likewise. With a descriptor, if one was requested and there is no error. */
struct file_answer {
	int32_t err; /* 0 or -errno */
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	char path[PATH_MAX];
};

/* Paths that are too long: -ENAMETOOLONG. */
int file_request_set_path(struct file_request *request, const char *path);
/*
 * Asks, and waits for the answer; one thread at a time. @sent_fd: -1 or a descriptor, which stays
 * open here. *@fd_ret: the answer's, closed on exec, or -1. 0; -EPIPE: the server is gone; or
 * another -errno of the exchange itself.
 */
int file_request_ask(int socket_fd, const struct file_request *request, int sent_fd,
		     struct file_answer *answer, int *fd_ret);

#endif
