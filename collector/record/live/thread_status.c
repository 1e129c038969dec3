#include "collector/record/live/thread_status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"

#define TEXT_MAX 8192

/* What follows @key and blanks in a line; NULL: there is no such line. */
static const char *find_value(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) == 0)
			return line + length + strspn(line + length, "\t ");
	}
	return NULL;
}

static bool find_number(const char *text, const char *key, unsigned long long *number_ret)
{
	const char *value = find_value(text, key);

	return value && sscanf(value, "%19llu", number_ret) == 1;
}

bool thread_status_parse(const char *text, struct thread_status *ret)
{
	const char *name = find_value(text, "Name:"), *state = find_value(text, "State:");
	unsigned long long pid, n_waits, n_preemptions;

	if (!name || !state || !find_number(text, "Tgid:", &pid) ||
	    !find_number(text, "voluntary_ctxt_switches:", &n_waits) ||
	    !find_number(text, "nonvoluntary_ctxt_switches:", &n_preemptions))
		return false;
	*ret = (struct thread_status){ .state = *state,
				       .pid = (pid_t)pid,
				       .n_switches = n_waits + n_preemptions };
	snprintf(ret->name, sizeof(ret->name), "%.*s", (int)strcspn(name, "\n"), name);
	return true;
}

int thread_status_read(const char *proc, pid_t tid, struct thread_status *ret)
{
	char path[256], text[TEXT_MAX];

	snprintf(path, sizeof(path), "%s/%d/status", proc, tid);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	return thread_status_parse(text, ret) ? 0 : -EINVAL;
}
