#include "collector/files/debuginfod_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/base/hex.h"
#include "collector/record/start/command.h"

#define WAIT_MS 200

bool debuginfod_program_is_here(void)
{
	return command_find(DEBUGINFOD_PROGRAM) == 0;
}

/* What it complains of, such as a server that has no such file, is counted, not shown. */
static int spawn(struct debuginfod_run *run, char **argv, int output)
{
	posix_spawn_file_actions_t actions;

	if (posix_spawn_file_actions_init(&actions))
		return -ENOMEM;
	int err =
		posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (!err)
		err = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
						       O_WRONLY, 0);
	if (!err)
		err = posix_spawnp(&run->pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -err;
}

int debuginfod_run_start(struct debuginfod_run *run, const char *kind,
			 const struct build_id *build_id)
{
	char program[] = DEBUGINFOD_PROGRAM, kind_word[16], id[2 * sizeof(build_id->bytes) + 1];
	char *argv[] = { program, kind_word, id, NULL };
	int output[2];

	stpncpy(kind_word, kind, sizeof(kind_word) - 1)[0] = '\0';
	hex_format(build_id->bytes, build_id->size, id);
	if (pipe2(output, O_CLOEXEC))
		return -errno;
	*run = (struct debuginfod_run){ .fd = output[0] };
	int err = spawn(run, argv, output[1]);
	close(output[1]);
	if (err)
		close(output[0]);
	return err;
}

bool debuginfod_run_wait(struct debuginfod_run *run)
{
	struct pollfd output = { .fd = run->fd, .events = POLLIN };

	if (poll(&output, 1, WAIT_MS) <= 0)
		return false;
	ssize_t n =
		read(run->fd, run->path + run->path_size, sizeof(run->path) - 1 - run->path_size);
	if (n <= 0)
		return n == 0 || errno != EINTR;
	run->path_size += (size_t)n;
	return run->path_size == sizeof(run->path) - 1;
}

bool debuginfod_run_finish(struct debuginfod_run *run)
{
	int status = -1;

	close(run->fd);
	/* One that has said all ends by itself; another one has nothing that is waited for. */
	if (!memchr(run->path, '\n', run->path_size))
		kill(run->pid, SIGTERM);
	while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR)
		;
	run->path[strcspn(run->path, "\n")] = '\0';
	return status == 0 && run->path[0] == '/';
}
