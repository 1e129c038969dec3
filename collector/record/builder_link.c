#include "collector/record/builder_link.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

union descriptor_message {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

int builder_link_send(int control_fd, int fd)
{
	union descriptor_message control = { 0 };
	char nothing = 0; /* a stream passes descriptors beside bytes only */
	struct iovec byte = { &nothing, 1 };
	struct msghdr message = {
		.msg_iov = &byte,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	ssize_t n;

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	do
		n = sendmsg(control_fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

int builder_link_receive(int control_fd)
{
	union descriptor_message control;
	char byte;
	struct iovec bytes = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &bytes,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	ssize_t n;
	int fd;

	do
		n = recvmsg(control_fd, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n < 0 ? -errno : -EPIPE;
	const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
	    header->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -EPROTO;
	memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
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
