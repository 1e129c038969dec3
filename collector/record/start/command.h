/*
 * The command to be recorded: forked early, so that events can be opened on it, but it waits to be
 * told before it execs.
 */
#ifndef COLLECTOR_RECORD_START_COMMAND_H
#define COLLECTOR_RECORD_START_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct command {
	pid_t pid;
	int go_fd;    /* a byte written here lets it exec; -1 afterwards */
	int error_fd; /* the errno of a failed exec comes from here */
	bool has_ended;
	int status; /* as waitpid() gives it, once it has ended */
};

/*
 * @stdout_fd: -1, or what the command gets as its standard output. The command starts with
 * @signal_mask, whatever the caller has now. 0 or -errno.
 */
int command_fork(struct command *command, char **argv, int stdout_fd, const sigset_t *signal_mask);
/* Lets it exec. 0; -errno of the exec, and the command has ended. */
int command_start(struct command *command);
/* Has it ended? Does not wait. */
bool command_poll(struct command *command);
/* Waits for its end. */
void command_wait(struct command *command);
/* What a shell would make of the status: 128 + n for signal n. */
int command_exit_code(const struct command *command);
/* Kills what never started. */
void command_deinit(struct command *command);

/* Would exec find it? 0, -ENOENT, or -EACCES. */
int command_find(const char *name);

#endif
