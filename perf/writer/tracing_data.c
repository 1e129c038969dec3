#include "perf/writer/tracing_data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf/kernel/tracefs.h"

/* With its NUL. */
#define VERSION "0.6"

struct making {
	const struct event *events;
	size_t n_events;
	char root[PATH_MAX];
	struct feature_bytes *bytes;
};

static void add_text(struct feature_bytes *bytes, const char *text)
{
	feature_bytes_add(bytes, text, strlen(text) + 1);
}

/* Its size as a 64-bit number, then its text. */
static int add_file(struct making *making, const char *name)
{
	char path[2 * PATH_MAX], *text;
	size_t size;

	snprintf(path, sizeof(path), "%s/events/%s", making->root, name);
	int err = tracefs_read(path, &text, &size);
	if (err)
		return err;
	feature_bytes_add_u64(making->bytes, size);
	feature_bytes_add(making->bytes, text, size);
	free(text);
	return 0;
}

static void add_start(struct feature_bytes *bytes)
{
	static const uint8_t magic[] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	static const uint8_t is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	static const uint8_t long_size = sizeof(long);

	feature_bytes_add(bytes, magic, sizeof(magic));
	add_text(bytes, VERSION);
	feature_bytes_add(bytes, &is_big_endian, 1);
	feature_bytes_add(bytes, &long_size, 1);
	feature_bytes_add_u32(bytes, (uint32_t)sysconf(_SC_PAGESIZE));
}

static size_t system_length(const struct event *event)
{
	return event->tracepoint ? strcspn(event->tracepoint, ":") : 0;
}

static bool is_same_system(const struct event *a, const struct event *b)
{
	size_t length = system_length(a);

	return a->tracepoint && b->tracepoint && length == system_length(b) &&
	       memcmp(a->tracepoint, b->tracepoint, length) == 0;
}

/* A tracepoint may be there twice, its system many times: the first stands for all. */
static bool is_first_of_system(const struct making *making, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (is_same_system(&making->events[i], &making->events[index]))
			return false;
	return making->events[index].tracepoint;
}

static bool is_first(const struct making *making, size_t index)
{
	const char *tracepoint = making->events[index].tracepoint;

	for (size_t i = 0; i < index; i++)
		if (making->events[i].tracepoint &&
		    strcmp(making->events[i].tracepoint, tracepoint) == 0)
			return false;
	return true;
}

static int add_format(struct making *making, const struct event *event)
{
	size_t length = system_length(event);
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%.*s/%s/format", (int)length, event->tracepoint,
		 event->tracepoint + length + 1);
	return add_file(making, name);
}

/* The system's name, how many tracepoints it has here, and their formats. */
static int add_system(struct making *making, size_t first)
{
	const struct event *events = making->events;
	char *name = strndup(events[first].tracepoint, system_length(&events[first]));
	uint32_t n = 0;
	int err = 0;

	if (!name)
		return -ENOMEM;
	add_text(making->bytes, name);
	free(name);
	for (size_t i = first; i < making->n_events; i++)
		n += is_same_system(&events[first], &events[i]) && is_first(making, i);
	feature_bytes_add_u32(making->bytes, n);
	for (size_t i = first; i < making->n_events && !err; i++)
		if (is_same_system(&events[first], &events[i]) && is_first(making, i))
			err = add_format(making, &events[i]);
	return err;
}

static int add_systems(struct making *making)
{
	uint32_t n = 0;
	int err = 0;

	for (size_t i = 0; i < making->n_events; i++)
		n += is_first_of_system(making, i);
	feature_bytes_add_u32(making->bytes, n);
	for (size_t i = 0; i < making->n_events && !err; i++)
		if (is_first_of_system(making, i))
			err = add_system(making, i);
	return err;
}

static int make(struct making *making)
{
	struct feature_bytes *bytes = making->bytes;

	add_start(bytes);
	add_text(bytes, "header_page");
	int err = add_file(making, "header_page");
	if (err)
		return err;
	add_text(bytes, "header_event");
	err = add_file(making, "header_event");
	if (err)
		return err;
	feature_bytes_add_u32(bytes, 0); /* formats of ftrace's own events */
	err = add_systems(making);
	if (err)
		return err;
	feature_bytes_add_u32(bytes, 0); /* bytes of kallsyms, which perf has elsewhere */
	feature_bytes_add_u32(bytes, 0); /* of printk's formats */
	feature_bytes_add_u64(bytes, 0); /* of commands' names */
	return bytes->failed ? -ENOMEM : 0;
}

int tracing_data_make(const struct event *events, size_t n_events, struct feature_bytes *bytes)
{
	struct making making = { .events = events, .n_events = n_events, .bytes = bytes };
	size_t n = 0;

	*bytes = (struct feature_bytes){ .size = 0 };
	for (size_t i = 0; i < n_events; i++)
		n += !!events[i].tracepoint;
	if (!n)
		return 0;
	int err = tracefs_find(making.root);
	if (err)
		return err;
	err = make(&making);
	if (err) {
		free(bytes->start);
		*bytes = (struct feature_bytes){ .size = 0 };
	}
	return err;
}
