#include "collector/record/control/line_channel.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void line_channel_init(struct line_channel *channel, int fd)
{
	memset(channel, 0, sizeof(*channel));
	channel->fd = fd;
}

/* A pipe without writers, or a socket whose peer has gone, is readable and empty. */
bool line_channel_look(struct line_channel *channel)
{
	struct pollfd poll_fd = { channel->fd, POLLIN, 0 };

	channel->n_waiting = 0;
	if (channel->fd < 0 || channel->has_ended || poll(&poll_fd, 1, 0) <= 0)
		return false;
	if (ioctl(channel->fd, FIONREAD, &channel->n_waiting) == 0 && channel->n_waiting > 0)
		return true;
	/* Another reader may have taken the bytes. */
	channel->has_ended = poll_fd.revents & (POLLHUP | POLLERR | POLLNVAL);
	channel->n_waiting = 0;
	return false;
}

static bool fill(struct line_channel *channel)
{
	size_t wanted = sizeof(channel->bytes);

	if (channel->n_waiting <= 0)
		return false;
	if ((size_t)channel->n_waiting < wanted)
		wanted = (size_t)channel->n_waiting;
	ssize_t n = read(channel->fd, channel->bytes, wanted);
	if (n <= 0) {
		channel->n_waiting = 0;
		return false;
	}
	channel->n_waiting -= (int)n;
	channel->n_bytes = (size_t)n;
	channel->next = 0;
	return true;
}

const char *line_channel_next(struct line_channel *channel)
{
	while (channel->next < channel->n_bytes || fill(channel)) {
		char byte = channel->bytes[channel->next++];

		if (byte == '\n') {
			channel->line[channel->line_size] = '\0';
			channel->line_size = 0;
			return channel->line;
		}
		if (channel->line_size < LINE_CHANNEL_MAX)
			channel->line[channel->line_size++] = byte ? byte : '?';
	}
	return NULL;
}
