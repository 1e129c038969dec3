#include "perf/writer/data_copy.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "perf/file/data_features.h"
#include "perf/file/data_header.h"
#include "perf/records/record.h"

#define COPIED_AT_ONCE (1u << 20)
/* Leaves room in a record for the headers and a key. */
#define PART_MAX 49152u
#define KEY_MAX  8192u
/* After their number come its entries: places of records and their sizes. */
#define FEATURE_AUXTRACE 18

struct file_section {
	uint64_t offset, size;
};

/* tools/perf/util/header.h, struct perf_file_header */
struct file_header {
	struct data_file_start start;
	uint64_t attr_size;
	struct file_section attrs, data, event_types;
	uint64_t features[N_FEATURES / 64]; /* not in the oldest files */
};
static_assert(sizeof(struct file_header) == 104, "on-disk layout");

static int read_at(int fd, uint64_t offset, void *bytes, size_t size)
{
	uint8_t *to = bytes;

	while (size) {
		ssize_t n = pread(fd, to, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENODATA;
		to += n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return 0;
}

static int write_at(int fd, uint64_t offset, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	while (size) {
		ssize_t n = pwrite(fd, from, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		from += n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return 0;
}

static int append(struct data_copy *copy, const void *bytes, size_t size)
{
	int err = write_at(copy->to, copy->position, bytes, size);

	copy->position += size;
	return err;
}

static int append_range(struct data_copy *copy, uint64_t start, uint64_t end)
{
	_cleanup_free_ uint8_t *bytes = malloc(COPIED_AT_ONCE);

	if (!bytes)
		return -ENOMEM;
	while (start < end) {
		size_t size = end - start < COPIED_AT_ONCE ? end - start : COPIED_AT_ONCE;
		int err = read_at(copy->from, start, bytes, size);

		if (err)
			return err;
		err = append(copy, bytes, size);
		if (err)
			return err;
		start += size;
		if (copy->work)
			work_done_add(copy->work, size);
	}
	return 0;
}

/* The oldest headers are shorter. */
static size_t header_size(const struct file_header *header)
{
	return header->start.size < sizeof(*header) ? offsetof(struct file_header, features)
						    : sizeof(*header);
}

static int read_header(int fd, struct file_header *header)
{
	*header = (struct file_header){ .attr_size = 0 };
	int err = read_at(fd, 0, &header->start, sizeof(header->start));

	if (err || header->start.size == sizeof(header->start))
		return err;
	return read_at(fd, 0, header, header_size(header));
}

int data_copy_start(struct data_copy *copy, int from, int to, bool is_cut)
{
	struct file_header header = { .attr_size = 0 };
	struct stat status;
	int err = fstat(from, &status) ? -errno : read_header(from, &header);

	if (err)
		return err;
	*copy = (struct data_copy){ .from = from,
				    .to = to,
				    .from_size = (uint64_t)status.st_size,
				    .is_pipe = header.start.size == sizeof(header.start),
				    .is_cut = is_cut };
	copy->data_start = copy->is_pipe ? sizeof(header.start) : header.data.offset;
	if (copy->data_start > copy->from_size ||
	    (!copy->is_pipe && copy->data_start < header_size(&header)))
		return -EINVAL;
	return append_range(copy, 0, copy->data_start);
}

static int append_part(struct data_copy *copy, struct attachment_header part, const char *key,
		       const uint8_t *bytes)
{
	static const uint64_t zeros;
	size_t size =
		sizeof(struct perf_event_header) + sizeof(part) + part.key_size + part.data_size;
	size_t padding = -size & 7;
	struct perf_event_header header = { .type = RECORD_ATTACHMENT,
					    .size = (uint16_t)(size + padding) };
	int err = append(copy, &header, sizeof(header));

	if (err)
		return err;
	err = append(copy, &part, sizeof(part));
	if (err)
		return err;
	err = append(copy, key, part.key_size);
	if (err)
		return err;
	err = append(copy, bytes, part.data_size);
	return err ? err : append(copy, &zeros, padding);
}

int data_copy_attach(struct data_copy *copy, enum attachment_kind kind, const char *key, int fd)
{
	uint8_t bytes[PART_MAX];
	struct stat status;
	struct attachment_header part = {
		.magic = ATTACHMENT_MAGIC,
		.kind = kind,
		.key_size = (uint32_t)strlen(key),
	};

	if (part.key_size > KEY_MAX)
		return -ENAMETOOLONG;
	if (fstat(fd, &status))
		return -errno;
	part.total_size = (uint64_t)status.st_size;
	do {
		uint64_t left = part.total_size - part.offset;
		part.data_size = (uint32_t)(left < PART_MAX ? left : PART_MAX);
		int err = read_at(fd, part.offset, bytes, part.data_size);
		if (err)
			return err;
		err = append_part(copy, part, key, bytes);
		if (err)
			return err;
		part.offset += part.data_size;
	} while (part.offset < part.total_size);
	return 0;
}

/* The bytes before the records are unchanged. */
static uint64_t moved(const struct data_copy *copy, uint64_t offset, uint64_t distance)
{
	return offset >= copy->data_start ? offset + distance : offset;
}

static bool is_inside(const struct data_copy *copy, const struct file_section *section)
{
	return section->offset <= copy->from_size &&
	       section->size <= copy->from_size - section->offset;
}

/* Adds to the first word of each element of a table that was at @table in the recording. */
static int move_places(const struct data_copy *copy, const struct file_section *table,
		       size_t element_size, size_t place_at, uint64_t distance)
{
	uint64_t at = moved(copy, table->offset, distance);

	if (!is_inside(copy, table))
		return 0;
	for (uint64_t n = table->size / element_size; n; n--, at += element_size) {
		uint64_t place;
		int err = read_at(copy->to, at + place_at, &place, sizeof(place));

		if (err)
			return err;
		place = moved(copy, place, distance);
		err = write_at(copy->to, at + place_at, &place, sizeof(place));
		if (err)
			return err;
	}
	return 0;
}

/* Some features contain file offsets themselves. */
static int move_inside_feature(const struct data_copy *copy, unsigned number,
			       struct file_section section, uint64_t distance)
{
	if (number == FEATURE_AUXTRACE && section.size >= sizeof(uint64_t)) {
		section.offset += sizeof(uint64_t);
		section.size -= sizeof(uint64_t);
	} else if (number != FEATURE_ATTACHMENTS) {
		return 0;
	}
	return move_places(copy, &section, sizeof(section), 0, distance);
}

/* The table follows the records. */
static int move_features(const struct data_copy *copy, const struct file_header *header,
			 uint64_t distance)
{
	struct file_section table = { header->data.offset + header->data.size, 0 };

	for (unsigned number = 0; number < N_FEATURES; number++) {
		struct file_section section, place = { table.offset + table.size, sizeof(section) };

		if (!(header->features[number / 64] >> (number % 64) & 1))
			continue;
		table.size += sizeof(section);
		if (!is_inside(copy, &place)) /* the file was cut */
			return 0;
		int err = read_at(copy->from, place.offset, &section, sizeof(section));
		if (err)
			return err;
		err = move_places(copy, &place, sizeof(section), 0, distance);
		if (err)
			return err;
		err = move_inside_feature(copy, number, section, distance);
		if (err)
			return err;
	}
	return 0;
}

static int move_all(const struct data_copy *copy, uint64_t distance)
{
	struct file_header header, new;
	int err = read_header(copy->from, &header);

	if (err)
		return err;
	new = header;
	bool has_end = header.data.size || !copy->is_cut;
	if (has_end)
		new.data.size += distance;
	new.attrs.offset = moved(copy, header.attrs.offset, distance);
	new.event_types.offset = moved(copy, header.event_types.offset, distance);
	err = write_at(copy->to, 0, &new, header_size(&header));
	/* Each event's ids. */
	if (!err && header.attr_size >= sizeof(struct file_section))
		err = move_places(copy, &header.attrs, header.attr_size,
				  header.attr_size - sizeof(struct file_section), distance);
	return err || !has_end ? err : move_features(copy, &header, distance);
}

int data_copy_finish(struct data_copy *copy)
{
	uint64_t distance = copy->position - copy->data_start;
	int err = append_range(copy, copy->data_start, copy->from_size);

	return err || copy->is_pipe ? err : move_all(copy, distance);
}
