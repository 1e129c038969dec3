#include "perf/file/tracing_formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "perf/records/record_cursor.h"

#define FORMATS_MAX 16384 /* of all tracepoints of a kernel there are about 3000 */

static bool skip_string(struct record_cursor *cursor)
{
	const uint8_t *end = memchr(cursor->at, '\0', cursor_left(cursor));

	return end && cursor_bytes(cursor, (uint64_t)(end - cursor->at) + 1);
}

static bool take_u32(struct record_cursor *cursor, uint32_t *ret)
{
	return cursor_copy(cursor, ret, sizeof(*ret));
}

/* A file of tracefs: its size, then its text. */
static const char *take_file(struct record_cursor *cursor, size_t *size_ret)
{
	uint64_t size;

	if (!cursor_copy(cursor, &size, sizeof(size)))
		return NULL;
	*size_ret = size;
	return (const char *)cursor_bytes(cursor, size);
}

/* Magic, version, byte order, the sizes of a long and of a page, and two files. */
static bool skip_start(struct record_cursor *cursor)
{
	static const uint8_t magic[] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	const uint8_t *start = cursor_bytes(cursor, sizeof(magic));
	size_t size;

	return start && memcmp(start, magic, sizeof(magic)) == 0 && skip_string(cursor) &&
	       cursor_bytes(cursor, 1 + 1 + sizeof(uint32_t)) && skip_string(cursor) &&
	       take_file(cursor, &size) && skip_string(cursor) && take_file(cursor, &size);
}

static int add_format(struct tracing_formats *formats, const char *text, size_t size)
{
	if (formats->n >= FORMATS_MAX ||
	    array_reserve(formats->formats, formats->n, formats->n_allocated, 1))
		return formats->n >= FORMATS_MAX ? 0 : -ENOMEM;
	formats->n += trace_format_parse(text, size, &formats->formats[formats->n]);
	return 0;
}

/* @keeps: the formats are of events; else they are of ftrace's own records. */
static int take_formats(struct tracing_formats *formats, struct record_cursor *cursor, bool keeps)
{
	uint32_t n;

	if (!take_u32(cursor, &n))
		return -ENODATA;
	for (uint32_t i = 0; i < n; i++) {
		size_t size;
		const char *text = take_file(cursor, &size);
		int err = !text ? -ENODATA : keeps ? add_format(formats, text, size) : 0;

		if (err)
			return err;
	}
	return 0;
}

static int take_systems(struct tracing_formats *formats, struct record_cursor *cursor)
{
	uint32_t n;
	int err = take_formats(formats, cursor, false);

	if (err || !take_u32(cursor, &n))
		return err;
	for (uint32_t i = 0; i < n && !err; i++)
		err = skip_string(cursor) ? take_formats(formats, cursor, true) : -ENODATA;
	return err;
}

int tracing_formats_init(struct tracing_formats *formats, const uint8_t *bytes, size_t size)
{
	struct record_cursor cursor = { .at = bytes, .end = bytes + size };

	*formats = (struct tracing_formats){ .n = 0 };
	if (!size || !skip_start(&cursor) || take_systems(formats, &cursor) != -ENOMEM)
		return 0;
	tracing_formats_deinit(formats);
	return -ENOMEM;
}

void tracing_formats_deinit(struct tracing_formats *formats)
{
	free(formats->formats);
	*formats = (struct tracing_formats){ .n = 0 };
}

const struct trace_format *tracing_formats_find(const struct tracing_formats *formats, uint64_t id)
{
	for (size_t i = 0; i < formats->n; i++) {
		if (formats->formats[i].id == id)
			return &formats->formats[i];
	}
	return NULL;
}
