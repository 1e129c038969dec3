#include "report/fold/fold_rebuild.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int fold_rebuild_begin(struct fold_rebuild *rebuild, struct fold *fold)
{
	*rebuild = (struct fold_rebuild){
		.fold = fold,
		.moved = calloc(fold->n_nodes, sizeof(*rebuild->moved)),
	};
	if (!rebuild->moved)
		return -ENOMEM;
	fold->n_nodes = 1;
	return path_marks_add_all(&rebuild->marks, 0, path_marks_of(&fold->marks, 0));
}

void fold_rebuild_end(struct fold_rebuild *rebuild)
{
	path_marks_deinit(&rebuild->fold->marks);
	rebuild->fold->marks = rebuild->marks;
	free(rebuild->moved);
	pair_map_deinit(&rebuild->nodes);
}

int fold_rebuild_find(struct fold_rebuild *rebuild, uint32_t parent, uint32_t entity,
		      const struct fold_detail *detail, uint32_t *node_ret)
{
	struct fold *fold = rebuild->fold;

	*node_ret = pair_map_find(&rebuild->nodes, parent, entity);
	if (*node_ret == PAIR_MAP_NONE) {
		*node_ret = fold->n_nodes++;
		fold->nodes[*node_ret] = (struct fold_node){ .parent = parent, .entity = entity };
		fold->details[*node_ret] = (struct fold_detail){
			.call_file = detail->call_file,
			.call_line = detail->call_line,
		};
		return pair_map_add(&rebuild->nodes, parent, entity, *node_ret);
	}
	fold_join_calls(&fold->details[*node_ret], detail);
	return 0;
}

static void move_costs(struct fold *fold, uint32_t from, uint32_t to)
{
	for (size_t metric = 0; metric < fold->n_metrics; metric++) {
		size_t at = (size_t)from * fold->n_metrics + metric;
		uint64_t self = fold->self[at], samples = fold->self_samples[at];

		fold->self[at] = fold->self_samples[at] = 0;
		fold->self[(size_t)to * fold->n_metrics + metric] += self;
		fold->self_samples[(size_t)to * fold->n_metrics + metric] += samples;
	}
	if (fold->activations) {
		fold->activations[to] += fold->activations[from];
		fold->activations[from] = 0;
	}
	if (!fold->self_longest)
		return;
	uint64_t longest = fold->self_longest[from];
	fold->self_longest[from] = 0;
	fold_raise_self_longest(fold, to, longest);
}

int fold_rebuild_move(struct fold_rebuild *rebuild, uint32_t i, const struct fold_detail *detail,
		      uint32_t to)
{
	struct fold *fold = rebuild->fold;

	rebuild->moved[i] = to;
	fold->details[to].frame_marks |= detail->frame_marks;
	if (to != i)
		move_costs(fold, i, to);
	return path_marks_add_all(&rebuild->marks, to, path_marks_of(&fold->marks, i));
}
