#include "report/scope/refold_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"

struct kept_process {
	uint32_t entity;
	int32_t pid;
	uint32_t number; /* of processes that it stands for */
};

struct noting {
	const struct refold_base *base;
	const struct refolded *refolded;
	struct kept_process *processes; /* at most one for each child of the root */
	size_t n_processes;
};

static bool has_samples(const struct cct *cct, uint32_t node)
{
	for (uint32_t metric = 0; metric < cct->n_metrics; metric++) {
		if (cct_cost(cct, node, metric)->samples)
			return true;
	}
	return false;
}

static void note_process(struct noting *noting, uint32_t node)
{
	const struct profile *profile = noting->base->profile;
	const struct frame *frame = cct_frame(profile->cct, node);

	if (frame->kind != FRAME_PROCESS || frame->offset >= profile->n_processes)
		return;
	noting->processes[noting->n_processes++] = (struct kept_process){
		.entity = noting->base->fold->nodes[noting->base->nodes[node]].entity,
		.pid = profile->processes[frame->offset].pid,
		.number = profile_process_number(&profile->processes[frame->offset]),
	};
}

/* Marks are at the compiled function of a frame. */
static void note_marks(struct noting *noting, uint32_t node)
{
	const struct fold *from = noting->base->fold;
	const uint32_t marks = noting->base->profile->cct->nodes[node].frame_marks;
	uint32_t at = noting->base->nodes[node];

	if (!marks || frame_is_above_code(cct_frame(noting->base->profile->cct, node)))
		return;
	while (from->entities[from->nodes[at].entity].is_inlined)
		at = from->nodes[at].parent;
	if (!noting->refolded->is_hidden[from->nodes[at].entity])
		noting->refolded->into->details[noting->refolded->places[at]].frame_marks |= marks;
}

/* By nodes of the tree: those with samples that are selected, and what is above them. @is_selected:
 * by node of the base; @is_whole: all nodes are kept. The caller frees it. NULL: out of memory. */
static bool *keep_nodes(const struct refold_base *base, const bool *is_selected, bool is_whole)
{
	const struct cct *cct = base->profile->cct;
	bool *is_kept = calloc(cct->n_nodes, sizeof(*is_kept));

	for (uint32_t i = cct->n_nodes - 1; is_kept && i > 0; i--) {
		is_kept[i] |= is_whole || (is_selected[base->nodes[i]] && has_samples(cct, i));
		is_kept[cct->nodes[i].parent] |= is_kept[i];
	}
	return is_kept;
}

static int walk_tree(struct noting *noting)
{
	const struct cct *cct = noting->base->profile->cct;
	_cleanup_free_ bool *is_kept =
		keep_nodes(noting->base, noting->refolded->is_selected, noting->refolded->is_whole);

	if (!is_kept)
		return -ENOMEM;
	for (uint32_t i = 1; i < cct->n_nodes; i++) {
		if (!is_kept[i])
			continue;
		if (cct->nodes[i].parent == CCT_ROOT)
			note_process(noting, i);
		note_marks(noting, i);
	}
	return 0;
}

static int compare_processes(const void *a, const void *b)
{
	const struct kept_process *x = a, *y = b;

	if (x->entity != y->entity)
		return x->entity < y->entity ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* A row is of the processes that have samples in it. */
static void count_processes(struct noting *noting)
{
	const struct kept_process *all = noting->processes;

	qsort(noting->processes, noting->n_processes, sizeof(*all), compare_processes);
	for (size_t i = 0; i < noting->n_processes; i++) {
		struct fold_entity *entity = &noting->refolded->into->entities[all[i].entity];

		if (!i || all[i].entity != all[i - 1].entity) {
			entity->id = all[i].pid;
			entity->n_merged = all[i].number;
		} else if (all[i].pid != all[i - 1].pid) {
			entity->id = -1;
			fold_entity_add_merged(entity, all[i].number);
		}
	}
}

static size_t count_children(const struct cct *cct)
{
	size_t n = 0;

	for (uint32_t i = cct->nodes[CCT_ROOT].first_child; i != CCT_NONE;
	     i = cct->nodes[i].next_sibling)
		n++;
	return n;
}

int refold_note_tree(const struct refold_base *base, const struct refolded *refolded)
{
	struct noting noting = { .base = base, .refolded = refolded };

	if (!base->has_groups && !base->has_frame_marks)
		return 0;
	noting.processes =
		calloc(count_children(base->profile->cct) + 1, sizeof(*noting.processes));
	int err = noting.processes ? walk_tree(&noting) : -ENOMEM;
	if (!err)
		count_processes(&noting);
	free(noting.processes);
	return err;
}
