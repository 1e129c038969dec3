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

/* The names of what a probe fetches. */
#define WEIGHT_NAME "weight"
#define VALUE_NAME  "value"
#define CHECK       "_check"

static void write_fetch(FILE *out, const char *name, const struct event_fetch *fetch)
{
	if (fetch->kind == EVENT_VALUE_NONE)
		return;
	fprintf(out, " %s=%s", name, fetch->argument);
	if (fetch->check[0])
		fprintf(out, " %s" CHECK "=%s", name, fetch->check);
}

/* The command that makes a tracepoint, or adds a site to it. Heap; NULL: out of memory. */
static char *command_of(const char *system, const char *name, const struct event *probe,
			const struct probe_site *site)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	/* The uprobe PMU's only bit in config says that it is a return. */
	fprintf(out, "%c:%s/%s %s:0x%" PRIx64, probe->attr.config ? 'r' : 'p', system, name,
		probe->probed_path, site->offset);
	if (site->semaphore)
		fprintf(out, "(0x%" PRIx64 ")", site->semaphore);
	write_fetch(out, WEIGHT_NAME, &site->weight);
	write_fetch(out, VALUE_NAME, &site->value);
	fputc('\n', out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static int add_sites(const char *root, const char *system, const char *name,
		     const struct event *probe)
{
	const struct probe_site single = { .offset = probe->attr.config2 };
	const struct probe_site *sites = probe->n_sites ? probe->sites : &single;
	const size_t n_sites = probe->n_sites ? probe->n_sites : 1;
	int err = 0;

	for (size_t i = 0; i < n_sites && !err; i++) {
		char *command = command_of(system, name, probe, &sites[i]);

		err = command ? write_command(root, command) : -ENOMEM;
		free(command);
	}
	return err;
}

static int find_check(const char *format, size_t size, const char *name,
		      const struct event_fetch *fetch, uint16_t *offset_ret)
{
	return fetch->check[0] ? tracepoint_string(format, size, name, offset_ret) : 0;
}

static int find_weight(const char *format, size_t size, const struct event_fetch *fetch,
		       struct event_weight *weight)
{
	if (fetch->kind == EVENT_VALUE_NONE)
		return 0;
	int err = tracepoint_field(format, size, WEIGHT_NAME, weight);

	return err ? err : find_check(format, size, WEIGHT_NAME CHECK, fetch, &weight->check);
}

static int find_value(const char *format, size_t size, const struct event *probe,
		      struct event_value *value)
{
	const struct event_fetch *fetch = &probe->sites[0].value;
	struct event_weight field;
	int err;

	if (fetch->kind == EVENT_VALUE_NONE)
		return 0;
	*value = (struct event_value){ .kind = fetch->kind,
				       .size = fetch->size,
				       .n_bits = fetch->n_bits };
	snprintf(value->name, sizeof(value->name), "%s", probe->value_expression);
	memcpy(value->names, fetch->names, sizeof(value->names));
	if (fetch->kind == EVENT_VALUE_STRING)
		return tracepoint_string(format, size, VALUE_NAME, &value->offset);
	err = tracepoint_field(format, size, VALUE_NAME, &field);
	if (err)
		return err;
	value->offset = field.offset;
	return find_check(format, size, VALUE_NAME CHECK, fetch, &value->check);
}

/* Where the samples will have what is fetched. */
static int find_fetched(const char *root, const struct event *probe, struct event *made)
{
	char path[PATH_MAX + 128], *format;
	const size_t system = strcspn(made->tracepoint, ":");
	size_t size;

	made->weight = probe->weight;
	if (!probe->n_sites)
		return 0;
	snprintf(path, sizeof(path), "%s/events/%.*s/%s/format", root, (int)system,
		 made->tracepoint, made->tracepoint + system + 1);
	int err = tracefs_read(path, &format, &size);
	if (err)
		return err;
	err = find_weight(format, size, &probe->sites[0].weight, &made->weight);
	if (!err)
		err = find_value(format, size, probe, &made->value);
	free(format);
	return err;
}

static int add_probe(const char *root, const char *system, size_t index, const struct event *probe,
		     struct event *made)
{
	char name[32];
	uint64_t id = 0;

	snprintf(name, sizeof(name), "probe_%zu", index);
	if (!can_be_written(probe->probed_path))
		return -EINVAL;
	*made = (struct event){ .tracepoint = sentence("%s:%s", system, name) };
	if (!made->tracepoint)
		return -ENOMEM;
	int err = add_sites(root, system, name, probe);
	if (!err)
		err = tracepoint_id(system, name, &id);
	made->attr.config = id;
	return err ? err : find_fetched(root, probe, made);
}

static void use_tracepoint(struct event *event, const struct event *made)
{
	event->attr.type = PERF_TYPE_TRACEPOINT;
	event->attr.config = made->attr.config;
	event->attr.config1 = event->attr.config2 = 0;
	event->tracepoint = made->tracepoint;
	event->weight = made->weight;
	event->value = made->value;
}

static void name_system(char *system, size_t size)
{
	uint32_t random = 0;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random = (uint32_t)(uintptr_t)system;
	snprintf(system, size, SYSTEM_PREFIX "%d_%08" PRIx32, getpid(), random);
}

static bool is_wanted(const struct event *event, bool only_needed)
{
	return is_probe(event) && (!only_needed || probe_needs_tracefs(event));
}

static int add_all(const char *root, struct event *events, size_t n_events, bool only_needed,
		   struct event *made)
{
	char system[64];
	int err = 0;

	name_system(system, sizeof(system));
	for (size_t i = 0; i < n_events && !err; i++)
		if (is_wanted(&events[i], only_needed))
			err = add_probe(root, system, i, &events[i], &made[i]);
	for (size_t i = 0; i < n_events; i++) {
		if (!made[i].tracepoint)
			continue;
		if (!err) {
			use_tracepoint(&events[i], &made[i]);
			continue;
		}
		remove_tracepoint(root, made[i].tracepoint);
		free(made[i].tracepoint);
	}
	return err;
}

int probe_events_add(struct event *events, size_t n_events, bool only_needed)
{
	char root[PATH_MAX];
	size_t n_probes = 0;

	for (size_t i = 0; i < n_events; i++)
		n_probes += is_wanted(&events[i], only_needed);
	if (!n_probes)
		return 0;
	int err = tracefs_find(root);
	if (err)
		return err;
	struct event *made = calloc(n_events, sizeof(*made));
	if (!made)
		return -ENOMEM;
	remove_left_over(root);
	err = add_all(root, events, n_events, only_needed, made);
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
