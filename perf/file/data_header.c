#include "perf/file/data_header.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perf/file/data_error.h"

/* "PERFILE2" and "PERFFILE", and both as a machine of the other byte order writes them. */
#define MAGIC_2         0x32454c4946524550ull
#define MAGIC_1         0x454c494646524550ull
#define MAGIC_2_SWAPPED 0x50455246494c4532ull
#define MAGIC_1_SWAPPED 0x5045524646494c45ull

struct file_section {
	uint64_t offset, size;
};

struct file_header {
	struct data_file_start start;
	uint64_t attr_size; /* size of an element of attrs: an attr and the section of its ids */
	struct file_section attrs, data, event_types;
	uint64_t features[N_FEATURES / 64]; /* not in the oldest files */
};
static_assert(sizeof(struct file_header) == 104, "on-disk layout");
static_assert(offsetof(struct file_header, data) == DATA_INPUT_SECTION, "on-disk layout");

enum {
	OLDEST_HEADER_SIZE = offsetof(struct file_header, features),
	MAX_ATTR_SIZE = 4096, /* the maximum of future kernels: a page, as in perf_copy_attr() */
	MAX_FEATURE_SIZE = 64 << 20,
};

int data_header_check_start(const struct data_file_start *start, bool *is_pipe_ret, char **error)
{
	if (start->magic == MAGIC_1_SWAPPED || start->magic == MAGIC_2_SWAPPED)
		return data_error(
			error, -EINVAL,
			"written on a machine of the other byte order, which is not read");
	if (start->magic != MAGIC_1 && start->magic != MAGIC_2)
		return data_error(error, -EINVAL,
				  "not a perf.data file: it does not begin with PERFILE2");
	*is_pipe_ret = start->size == sizeof(*start);
	if (!*is_pipe_ret && start->size < OLDEST_HEADER_SIZE)
		return data_error(error, -EINVAL,
				  "the header's size at offset 8 is %" PRIu64
				  ", less than any perf.data file has",
				  start->size);
	return 0;
}

static int short_file(char **error, const struct data_input *input, const char *what)
{
	return data_error(error, -EINVAL, "the file ends at offset %" PRIu64 ", inside its %s",
			  input->size, what);
}

static bool is_inside(const struct file_section *section, uint64_t size)
{
	return section->offset <= size && section->size <= size - section->offset;
}

static int read_file_header(const struct data_input *input, struct file_header *header,
			    char **error)
{
	int err = data_input_read_at(input, 0, header, OLDEST_HEADER_SIZE);

	if (!err && header->start.size >= sizeof(*header))
		err = data_input_read_at(input, OLDEST_HEADER_SIZE, header->features,
					 sizeof(header->features));
	if (err == -ENODATA)
		return short_file(error, input, "header");
	if (err)
		return data_error(error, err, "the header can't be read: %s", strerror(-err));
	if (header->attr_size < PERF_ATTR_SIZE_VER0 + sizeof(struct file_section) ||
	    header->attr_size > MAX_ATTR_SIZE)
		return data_error(error, -EINVAL,
				  "the size of an event description at offset 16 is %" PRIu64
				  ", which is not a valid size",
				  header->attr_size);
	if (!is_inside(&header->attrs, input->size))
		return short_file(error, input, "event descriptions");
	if (header->attrs.size < header->attr_size)
		return data_error(error, -EINVAL, "the header at offset 24 names no event");
	return 0;
}

/* @n_bytes_left: ids of all events together can't be longer than the file. */
static int read_event(const struct data_input *input, const struct file_header *header,
		      uint64_t offset, struct data_events *events, uint64_t *n_bytes_left,
		      char **error)
{
	uint8_t bytes[MAX_ATTR_SIZE];
	struct file_section section;
	size_t attr_space = header->attr_size - sizeof(section);
	int err = data_input_read_at(input, offset, bytes, header->attr_size);

	if (err)
		return data_error(error, err, "the event at offset %" PRIu64 " can't be read: %s",
				  offset, strerror(-err));
	memcpy(&section, bytes + attr_space, sizeof(section));
	if (!is_inside(&section, input->size) || section.size > *n_bytes_left)
		return data_error(error, -EINVAL,
				  "the ids of the event at offset %" PRIu64 " (%" PRIu64
				  " bytes at offset %" PRIu64
				  ") lead beyond the end of the file at %" PRIu64,
				  offset, section.size, section.offset, input->size);
	*n_bytes_left -= section.size;
	uint8_t *ids = malloc(section.size + 1);
	err = ids ? data_input_read_at(input, section.offset, ids, section.size) : -ENOMEM;
	if (!err)
		err = data_events_add(events, bytes, attr_space, ids,
				      section.size / sizeof(uint64_t));
	free(ids);
	if (err)
		return data_error(error, err, "the event at offset %" PRIu64 " can't be taken: %s",
				  offset, strerror(-err));
	return 0;
}

static int read_events(const struct data_input *input, const struct file_header *header,
		       struct data_events *events, char **error)
{
	uint64_t n_bytes_left = input->size;

	for (uint64_t i = 0; i < header->attrs.size / header->attr_size; i++) {
		int err = read_event(input, header, header->attrs.offset + i * header->attr_size,
				     events, &n_bytes_left, error);
		if (err)
			return err;
	}
	return 0;
}

static bool has_feature(const struct file_header *header, unsigned number)
{
	return header->features[number / 64] >> (number % 64) & 1;
}

static unsigned count_features(const struct file_header *header)
{
	unsigned n = 0;

	for (unsigned number = 0; number < N_FEATURES; number++)
		n += has_feature(header, number);
	return n;
}

enum table_state { TABLE_MISSING, TABLE_CUT, TABLE_WHOLE };

/*
 * The table of feature sections follows the data. If the header does not contain the size of the
 * data, records may be at that position instead: it is a table only if each section follows it.
 */
static enum table_state read_table(const struct data_input *input, const struct file_header *header,
				   struct file_section *table)
{
	unsigned n = count_features(header);
	struct file_section place = { header->data.offset + header->data.size, n * sizeof(*table) };
	enum table_state state = TABLE_WHOLE;

	if (!is_inside(&header->data, input->size) || !is_inside(&place, input->size) ||
	    data_input_read_at(input, place.offset, table, place.size))
		return TABLE_MISSING;
	for (unsigned i = 0; i < n; i++) {
		bool is_behind = table[i].offset >= place.offset + place.size;
		if (!is_inside(&table[i], input->size))
			state = TABLE_CUT;
		if (!header->data.size && (!is_behind || state == TABLE_CUT))
			return TABLE_MISSING;
	}
	return n || header->data.size ? state : TABLE_MISSING;
}

static int read_feature(const struct data_input *input, unsigned number,
			const struct file_section *section, struct data_features *features)
{
	size_t size = data_feature_is_read(number) && section->size <= MAX_FEATURE_SIZE
			      ? section->size
			      : 0;
	uint8_t *bytes = malloc(size + 1);
	int err = bytes ? data_input_read_at(input, section->offset, bytes, size) : -ENOMEM;

	if (!err)
		err = data_features_take(features, number, bytes, size);
	free(bytes);
	return err;
}

static int read_features(const struct data_input *input, const struct file_header *header,
			 const struct file_section *table, struct data_features *features)
{
	for (unsigned number = 0; number < N_FEATURES; number++) {
		if (!has_feature(header, number))
			continue;
		int err = is_inside(table, input->size)
				  ? read_feature(input, number, table, features)
				  : 0;
		if (err)
			return err;
		table++;
	}
	return 0;
}

/* Whether the file lacks its end, and a sentence about it: a recorder that was killed left no size
 * of its data, a copy that broke off has less than the header says. */
static bool find_cut(const struct data_input *input, const struct file_header *header,
		     enum table_state state, char **truncation)
{
	if (!header->data.size && state == TABLE_MISSING)
		data_error(truncation, 0,
			   "the recorder did not finish this file: read up to its end at offset "
			   "%" PRIu64,
			   input->size);
	else if (!is_inside(&header->data, input->size))
		data_error(truncation, 0,
			   "the file ends at offset %" PRIu64
			   ", before the end of its data (%" PRIu64 " bytes from offset %" PRIu64
			   ")",
			   input->size, header->data.size, header->data.offset);
	else if (state != TABLE_WHOLE)
		data_error(truncation, 0,
			   "the file ends at offset %" PRIu64
			   ", inside the features behind its data",
			   input->size);
	return *truncation;
}

static void set_input_to_data(struct data_input *input, const struct file_section *data)
{
	bool has_end = data->size && is_inside(data, input->size);

	input->limit = has_end ? data->offset + data->size : input->size;
	input->position = data->offset < input->limit ? data->offset : input->limit;
}

int data_header_read(struct data_input *input, struct data_events *events,
		     struct data_features *features, char **truncation, char **error)
{
	struct file_header header = { 0 };
	struct file_section table[N_FEATURES];
	int err = read_file_header(input, &header, error);

	if (err)
		return err;
	err = read_events(input, &header, events, error);
	if (err)
		return err;
	enum table_state state = read_table(input, &header, table);
	features->info.is_cut = find_cut(input, &header, state, truncation);
	set_input_to_data(input, &header.data);
	if (input->follow && !header.data.size && state == TABLE_MISSING) {
		free(*truncation);
		*truncation = NULL;
		input->is_growing = true;
		input->position = header.data.offset;
		input->limit = UINT64_MAX;
	}
	if (state == TABLE_MISSING)
		return 0;
	if (!header.data.size)
		input->limit = input->position; /* finished, without a record */
	err = read_features(input, &header, table, features);
	if (err)
		return data_error(error, err, "the features can't be read: %s", strerror(-err));
	return 0;
}
