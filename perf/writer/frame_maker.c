#include "perf/writer/frame_maker.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

int frame_maker_init(struct frame_maker *maker, int level,
		     int (*pass_on)(void *to, const void *bytes, size_t size), void *to)
{
	*maker = (struct frame_maker){ .pass_on = pass_on, .to = to };
	return compressed_frame_init(&maker->frame, level,
				     FRAME_PIECE_SIZE + COMPRESSED_RECORD_MAX);
}

void frame_maker_deinit(struct frame_maker *maker)
{
	compressed_frame_deinit(&maker->frame);
}

int frame_maker_end(struct frame_maker *maker)
{
	size_t n_expanded = maker->frame.n_expanded, size;
	const void *record = compressed_frame_end(&maker->frame, &size);

	if (!size)
		return 0;
	maker->n_expanded += n_expanded;
	maker->n_compressed += size;
	return maker->pass_on(maker->to, record, size);
}

/* The size of the first records, as many as end before @max, but at least one. */
static size_t size_of_first(const uint8_t *records, size_t size, size_t max)
{
	size_t n = 0;

	while (n < size) {
		struct perf_event_header header;

		memcpy(&header, records + n, sizeof(header));
		if (n && n + header.size > max)
			break;
		n += header.size;
	}
	return n;
}

/* Records go into the frame, else into a new one, else half of them, else (one that does not
 * compress) to the file as they are. */
static int add_piece(struct frame_maker *maker, const uint8_t *records, size_t size)
{
	struct compressed_frame *frame = &maker->frame;
	int err = frame->n_expanded + size > FRAME_EXPANDED_MAX ? frame_maker_end(maker) : 0;

	if (!err)
		err = compressed_frame_add(frame, records, size);
	if (err == -E2BIG) {
		err = frame_maker_end(maker);
		if (!err)
			err = compressed_frame_add(frame, records, size);
	}
	if (err != -E2BIG)
		return err;
	err = frame_maker_end(maker);
	if (err)
		return err;
	size_t half = size_of_first(records, size, size / 2);
	if (half == size)
		return maker->pass_on(maker->to, records, size);
	err = add_piece(maker, records, half);
	return err ? err : add_piece(maker, records + half, size - half);
}

int frame_maker_add(struct frame_maker *maker, const void *records, size_t size)
{
	const uint8_t *at = records;
	int err = 0;

	while (size && !err) {
		size_t piece = size_of_first(at, size, FRAME_PIECE_SIZE);

		err = add_piece(maker, at, piece);
		at += piece;
		size -= piece;
	}
	return err;
}
