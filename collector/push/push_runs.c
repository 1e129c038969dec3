#include "collector/push/push_runs.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"

#define SELF "/proc/self/exe"
/* Others go before it. */
/* It runs for each profile: what is not sent now is sent with the next. */
#define RETRY_FOR "0"
#define FIXED_MAX 15 /* words */

void push_runs_add(struct push_runs *push, const char *name, uint64_t now_ns)
{
	if (!push->n_waiting)
		push->waits_since_ns = now_ns;
	if (push->n_waiting == PUSH_RUNS_WAITING_MAX) {
		memmove(push->waiting[0], push->waiting[1],
			(PUSH_RUNS_WAITING_MAX - 1) * sizeof(push->waiting[0]));
		push->n_waiting--;
		push->n_left_out++;
	}
	snprintf(push->waiting[push->n_waiting++], PUSH_RUNS_NAME_MAX, "%s", name);
}

char *push_runs_spool(const char *folder)
{
	return sentence("%s/spool", folder);
}

/* The descriptors of others are closed on exec. Signals are as a program of its own has them. */
static int run(char **arguments, pid_t *pid_ret)
{
	posix_spawnattr_t attributes;
	sigset_t none;

	sigemptyset(&none);
	if (posix_spawnattr_init(&attributes))
		return -ENOMEM;
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	const int err = posix_spawn(pid_ret, SELF, NULL, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	return -err;
}

static bool is_due(const struct push_runs *push, const struct push_runs_options *options,
		   uint64_t now_ns)
{
	return push->n_waiting == PUSH_RUNS_WAITING_MAX ||
	       now_ns - push->waits_since_ns >= options->every_ns;
}

int push_runs_start(struct push_runs *push, const struct push_runs_options *options,
		    const char *folder, uint64_t now_ns, bool is_last)
{
	char *arguments[FIXED_MAX + PUSH_RUNS_WAITING_MAX + 1] = { NULL };
	_cleanup_free_ char *spool = push_runs_spool(folder);
	const char *const fixed[] = { "push",    "--quiet", "--to",        options->url,
				      "--spool", spool,     "--retry-for", RETRY_FOR };
	size_t n = 0, n_fixed;
	int err = spool ? 0 : -ENOMEM;

	if (push->pid || !push->n_waiting || !(is_last || is_due(push, options, now_ns)))
		return 0;
	arguments[n++] = (char *)"dendro";
	if (options->config) {
		arguments[n++] = (char *)"--config";
		arguments[n++] = (char *)options->config;
	}
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		arguments[n++] = (char *)fixed[i];
	if (options->no_send)
		arguments[n++] = (char *)"--no-send";
	if (options->every_ns)
		arguments[n++] = (char *)"--as-one";
	if (options->every_ns && !options->keeps_all_paths) {
		arguments[n++] = (char *)"--join-addresses";
		arguments[n++] = (char *)"--fold-once";
	}
	n_fixed = n;
	for (size_t i = 0; !err && i < push->n_waiting; i++) {
		arguments[n] = sentence("%s/%s", folder, push->waiting[i]);
		err = arguments[n++] ? 0 : -ENOMEM;
	}
	if (!err)
		err = run(arguments, &push->pid);
	if (err)
		push->pid = 0;
	else if (!push->is_urgent)
		setpriority(PRIO_PROCESS, (id_t)push->pid, options->nice);
	push->n_waiting = 0;
	push->started_ns = now_ns;
	for (size_t i = n_fixed; i < n; i++)
		free(arguments[i]);
	return err;
}

void push_runs_hurry(struct push_runs *push)
{
	push->is_urgent = true;
	if (push->pid)
		setpriority(PRIO_PROCESS, (id_t)push->pid, 0);
}

void push_runs_end(struct push_runs *push, int status)
{
	push->pid = 0;
	push->n_failed += !WIFEXITED(status) || WEXITSTATUS(status);
}
