#include "collector/sandbox/parser_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/object/file_server.h"
#include "collector/command-line/messages.h"
#include "collector/sandbox/child_process.h"
#include "collector/sandbox/sandbox.h"

/* With the stream of records, or the output, still open it would keep others waiting for an end. */
static _Noreturn void serve(const struct file_search *files, int socket_fd)
{
	const int kept[] = { socket_fd, file_search_root_fd(files) };
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	child_process_keep(kept, sizeof(kept) / sizeof(kept[0]));
	signal(SIGINT, SIG_IGN); /* it ends with the other process */
	prctl(PR_SET_NAME, "dendro files");
	file_server_run(files, socket_fd);
	_exit(0);
}

/* Its number, or -errno. */
static pid_t start_server(const struct file_search *files, int *socket_ret)
{
	const pid_t pid = child_process_fork_linked(socket_ret);

	if (pid == 0)
		serve(files, *socket_ret);
	return pid;
}

int parser_sandbox_start_server(const struct file_search *files, int *socket_ret)
{
	const pid_t pid = start_server(files, socket_ret);

	return pid < 0 ? pid : 0;
}

int parser_sandbox_enter(const char *command, struct file_search *files,
			 struct parser_sandbox *sandbox_ret)
{
	int end;
	const pid_t server = start_server(files, &end);

	if (server < 0)
		return message_error(command, "cannot start a process that opens files: %s.",
				     strerror(-server));
	file_search_set_server(files, end);
	*sandbox_ret = (struct parser_sandbox){ .server = server };
	const int err = sandbox_enter();
	return err ? message_error(command,
				   "the process that reads program files cannot give up its "
				   "rights: %s. --no-sandbox leaves them to it.",
				   strerror(-err))
		   : 0;
}

void parser_sandbox_leave(struct parser_sandbox *sandbox)
{
	while (sandbox->server && waitpid(sandbox->server, NULL, 0) < 0 && errno == EINTR)
		;
	sandbox->server = 0;
}

void parser_sandbox_note_lacks(const char *command)
{
	const char *lacks = sandbox_lacks();

	if (lacks)
		message_note(command,
			     "this kernel lacks %s, which would keep the process that reads "
			     "program files from using more rights than it needs.",
			     lacks);
}
