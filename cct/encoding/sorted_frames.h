/*
 * The distinct frames of a tree's nodes, without the root's, in the order in which a stored profile
 * has them: by kind, module, offset and part. Its parts refer to them by their place in that order.
 */
#ifndef CCT_ENCODING_SORTED_FRAMES_H
#define CCT_ENCODING_SORTED_FRAMES_H

#include <stdint.h>

#include "cct/model/cct.h"

struct sorted_frames {
	uint32_t *numbers; /* in the tree, by the frames' order */
	uint32_t *indices; /* by number: in ->numbers */
	uint32_t n;
};

/* 0 or -ENOMEM. */
int sorted_frames_init(struct sorted_frames *sorted, const struct cct *cct);
void sorted_frames_deinit(struct sorted_frames *sorted);

#endif
