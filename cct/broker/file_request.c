#include "cct/broker/file_request.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cct/broker/descriptor_message.h"

int file_request_set_path(struct file_request *request, const char *path)
{
	const size_t size = strlen(path) + 1;

	if (size > sizeof(request->path))
		return -ENAMETOOLONG;
	memcpy(request->path, path, size);
	return 0;
}

int file_request_ask(int socket_fd, const struct file_request *request, int sent_fd,
		     struct file_answer *answer, int *fd_ret)
{
	struct file_request copy = *request;
	int fds[DESCRIPTOR_MESSAGE_MAX];
	size_t n = 0;
	int err = descriptor_message_send(socket_fd, &(struct iovec){ &copy, sizeof(copy) },
					  &sent_fd, sent_fd >= 0);

	if (!err)
		err = descriptor_message_receive(
			socket_fd, &(struct iovec){ answer, sizeof(*answer) }, fds, &n);
	*fd_ret = -1;
	if (err)
		return err;
	answer->path[sizeof(answer->path) - 1] = '\0';
	if (n)
		*fd_ret = fds[--n];
	while (n)
		close(fds[--n]);
	return 0;
}
