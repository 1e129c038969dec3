#include "cct/paths/last_path.h"

#include <stdlib.h>

#include "cct/base/array.h"

#define FETCHED 32 /* new frames of a path that memory is asked for at once: few have more */

void last_path_deinit(struct last_path *last)
{
	free(last->frames);
	free(last->nodes);
	*last = (struct last_path){ .frames = NULL };
}

static bool is_same_frame(const struct frame *a, const struct frame *b)
{
	return frame_equal(a, b) && a->origin == b->origin;
}

/* Skips frames that the last path has at the same place. Returns their number. */
static size_t skip_same(struct last_path *last, const struct frame *frames, size_t n_frames)
{
	const size_t at = last->at, n_known = last->n_frames - at;
	const size_t n_most = n_frames < n_known ? n_frames : n_known;
	size_t n = 0;

	while (n < n_most && is_same_frame(&last->frames[at + n], &frames[n]))
		n++;
	last->at += n;
	if (n)
		last->node = last->nodes[last->at - 1];
	return n;
}

static int make_room(struct last_path *last)
{
	if (array_reserve(last->frames, last->at, last->n_frames_allocated, 1))
		return -ENOMEM;
	return array_reserve(last->nodes, last->at, last->n_nodes_allocated, 1);
}

/* Returns whether memory suffices. */
static bool add(struct last_path *last, struct cct *cct, const struct frame *frame)
{
	last->node = cct_insert_path(cct, last->node, frame, 1);
	if (last->at == LAST_PATH_FRAMES)
		return last->node != CCT_NONE;
	if (last->node == CCT_NONE || make_room(last))
		return false;
	last->frames[last->at] = *frame;
	last->nodes[last->at++] = last->node;
	last->n_frames = last->at;
	return true;
}

uint32_t last_path_enter(struct last_path *last, struct cct *cct, const struct frame *frames,
			 size_t n_frames)
{
	size_t n = last->is_same ? skip_same(last, frames, n_frames) : 0;

	if (n == n_frames)
		return last->node;
	last->is_same = false;
	last->n_frames = last->at;
	frame_ids_fetch(&cct->frames, frames + n, n_frames - n < FETCHED ? n_frames - n : FETCHED);
	for (; n < n_frames; n++) {
		if (!add(last, cct, &frames[n]))
			return CCT_NONE;
	}
	return last->node;
}
