#include "collector/record/start/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/base/cleanup.h"

/* Runs in the child. It exits if the recorder dies before the command was started. */
static _Noreturn void run(char **argv, int go_fd, int error_fd, int stdout_fd,
			  const sigset_t *signal_mask)
{
	char go;
	ssize_t n;

	do
		n = read(go_fd, &go, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(127);
	if (stdout_fd >= 0)
		dup2(stdout_fd, STDOUT_FILENO);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, signal_mask, NULL);
	execvp(argv[0], argv);
	int error = errno;
	while (write(error_fd, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(error == ENOENT ? 127 : 126);
}

int command_fork(struct command *command, char **argv, int stdout_fd, const sigset_t *signal_mask)
{
	int go[2], error[2];

	if (pipe2(go, O_CLOEXEC) != 0)
		return -errno;
	if (pipe2(error, O_CLOEXEC) != 0) {
		int err = -errno;
		close(go[0]);
		close(go[1]);
		return err;
	}
	pid_t pid = fork();
	if (pid == 0) {
		close(go[1]);
		close(error[0]);
		run(argv, go[0], error[1], stdout_fd, signal_mask);
	}
	int err = pid < 0 ? -errno : 0;
	close(go[0]);
	close(error[1]);
	*command = (struct command){ .pid = pid, .go_fd = go[1], .error_fd = error[0] };
	if (err) {
		command->has_ended = true;
		command_deinit(command);
	}
	return err;
}

static void close_go(struct command *command)
{
	if (command->go_fd >= 0)
		close(command->go_fd);
	command->go_fd = -1;
}

int command_start(struct command *command)
{
	int error = 0;
	ssize_t n = write(command->go_fd, "", 1);

	close_go(command);
	if (n == 1) {
		do
			n = read(command->error_fd, &error, sizeof(error));
		while (n < 0 && errno == EINTR);
	}
	if (!error) /* exec closed the pipe */
		return 0;
	command_wait(command);
	return -error;
}

bool command_poll(struct command *command)
{
	if (!command->has_ended)
		command->has_ended =
			waitpid(command->pid, &command->status, WNOHANG) == command->pid;
	return command->has_ended;
}

void command_wait(struct command *command)
{
	while (!command->has_ended) {
		pid_t pid = waitpid(command->pid, &command->status, 0);
		if (pid == command->pid || (pid < 0 && errno != EINTR))
			command->has_ended = true;
	}
}

int command_exit_code(const struct command *command)
{
	return WIFSIGNALED(command->status) ? 128 + WTERMSIG(command->status)
					    : WEXITSTATUS(command->status);
}

void command_deinit(struct command *command)
{
	bool never_started = command->go_fd >= 0;

	close_go(command);
	close(command->error_fd);
	if (never_started)
		command_wait(command);
}

static int check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return errno == EACCES ? -EACCES : -ENOENT;
	return S_ISREG(st.st_mode) && access(path, X_OK) == 0 ? 0 : -EACCES;
}

int command_find(const char *name)
{
	const char *path = getenv("PATH");
	int err = -ENOENT;

	if (strchr(name, '/'))
		return check_file(name);
	for (const char *at = path ? path : "/bin:/usr/bin"; name[0]; at++) {
		size_t size = strcspn(at, ":");
		char file[PATH_MAX];

		if (snprintf(file, sizeof(file), "%.*s%s%s", (int)size, at, size ? "/" : "", name) <
		    PATH_MAX) {
			int this = check_file(file);
			if (this != -ENOENT)
				err = this;
			if (!this)
				return 0;
		}
		at += size;
		if (!*at)
			break;
	}
	return err;
}
