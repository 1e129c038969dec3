#include "perf/kinds/probe_events.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cct/base/sentence.h"
#include "perf/kernel/tracefs.h"
#include "perf/kinds/tracepoint.h"

/* The system of all tracepoints of one recorder: this prefix, its pid, and a random number. */
#define SYSTEM_PREFIX "dendro_"

static bool is_probe(const struct event *event)
{
	return event->probed_path;
}

/* Appends one command to the list of probes. */
static int write_command(const char *root, const char *command)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/uprobe_events", root);
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t n = write(fd, command, strlen(command));
	int err = n < 0 ? -errno : 0;
	close(fd);
	return err;
}

static int remove_tracepoint(const char *root, const char *tracepoint)
{
	size_t system = strcspn(tracepoint, ":");
	char *command = tracepoint[system] ? sentence("-:%.*s/%s\n", (int)system, tracepoint,
						      tracepoint + system + 1)
					   : NULL;
	int err = command ? write_command(root, command) : -ENOMEM;

	free(command);
	return err;
}

/* Removes "p:dendro_PID_.../NAME ..." if its recorder has exited. The kernel keeps probes that are
 * in use. */
static void remove_left_over(const char *root)
{
	char path[PATH_MAX + 32], *text, *rest, *system, *name;
	size_t size;

	snprintf(path, sizeof(path), "%s/uprobe_events", root);
	if (tracefs_read(path, &text, &size))
		return;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		int pid;

		if (sscanf(line, "%*[pr]:" SYSTEM_PREFIX "%d_", &pid) != 1 || pid <= 0 ||
		    kill(pid, 0) == 0 || errno != ESRCH)
			continue;
		if (sscanf(line, "%*[pr]:%m[^/ ]/%m[^ ]", &system, &name) != 2)
			continue;
		char *tracepoint = sentence("%s:%s", system, name);
		if (tracepoint)
			remove_tracepoint(root, tracepoint);
		free(tracepoint);
		free(system);
		free(name);
	}
	free(text);
}

/* tracefs splits commands at blanks, and '#' begins a comment. */
static bool can_be_written(const char *path)
{
	return !path[strcspn(path, " \t\n#")];
}

static int add_probe(const char *root, const char *system, size_t index, const struct event *probe,
		     struct event *made)
{
	char name[32];

	snprintf(name, sizeof(name), "probe_%zu", index);
	if (!can_be_written(probe->probed_path))
		return -EINVAL;
	/* The uprobe PMU's only bit in config says that it is a return. */
	char *command = sentence("%c:%s/%s %s:0x%" PRIx64 "\n", probe->attr.config ? 'r' : 'p',
				 system, name, probe->probed_path, (uint64_t)probe->attr.config2);
	if (!command)
		return -ENOMEM;
	int err = write_command(root, command);
	free(command);
	if (err)
		return err;
	*made = (struct event){ .tracepoint = sentence("%s:%s", system, name) };
	uint64_t id = 0;
	err = made->tracepoint ? tracepoint_id(system, name, &id) : -ENOMEM;
	made->attr.config = id;
	return err;
}

static void use_tracepoint(struct event *event, const struct event *made)
{
	event->attr.type = PERF_TYPE_TRACEPOINT;
	event->attr.config = made->attr.config;
	event->attr.config1 = event->attr.config2 = 0;
	event->tracepoint = made->tracepoint;
}

static void name_system(char *system, size_t size)
{
	uint32_t random = 0;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random = (uint32_t)(uintptr_t)system;
	snprintf(system, size, SYSTEM_PREFIX "%d_%08" PRIx32, getpid(), random);
}

static int add_all(const char *root, struct event *events, size_t n_events, struct event *made)
{
	char system[64];
	int err = 0;

	name_system(system, sizeof(system));
	for (size_t i = 0; i < n_events && !err; i++)
		if (is_probe(&events[i]))
			err = add_probe(root, system, i, &events[i], &made[i]);
	for (size_t i = 0; i < n_events; i++) {
		if (made[i].tracepoint && err)
			remove_tracepoint(root, made[i].tracepoint);
		if (err)
			free(made[i].tracepoint);
		else if (is_probe(&events[i]))
			use_tracepoint(&events[i], &made[i]);
	}
	return err;
}

int probe_events_add(struct event *events, size_t n_events)
{
	char root[PATH_MAX];
	size_t n_probes = 0;

	for (size_t i = 0; i < n_events; i++)
		n_probes += is_probe(&events[i]);
	if (!n_probes)
		return 0;
	int err = tracefs_find(root);
	if (err)
		return err;
	struct event *made = calloc(n_events, sizeof(*made));
	if (!made)
		return -ENOMEM;
	remove_left_over(root);
	err = add_all(root, events, n_events, made);
	free(made);
	return err;
}

void probe_events_remove(const struct event *events, size_t n_events)
{
	char root[PATH_MAX];

	if (tracefs_find(root))
		return;
	for (size_t i = 0; i < n_events; i++)
		if (is_probe(&events[i]) && events[i].tracepoint)
			remove_tracepoint(root, events[i].tracepoint);
}
