#include "collector/push/send_program.h"

#include <errno.h>
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

#define ARGUMENTS_MAX 18

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

static void add(char **arguments, const char *name, const char *value)
{
	size_t n = 0;

	if (!value)
		return;
	while (arguments[n])
		n++;
	arguments[n] = (char *)name;
	arguments[n + 1] = (char *)value;
}

int send_program_run(const char *program, const struct send_options *options)
{
	char *arguments[ARGUMENTS_MAX] = { (char *)program }, retry[32];
	int status;
	pid_t pid;

	snprintf(retry, sizeof(retry), "%" PRIu64, options->retry_ns);
	add(arguments, "--spool", options->spool);
	add(arguments, "--url", options->url);
	add(arguments, "--user", options->user);
	add(arguments, "--token-file", options->token_file);
	add(arguments, "--ca-file", options->ca_file);
	add(arguments, "--tenant", options->tenant);
	add(arguments, "--retry-ns", retry);
	add(arguments, "--quiet", options->is_quiet ? "1" : NULL);
	const int err = posix_spawn(&pid, program, NULL, NULL, arguments, environ);
	if (err)
		return message_error("push", "cannot run '%s': %s.", program, strerror(err));
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
