#include "perf/writer/compressed_frame.h"

#include <assert.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "perf/records/record.h"

#define PAYLOAD_MAX 65000u
/* The empty blocks at the end of a frame. */
#define CLOSING_MAX 24u

/* The window holds a few hundred stack copies, and what repeats are long pieces of them: for the
 * default level smaller hash tables compress as well as zstd's own, and faster (docs/decisions,
 * 0005). */
static int set_parameters(ZSTD_CCtx *zstd, int level)
{
	static const struct {
		ZSTD_cParameter parameter;
		int value;
	} tables[] = { { ZSTD_c_hashLog, 15 }, { ZSTD_c_chainLog, 14 } };

	if (ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level)))
		return -EINVAL;
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, 22);
	if (level != COMPRESSED_FRAME_DEFAULT_LEVEL)
		return 0;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		ZSTD_CCtx_setParameter(zstd, tables[i].parameter, tables[i].value);
	return 0;
}

int compressed_frame_init(struct compressed_frame *frame, int level, size_t max_piece)
{
	const size_t header_size = sizeof(struct perf_event_header);

	*frame = (struct compressed_frame){
		.zstd = ZSTD_createCCtx(),
		.n_allocated =
			header_size + PAYLOAD_MAX + CLOSING_MAX + ZSTD_compressBound(max_piece),
		.size = header_size,
	};
	frame->bytes = malloc(frame->n_allocated);
	return frame->zstd && frame->bytes ? set_parameters(frame->zstd, level) : -ENOMEM;
}

void compressed_frame_deinit(struct compressed_frame *frame)
{
	free(frame->bytes);
	ZSTD_freeCCtx(frame->zstd);
}

int compressed_frame_add(struct compressed_frame *frame, const void *records, size_t size)
{
	ZSTD_inBuffer in = { records, size, 0 };
	ZSTD_outBuffer out = { frame->bytes, frame->n_allocated, frame->size };

	size_t left = ZSTD_compressStream2(frame->zstd, &out, &in, ZSTD_e_flush);
	if (ZSTD_isError(left)) /* it allocates its tables at the first use: the only failure */
		return -ENOMEM;
	assert(left == 0 && in.pos == in.size);
	if (out.pos > sizeof(struct perf_event_header) + PAYLOAD_MAX)
		return -E2BIG;
	frame->size = out.pos;
	frame->n_expanded += size;
	return 0;
}

/* Closes the frame by hand, after a block that was flushed: empty blocks, the last one marked, as
 * many as make the record's size a multiple of 8 (RFC 8878, 3.1.1.2). */
static void close_frame(struct compressed_frame *frame)
{
	struct perf_event_header *header = (struct perf_event_header *)frame->bytes;

	while ((frame->size + 3) % 8) {
		memset(frame->bytes + frame->size, 0, 3);
		frame->size += 3;
	}
	memcpy(frame->bytes + frame->size, "\1\0", 3);
	frame->size += 3;
	assert(frame->size <= COMPRESSED_RECORD_MAX);
	*header = (struct perf_event_header){ .type = RECORD_COMPRESSED,
					      .size = (uint16_t)frame->size };
}

const void *compressed_frame_end(struct compressed_frame *frame, size_t *size_ret)
{
	*size_ret = 0;
	if (frame->zstd)
		ZSTD_CCtx_reset(frame->zstd, ZSTD_reset_session_only);
	if (!frame->n_expanded)
		return NULL;
	close_frame(frame);
	*size_ret = frame->size;
	frame->size = sizeof(struct perf_event_header);
	frame->n_expanded = 0;
	return frame->bytes;
}
