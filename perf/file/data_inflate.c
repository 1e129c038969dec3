#include "perf/file/data_inflate.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "perf/file/data_error.h"

static void finish_payload(struct data_inflate *inflate)
{
	if (inflate->block)
		data_block_unref(inflate->block);
	inflate->block = NULL;
	inflate->input = (ZSTD_inBuffer){ 0 };
}

void data_inflate_deinit(struct data_inflate *inflate)
{
	finish_payload(inflate);
	ZSTD_freeDStream(inflate->decoder);
	inflate->decoder = NULL;
}

/* COMPRESSED2 says how long its payload is, and pads; in COMPRESSED it is all that follows. */
static int find_payload(struct data_inflate *inflate, const struct perf_event_header *header)
{
	const uint8_t *body = (const uint8_t *)(header + 1);
	size_t left = header->size - sizeof(*header);
	uint64_t size = left;

	if (header->type == RECORD_COMPRESSED2) {
		if (left < sizeof(size))
			return -EINVAL;
		memcpy(&size, body, sizeof(size));
		body += sizeof(size);
		left -= sizeof(size);
		if (size > left)
			return -EINVAL;
	}
	inflate->input = (ZSTD_inBuffer){ .src = body, .size = size };
	return 0;
}

int data_inflate_start(struct data_inflate *inflate, const struct raw_record *record)
{
	finish_payload(inflate);
	inflate->block = record->block;
	inflate->file_offset = record->file_offset;
	if (!inflate->decoder)
		inflate->decoder = ZSTD_createDStream();
	if (!inflate->decoder)
		return -ENOMEM;
	int err = find_payload(inflate, record->header);
	if (err)
		return data_error(inflate->error, err,
				  "the compressed record at offset %" PRIu64
				  " says that its payload is longer than the record",
				  record->file_offset);
	return 0;
}

ssize_t data_inflate_read(void *source, uint8_t *bytes, size_t size)
{
	struct data_inflate *inflate = source;
	ZSTD_outBuffer output = { .size = size };

	output.dst = bytes;
	/* The payload may be used up while the decoder still holds output that had no room. */
	while (!output.pos && (inflate->input.pos < inflate->input.size || inflate->has_output)) {
		size_t hint = ZSTD_decompressStream(inflate->decoder, &output, &inflate->input);
		if (ZSTD_isError(hint))
			return data_error(inflate->error, -EINVAL,
					  "the compressed record at offset %" PRIu64
					  " can't be expanded: %s",
					  inflate->file_offset, ZSTD_getErrorName(hint));
		inflate->has_output = output.pos == output.size;
	}
	if (!output.pos)
		finish_payload(inflate);
	return (ssize_t)output.pos;
}
