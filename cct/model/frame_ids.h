/*
 * Numbers for distinct frames, in the order of their first sight: a tree has millions of nodes, but
 * few thousands of frames. A frame's number is its index. All zero is an empty list.
 */
#ifndef CCT_MODEL_FRAME_IDS_H
#define CCT_MODEL_FRAME_IDS_H

#include <stdint.h>

#include "cct/base/hash_table.h"
#include "cct/model/frame.h"

#define FRAME_IDS_NONE UINT32_MAX
#define FRAME_IDS_MAX  (1u << 28) /* frames */

struct frame_ids {
	struct frame *frames; /* their origins are 0 */
	uint32_t n_frames, n_frames_allocated;
	struct hash_table by_frame;
};

void frame_ids_deinit(struct frame_ids *ids);
/* The number of a frame, a new one if it has none. FRAME_IDS_NONE: not enough memory, or
 * FRAME_IDS_MAX frames. */
uint32_t frame_ids_enter(struct frame_ids *ids, const struct frame *frame);
/* Asks memory for what frame_ids_enter() looks at, of all frames at once. */
void frame_ids_fetch(const struct frame_ids *ids, const struct frame *frames, size_t n_frames);
/* Makes room for @n_more frames, so that entering them moves no others. 0 or -ENOMEM. */
int frame_ids_reserve(struct frame_ids *ids, uint32_t n_more);
/* Frees what finds numbers by frames. The next frame_ids_enter() makes it again. */
void frame_ids_drop_index(struct frame_ids *ids);

#endif
