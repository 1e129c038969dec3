#include "perf/file/data_stream.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "perf/file/data_error.h"

static_assert(DATA_BLOCK_SIZE > UINT16_MAX, "a block holds any record");

enum { RECORD_ALIGNMENT = 8 };

void data_stream_close(struct data_stream *stream)
{
	block_window_close(&stream->window);
	block_window_close(&stream->aligned);
}

uint64_t data_stream_offset(const struct data_stream *stream)
{
	return stream->is_expanded ? stream->origin : stream->origin + stream->window.pos;
}

static const char *place(const struct data_stream *stream)
{
	return stream->is_expanded ? " (inside a compressed record)" : "";
}

static int renew_window(struct data_stream *stream)
{
	uint32_t done = stream->window.pos;
	int err = block_window_renew(&stream->window, stream->pool);

	if (!err && !stream->is_expanded)
		stream->origin += done;
	return err;
}

/* Moves the window to the next record and as much as is mapped at once. false: it stays. */
static bool map_window(struct data_stream *stream)
{
	struct block_window *window = &stream->window;
	uint32_t pos;

	if (!stream->from.map)
		return false;
	struct data_block *block =
		stream->from.map(stream->from.source, window->fill - window->pos, &pos);
	if (!block)
		return false;
	stream->origin = data_stream_offset(stream) - pos;
	block_window_adopt(window, block, block->size);
	window->pos = pos;
	return true;
}

static bool has_bytes(const struct block_window *window, uint32_t size)
{
	return window->fill - window->pos >= size;
}

/* Makes the next @size bytes readable in one piece: 1, or 0 if the source has no more for now. */
static int need(struct data_stream *stream, uint32_t size)
{
	struct block_window *window = &stream->window;

	if (has_bytes(window, size))
		return 1;
	if (map_window(stream) && has_bytes(window, size))
		return 1;
	if (!window->block || window->block->is_mapped ||
	    window->block->size - window->pos < size) {
		int err = renew_window(stream);
		if (err)
			return err;
	}
	while (window->fill - window->pos < size) {
		ssize_t got =
			stream->from.read(stream->from.source, window->block->bytes + window->fill,
					  window->block->size - window->fill);
		if (got <= 0)
			return (int)got;
		window->fill += (uint32_t)got;
	}
	return 1;
}

void data_stream_skip(struct data_stream *stream, uint64_t size)
{
	stream->n_skip += size;
}

static void skip_in_window(struct data_stream *stream)
{
	struct block_window *window = &stream->window;
	uint32_t n = window->fill - window->pos;

	if (n > stream->n_skip)
		n = (uint32_t)stream->n_skip;
	window->pos += n;
	stream->n_skip -= n;
}

static int skip(struct data_stream *stream)
{
	skip_in_window(stream);
	if (stream->n_skip && stream->from.skip) {
		uint64_t n = stream->from.skip(stream->from.source, stream->n_skip);
		stream->n_skip -= n;
		stream->origin += n;
	}
	while (stream->n_skip) {
		int err = need(stream, 1);
		if (err <= 0)
			return err;
		skip_in_window(stream);
	}
	return 1;
}

/* Where records are read in place, their words have to lie at their own alignment. */
static int copy_aligned(struct data_stream *stream, uint32_t size)
{
	struct block_window *aligned = &stream->aligned;
	uint32_t space = (size + RECORD_ALIGNMENT - 1) / RECORD_ALIGNMENT * RECORD_ALIGNMENT;

	aligned->pos = aligned->fill;
	if (!aligned->block || aligned->block->size - aligned->fill < space) {
		int err = block_window_renew(aligned, stream->pool);
		if (err)
			return err;
	}
	memcpy(aligned->block->bytes + aligned->fill,
	       stream->window.block->bytes + stream->window.pos, size);
	aligned->fill += space;
	return 0;
}

static void hand_out(struct block_window *window, uint64_t file_offset,
		     struct raw_record *record_ret)
{
	*record_ret = (struct raw_record){
		.header = (const void *)(window->block->bytes + window->pos),
		.block = window->block,
		.file_offset = file_offset,
	};
	window->n_given++;
}

static int take(struct data_stream *stream, uint32_t size, struct raw_record *record_ret)
{
	uint64_t offset = data_stream_offset(stream);

	if (stream->window.pos % RECORD_ALIGNMENT) {
		int err = copy_aligned(stream, size);
		if (err)
			return err;
		hand_out(&stream->aligned, offset, record_ret);
	} else {
		hand_out(&stream->window, offset, record_ret);
	}
	stream->window.pos += size;
	/* Records of large stacks lie far apart: the next one is needed soon. */
	__builtin_prefetch(stream->window.block->bytes + stream->window.pos);
	return 1;
}

int data_stream_next(struct data_stream *stream, struct raw_record *record_ret, char **error)
{
	struct perf_event_header header;
	int err = stream->n_skip ? skip(stream) : 1;

	if (err > 0)
		err = need(stream, sizeof(header));
	if (err <= 0)
		return err;
	memcpy(&header, stream->window.block->bytes + stream->window.pos, sizeof(header));
	if (header.size < sizeof(header))
		return data_error(error, -EINVAL,
				  "the record at offset %" PRIu64 "%s, type %" PRIu32
				  ", has size %u, less than its own header",
				  data_stream_offset(stream), place(stream), header.type,
				  header.size);
	err = need(stream, header.size);
	if (err <= 0)
		return err;
	return take(stream, header.size, record_ret);
}

bool data_stream_peek(const struct data_stream *stream, uint32_t ahead,
		      struct raw_record *record_ret)
{
	const struct block_window *window = &stream->window;
	uint32_t left = window->fill - window->pos;

	if (stream->n_skip || ahead > left || left - ahead < sizeof(struct perf_event_header) ||
	    (window->pos + ahead) % RECORD_ALIGNMENT)
		return false;
	*record_ret = (struct raw_record){
		.header = (const void *)(window->block->bytes + window->pos + ahead),
		.block = window->block,
		.file_offset = data_stream_offset(stream) + ahead,
	};
	return record_ret->header->size >= sizeof(struct perf_event_header) &&
	       record_ret->header->size <= left - ahead;
}

void data_stream_adopt(struct data_stream *stream, struct data_block *block, uint32_t size)
{
	assert(!data_stream_has_rest(stream));
	block_window_adopt(&stream->window, block, size);
}
