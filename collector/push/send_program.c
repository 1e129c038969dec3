#include "collector/push/send_program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/base/sentence.h"
#include "collector/command-line/messages.h"

#define ARGUMENTS_MAX 26

char *send_program_find(void)
{
	static const char *const places[] = { "dendro-send", "../libexec/dendro/dendro-send" };
	char self[PATH_MAX];
	const ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (size <= 0)
		return NULL;
	self[size] = '\0';
	char *slash = strrchr(self, '/');
	if (!slash)
		return NULL;
	slash[1] = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *path = sentence("%s%s", self, places[i]);

		if (path && access(path, X_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

void send_program_add(char **arguments, const char *name, const char *value)
{
	size_t n = 0;

	if (!value)
		return;
	while (arguments[n])
		n++;
	arguments[n] = (char *)name;
	arguments[n + 1] = (char *)value;
}

static void add_options(char **arguments, const struct send_options *options)
{
	send_program_add(arguments, "--url", options->url);
	send_program_add(arguments, "--user", options->user);
	send_program_add(arguments, "--token-file", options->token_file);
	send_program_add(arguments, "--ca-file", options->ca_file);
	send_program_add(arguments, "--tenant", options->tenant);
	send_program_add(arguments, "--quiet", options->is_quiet ? "1" : NULL);
	send_program_add(arguments, "--database", options->database);
	send_program_add(arguments, "--cluster", options->cluster);
}

/* @output: becomes its standard output; -1: as this one's. */
static int start(char **arguments, int output, pid_t *pid_ret)
{
	posix_spawn_file_actions_t actions;
	int err = posix_spawn_file_actions_init(&actions);

	if (!err && output >= 0)
		err = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (!err)
		err = posix_spawn(pid_ret, arguments[0], &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	return err ? message_error("push", "cannot run '%s': %s.", arguments[0], strerror(err)) : 0;
}

static int wait_for(const char *program, pid_t pid, const struct send_options *options)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return message_error("push", "lost '%s': %s.", program, strerror(errno));
	}
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return message_error("push",
			     "'%s' was killed by signal %d. What it did not send is in '%s'.",
			     program, WTERMSIG(status), options->spool);
}

int send_program_run(const char *program, const struct send_options *options)
{
	char *arguments[ARGUMENTS_MAX] = { (char *)program }, retry[32];
	pid_t pid = -1;

	snprintf(retry, sizeof(retry), "%" PRIu64, options->retry_ns);
	add_options(arguments, options);
	send_program_add(arguments, "--spool", options->spool);
	send_program_add(arguments, "--retry-ns", retry);
	const int err = start(arguments, -1, &pid);
	return err ? err : wait_for(program, pid, options);
}

int send_program_create_tables(const char *program, const struct send_options *options)
{
	char purpose[] = "--create-tables";
	char *arguments[ARGUMENTS_MAX] = { (char *)program, purpose };
	pid_t pid = -1;

	add_options(arguments, options);
	const int err = start(arguments, -1, &pid);
	return err ? err : wait_for(program, pid, options);
}

int send_program_check(const char *program, const struct send_options *options,
		       char id_ret[static SEND_DATABASE_ID_SIZE])
{
	char purpose[] = "--check";
	char *arguments[ARGUMENTS_MAX] = { (char *)program, purpose };
	char answer[SEND_DATABASE_ID_SIZE] = "";
	int ends[2];
	pid_t pid = -1;

	add_options(arguments, options);
	if (pipe2(ends, O_CLOEXEC))
		return message_error("push", "cannot make a pipe: %s.", strerror(errno));
	int err = start(arguments, ends[1], &pid);
	close(ends[1]);
	if (!err) {
		const ssize_t size = read(ends[0], answer, sizeof(answer) - 1);

		err = wait_for(program, pid, options);
		if (!err && size != sizeof(answer) - 1)
			err = message_error("push", "'%s' says nothing.", program);
	}
	close(ends[0]);
	memcpy(id_ret, answer, sizeof(answer));
	return err;
}
