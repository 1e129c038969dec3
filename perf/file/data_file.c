/* Reads input into streams of records, interprets the records that describe the file, and hands out
 * the others. */
#include "perf/file/data_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf/events/event_text.h"
#include "perf/file/attachments_in.h"
#include "perf/file/data_error.h"
#include "perf/file/data_events.h"
#include "perf/file/data_features.h"
#include "perf/file/data_header.h"
#include "perf/file/data_inflate.h"
#include "perf/file/data_input.h"
#include "perf/file/data_stream.h"
#include "perf/records/code_record.h"
#include "perf/records/memory_record.h"
#include "perf/records/phase_record.h"
#include "perf/records/runtime_record.h"
#include "perf/records/stack_record.h"
#include "perf/records/waking_record.h"
#include "perf/records/window_record.h"

enum { EVENT_UPDATE_NAME = 2 }; /* PERF_EVENT_UPDATE__NAME */

struct data_file {
	struct data_input input;
	struct block_pool pool;
	struct data_inflate inflate;
	struct data_stream plain;    /* the file's own records */
	struct data_stream expanded; /* the records inside its compressed records */
	struct data_events events;
	struct data_features features;
	struct attachments_in attachments;
	char *error, *truncation;
	/* data_file_open() reads up to the first record for the caller, so that all events are
	 * known. */
	struct raw_record first;
	bool has_first;
	int end; /* what data_file_next() returns from now on, once @has_ended */
	bool has_ended;
};

static ssize_t read_input(void *source, uint8_t *bytes, size_t size)
{
	return data_input_read(source, bytes, size);
}

static uint64_t skip_input(void *source, uint64_t size)
{
	return data_input_skip(source, size);
}

static struct data_block *map_input(void *source, uint32_t back, uint32_t *pos_ret)
{
	return data_input_map(source, back, pos_ret);
}

static struct data_file *data_file_create(void)
{
	struct data_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->input.fd = -1;
	file->pool.block_size = DATA_BLOCK_SIZE;
	data_inflate_init(&file->inflate, &file->error);
	file->plain.pool = &file->pool;
	file->plain.from =
		(struct data_stream_source){ read_input, skip_input, map_input, &file->input };
	file->expanded.pool = &file->pool;
	file->expanded.is_expanded = true;
	file->expanded.from =
		(struct data_stream_source){ data_inflate_read, .source = &file->inflate };
	return file;
}

void data_file_set_gate(struct data_file *file, struct read_gate *gate)
{
	file->input.gate = gate;
}

void data_file_drop_blocks(struct data_file *file)
{
	data_stream_close(&file->plain);
	data_stream_close(&file->expanded);
	block_pool_trim(&file->pool);
	data_inflate_trim(&file->inflate);
}

void data_file_close(struct data_file *file)
{
	if (!file)
		return;
	if (file->has_first)
		data_block_unref(file->first.block);
	data_stream_close(&file->plain);
	data_stream_close(&file->expanded);
	data_inflate_deinit(&file->inflate);
	block_pool_trim(&file->pool);
	data_events_deinit(&file->events);
	data_features_deinit(&file->features);
	attachments_in_deinit(&file->attachments);
	data_input_close(&file->input);
	free(file->error);
	free(file->truncation);
	free(file);
}

static int read_start(struct data_file *file, struct data_file_start *start)
{
	uint8_t *bytes = (uint8_t *)start;
	size_t n = 0;

	while (n < sizeof(*start)) {
		ssize_t got = data_input_read(&file->input, bytes + n, sizeof(*start) - n);
		if (got < 0)
			return data_error(&file->error, (int)got, "can't be read: %s",
					  strerror((int)-got));
		if (!got)
			return data_error(&file->error, -EINVAL,
					  n ? "ends inside its header" : "is empty");
		n += (size_t)got;
	}
	return 0;
}

static int read_header(struct data_file *file)
{
	struct data_file_start start;
	int err = read_start(file, &start);

	if (err)
		return err;
	err = data_header_check_start(&start, &file->features.info.is_pipe, &file->error);
	if (err)
		return err;
	if (file->features.info.is_pipe) {
		file->plain.origin = sizeof(start);
		return 0;
	}
	if (!file->input.is_seekable)
		return data_error(&file->error, -ESPIPE,
				  "comes through a pipe, but was recorded to a file whose end "
				  "must be read first: give the name of the file");
	err = data_header_read(&file->input, &file->events, &file->features, &file->truncation,
			       &file->error);
	file->plain.origin = file->input.position;
	return err;
}

static int take_attr(struct data_file *file, const struct raw_record *record)
{
	const uint8_t *attr = (const uint8_t *)(record->header + 1);
	size_t size = record->header->size - sizeof(*record->header);
	uint32_t attr_size;
	int err = -EINVAL;

	if (size >= PERF_ATTR_SIZE_VER0) {
		memcpy(&attr_size, attr + offsetof(struct perf_event_attr, size),
		       sizeof(attr_size));
		if (!attr_size)
			attr_size = PERF_ATTR_SIZE_VER0;
		if (attr_size >= PERF_ATTR_SIZE_VER0 && attr_size <= size)
			err = data_events_add(&file->events, attr, attr_size, attr + attr_size,
					      (size - attr_size) / sizeof(uint64_t));
	}
	if (err)
		return data_error(&file->error, err,
				  "the event in the record at offset %" PRIu64
				  " can't be taken: %s",
				  record->file_offset, strerror(-err));
	return 0;
}

static int take_event_update(struct data_file *file, const struct raw_record *record)
{
	const uint8_t *body = (const uint8_t *)(record->header + 1);
	size_t size = record->header->size - sizeof(*record->header);
	uint64_t what[2]; /* type, id */

	if (size <= sizeof(what))
		return 0;
	memcpy(what, body, sizeof(what));
	const char *name = (const char *)body + sizeof(what);
	size_t index = data_events_find(&file->events, what[1]);
	if (what[0] != EVENT_UPDATE_NAME || index == SIZE_MAX ||
	    !memchr(name, '\0', size - sizeof(what)))
		return 0;
	return data_events_rename(&file->events, index, name);
}

static int take_feature(struct data_file *file, const struct raw_record *record)
{
	const uint8_t *body = (const uint8_t *)(record->header + 1);
	size_t size = record->header->size - sizeof(*record->header);
	uint64_t number;

	if (size < sizeof(number))
		return 0;
	memcpy(&number, body, sizeof(number));
	if (number >= N_FEATURES)
		return 0;
	return data_features_take(&file->features, (unsigned)number, body + sizeof(number),
				  size - sizeof(number));
}

/* The copy of a feature section, in a file whose table of sections may be missing. */
static int take_attached_feature(struct data_file *file,
				 const struct data_file_attachment *attachment)
{
	char *end;
	unsigned long number = strtoul(attachment->key, &end, 10);
	int err = 0;

	if (*end || end == attachment->key || number >= N_FEATURES)
		return 0;
	uint8_t *bytes = malloc(attachment->size + 1);
	if (!bytes)
		return -ENOMEM;
	if (pread(attachment->fd, bytes, attachment->size, 0) == (ssize_t)attachment->size)
		err = data_features_take(&file->features, (unsigned)number, bytes,
					 attachment->size);
	free(bytes);
	return err;
}

/* What the samples of one event count. */
static void take_attached_event(struct data_file *file,
				const struct data_file_attachment *attachment)
{
	char text[EVENT_TEXT_MAX + 1], *end;
	unsigned long index = strtoul(attachment->key, &end, 10);

	if (*end || end == attachment->key || index >= file->events.n_events)
		return;
	struct data_file_event *event = file->events.events[index];
	ssize_t size = attachment->size <= EVENT_TEXT_MAX
			       ? pread(attachment->fd, text, EVENT_TEXT_MAX, 0)
			       : -1;
	text[size > 0 ? size : 0] = '\0';
	event_text_read(text, &event->weight, &event->value, &event->unit);
}

/*
 * A list names attachments that follow the samples which need them; they are read before anything
 * else. If the list is wrong, only these attachments are lost, because the stream is read in any
 * case.
 */
static int take_listed_attachments(struct data_file *file)
{
	uint8_t *bytes = malloc(UINT16_MAX);
	int err = bytes ? 0 : -ENOMEM;
	uint64_t budget = file->input.size; /* overlapping ranges are an attack */

	for (size_t i = 0; i < file->features.n_ranges && !err; i++) {
		uint64_t at = file->features.ranges[i].offset;
		uint64_t left = file->features.ranges[i].size;
		struct perf_event_header header;

		if (left > budget)
			break;
		budget -= left;

		while (!err && left >= sizeof(header) &&
		       !data_input_read_at(&file->input, at, &header, sizeof(header)) &&
		       header.size >= sizeof(header) && header.size <= left &&
		       !data_input_read_at(&file->input, at, bytes, header.size)) {
			if (attachment_is_ours((struct perf_event_header *)bytes))
				err = attachments_in_take(&file->attachments,
							  (struct perf_event_header *)bytes);
			at += header.size;
			left -= header.size;
		}
	}
	free(bytes);
	return err;
}

static bool is_listed(const struct data_file *file, uint64_t offset)
{
	for (size_t i = 0; i < file->features.n_ranges; i++) {
		const struct attachment_range *range = &file->features.ranges[i];

		if (offset >= range->offset && offset - range->offset < range->size)
			return true;
	}
	return false;
}

static int take_attachment(struct data_file *file, const struct raw_record *record)
{
	if (!attachment_is_ours(record->header) || is_listed(file, record->file_offset))
		return 0;
	file->features.info.is_dendro = true;
	int err = attachments_in_take(&file->attachments, record->header);
	const struct data_file_attachment *last = attachments_in_last_whole(&file->attachments);
	if (err || !last || (last->kind != ATTACHMENT_FEATURE && last->kind != ATTACHMENT_EVENT))
		return err;
	if (last->kind == ATTACHMENT_EVENT)
		take_attached_event(file, last);
	else
		err = take_attached_feature(file, last);
	attachments_in_drop_last(&file->attachments);
	return err;
}

/* The 32-bit size of tracing data, in host byte order, fills the first half of the body of perf's
 * record. simpleperf writes a longer one, whose body has the data itself. */
static uint64_t size_of_tracing_data(const uint8_t *body, size_t body_size)
{
	uint32_t size;

	memcpy(&size, body, sizeof(size));
	return body_size > sizeof(uint64_t) ? 0 : size;
}

/* Raw bytes follow these records. */
static int skip_what_follows(struct data_file *file, struct data_stream *stream,
			     const struct raw_record *record)
{
	bool is_aux = record->header->type == RECORD_AUXTRACE;
	const uint8_t *body = (const uint8_t *)(record->header + 1);
	size_t left = record->header->size - sizeof(*record->header);
	uint64_t size = 0;

	if (left < (is_aux ? sizeof(uint64_t) : sizeof(uint32_t)))
		return data_error(&file->error, -EINVAL,
				  "the record at offset %" PRIu64 ", type %" PRIu32
				  ", does not say how many bytes follow it",
				  record->file_offset, record->header->type);
	if (is_aux)
		memcpy(&size, body, sizeof(size));
	else
		size = size_of_tracing_data(body, left);
	data_stream_skip(stream, size);
	return 0;
}

/* 1: the record was interpreted here. 0: it is for the caller. */
static int accept_record(struct data_file *file, const struct raw_record *record)
{
	const uint8_t *bytes = (const uint8_t *)record->header;
	int err;

	switch (record->header->type) {
	case RECORD_HEADER_ATTR:
		err = take_attr(file, record);
		break;
	case RECORD_ATTACHMENT:
		if (stack_record_is_type(record->header) || code_record_is_type(record->header) ||
		    window_record_is_type(record->header) ||
		    runtime_record_is_type(record->header) ||
		    waking_record_is_type(record->header) ||
		    memory_record_is_type(record->header) || phase_record_is_type(record->header))
			return 0;
		err = take_attachment(file, record);
		break;
	case RECORD_BUILD_ID:
		err = data_features_take_build_id(&file->features, bytes, record->header->size);
		break;
	case RECORD_EVENT_UPDATE:
		err = take_event_update(file, record);
		break;
	case RECORD_FEATURE:
		err = take_feature(file, record);
		break;
	default:
		return 0;
	}
	return err ? err : 1;
}

/* The next record of either stream. Compressed records are replaced by their contents. */
static int next_of_streams(struct data_file *file, struct raw_record *record)
{
	for (;;) {
		struct data_stream *stream = &file->expanded;
		int rc = 0;
		if (data_inflate_has_more(&file->inflate) || data_stream_has_rest(stream))
			rc = data_stream_next(stream, record, &file->error);
		if (!rc) {
			stream = &file->plain;
			rc = data_stream_next(stream, record, &file->error);
		}
		if (rc <= 0)
			return rc;
		bool is_compressed = data_is_compressed(record->header);
		if (is_compressed && stream == &file->plain) {
			file->features.info.is_compressed = true;
			file->expanded.origin = record->file_offset;
			rc = data_inflate_start(&file->inflate, record, &file->plain,
						&file->expanded);
			if (rc)
				return rc;
			continue;
		}
		if (is_compressed)
			rc = data_error(&file->error, -EINVAL,
					"the compressed record at offset %" PRIu64
					" holds another compressed record",
					record->file_offset);
		else if (record->header->type == RECORD_AUXTRACE ||
			 record->header->type == RECORD_TRACING_DATA)
			rc = skip_what_follows(file, stream, record);
		if (rc < 0)
			data_block_unref(record->block);
		return rc < 0 ? rc : 1;
	}
}

/* The streams have ended: at the end of the data, or at the end of a cut file. */
static int end_of_data(struct data_file *file)
{
	bool is_inside_expanded = data_stream_has_rest(&file->expanded);
	const struct data_stream *rest = is_inside_expanded ? &file->expanded : &file->plain;
	uint64_t offset = data_stream_offset(rest);
	const char *what = is_inside_expanded ? "compressed record" : "record";

	if (!data_stream_has_rest(rest))
		return 0;
	if (!file->features.info.is_pipe && !file->features.info.is_cut && !file->input.at_eof)
		return data_error(&file->error, -EINVAL,
				  "the %s at offset %" PRIu64
				  " leads beyond the end of the data at offset %" PRIu64,
				  what, offset, file->input.limit);
	file->features.info.is_cut = true;
	free(file->truncation);
	file->truncation = NULL;
	return data_error(&file->truncation, 0,
			  "the file ends inside the %s at offset %" PRIu64 ", at offset %" PRIu64,
			  what, offset, file->input.position);
}

static int read_error(struct data_file *file, int err)
{
	return data_error(&file->error, err, "can't be read at offset %" PRIu64 ": %s",
			  file->input.position, strerror(-err));
}

static int check_sample(struct data_file *file, const struct raw_record *record)
{
	if (record->header->type != PERF_RECORD_SAMPLE || file->events.n_events)
		return 0;
	return data_error(&file->error, -EINVAL,
			  "the sample at offset %" PRIu64 " comes before any event description",
			  record->file_offset);
}

/* The next record that is not taken in. */
static int next_for_caller(struct data_file *file, struct raw_record *record)
{
	for (;;) {
		int rc = next_of_streams(file, record);
		if (!rc)
			rc = end_of_data(file);
		if (rc <= 0)
			return rc ? read_error(file, rc) : 0;
		rc = record->header->type < RECORD_HEADER_ATTR ? check_sample(file, record)
							       : accept_record(file, record);
		if (!rc)
			return 1;
		data_block_unref(record->block);
		if (rc < 0)
			return read_error(file, rc);
	}
}

/* simpleperf's samples of switches stand for the time off the CPU that begins with them. */
static void weigh_switches(struct data_file *file)
{
	for (size_t i = 0; i < file->events.n_events; i++) {
		struct data_file_event *event = file->events.events[i];

		if (event->attr.type != PERF_TYPE_TRACEPOINT ||
		    strcmp(event->name, "sched:sched_switch") != 0)
			continue;
		event->weight.kind = WEIGHT_OFF_CPU;
		event->unit = "ns";
	}
}

/* Names may come before the events they belong to, so they wait for what follows the header. */
static int name_events(struct data_file *file)
{
	int err = data_features_name_events(&file->features, &file->events);

	if (!err && file->features.info.traces_off_cpu)
		weigh_switches(file);
	return err ? read_error(file, err) : 0;
}

uint64_t data_file_position(const struct data_file *file)
{
	return file->input.position;
}

uint64_t data_file_size(const struct data_file *file)
{
	return file->input.is_seekable ? file->input.size : 0;
}

int data_file_next(struct data_file *file, struct raw_record *record_ret)
{
	struct raw_record record;

	if (file->has_first) {
		*record_ret = file->first;
		file->has_first = false;
		return 1;
	}
	if (file->has_ended)
		return file->end;
	int rc = next_for_caller(file, &record);
	int err = file->features.n_names ? name_events(file) : 0;
	if (rc > 0 && !err) {
		*record_ret = record;
		return 1;
	}
	if (rc > 0)
		data_block_unref(record.block);
	file->has_ended = true;
	file->end = err ? err : rc;
	return file->end;
}

/* Reads ahead to the first record that the caller gets: what precedes it describes the file. */
static void read_first(struct data_file *file)
{
	struct raw_record record;

	if (data_file_next(file, &record) <= 0)
		return;
	file->first = record;
	file->has_first = true;
}

static void say_what_failed(const char *path, int err, const char *error, char **error_ret)
{
	const char *name = strcmp(path, "-") ? path : "standard input";
	const char *remedy = err == -ENOENT ? ": make one with 'dendro record COMMAND'" : "";

	*error_ret = NULL;
	data_error(error_ret, 0, "%s: %s%s", name, error ? error : strerror(-err), remedy);
}

static int read_description(struct data_file *file, const char *path, const atomic_bool *follow)
{
	int err = data_input_open(&file->input, path);

	if (err)
		return err;
	file->input.follow = follow;
	file->features.info.modified = file->input.modified;
	file->attachments.file_size = file->input.size;
	err = read_header(file);
	return err ? err : take_listed_attachments(file);
}

int data_file_open(const char *path, struct data_file **file_ret, char **error_ret)
{
	return data_file_follow(path, NULL, file_ret, error_ret);
}

int data_file_follow(const char *path, const atomic_bool *follow, struct data_file **file_ret,
		     char **error_ret)
{
	struct data_file *file = data_file_create();
	int err = file ? read_description(file, path, follow) : -ENOMEM;

	if (err) {
		say_what_failed(path, err, file ? file->error : NULL, error_ret);
		data_file_close(file);
		return err;
	}
	read_first(file);
	*file_ret = file;
	return 0;
}

bool data_file_help(struct data_file *file)
{
	return data_inflate_help(&file->inflate);
}

const char *data_file_error(const struct data_file *file)
{
	return file->error;
}

const char *data_file_truncation(const struct data_file *file)
{
	return file->truncation;
}

const struct data_file_info *data_file_info(const struct data_file *file)
{
	return &file->features.info;
}

size_t data_file_n_events(const struct data_file *file)
{
	return file->events.n_events;
}

const struct data_file_event *data_file_event(const struct data_file *file, size_t index)
{
	return file->events.events[index];
}

size_t data_file_find_event(const struct data_file *file, uint64_t id)
{
	return data_events_find(&file->events, id);
}

/* The layout of the first event for records of @event SIZE_MAX. */
static const struct record_layout *layout_of(const struct data_file *file, size_t event)
{
	static const struct record_layout no_layout = { 0 };

	if (!file->events.n_events)
		return &no_layout;
	return &file->events.events[event == SIZE_MAX ? 0 : event]->layout;
}

uint64_t data_file_peek_time(const struct data_file *file, const struct perf_event_header *header)
{
	size_t event = data_events_of_record(&file->events, header);
	uint64_t time_ns;

	return record_peek_time(layout_of(file, event), header, &time_ns) ? time_ns : 0;
}

enum record_error data_file_decode(const struct data_file *file,
				   const struct perf_event_header *header, struct record *ret,
				   size_t *event_ret)
{
	*event_ret = data_events_of_record(&file->events, header);
	return record_decode(layout_of(file, *event_ret), header, ret);
}

const uint8_t *data_file_tracing_data(const struct data_file *file, size_t *size_ret)
{
	*size_ret = file->features.tracing_data_size;
	return file->features.tracing_data;
}

struct simpleperf_section data_file_simpleperf_files(const struct data_file *file)
{
	return file->features.simpleperf_files;
}

size_t data_file_n_build_ids(const struct data_file *file)
{
	return file->features.n_build_ids;
}

const struct data_file_build_id *data_file_build_id(const struct data_file *file, size_t index)
{
	return &file->features.build_ids[index];
}

size_t data_file_n_attachments(const struct data_file *file)
{
	return file->attachments.n;
}

const struct data_file_attachment *data_file_attachment(const struct data_file *file, size_t index)
{
	return file->attachments.list[index];
}
