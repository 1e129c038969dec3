#include "perf/file/attachments_in.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/system/temporary_file.h"
#include "perf/records/attachment.h"
#include "perf/records/record_cursor.h"

enum {
	MAX_ATTACHMENTS = 1 << 16,
	MAX_KEY_SIZE = 8192, /* a path and some numbers */
};
/* More only if the recording is larger, as an archive may be: of compressed records a few bytes
 * would do to fill a disk. */
#define MAX_BYTES (1ull << 30)
/* Of a recording: the kernel's names and what is said of events, but not the programs of an
 * archive. */
#define MAX_BYTES_IN_MEMORY (4ull << 20)

struct part {
	struct attachment_header header;
	const char *key;
	const uint8_t *data;
};

static void attachment_destroy(struct data_file_attachment *attachment)
{
	if (!attachment)
		return;
	if (attachment->fd >= 0)
		close(attachment->fd);
	free(attachment->key);
	free(attachment);
}

void attachments_in_deinit(struct attachments_in *in)
{
	for (size_t i = 0; i < in->n; i++)
		attachment_destroy(in->list[i]);
	free(in->list);
	*in = (struct attachments_in){ 0 };
}

void attachments_in_drop_last(struct attachments_in *in)
{
	in->n_bytes -= in->n_last_read;
	in->n_last_read = 0;
	attachment_destroy(in->list[--in->n]);
}

bool attachment_is_ours(const struct perf_event_header *header)
{
	return attachment_has_magic(header, ATTACHMENT_MAGIC);
}

static bool parse_part(const struct perf_event_header *header, struct part *part)
{
	struct record_cursor cursor = {
		.at = (const uint8_t *)(header + 1),
		.end = (const uint8_t *)header + header->size,
	};

	if (!cursor_copy(&cursor, &part->header, sizeof(part->header)))
		return false;
	part->key = (const char *)cursor_bytes(&cursor, part->header.key_size);
	part->data = cursor_bytes(&cursor, part->header.data_size);
	return part->key && part->data && part->header.key_size <= MAX_KEY_SIZE &&
	       part->header.offset <= part->header.total_size &&
	       part->header.data_size <= part->header.total_size - part->header.offset;
}

static struct data_file_attachment *last_attachment(const struct attachments_in *in)
{
	return in->n ? in->list[in->n - 1] : NULL;
}

static bool continues(const struct attachments_in *in, const struct part *part)
{
	const struct data_file_attachment *last = last_attachment(in);

	return last && !last->is_complete && last->kind == part->header.kind &&
	       last->size == part->header.total_size && in->n_last_read == part->header.offset &&
	       strlen(last->key) == part->header.key_size &&
	       !memcmp(last->key, part->key, part->header.key_size);
}

static int open_file(struct attachments_in *in, uint64_t size)
{
	if (size > MAX_BYTES_IN_MEMORY - in->n_in_memory)
		return temporary_file_open();
	in->n_in_memory += size;
	return temporary_file_open_small();
}

static int begin(struct attachments_in *in, const struct part *part)
{
	if (array_reserve(in->list, in->n, in->n_allocated, 1))
		return -ENOMEM;
	struct data_file_attachment *attachment = calloc(1, sizeof(*attachment));
	if (!attachment)
		return -ENOMEM;
	attachment->fd = -1;
	attachment->kind = part->header.kind;
	attachment->size = part->header.total_size;
	attachment->key = strndup(part->key, part->header.key_size);
	if (!attachment->key) {
		free(attachment);
		return -ENOMEM;
	}
	attachment->fd = open_file(in, attachment->size);
	in->list[in->n++] = attachment;
	in->n_last_read = 0;
	return 0;
}

static uint64_t room_left(const struct attachments_in *in)
{
	return (in->file_size > MAX_BYTES ? in->file_size : MAX_BYTES) - in->n_bytes;
}

int attachments_in_take(struct attachments_in *in, const struct perf_event_header *header)
{
	struct part part;

	if (!parse_part(header, &part))
		return 0;
	if (!continues(in, &part)) {
		if (part.header.offset || in->n == MAX_ATTACHMENTS)
			return 0;
		int err = begin(in, &part);
		if (err)
			return err;
	}
	struct data_file_attachment *attachment = last_attachment(in);
	if (attachment->fd < 0 || part.header.data_size > room_left(in) ||
	    temporary_file_write(attachment->fd, part.data, part.header.data_size))
		return 0;
	in->n_bytes += part.header.data_size;
	in->n_last_read += part.header.data_size;
	attachment->is_complete = in->n_last_read == attachment->size;
	return 0;
}

const struct data_file_attachment *attachments_in_last_whole(const struct attachments_in *in)
{
	const struct data_file_attachment *last = last_attachment(in);

	return last && last->is_complete ? last : NULL;
}
