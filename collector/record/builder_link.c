#include "collector/record/builder_link.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cct/broker/descriptor_message.h"

/* Exactly @n_fds of them, and all bytes. 0 or -errno; -EPIPE: the other side is gone. */
static int receive_fds(int socket_fd, struct iovec *bytes, int *fds, size_t n_fds)
{
	int received[DESCRIPTOR_MESSAGE_MAX];
	size_t n = 0;
	int err = descriptor_message_receive(socket_fd, bytes, received, &n);

	if (!err && n != n_fds) {
		while (n)
			close(received[--n]);
		err = -EPROTO;
	}
	if (!err)
		memcpy(fds, received, n * sizeof(*fds));
	return err;
}

int builder_link_send(int control_fd, int fd)
{
	char nothing = 0;

	return descriptor_message_send(control_fd, &(struct iovec){ &nothing, 1 }, &fd, 1);
}

int builder_link_receive(int control_fd)
{
	char byte;
	int fd = -1, err = receive_fds(control_fd, &(struct iovec){ &byte, 1 }, &fd, 1);

	return err ? err : fd;
}

struct message {
	uint64_t call; /* enum builder_call */
	struct builder_told told;
};

static int call(int supply_fd, enum builder_call what, uint64_t time_ns, uint64_t n_samples)
{
	const struct message message = { what, { time_ns, n_samples } };
	ssize_t n;

	do
		n = send(supply_fd, &message, sizeof(message), MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

int builder_link_renew(int supply_fd, struct builder_link *link_ret)
{
	struct builder_link link = { 0 };
	int fds[DESCRIPTOR_MESSAGE_MAX] = { -1, -1 },
	    err = call(supply_fd, BUILDER_CALL_RENEW, 0, 0);

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

/* false: the other side is gone. */
static bool receive_byte(int fd, char *byte_ret)
{
	ssize_t n;

	do
		n = recv(fd, byte_ret, 1, 0);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

static void send_byte(int fd, char byte)
{
	while (send(fd, &byte, 1, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

bool builder_link_may_renew(int supply_fd)
{
	char may;

	return call(supply_fd, BUILDER_CALL_MAY, 0, 0) || !receive_byte(supply_fd, &may) || may;
}

void builder_link_allow(int supply_fd, bool may)
{
	send_byte(supply_fd, may);
}

void builder_link_tell_begin(int supply_fd, uint64_t time_ns)
{
	call(supply_fd, BUILDER_CALL_BEGIN, time_ns, 0);
}

void builder_link_tell_samples(int supply_fd, uint64_t time_ns, uint64_t n_samples)
{
	call(supply_fd, BUILDER_CALL_SAMPLES, time_ns, n_samples);
}

enum builder_call builder_link_next_call(int supply_fd, struct builder_told *told_ret)
{
	struct message message;
	ssize_t n;

	do
		n = recv(supply_fd, &message, sizeof(message), MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return BUILDER_CALL_NONE;
	if (n != sizeof(message) || message.call >= BUILDER_CALL_END)
		return BUILDER_CALL_END;
	*told_ret = message.told;
	return (enum builder_call)message.call;
}

int builder_link_supply(int supply_fd, const struct builder_link *link)
{
	const int fds[DESCRIPTOR_MESSAGE_MAX] = { link->stream_fd, link->control_fd };
	pid_t pid = link->pid;

	return descriptor_message_send(supply_fd, &(struct iovec){ &pid, sizeof(pid) }, fds, 2);
}

void builder_link_tell_worker(int control_fd, pid_t pid)
{
	while (send(control_fd, &pid, sizeof(pid), MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

pid_t builder_link_hear_worker(int control_fd)
{
	pid_t pid;
	ssize_t n;

	do
		n = recv(control_fd, &pid, sizeof(pid), 0);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(pid) ? pid : 0;
}

void builder_link_confirm(int control_fd)
{
	send_byte(control_fd, 0);
}

bool builder_link_is_confirmed(int control_fd)
{
	char byte;

	return receive_byte(control_fd, &byte);
}
