/*
 * Messages with open descriptors, between processes that have the ends of a pair of sockets.
 */
#ifndef CCT_BROKER_DESCRIPTOR_MESSAGE_H
#define CCT_BROKER_DESCRIPTOR_MESSAGE_H

#include <stddef.h>
#include <sys/uio.h>

#define DESCRIPTOR_MESSAGE_MAX 3

/* Sends all of @bytes, at least one, and @n_fds descriptors, which stay open here. 0 or -errno;
 * -EPIPE: the other side is gone. */
int descriptor_message_send(int socket_fd, struct iovec *bytes, const int *fds, size_t n_fds);
/*
 * Waits for a message of exactly so many bytes. Of @fds, DESCRIPTOR_MESSAGE_MAX, those that it
 * brought are the caller's to close, and closed on exec. 0 or -errno; -EPIPE: the other side is
 * gone; -EPROTO: another message.
 */
int descriptor_message_receive(int socket_fd, struct iovec *bytes, int *fds, size_t *n_fds_ret);

#endif
