#include "perf/writer/data_writer.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "perf/file/feature_bytes.h"
#include "perf/records/record.h"
#include "perf/writer/compressor.h"
#include "perf/writer/file_layout.h"
#include "perf/writer/frame_maker.h"
#include "perf/writer/output.h"
#include "perf/writer/tracing_data.h"

/* tools/perf/util/header.h */
#define HEADER_EVENT_DESC 12
#define HEADER_COMPRESSED 27

#define RECORD_MAX COMPRESSED_RECORD_MAX
/* Leaves room in a record for the headers and a key of PATH_MAX. */
#define ATTACHMENT_PART_MAX 49152u

struct pipe_header {
	uint64_t magic, size;
};

/* HEADER_COMPRESSED */
struct compressed_feature {
	uint32_t version, type, level, ratio, mmap_len;
};

struct feature {
	uint32_t number;
	size_t size;
	uint8_t *bytes;
};

struct data_writer {
	int fd;
	struct output *output;
	bool is_pipe;
	int compression_level;
	int error;
	uint64_t position; /* in the file, of what was given to output */

	struct file_header header;
	struct feature *features; /* by number */
	size_t n_features;

	struct attachment_range *ranges; /* of attachments that a reader takes first */
	size_t n_ranges;

	uint8_t *pending; /* whole records, not yet compressed */
	size_t n_pending, max_pending;

	struct frame_maker maker; /* all zero without compression */
	/* NULL: this thread compresses. Else @pending is that of @block, and what is said of the
	 * file above is the compressor's to change while it has blocks. */
	struct compressor *compressor;
	struct compressor_block *block; /* being filled; NULL: none */
};

static int fail(struct data_writer *writer, int err)
{
	if (!writer->error)
		writer->error = err;
	return writer->error;
}

static int put(struct data_writer *writer, const void *bytes, size_t size)
{
	if (writer->error)
		return writer->error;
	writer->position += size;
	fail(writer, output_write(writer->output, bytes, size));
	/* Limits of a file count what is in it. */
	if (!writer->is_pipe)
		output_flush(writer->output);
	return writer->error;
}

/* The size all attrs have in the file, which knows only one. */
static uint32_t common_attr_size(const struct data_writer_event *events, size_t n_events)
{
	uint32_t size = PERF_ATTR_SIZE_VER0;

	for (size_t i = 0; i < n_events; i++) {
		if (events[i].attr->size > size)
			size = events[i].attr->size;
	}
	return size < sizeof(struct perf_event_attr) ? size : sizeof(struct perf_event_attr);
}

static void add_attr(struct feature_bytes *bytes, const struct perf_event_attr *attr, uint32_t size)
{
	struct perf_event_attr copy = { 0 };

	memcpy(&copy, attr, attr->size && attr->size < size ? attr->size : size);
	copy.size = size;
	feature_bytes_add(bytes, &copy, size);
}

static void make_event_desc(const struct data_writer_event *events, size_t n_events,
			    struct feature_bytes *bytes)
{
	uint32_t attr_size = common_attr_size(events, n_events);

	feature_bytes_add_u32(bytes, (uint32_t)n_events);
	feature_bytes_add_u32(bytes, attr_size);
	for (size_t i = 0; i < n_events; i++) {
		add_attr(bytes, events[i].attr, attr_size);
		feature_bytes_add_u32(bytes, (uint32_t)events[i].n_ids);
		feature_bytes_add_string(bytes, events[i].name);
		feature_bytes_add(bytes, events[i].ids, events[i].n_ids * sizeof(uint64_t));
	}
}

static struct compressed_feature compressed_feature(const struct data_writer *writer)
{
	const struct frame_maker *maker = &writer->maker;
	uint64_t ratio = maker->n_compressed ? maker->n_expanded / maker->n_compressed : 1;

	return (struct compressed_feature){
		.version = 1,
		.type = 1, /* zstd */
		.level = (uint32_t)writer->compression_level,
		.ratio = (uint32_t)ratio,
		.mmap_len = FRAME_EXPANDED_MAX,
	};
}

static int add_feature(struct data_writer *writer, uint32_t number, const void *bytes, size_t size)
{
	if (number >= N_FEATURE_BITS)
		return -EINVAL;
	uint8_t *copy = malloc(size ? size : 1);
	if (!copy)
		return -ENOMEM;
	if (size)
		memcpy(copy, bytes, size);

	size_t at = writer->n_features++;
	for (; at && writer->features[at - 1].number > number; at--)
		writer->features[at] = writer->features[at - 1];
	writer->features[at] = (struct feature){ number, size, copy };
	return 0;
}

static int add_features(struct data_writer *writer, const struct data_writer_event *events,
			size_t n_events, const struct data_writer_feature *features,
			size_t n_features)
{
	struct feature_bytes event_desc = { 0 };

	/* Besides the caller's: EVENT_DESC, COMPRESSED, and at the end the list of attachments and
	 * build IDs. */
	writer->features = calloc(n_features + 4, sizeof(*writer->features));
	if (!writer->features)
		return -ENOMEM;
	make_event_desc(events, n_events, &event_desc);
	int err = event_desc.failed ? -ENOMEM
				    : add_feature(writer, HEADER_EVENT_DESC, event_desc.start,
						  event_desc.size);
	free(event_desc.start);
	if (!err && writer->compression_level) {
		struct compressed_feature compressed = compressed_feature(writer);
		err = add_feature(writer, HEADER_COMPRESSED, &compressed, sizeof(compressed));
	}
	for (size_t i = 0; i < n_features && !err; i++)
		err = add_feature(writer, features[i].number, features[i].bytes, features[i].size);
	return err;
}

/* Header, ids, attrs: the header's data size stays 0 until data_writer_finish(). */
static int write_file_start(struct data_writer *writer, const struct data_writer_event *events,
			    size_t n_events)
{
	uint32_t attr_size = common_attr_size(events, n_events);
	struct feature_bytes bytes = { 0 };
	uint64_t ids_offset = sizeof(writer->header);

	for (size_t i = 0; i < n_events; i++)
		feature_bytes_add(&bytes, events[i].ids, events[i].n_ids * sizeof(uint64_t));
	writer->header = (struct file_header){
		.magic = FILE_MAGIC,
		.size = sizeof(writer->header),
		.attr_size = attr_size + sizeof(struct file_section),
		.attrs.offset = sizeof(writer->header) + bytes.size,
		.attrs.size = n_events * (attr_size + sizeof(struct file_section)),
	};
	for (size_t i = 0; i < n_events; i++) {
		struct file_section ids = { ids_offset, events[i].n_ids * sizeof(uint64_t) };

		add_attr(&bytes, events[i].attr, attr_size);
		feature_bytes_add(&bytes, &ids, sizeof(ids));
		ids_offset += ids.size;
	}
	writer->header.data.offset = sizeof(writer->header) + bytes.size;
	if (bytes.failed)
		fail(writer, -ENOMEM);
	put(writer, &writer->header, sizeof(writer->header));
	put(writer, bytes.start, bytes.size);
	free(bytes.start);
	return writer->error;
}

/* A record of @header_size bytes of body known apart from @size bytes more, padded to 8. */
static int put_record(struct data_writer *writer, uint32_t type, const void *body_header,
		      size_t body_header_size, const void *body, size_t size)
{
	static const uint64_t zeros;
	size_t total = sizeof(struct perf_event_header) + body_header_size + size;
	size_t padding = -total & 7;

	if (total + padding > RECORD_MAX)
		return fail(writer, -E2BIG);
	struct perf_event_header header = { .type = type, .size = (uint16_t)(total + padding) };
	put(writer, &header, sizeof(header));
	put(writer, body_header, body_header_size);
	if (size)
		put(writer, body, size);
	return padding ? put(writer, &zeros, padding) : writer->error;
}

/* The data follows its record, which contains the size, as perf does in pipe mode. */
static int put_tracing_data(struct data_writer *writer, const struct feature *feature)
{
	static const uint64_t zeros;
	size_t padding = -feature->size & 7;
	uint32_t sizes[] = { (uint32_t)(feature->size + padding), 0 };

	put_record(writer, RECORD_TRACING_DATA, sizes, sizeof(sizes), NULL, 0);
	put(writer, feature->bytes, feature->size);
	return put(writer, &zeros, padding);
}

static int write_pipe_start(struct data_writer *writer, const struct data_writer_event *events,
			    size_t n_events)
{
	struct pipe_header header = { FILE_MAGIC, sizeof(header) };
	uint32_t attr_size = common_attr_size(events, n_events);

	put(writer, &header, sizeof(header));
	for (size_t i = 0; i < n_events; i++) {
		struct feature_bytes attr = { 0 };

		add_attr(&attr, events[i].attr, attr_size);
		if (attr.failed)
			return fail(writer, -ENOMEM);
		put_record(writer, RECORD_HEADER_ATTR, attr.start, attr.size, events[i].ids,
			   events[i].n_ids * sizeof(uint64_t));
		free(attr.start);
	}
	for (size_t i = 0; i < writer->n_features; i++) {
		const struct feature *feature = &writer->features[i];
		uint64_t number = feature->number;

		/* A feature that does not fit in a record is left out, as perf does. The section of
		 * build IDs consists of records, which perf reads one by one. */
		if (number == HEADER_TRACING_DATA)
			put_tracing_data(writer, feature);
		else if (number == HEADER_BUILD_ID)
			put(writer, feature->bytes, feature->size);
		else if (feature->size <= RECORD_MAX - sizeof(header))
			put_record(writer, RECORD_FEATURE, &number, sizeof(number), feature->bytes,
				   feature->size);
	}
	return writer->error;
}

static int put_frame(void *to, const void *bytes, size_t size)
{
	return put(to, bytes, size);
}

static int hand_over(struct data_writer *writer)
{
	struct compressor_block *block = steal_ptr(writer->block);

	block->size = writer->n_pending;
	block->is_plain = !writer->compression_level;
	writer->pending = NULL;
	compressor_put(writer->compressor, block);
	return writer->error;
}

static int write_pending(struct data_writer *writer)
{
	if (writer->error || !writer->n_pending)
		return writer->error;
	if (writer->compressor)
		hand_over(writer);
	else if (writer->compression_level)
		fail(writer, frame_maker_add(&writer->maker, writer->pending, writer->n_pending));
	else
		put(writer, writer->pending, writer->n_pending);
	writer->n_pending = 0;
	return writer->error;
}

static int take_block(struct data_writer *writer)
{
	int err = compressor_take(writer->compressor, &writer->block);

	if (err)
		return fail(writer, err);
	writer->pending = writer->block->records;
	return 0;
}

int data_writer_reserve(struct data_writer *writer, size_t size, void **room_ret)
{
	assert(size <= RECORD_MAX);
	if (writer->n_pending + size > writer->max_pending)
		write_pending(writer);
	if (!writer->error && writer->compressor && !writer->block)
		take_block(writer);
	if (writer->error)
		return writer->error;
	*room_ret = writer->pending + writer->n_pending;
	return 0;
}

int data_writer_commit(struct data_writer *writer)
{
	const struct perf_event_header *header =
		(const struct perf_event_header *)(writer->pending + writer->n_pending);

	assert(header->size >= sizeof(*header));
	writer->n_pending += header->size;
	return writer->error;
}

int data_writer_append(struct data_writer *writer, const void *records, size_t size)
{
	const uint8_t *from = records;

	while (size) {
		struct perf_event_header header;
		void *to;

		memcpy(&header, from, sizeof(header));
		assert(header.size >= sizeof(header) && header.size <= size);
		int err = data_writer_reserve(writer, header.size, &to);
		if (err)
			return err;
		memcpy(to, from, header.size);
		data_writer_commit(writer);
		from += header.size;
		size -= header.size;
	}
	return writer->error;
}

static int attach_part(struct data_writer *writer, struct attachment_header part, const char *key,
		       const uint8_t *bytes)
{
	size_t size =
		sizeof(struct perf_event_header) + sizeof(part) + part.key_size + part.data_size;
	size_t padded = (size + 7) & ~(size_t)7;

	if (padded > RECORD_MAX)
		return -E2BIG;
	void *room;
	int err = data_writer_reserve(writer, padded, &room);
	if (err)
		return err;
	uint8_t *to = room;
	struct perf_event_header header = { .type = RECORD_ATTACHMENT, .size = (uint16_t)padded };
	memcpy(to, &header, sizeof(header));
	memcpy(to + sizeof(header), &part, sizeof(part));
	uint8_t *key_to = to + sizeof(header) + sizeof(part);
	memcpy(key_to, key, part.key_size);
	if (part.data_size)
		memcpy(key_to + part.key_size, bytes, part.data_size);
	memset(to + size, 0, padded - size);
	return data_writer_commit(writer);
}

static int attach_parts(struct data_writer *writer, enum attachment_kind kind, const char *key,
			const uint8_t *bytes, size_t size)
{
	struct attachment_header part = {
		.magic = ATTACHMENT_MAGIC,
		.kind = kind,
		.key_size = (uint32_t)strlen(key),
		.total_size = size,
	};
	int err;

	do {
		size_t left = size - part.offset;
		part.data_size =
			(uint32_t)(left < ATTACHMENT_PART_MAX ? left : ATTACHMENT_PART_MAX);
		err = attach_part(writer, part, key, bytes + part.offset);
		part.offset += part.data_size;
	} while (!err && part.offset < size);
	return err;
}

/* Where readers find attachments first. 0 or -ENOMEM. */
static int note_range(struct data_writer *writer, uint64_t start, uint64_t size)
{
	if (array_reserve_one(writer->ranges, writer->n_ranges))
		return -ENOMEM;
	struct attachment_range *next = &writer->ranges[writer->n_ranges];
	if (writer->n_ranges && next[-1].offset + next[-1].size == start) {
		next[-1].size += size;
		return 0;
	}
	*next = (struct attachment_range){ start, size };
	writer->n_ranges++;
	return 0;
}

/* Of the compressor, which has the writer's file meanwhile. */
static int put_block(void *to, const struct compressor_block *block)
{
	struct data_writer *writer = to;
	int err = block->is_plain ? note_range(writer, writer->position, block->n_bytes) : 0;

	writer->position += block->n_bytes;
	writer->maker.n_expanded += block->n_expanded;
	writer->maker.n_compressed += block->n_compressed;
	if (!err)
		err = output_write(writer->output, block->bytes, block->n_bytes);
	/* Whoever flushes does not wait for it. */
	output_flush(writer->output);
	return err;
}

/* Plain records in between compressed ones, whose place is noted. */
static int attach_in_place(struct data_writer *writer, enum attachment_kind kind, const char *key,
			   const uint8_t *bytes, size_t size)
{
	int level = writer->compression_level;
	int err = data_writer_flush(writer);
	uint64_t start = writer->compressor ? 0 : writer->position;

	writer->compression_level = 0;
	if (!err)
		err = attach_parts(writer, kind, key, bytes, size);
	write_pending(writer);
	writer->compression_level = level;
	if (!err && !writer->compressor)
		err = fail(writer, note_range(writer, start, writer->position - start));
	return err ? err : writer->error;
}

int data_writer_attach(struct data_writer *writer, enum attachment_kind kind, const char *key,
		       const void *bytes, size_t size)
{
	bool is_late = kind == ATTACHMENT_ELF || kind == ATTACHMENT_PERF_MAP ||
		       kind == ATTACHMENT_JITDUMP || (kind == ATTACHMENT_KALLSYMS && *key == '[');
	if (is_late && !writer->is_pipe)
		return attach_in_place(writer, kind, key, bytes, size);
	return attach_parts(writer, kind, key, bytes, size);
}

/* Not compressed: the reader of a cut file learns from them how to decompress the rest. */
static int attach_features(struct data_writer *writer)
{
	int level = writer->compression_level;

	writer->compression_level = 0;
	for (size_t i = 0; i < writer->n_features; i++) {
		const struct feature *feature = &writer->features[i];
		char key[16];

		snprintf(key, sizeof(key), "%u", feature->number);
		data_writer_attach(writer, ATTACHMENT_FEATURE, key, feature->bytes, feature->size);
	}
	write_pending(writer);
	writer->compression_level = level;
	return writer->error;
}

static int data_writer_init(struct data_writer *writer, const struct data_writer_event *events,
			    size_t n_events, const struct data_writer_feature *features,
			    size_t n_features)
{
	writer->max_pending = FRAME_PIECE_SIZE;
	writer->pending = aligned_alloc(64, FRAME_PIECE_SIZE + RECORD_MAX + 8);
	if (!writer->pending)
		return -ENOMEM;
	if (writer->compression_level) {
		int err = frame_maker_init(&writer->maker, writer->compression_level, put_frame,
					   writer);
		if (err)
			return err;
	}
	int err = add_features(writer, events, n_events, features, n_features);
	if (err)
		return err;
	if (writer->is_pipe)
		return write_pipe_start(writer, events, n_events);
	write_file_start(writer, events, n_events);
	return attach_features(writer);
}

/* After the beginning of the file, which is written at once. */
static int start_compressor(struct data_writer *writer, unsigned n_threads)
{
	const struct compressor_options options = { .level = writer->compression_level,
						    .n_threads = n_threads,
						    .pass_on = put_block,
						    .to = writer };

	free(steal_ptr(writer->pending));
	writer->max_pending = COMPRESSOR_BLOCK_SIZE;
	return compressor_create(&options, &writer->compressor);
}

int data_writer_create(int fd, const struct data_writer_options *options,
		       const struct data_writer_event *events, size_t n_events,
		       const struct data_writer_feature *features, size_t n_features,
		       struct data_writer **writer_ret)
{
	struct data_writer *writer = calloc(1, sizeof(*writer));
	if (!writer)
		return -ENOMEM;

	writer->fd = fd;
	writer->is_pipe = options->is_pipe;
	writer->compression_level = options->compression_level;
	int err = output_create(fd,
				options->queue_size ? options->queue_size : DATA_WRITER_QUEUE_SIZE,
				&writer->output);
	if (!err)
		err = data_writer_init(writer, events, n_events, features, n_features);
	if (!err && writer->compression_level && options->n_threads)
		err = start_compressor(writer, options->n_threads);
	if (err) {
		data_writer_destroy(writer);
		return err;
	}
	output_flush(writer->output); /* readers begin with it */
	*writer_ret = writer;
	return 0;
}

void data_writer_destroy(struct data_writer *writer)
{
	if (!writer)
		return;
	/* While it has blocks, it needs the others. */
	compressor_destroy(writer->compressor);
	output_destroy(writer->output);
	for (size_t i = 0; i < writer->n_features; i++)
		free(writer->features[i].bytes);
	free(writer->features);
	free(writer->ranges);
	if (!writer->compressor)
		free(writer->pending);
	frame_maker_deinit(&writer->maker);
	free(writer);
}

int data_writer_flush(struct data_writer *writer)
{
	write_pending(writer);
	if (!writer->error && !writer->compressor)
		fail(writer, frame_maker_end(&writer->maker));
	output_flush(writer->output);
	return writer->error;
}

static struct feature *find_feature(struct data_writer *writer, uint32_t number)
{
	for (size_t i = 0; i < writer->n_features; i++) {
		if (writer->features[i].number == number)
			return &writer->features[i];
	}
	return NULL;
}

int data_writer_add_build_ids(struct data_writer *writer, const void *records, size_t size)
{
	struct feature *feature = find_feature(writer, HEADER_BUILD_ID);

	if (!size || writer->error)
		return writer->error;
	if (writer->is_pipe)
		return data_writer_append(writer, records, size);
	if (!feature)
		return fail(writer, add_feature(writer, HEADER_BUILD_ID, records, size));
	uint8_t *longer = realloc(feature->bytes, feature->size + size);
	if (!longer)
		return fail(writer, -ENOMEM);
	memcpy(longer + feature->size, records, size);
	feature->bytes = longer;
	feature->size += size;
	return 0;
}

/* Before anything follows the records: whoever reads a file that is still written must not take it
 * for records. */
static void write_header(struct data_writer *writer)
{
	writer->header.data.size = writer->position - writer->header.data.offset;
	for (size_t i = 0; i < writer->n_features; i++)
		writer->header.features[writer->features[i].number / 64] |=
			1ull << writer->features[i].number % 64;
	ssize_t n = pwrite(writer->fd, &writer->header, sizeof(writer->header), 0);
	if (n != sizeof(writer->header))
		fail(writer, n < 0 ? -errno : -EIO);
}

/* The section table, then the features' bytes. */
static void write_features(struct data_writer *writer)
{
	uint64_t offset = writer->position + writer->n_features * sizeof(struct file_section);

	for (size_t i = 0; i < writer->n_features; i++) {
		struct feature *feature = &writer->features[i];
		struct file_section section = { offset, feature->size };

		put(writer, &section, sizeof(section));
		offset += feature->size;
		if (feature->number == HEADER_COMPRESSED) {
			struct compressed_feature now = compressed_feature(writer);
			memcpy(feature->bytes, &now, sizeof(now));
		}
	}
	for (size_t i = 0; i < writer->n_features; i++)
		put(writer, writer->features[i].bytes, writer->features[i].size);
}

int data_writer_finish(struct data_writer *writer)
{
	data_writer_flush(writer);
	if (writer->compressor)
		fail(writer, compressor_drain(writer->compressor));
	if (writer->error)
		return writer->error;
	if (writer->is_pipe)
		return fail(writer, output_drain(writer->output));

	if (writer->n_ranges)
		fail(writer, add_feature(writer, ATTACHMENT_FEATURE_NUMBER, writer->ranges,
					 writer->n_ranges * sizeof(*writer->ranges)));
	if (fail(writer, output_drain(writer->output)))
		return writer->error;
	write_header(writer);
	write_features(writer);
	return fail(writer, output_drain(writer->output));
}

uint64_t data_writer_n_bytes(const struct data_writer *writer)
{
	return output_n_written(writer->output);
}

size_t data_writer_n_waiting(const struct data_writer *writer)
{
	return output_n_waiting(writer->output);
}
