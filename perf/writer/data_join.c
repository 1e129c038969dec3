#include "perf/writer/data_join.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf/records/attachment.h"
#include "perf/writer/file_layout.h"

#define BUFFER_SIZE (1u << 20)

struct joined_part {
	int fd;
	struct file_header header;
	uint64_t position; /* of its records in the joined file */
};

struct data_join {
	struct data_join_options options;
	struct joined_part *parts;
	struct file_header header; /* of the joined file */
	uint64_t position;         /* in it */
	size_t part;               /* whose records are copied now */
	uint64_t n_copied;         /* of them */
	uint8_t buffer[BUFFER_SIZE];
};

static bool has_feature(const struct file_header *header, unsigned number)
{
	return header->features[number / 64] >> number % 64 & 1;
}

static int read_all(int fd, void *bytes, size_t size, uint64_t offset)
{
	ssize_t n = pread(fd, bytes, size, (off_t)offset);

	return n < 0 ? -errno : (size_t)n == size ? 0 : -EINVAL;
}

static int put(struct data_join *join, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	while (size) {
		ssize_t n = pwrite(join->options.out_fd, from, size, (off_t)join->position);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		from += n;
		size -= (size_t)n;
		join->position += (uint64_t)n;
	}
	return 0;
}

static int copy(struct data_join *join, int fd, uint64_t offset, uint64_t size)
{
	int err = 0;

	while (size && !err) {
		const size_t n = size < BUFFER_SIZE ? (size_t)size : BUFFER_SIZE;

		err = read_all(fd, join->buffer, n, offset);
		if (!err)
			err = put(join, join->buffer, n);
		offset += n;
		size -= n;
	}
	return err;
}

static int read_header(struct joined_part *part, int fd)
{
	part->fd = fd;
	int err = read_all(fd, &part->header, sizeof(part->header), 0);
	if (err)
		return err;
	return part->header.magic == FILE_MAGIC && part->header.data.size &&
			       part->header.data.offset >= sizeof(part->header)
		       ? 0
		       : -EINVAL;
}

int data_join_create(const struct data_join_options *options, struct data_join **join_ret)
{
	struct data_join *join = calloc(1, sizeof(*join));
	int err = 0;

	if (!join)
		return -ENOMEM;
	join->options = *options;
	join->parts = calloc(options->n_fds, sizeof(*join->parts));
	if (!join->parts)
		err = -ENOMEM;
	for (size_t i = 0; i < options->n_fds && !err; i++)
		err = read_header(&join->parts[i], options->fds[i]);
	/* The size of the data is written last, so that a part of the file is readable. */
	if (!err) {
		const struct joined_part *last = &join->parts[options->n_fds - 1];

		join->header = last->header;
		join->header.data.size = 0;
		err = put(join, &join->header, sizeof(join->header));
		if (!err)
			err = copy(join, last->fd, sizeof(join->header),
				   last->header.data.offset - sizeof(join->header));
	}
	if (!err)
		err = put(join, options->first, options->first_size);
	if (err) {
		data_join_destroy(join);
		return err;
	}
	join->parts[0].position = join->position;
	*join_ret = join;
	return 0;
}

void data_join_destroy(struct data_join *join)
{
	if (!join)
		return;
	free(join->parts);
	free(join);
}

/* The place of a feature's bytes in a part; size 0: it has none. */
static int find_section(const struct joined_part *part, unsigned number,
			struct file_section *section_ret)
{
	uint64_t offset = part->header.data.offset + part->header.data.size;

	*section_ret = (struct file_section){ 0 };
	if (!has_feature(&part->header, number))
		return 0;
	for (unsigned i = 0; i < number; i++)
		offset += has_feature(&part->header, i) * sizeof(*section_ret);
	return read_all(part->fd, section_ret, sizeof(*section_ret), offset);
}

/* Sections of which the joined file has those of all parts. */
static bool is_list(unsigned number)
{
	return number == HEADER_BUILD_ID || number == ATTACHMENT_FEATURE_NUMBER;
}

/* The attachments of a part are where its records are now. */
static int put_ranges(struct data_join *join, const struct joined_part *part,
		      const struct file_section *section)
{
	struct attachment_range range;
	int err = section->size % sizeof(range) ? -EINVAL : 0;

	for (uint64_t at = 0; at < section->size && !err; at += sizeof(range)) {
		err = read_all(part->fd, &range, sizeof(range), section->offset + at);
		range.offset += part->position - part->header.data.offset;
		if (!err)
			err = put(join, &range, sizeof(range));
	}
	return err;
}

static int put_section(struct data_join *join, unsigned number, struct file_section *place)
{
	const size_t n = join->options.n_fds;
	int err = 0;

	place->offset = join->position;
	for (size_t i = is_list(number) ? 0 : n - 1; i < n && !err; i++) {
		const struct joined_part *part = &join->parts[i];
		struct file_section section;

		err = find_section(part, number, &section);
		if (!err)
			err = number == ATTACHMENT_FEATURE_NUMBER
				      ? put_ranges(join, part, &section)
				      : copy(join, part->fd, section.offset, section.size);
	}
	place->size = join->position - place->offset;
	return err;
}

static bool is_in_file(const struct data_join *join, unsigned number)
{
	bool is_in_any = has_feature(&join->header, number);

	for (size_t i = 0; i < join->options.n_fds && is_list(number); i++)
		is_in_any |= has_feature(&join->parts[i].header, number);
	return is_in_any;
}

static int finish(struct data_join *join)
{
	struct file_section places[N_FEATURE_BITS];
	size_t n_places = 0, size = 0;
	int err = put(join, join->options.last, join->options.last_size);

	join->header.data.size = join->position - join->header.data.offset;
	const uint64_t table = join->position;
	for (unsigned i = 0; i < N_FEATURE_BITS; i++)
		size += is_in_file(join, i) * sizeof(places[0]);
	join->position += size;
	for (unsigned i = 0; i < N_FEATURE_BITS && !err; i++) {
		if (!is_in_file(join, i))
			continue;
		join->header.features[i / 64] |= 1ull << i % 64;
		err = put_section(join, i, &places[n_places++]);
	}
	if (err)
		return err;
	const uint64_t end = join->position;
	join->position = table;
	err = put(join, places, size);
	join->position = 0;
	if (!err)
		err = put(join, &join->header, sizeof(join->header));
	join->position = end;
	return err;
}

int data_join_step(struct data_join *join, size_t max_bytes)
{
	while (join->part < join->options.n_fds) {
		struct joined_part *part = &join->parts[join->part];
		const struct file_section *data = &part->header.data;
		uint64_t size = data->size - join->n_copied;

		if (!size) {
			join->n_copied = 0;
			if (++join->part < join->options.n_fds)
				join->parts[join->part].position = join->position;
			continue;
		}
		if (size > max_bytes)
			size = max_bytes;
		int err = copy(join, part->fd, data->offset + join->n_copied, size);
		join->n_copied += size;
		return err ? err : 1;
	}
	return finish(join);
}

uint64_t data_join_n_bytes(const struct data_join *join)
{
	return join->position;
}
