#include "cct/paths/path_copies.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"

void path_copies_deinit(struct path_copies *copies)
{
	pair_map_deinit(&copies->nodes);
	free(copies->path);
}

/* The nodes of the path above and at @node that the group has no copy of; *@copy_ret is the copy of
 * the innermost other node, or CCT_NONE. Their number, or -ENOMEM. */
static ssize_t find_uncopied(struct path_copies *copies, uint64_t group, uint32_t node,
			     uint32_t *copy_ret)
{
	ssize_t n = 0;

	for (; node != CCT_ROOT; node = copies->from->nodes[node].parent) {
		*copy_ret = pair_map_find(&copies->nodes, group, node);
		if (*copy_ret != PAIR_MAP_NONE)
			return n;
		if (!copies->has_tasks && frame_is_above_code(cct_frame(copies->from, node)))
			break;
		if (array_reserve(copies->path, (size_t)n, copies->n_path_allocated, 1))
			return -ENOMEM;
		copies->path[n++] = node;
	}
	*copy_ret = CCT_NONE;
	return n;
}

uint32_t path_copies_get(struct path_copies *copies, struct cct *into, uint64_t group,
			 const struct frame *group_frame, uint32_t node)
{
	uint32_t copy;
	ssize_t n = find_uncopied(copies, group, node, &copy);

	if (n >= 0 && copy == CCT_NONE)
		copy = group_frame ? cct_child(into, CCT_ROOT, group_frame) : CCT_ROOT;
	if (n < 0 || copy == CCT_NONE)
		return CCT_NONE;
	while (n) {
		const uint32_t at = copies->path[--n];

		copy = cct_child(into, copy, cct_frame(copies->from, at));
		if (copy == CCT_NONE || pair_map_add(&copies->nodes, group, at, copy))
			return CCT_NONE;
		into->nodes[copy].frame_marks |= copies->from->nodes[at].frame_marks;
	}
	return copy;
}
