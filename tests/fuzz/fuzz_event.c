/*
 * Lists of events, and the files of sysfs that they are looked up in. The input: texts, each ended
 * by a zero: a format, an event and the CPUs of a made-up PMU; then the list.
 *
 * libpfm4 looks through the events of all processors for each name that does not exist, which takes
 * a hundred times as long as all else: one of 64 sizes of inputs has it.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cct/system/late_library.h"
#include "perf/catalog/event_parse.h"
#include "tests/unit/fixtures/sysfs_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has_pfm;

/* The names are the linker's, which directs calls of late_library_open() here. */
int __real_late_library_open(const char *file, const struct late_function *functions, size_t n,
			     const char **reason_ret);
int __wrap_late_library_open(const char *file, const struct late_function *functions, size_t n,
			     const char **reason_ret);

int __wrap_late_library_open(const char *file, const struct late_function *functions, size_t n,
			     const char **reason_ret)
{
	*reason_ret = "this input goes without";
	return has_pfm ? __real_late_library_open(file, functions, n, reason_ret) : -ELIBACC;
}

static const struct sysfs_file files[] = {
	{ "cpu_core/type", "4\n" },
	{ "cpu_core/cpus", "0-3\n" },
	{ "cpu_core/format/event", "config:0-7,32-35\n" },
	{ "cpu_atom/type", "10\n" },
	{ "cpu_atom/format/event", "config:0-7\n" },
	{ "uncore_imc_0/type", "12\n" },
	{ "uncore_imc_0/cpumask", "0\n" },
};
static const char *const written[] = { "cpu_core/format/f", "cpu_core/events/e", "cpu_atom/cpus" };
static char *root;

static void remove_tree(void)
{
	sysfs_tree_destroy(root);
}

static void check(const struct event *events, size_t n_events)
{
	for (size_t i = 0; i < n_events; i++) {
		const struct event *event = &events[i], *leader = &events[event->leader];
		if (!event->name || !event->unit || event->leader > i ||
		    leader->leader != event->leader || (event->period && event->frequency) ||
		    leader->n_cpus != event->n_cpus || !event->cpus != !event->n_cpus)
			abort();
		for (size_t c = 1; c < event->n_cpus; c++)
			if (event->cpus[c] <= event->cpus[c - 1])
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!root) {
		root = sysfs_tree_create(files, sizeof(files) / sizeof(files[0]));
		atexit(remove_tree);
	}
	has_pfm = size % 64 == 0;
	const char *text = (const char *)data, *end = text + size;
	for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++) {
		size_t length = strnlen(text, end - text);
		sysfs_tree_write(root, written[i], text, length);
		text += length + (text + length < end);
	}
	char *list = strndup(text, end - text), *error_text;
	const struct event_places places = { .sysfs = root };
	struct event *events = NULL;
	size_t n_events = 0;
	if (event_parse_at(&places, list, &events, &n_events, &error_text) != EVENT_OK &&
	    n_events != 0)
		abort();
	check(events, n_events);
	events_destroy(events, n_events);
	free(error_text);
	free(list);
	return 0;
}
