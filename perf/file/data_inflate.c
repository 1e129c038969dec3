#include "perf/file/data_inflate.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "perf/file/data_error.h"

static size_t frames_ahead(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 2 ? 2 : n > INFLATE_AHEAD ? INFLATE_AHEAD : (size_t)n;
}

void data_inflate_init(struct data_inflate *inflate, char **error)
{
	*inflate = (struct data_inflate){ .error = error };
	inflate->pool.block_size = FRAME_BLOCK_SIZE;
	inflate->n_frames_max = frames_ahead();
	expander_init(&inflate->expander);
}

static void finish_payload(struct data_inflate *inflate)
{
	data_block_unref(inflate->block);
	inflate->block = NULL;
	inflate->input = (ZSTD_inBuffer){ 0 };
}

static void drop_whole(struct data_inflate *inflate)
{
	if (inflate->whole)
		block_pool_return(&inflate->pool, inflate->whole);
	inflate->whole = NULL;
}

/* The block that the next frame expanded to, of the pool; NULL: it can't be expanded whole. */
static struct data_block *finish_frame(struct data_inflate *inflate)
{
	struct inflate_frame *frame = &inflate->frames[inflate->first_frame];

	inflate->first_frame = (inflate->first_frame + 1) % INFLATE_AHEAD;
	inflate->n_frames--;
	expander_finish(&inflate->expander, &frame->expansion);
	data_block_unref(frame->from);
	if (frame->expansion.size >= 0) {
		frame->block->size = (uint32_t)frame->expansion.size;
		return frame->block;
	}
	block_pool_return(&inflate->pool, frame->block);
	return NULL;
}

void data_inflate_trim(struct data_inflate *inflate)
{
	block_pool_trim(&inflate->pool);
}

void data_inflate_deinit(struct data_inflate *inflate)
{
	finish_payload(inflate);
	drop_whole(inflate);
	while (inflate->n_frames) {
		inflate->whole = finish_frame(inflate);
		drop_whole(inflate);
	}
	expander_deinit(&inflate->expander);
	block_pool_trim(&inflate->pool);
	ZSTD_freeDStream(inflate->decoder);
	inflate->decoder = NULL;
}

/* COMPRESSED2 says how long its payload is, and pads; in COMPRESSED it is all that follows. */
static int find_payload(const struct perf_event_header *header, ZSTD_inBuffer *payload_ret)
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
	*payload_ret = (ZSTD_inBuffer){ .src = body, .size = size };
	return 0;
}

/* Adds a record to the list of frames to expand ahead, if it is one frame. */
static void add_frame(struct data_inflate *inflate, const struct raw_record *record)
{
	ZSTD_inBuffer payload;

	inflate->last_offset = record->file_offset;
	if (find_payload(record->header, &payload) || !expander_is_frame(payload.src, payload.size))
		return;
	struct data_block *block = block_pool_take(&inflate->pool);
	if (!block)
		return;
	struct inflate_frame *frame =
		&inflate->frames[(inflate->first_frame + inflate->n_frames++) % INFLATE_AHEAD];
	data_block_ref(record->block);
	*frame = (struct inflate_frame){
		.file_offset = record->file_offset,
		.from = record->block,
		.block = block,
		.expansion = { .frame = payload.src,
			       .frame_size = payload.size,
			       .bytes = block->bytes,
			       .capacity = FRAME_BLOCK_SIZE },
	};
	expander_add(&inflate->expander, &frame->expansion);
}

/* Adds the record itself, and what follows it, unless it was added before. */
static void look_ahead(struct data_inflate *inflate, const struct raw_record *record,
		       const struct data_stream *plain)
{
	struct raw_record next = *record;
	uint32_t ahead = 0;

	do {
		if (next.file_offset > inflate->last_offset)
			add_frame(inflate, &next);
		if (!data_stream_peek(plain, ahead, &next) || !data_is_compressed(next.header))
			return;
		ahead += next.header->size;
	} while (inflate->n_frames < inflate->n_frames_max);
}

/* What the record expanded to, as one block; NULL: it is for the decoder. */
static struct data_block *take_whole(struct data_inflate *inflate, uint64_t file_offset)
{
	struct data_block *block = NULL;

	while (inflate->n_frames &&
	       inflate->frames[inflate->first_frame].file_offset <= file_offset) {
		bool is_it = inflate->frames[inflate->first_frame].file_offset == file_offset;
		block = finish_frame(inflate);
		if (block && (!is_it || inflate->is_in_frame)) {
			block_pool_return(&inflate->pool, block);
			block = NULL;
		}
	}
	return block;
}

static int start_decoder(struct data_inflate *inflate, const struct raw_record *record)
{
	inflate->block = record->block;
	inflate->file_offset = record->file_offset;
	if (!inflate->decoder)
		inflate->decoder = ZSTD_createDStream();
	if (!inflate->decoder)
		return -ENOMEM;
	int err = find_payload(record->header, &inflate->input);
	if (err)
		return data_error(inflate->error, err,
				  "the compressed record at offset %" PRIu64
				  " says that its payload is longer than the record",
				  record->file_offset);
	return 0;
}

int data_inflate_start(struct data_inflate *inflate, const struct raw_record *record,
		       const struct data_stream *plain, struct data_stream *expanded)
{
	finish_payload(inflate);
	drop_whole(inflate);
	if (!inflate->is_in_frame)
		look_ahead(inflate, record, plain);
	struct data_block *whole = take_whole(inflate, record->file_offset);
	if (!whole)
		return start_decoder(inflate, record);
	data_block_unref(record->block);
	if (data_stream_has_rest(expanded)) {
		inflate->whole = whole;
		inflate->whole_pos = 0;
	} else {
		data_stream_adopt(expanded, whole, whole->size);
	}
	return 0;
}

static ssize_t read_whole(struct data_inflate *inflate, uint8_t *bytes, size_t size)
{
	uint32_t left = inflate->whole->size - inflate->whole_pos;

	if (size > left)
		size = left;
	memcpy(bytes, inflate->whole->bytes + inflate->whole_pos, size);
	inflate->whole_pos += (uint32_t)size;
	if (size == left)
		drop_whole(inflate);
	return (ssize_t)size;
}

ssize_t data_inflate_read(void *source, uint8_t *bytes, size_t size)
{
	struct data_inflate *inflate = source;
	ZSTD_outBuffer output = { .size = size };

	if (inflate->whole)
		return read_whole(inflate, bytes, size);
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
		inflate->is_in_frame = hint;
	}
	if (!output.pos)
		finish_payload(inflate);
	return (ssize_t)output.pos;
}

bool data_inflate_help(struct data_inflate *inflate)
{
	return expander_help(&inflate->expander);
}
