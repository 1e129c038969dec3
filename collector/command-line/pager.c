#include "collector/command-line/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "collector/command-line/option_values.h"

/* Small systems lack less. */
#define DEFAULT_PAGER "if command -v less >/dev/null; then exec less; else exec cat; fi"

const struct command_option pager_option[] = {
	{ .name = "no-pager",
	  .help = "do not page the output on a terminal",
	  .take = option_take_flag },
	{ 0 },
};

/* A shell runs a pager, which may be a whole command line. One that is not found, or may not be
 * run, has read nothing; the shell has printed the reason. */
#define SHELL "/bin/sh"
#define PLAIN_IF_NOT_RUN                                    \
	"\nstatus=$?\n"                                     \
	"if [ $status = 127 ] || [ $status = 126 ]; then\n" \
	"	exec cat\n"                                       \
	"fi\n"

static void run_pager(const char *command, int input)
{
	_cleanup_free_ char *script = sentence("%s" PLAIN_IF_NOT_RUN, command);

	dup2(input, STDIN_FILENO);
	/* Quit if it fits one screen, keep colours, leave the text on the screen. */
	setenv("LESS", "FRX", 0);
	execl(SHELL, "sh", "-c", script ? script : command, (char *)NULL);
	_exit(127);
}

/* Until there is something to show, the terminal is not the pager's. */
static void wait_for_text(int input)
{
	struct pollfd text = { input, POLLIN, 0 };

	while (poll(&text, 1, -1) < 0 && errno == EINTR)
		;
	if (!(text.revents & POLLIN))
		_exit(0);
}

void pager_prepare(struct pager *pager)
{
	const char *command = getenv("PAGER");
	int ends[2];

	pager->is_prepared = true;
	if (!command)
		command = DEFAULT_PAGER;
	if (!*command || strcmp(command, "cat") == 0 || access(SHELL, X_OK) ||
	    pipe2(ends, O_CLOEXEC))
		return;
	fflush(stdout);
	pager->pid = fork();
	if (pager->pid == 0) {
		close(ends[1]);
		wait_for_text(ends[0]);
		run_pager(command, ends[0]);
	}
	close(ends[0]);
	pager->input_fd = ends[1];
	if (pager->pid < 0) {
		close(ends[1]);
		pager->pid = 0;
	}
}

void pager_start(struct pager *pager)
{
	if (!pager->is_prepared)
		pager_prepare(pager);
	if (!pager->pid)
		return;
	/* Quitting the pager early is not an error, and the pager handles interrupts. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	dup2(pager->input_fd, STDOUT_FILENO);
	close(pager->input_fd);
	pager->is_started = true;
}

void pager_finish(struct pager *pager)
{
	if (!pager->is_started)
		return;
	fclose(stdout);
	while (waitpid(pager->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*pager = (struct pager){ 0 };
}
