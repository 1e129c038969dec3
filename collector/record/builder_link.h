/*
 * The recorder's side of a process that builds a profile while it records: the process reads the
 * records from a pipe, in their order, and is handed the open file that the profile belongs in.
 */
#ifndef COLLECTOR_RECORD_BUILDER_LINK_H
#define COLLECTOR_RECORD_BUILDER_LINK_H

#include <stdbool.h>
#include <sys/types.h>

struct builder_link {
	pid_t pid;
	int stream_fd;   /* a pipe, to write records to; the process ends when it is closed */
	int control_fd;  /* a socket, for the descriptor, then a byte when all is written */
	bool is_watched; /* somebody waits for what it shows, so it does not get idle priority */
};

/* Tells the process, before the pipe is closed, that all records were written. */
void builder_link_confirm(int control_fd);
/* Waits for that. false: the other side is gone. */
bool builder_link_is_confirmed(int control_fd);
/* Hands @fd over, which stays open here. 0 or -errno. */
int builder_link_send(int control_fd, int fd);
/* Waits for a descriptor. One that is closed on exec; -errno; -EPIPE: the other side is gone. */
int builder_link_receive(int control_fd);

#endif
