/*
 * The nodes of a stored tree: their parents and frames. Most nodes are children of the one before,
 * as they were created with it, for one path: they follow one another as a chain, of which is
 * stored where it begins. Frames are stored as places in child_places.h.
 */
#ifndef CCT_STORE_TREE_NODES_H
#define CCT_STORE_TREE_NODES_H

#include "cct/encoding/byte_buffer.h"
#include "cct/encoding/sorted_frames.h"
#include "cct/model/cct.h"
#include "cct/object/dwarf_reader.h"

void tree_nodes_write(struct byte_buffer *body, const struct cct *cct,
		      const struct sorted_frames *sorted);
/* Adds them to a tree without nodes, whose frames are those that are stored, in their order after
 * the root's. 0, -ENOMEM, or -EINVAL: they are malformed. */
int tree_nodes_read(struct dwarf_reader *body, struct cct *cct);

/* Trees are root, process, perhaps thread, and then code. */
bool tree_may_be_child(const struct frame *parent, const struct frame *frame);

#endif
