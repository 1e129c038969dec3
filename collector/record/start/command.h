/*
 * The command to be recorded. Its process is forked early, so that events can be opened on it, and
 * waits for command_start() before it calls exec.
 */
#ifndef COLLECTOR_RECORD_START_COMMAND_H
#define COLLECTOR_RECORD_START_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct command {
	pid_t pid;
	int go_fd;    /* a byte written here lets it exec; -1 afterwards */
	int error_fd; /* the errno of a failed exec is read from it */
	bool has_ended;
	int status; /* as waitpid() gives it, once it has ended */
};

/*
 * @stdout_fd: becomes the command's standard output, unless it is -1. The command starts with
 * @signal_mask instead of the caller's. 0 or -errno.
 */
int command_fork(struct command *command, char **argv, int stdout_fd, const sigset_t *signal_mask);
/* Lets the command call exec. 0, or the -errno of exec: then the command has ended. */
int command_start(struct command *command);
/* Whether the command has ended. Does not wait. */
bool command_poll(struct command *command);
/* Waits until the command has ended. */
void command_wait(struct command *command);
/* The status as a shell returns it: 128 + n for signal n. */
int command_exit_code(const struct command *command);
/* Kills a command that was never started. */
void command_deinit(struct command *command);

/* Whether exec would find the command: 0, -ENOENT or -EACCES. */
int command_find(const char *name);

#endif
