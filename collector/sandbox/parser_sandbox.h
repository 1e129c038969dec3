/*
 * A process that parses what is hostile: it gives up its rights, and another process, which keeps
 * them and parses nothing, opens program files for it (cct/object/file_server.h).
 */
#ifndef COLLECTOR_SANDBOX_PARSER_SANDBOX_H
#define COLLECTOR_SANDBOX_PARSER_SANDBOX_H

#include <stdbool.h>
#include <sys/types.h>

#include "cct/object/file_search.h"

struct parser_sandbox {
	pid_t server; /* 0: the process has its rights */
};

/*
 * The caller has one thread. From now on it works with what it has open, and with program files,
 * which @files has from the other process. 0, or another value after a message.
 */
int parser_sandbox_enter(const char *command, struct file_search *files,
			 struct parser_sandbox *sandbox_ret);
/* That other process alone, which uses the places of @files: *@socket_ret is where it is asked. It
 * ends when nobody has that open. 0 or -errno. */
int parser_sandbox_start_server(const struct file_search *files, int *socket_ret);
/* @files is closed: ends the other process, whose time counts as this one's. */
void parser_sandbox_leave(struct parser_sandbox *sandbox);
/* Prints a note of what this kernel lacks for that, if it lacks something. */
void parser_sandbox_note_lacks(const char *command);

#endif
