/*
 * The process that builds a profile which grows (collector/watch/growing_build.h): all that parses
 * records and program files is there, without any rights. Who shows the profile asks for snapshots
 * by a socket (SOCK_SEQPACKET), and sends the file for each.
 */
#ifndef COLLECTOR_WATCH_GROWING_SERVER_H
#define COLLECTOR_WATCH_GROWING_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/command-line/report_options.h"

enum growing_request_kind {
	GROWING_STATE = 1,
	GROWING_WRITE,  /* a snapshot into the file that is sent along */
	GROWING_FINISH, /* waits for the end of the stream, and whether its writer had confirmed it
			 */
};

/* As sent: both processes are of the same program. */
struct growing_request {
	uint32_t kind;
	uint64_t recent_ns; /* of GROWING_WRITE, as of growing_build_write() */
};

#define GROWING_ERROR_MAX 512

struct growing_answer {
	int32_t err; /* 0 or -errno */
	bool has_begun;
	uint64_t cpu_ns;               /* that this answer took */
	char error[GROWING_ERROR_MAX]; /* as growing_build_error(); empty: none */
};

struct growing_server {
	int stream_fd;  /* the records */
	int control_fd; /* where the recorder confirms them; -1: it does not */
	int socket_fd;
	int end_fd; /* gets a byte when the stream has ended */
};

/* In a process of its own, with one thread, until nobody has the other end of the socket open.
 * Ends it, with status 1 after a message if it cannot begin. */
_Noreturn void growing_server_run(struct report_options *report,
				  const struct growing_server *server);

#endif
