#include "cct/broker/descriptor_message.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union descriptor_room {
	char bytes[CMSG_SPACE(DESCRIPTOR_MESSAGE_MAX * sizeof(int))];
	struct cmsghdr align;
};

int descriptor_message_send(int socket_fd, struct iovec *bytes, const int *fds, size_t n_fds)
{
	union descriptor_room control = { 0 };
	struct msghdr message = { .msg_iov = bytes, .msg_iovlen = 1 };
	ssize_t n;

	assert(n_fds <= DESCRIPTOR_MESSAGE_MAX);
	if (n_fds) {
		message.msg_control = control.bytes;
		message.msg_controllen = CMSG_SPACE(n_fds * sizeof(*fds));
		struct cmsghdr *header = CMSG_FIRSTHDR(&message);

		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(n_fds * sizeof(*fds));
		memcpy(CMSG_DATA(header), fds, n_fds * sizeof(*fds));
	}
	do
		n = sendmsg(socket_fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* Those that the message brought, all of which are open here. */
static size_t take_fds(struct msghdr *message, int *fds)
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);
	size_t n = 0;

	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
		return 0;
	while (n < DESCRIPTOR_MESSAGE_MAX && header->cmsg_len >= CMSG_LEN((n + 1) * sizeof(*fds)))
		n++;
	memcpy(fds, CMSG_DATA(header), n * sizeof(*fds));
	return n;
}

int descriptor_message_receive(int socket_fd, struct iovec *bytes, int *fds, size_t *n_fds_ret)
{
	union descriptor_room control;
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
	*n_fds_ret = take_fds(&message, fds);
	if ((size_t)n == bytes->iov_len && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
		return 0;
	while (*n_fds_ret)
		close(fds[--*n_fds_ret]);
	return -EPROTO;
}
