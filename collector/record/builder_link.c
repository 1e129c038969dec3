#include "collector/record/builder_link.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define FDS_MAX 2

union descriptor_message {
	char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
	struct cmsghdr align;
};

/* A stream passes descriptors beside bytes only. 0 or -errno. */
static int send_fds(int socket_fd, struct iovec *bytes, const int *fds, size_t n_fds)
{
	union descriptor_message control = { 0 };
	struct msghdr message = {
		.msg_iov = bytes,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = CMSG_SPACE(n_fds * sizeof(*fds)),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	ssize_t n;

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(n_fds * sizeof(*fds));
	memcpy(CMSG_DATA(header), fds, n_fds * sizeof(*fds));
	do
		n = sendmsg(socket_fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* Exactly @n_fds of them, and all bytes. 0 or -errno; -EPIPE: the other side is gone. */
static int receive_fds(int socket_fd, struct iovec *bytes, int *fds, size_t n_fds)
{
	union descriptor_message control;
	struct msghdr message = {
		.msg_iov = bytes,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	ssize_t n;

	do
		n = recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n < 0 ? -errno : -EPIPE;
	const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	if ((size_t)n != bytes->iov_len || !header || header->cmsg_level != SOL_SOCKET ||
	    header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(n_fds * sizeof(*fds)))
		return -EPROTO;
	memcpy(fds, CMSG_DATA(header), n_fds * sizeof(*fds));
	return 0;
}

int builder_link_send(int control_fd, int fd)
{
	char nothing = 0;

	return send_fds(control_fd, &(struct iovec){ &nothing, 1 }, &fd, 1);
}

int builder_link_receive(int control_fd)
{
	char byte;
	int fd = -1, err = receive_fds(control_fd, &(struct iovec){ &byte, 1 }, &fd, 1);

	return err ? err : fd;
}

static int call(int supply_fd, enum builder_call what)
{
	const char byte = (char)what;
	ssize_t n;

	do
		n = send(supply_fd, &byte, 1, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

int builder_link_renew(int supply_fd, struct builder_link *link_ret)
{
	struct builder_link link = { 0 };
	int fds[FDS_MAX] = { -1, -1 }, err = call(supply_fd, BUILDER_CALL_RENEW);

	if (!err)
		err = receive_fds(supply_fd, &(struct iovec){ &link.pid, sizeof(link.pid) }, fds,
				  2);
	if (err)
		return err;
	link.stream_fd = fds[0];
	link.control_fd = fds[1];
	*link_ret = link;
	return 0;
}

void builder_link_tell_begin(int supply_fd)
{
	call(supply_fd, BUILDER_CALL_BEGIN);
}

enum builder_call builder_link_next_call(int supply_fd)
{
	ssize_t n;
	char byte;

	do
		n = recv(supply_fd, &byte, 1, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return BUILDER_CALL_NONE;
	return n == 1 && (byte == BUILDER_CALL_RENEW || byte == BUILDER_CALL_BEGIN)
		       ? (enum builder_call)byte
		       : BUILDER_CALL_END;
}

int builder_link_supply(int supply_fd, const struct builder_link *link)
{
	const int fds[FDS_MAX] = { link->stream_fd, link->control_fd };
	pid_t pid = link->pid;

	return send_fds(supply_fd, &(struct iovec){ &pid, sizeof(pid) }, fds, 2);
}

void builder_link_confirm(int control_fd)
{
	while (send(control_fd, "", 1, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

bool builder_link_is_confirmed(int control_fd)
{
	ssize_t n;
	char byte;

	do
		n = recv(control_fd, &byte, 1, 0);
	while (n < 0 && errno == EINTR);
	return n == 1;
}
