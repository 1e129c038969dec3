#include "perf/file/data_features.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/text/shell_word.h"
#include "perf/records/record_cursor.h"

enum {
	BUILD_ID_OFFSET = sizeof(struct perf_event_header) + sizeof(int32_t),
	BUILD_ID_SPACE = 24,
	BUILD_ID_SIZE = 20,
	MISC_BUILD_ID_SIZE = 1 << 15, /* the byte after the build ID is its size */
	MAX_META_EVENTS = 256,
	CLOCK_DATA_VERSION = 1,
};

void data_features_deinit(struct data_features *features)
{
	struct data_file_info *info = &features->info;
	char *strings[] = { info->hostname, info->os_release, info->perf_version, info->arch,
			    info->cpu_desc, info->cpuid,      info->command_line };

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		free(strings[i]);
	for (size_t i = 0; i < features->n_build_ids; i++)
		free(features->build_ids[i].path);
	for (size_t i = 0; i < features->n_names; i++)
		free(features->names[i].name);
	free(features->build_ids);
	free(features->names);
	free(features->ranges);
	free(features->tracing_data);
	free((uint8_t *)features->simpleperf_files.bytes);
	*features = (struct data_features){ 0 };
}

static bool take_u32(struct record_cursor *cursor, uint32_t *ret)
{
	return cursor_copy(cursor, ret, sizeof(*ret));
}

/* A length, and as many bytes with a NUL somewhere; not terminated where the NUL is missing. */
static const char *take_string(struct record_cursor *cursor, size_t *length_ret)
{
	uint32_t size;

	if (!take_u32(cursor, &size))
		return NULL;
	const char *string = (const char *)cursor_bytes(cursor, size);
	if (string)
		*length_ret = strnlen(string, size);
	return string;
}

static int keep_string(struct record_cursor *cursor, char **ret)
{
	size_t length;
	const char *string = take_string(cursor, &length);

	if (!string)
		return 0;
	free(*ret);
	*ret = strndup(string, length);
	return *ret ? 0 : -ENOMEM;
}

static int take_command_line(struct record_cursor *cursor, char **ret)
{
	char *text = NULL;
	size_t text_size, length;
	uint32_t n;

	if (!take_u32(cursor, &n))
		return 0;
	FILE *stream = open_memstream(&text, &text_size);
	if (!stream)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		const char *word = take_string(cursor, &length);
		if (!word)
			break;
		if (i)
			fputc(' ', stream);
		shell_word_write(stream, word, length);
	}
	if (fclose(stream)) {
		free(text);
		return -ENOMEM;
	}
	free(*ret);
	*ret = text;
	return 0;
}

/* Takes over name->name. */
static int add_name(struct data_features *features, struct data_event_name name)
{
	if (!name.name ||
	    array_reserve(features->names, features->n_names, features->n_names_allocated, 1)) {
		free(name.name);
		return -ENOMEM;
	}
	features->names[features->n_names++] = name;
	return 0;
}

/* One event: its attr, the number of its ids, its name, its ids. */
static int take_event_desc(struct data_features *features, struct record_cursor *cursor,
			   uint32_t attr_size, bool *is_end_ret)
{
	struct data_event_name name = { .has_index = true };
	struct perf_event_attr attr = { 0 };
	size_t length;
	uint32_t n_ids;

	*is_end_ret = true;
	const uint8_t *bytes = cursor_bytes(cursor, attr_size);
	if (!bytes || !take_u32(cursor, &n_ids))
		return 0;
	memcpy(&attr, bytes, attr_size < sizeof(attr) ? attr_size : sizeof(attr));
	const char *text = take_string(cursor, &length);
	if (!text)
		return 0;
	const uint8_t *ids = cursor_bytes(cursor, (uint64_t)n_ids * sizeof(uint64_t));
	if (!ids)
		return 0;
	if (n_ids)
		memcpy(&name.id, ids, sizeof(name.id));
	name.has_id = n_ids;
	name.type = attr.type;
	name.config = attr.config;
	name.name = strndup(text, length);
	*is_end_ret = false;
	return add_name(features, name);
}

static int take_event_descs(struct data_features *features, struct record_cursor *cursor)
{
	uint32_t n, attr_size;
	bool is_end = false;

	if (!take_u32(cursor, &n) || !take_u32(cursor, &attr_size) ||
	    attr_size < PERF_ATTR_SIZE_VER0)
		return 0;
	for (uint32_t i = 0; i < n && !is_end; i++) {
		int err = take_event_desc(features, cursor, attr_size, &is_end);
		if (err)
			return err;
	}
	return 0;
}

int data_features_take_build_id(struct data_features *features, const uint8_t *record, size_t size)
{
	struct perf_event_header header;
	struct data_file_build_id build_id = { .size = BUILD_ID_SIZE };
	size_t path_offset = BUILD_ID_OFFSET + BUILD_ID_SPACE;

	if (size < path_offset)
		return 0;
	memcpy(&header, record, sizeof(header));
	memcpy(build_id.bytes, record + BUILD_ID_OFFSET, sizeof(build_id.bytes));
	uint8_t own_size = record[BUILD_ID_OFFSET + BUILD_ID_SIZE];
	if (header.misc & MISC_BUILD_ID_SIZE && own_size <= BUILD_ID_SIZE)
		build_id.size = own_size;
	if (array_reserve(features->build_ids, features->n_build_ids,
			  features->n_build_ids_allocated, 1))
		return -ENOMEM;
	build_id.path = strndup((const char *)record + path_offset, size - path_offset);
	if (!build_id.path)
		return -ENOMEM;
	features->build_ids[features->n_build_ids++] = build_id;
	return 0;
}

static int take_build_ids(struct data_features *features, struct record_cursor *cursor)
{
	while (cursor_left(cursor) >= sizeof(struct perf_event_header)) {
		struct perf_event_header header;
		memcpy(&header, cursor->at, sizeof(header));
		const uint8_t *record = cursor_bytes(cursor, header.size);
		if (!record || header.size < sizeof(header))
			return 0;
		int err = data_features_take_build_id(features, record, header.size);
		if (err)
			return err;
	}
	return 0;
}

/* "name,type,config" of one line. */
static int take_meta_event(struct data_features *features, const char *line, size_t length)
{
	struct data_event_name name = { 0 };
	const char *comma = memchr(line, ',', length);
	char numbers[64], *end;

	if (!comma || features->n_names >= MAX_META_EVENTS)
		return 0;
	snprintf(numbers, sizeof(numbers), "%.*s", (int)(length - (size_t)(comma - line) - 1),
		 comma + 1);
	name.type = (uint32_t)strtoul(numbers, &end, 10);
	if (*end != ',')
		return 0;
	name.config = strtoull(end + 1, NULL, 10);
	name.name = strndup(line, (size_t)(comma - line));
	return add_name(features, name);
}

/* A line for each event. */
static int take_meta_events(struct data_features *features, const char *lines, size_t length)
{
	int err = 0;

	while (length && !err) {
		const char *line_end = memchr(lines, '\n', length);
		size_t n = line_end ? (size_t)(line_end - lines) : length;

		err = take_meta_event(features, lines, n);
		n += !!line_end;
		lines += n;
		length -= n;
	}
	return err;
}

/* simpleperf's: strings, key and value in turn. */
static int take_meta_info(struct data_features *features, struct record_cursor *cursor)
{
	int err = 0;

	while (cursor_left(cursor) && !err) {
		const char *key = (const char *)cursor_bytes(
			cursor, strnlen((const char *)cursor->at, cursor_left(cursor)));
		if (!cursor_bytes(cursor, 1))
			return 0;
		const char *value = (const char *)cursor->at;
		size_t length = strnlen(value, cursor_left(cursor));
		if (!cursor_bytes(cursor, length + 1))
			return 0;
		if (!strcmp(key, "event_type_info"))
			err = take_meta_events(features, value, length);
		else if (!strcmp(key, "trace_offcpu"))
			features->info.traces_off_cpu = !strcmp(value, "true");
	}
	return err;
}

static int take_version(struct data_features *features, struct record_cursor *cursor)
{
	struct data_file_info *info = &features->info;
	int err = keep_string(cursor, &info->perf_version);

	if (info->perf_version && !strncmp(info->perf_version, "dendro", strlen("dendro")))
		info->is_dendro = true;
	return err;
}

static void take_n_cpus(struct record_cursor *cursor, struct data_file_info *info)
{
	uint32_t available, online;

	if (!take_u32(cursor, &available) || !take_u32(cursor, &online))
		return;
	info->n_cpus_available = available;
	info->n_cpus_online = online;
}

static void take_total_mem(struct record_cursor *cursor, struct data_file_info *info)
{
	cursor_copy(cursor, &info->total_mem, sizeof(info->total_mem));
}

/* A version, 1; a clock; the time of day, and the time that this clock had then. */
static void take_clock_data(struct record_cursor *cursor, struct data_file_info *info)
{
	uint32_t version, clock_id;
	uint64_t wall_ns, clock_ns;

	if (!take_u32(cursor, &version) || version != CLOCK_DATA_VERSION ||
	    !take_u32(cursor, &clock_id) || !cursor_copy(cursor, &wall_ns, sizeof(wall_ns)) ||
	    !cursor_copy(cursor, &clock_ns, sizeof(clock_ns)))
		return;
	info->clock_id = clock_id;
	info->wall_ns = wall_ns;
	info->clock_ns = clock_ns;
}

bool data_feature_is_read(unsigned number)
{
	return (number >= FEATURE_TRACING_DATA && number <= FEATURE_EVENT_DESC) ||
	       number == FEATURE_CLOCK_DATA || number == FEATURE_SIMPLEPERF_FILE ||
	       number == FEATURE_SIMPLEPERF_META_INFO || number == FEATURE_SIMPLEPERF_FILE2 ||
	       number == FEATURE_ATTACHMENTS;
}

static int take_ranges(struct data_features *features, struct record_cursor *cursor)
{
	size_t n = cursor_left(cursor) / sizeof(*features->ranges);

	features->ranges = calloc(n + 1, sizeof(*features->ranges));
	if (!features->ranges)
		return -ENOMEM;
	memcpy(features->ranges, cursor->at, n * sizeof(*features->ranges));
	features->n_ranges = n;
	return 0;
}

/* A copy of what is left, or NULL. */
static void *copy_left(const struct record_cursor *cursor, size_t *size_ret)
{
	*size_ret = cursor_left(cursor);
	void *bytes = malloc(*size_ret + 1);
	if (bytes)
		memcpy(bytes, cursor->at, *size_ret);
	return bytes;
}

static int take_tracing_data(struct data_features *features, struct record_cursor *cursor)
{
	features->tracing_data = copy_left(cursor, &features->tracing_data_size);
	return features->tracing_data ? 0 : -ENOMEM;
}

/* No version writes both kinds of section. */
static int take_simpleperf_files(struct data_features *features, struct record_cursor *cursor,
				 bool is_file2)
{
	struct simpleperf_section *files = &features->simpleperf_files;

	if (files->bytes)
		return 0;
	files->is_file2 = is_file2;
	files->bytes = copy_left(cursor, &files->size);
	return files->bytes ? 0 : -ENOMEM;
}

static int take_content(struct data_features *features, unsigned number,
			struct record_cursor *cursor)
{
	struct data_file_info *info = &features->info;

	switch (number) {
	case FEATURE_TRACING_DATA:
		return take_tracing_data(features, cursor);
	case FEATURE_BUILD_ID:
		return take_build_ids(features, cursor);
	case FEATURE_HOSTNAME:
		return keep_string(cursor, &info->hostname);
	case FEATURE_OSRELEASE:
		return keep_string(cursor, &info->os_release);
	case FEATURE_VERSION:
		return take_version(features, cursor);
	case FEATURE_ARCH:
		return keep_string(cursor, &info->arch);
	case FEATURE_NRCPUS:
		take_n_cpus(cursor, info);
		return 0;
	case FEATURE_CPUDESC:
		return keep_string(cursor, &info->cpu_desc);
	case FEATURE_CPUID:
		return keep_string(cursor, &info->cpuid);
	case FEATURE_TOTAL_MEM:
		take_total_mem(cursor, info);
		return 0;
	case FEATURE_CLOCK_DATA:
		take_clock_data(cursor, info);
		return 0;
	case FEATURE_CMDLINE:
		return take_command_line(cursor, &info->command_line);
	case FEATURE_EVENT_DESC:
		return take_event_descs(features, cursor);
	case FEATURE_SIMPLEPERF_FILE:
	case FEATURE_SIMPLEPERF_FILE2:
		return take_simpleperf_files(features, cursor, number == FEATURE_SIMPLEPERF_FILE2);
	case FEATURE_SIMPLEPERF_META_INFO:
		return take_meta_info(features, cursor);
	case FEATURE_ATTACHMENTS:
		return take_ranges(features, cursor);
	default:
		return 0;
	}
}

int data_features_take(struct data_features *features, unsigned number, const uint8_t *bytes,
		       size_t size)
{
	struct record_cursor cursor = { .at = bytes, .end = bytes + size };

	if (number >= N_FEATURES || features->seen[number / 64] >> (number % 64) & 1)
		return 0;
	features->seen[number / 64] |= 1ull << (number % 64);
	if (number == FEATURE_COMPRESSED)
		features->info.is_compressed = true;
	if (number >= FEATURE_SIMPLEPERF_FIRST && number <= FEATURE_SIMPLEPERF_LAST)
		features->info.is_simpleperf = true;
	return take_content(features, number, &cursor);
}

static bool fits(const struct data_event_name *name, const struct data_file_event *event)
{
	return name->type == event->attr.type && name->config == event->attr.config;
}

static int name_alike(const struct data_event_name *name, struct data_events *events)
{
	for (size_t i = 0; i < events->n_events; i++) {
		int err = fits(name, events->events[i]) ? data_events_rename(events, i, name->name)
							: 0;
		if (err)
			return err;
	}
	return 0;
}

static int apply_name(const struct data_event_name *name, size_t index, struct data_events *events)
{
	size_t owner = name->has_id ? data_events_find(events, name->id) : SIZE_MAX;

	if (!name->has_index)
		return name_alike(name, events);
	if (owner == SIZE_MAX && index < events->n_events && fits(name, events->events[index]))
		owner = index;
	return owner == SIZE_MAX ? 0 : data_events_rename(events, owner, name->name);
}

int data_features_name_events(struct data_features *features, struct data_events *events)
{
	size_t index = 0;
	int err = 0;

	for (size_t i = 0; i < features->n_names; i++) {
		struct data_event_name *name = &features->names[i];
		if (!err)
			err = apply_name(name, index, events);
		index += name->has_index;
		free(name->name);
	}
	features->n_names = 0;
	return err;
}
