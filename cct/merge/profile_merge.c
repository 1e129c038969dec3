/*
 * A profile is added by giving each of its parts a number in the sum, and then its nodes' costs to
 * the nodes with the same path. The finished sum is made in the same way: its tables get their
 * numbers in sorted order, and then the one profile is added to it.
 */
#include "cct/merge/profile_merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/merge/fold_once.h"
#include "cct/merge/join_addresses.h"
#include "cct/merge/join_processes.h"
#include "cct/merge/merge_info.h"
#include "cct/merge/merge_modules.h"
#include "cct/merge/merge_names.h"
#include "cct/merge/merge_order.h"
#include "cct/merge/merge_rows.h"
#include "cct/merge/merge_tables.h"
#include "cct/model/row_slices.h"

struct profile_merge {
	struct merge_state state;
	bool joins_processes, by_minute, joins_addresses, folds_once;
};

static int state_init(struct merge_state *state)
{
	*state = (struct merge_state){ .into = profile_create() };
	if (!state->into)
		return -ENOMEM;
	state->into->cct = cct_create(0);
	state->into->names = stored_names_create();
	return state->into->cct && state->into->names ? 0 : -ENOMEM;
}

static void state_deinit(struct merge_state *state)
{
	for (uint32_t i = 0; i < state->n_keys; i++)
		free((char *)state->keys[i].path);
	free(state->keys);
	string_ids_deinit(&state->modules);
	string_ids_deinit(&state->metrics);
	string_ids_deinit(&state->processes);
	string_ids_deinit(&state->threads);
	string_ids_deinit(&state->runs);
	string_ids_deinit(&state->tasks);
	pair_map_deinit(&state->metric_of);
	profile_destroy(state->into);
}

static void maps_deinit(struct merge_maps *maps)
{
	free(maps->modules);
	free(maps->metrics);
	free(maps->processes);
	free(maps->threads);
	free(maps->wakers);
	free(maps->cgroups);
	free(maps->values);
	free(maps->code_modules);
	free(maps->code_offsets);
}

static uint32_t *allocate_map(size_t n)
{
	return calloc(n + 1, sizeof(uint32_t));
}

static int maps_init(struct merge_maps *maps, const struct merge_state *state,
		     const struct profile *from)
{
	const size_t n_codes = from->names ? from->names->n_codes : 0;

	*maps = (struct merge_maps){ .from = from, .by_name = state->by_name };
	maps->modules = allocate_map(from->modules.n_modules);
	maps->metrics = allocate_map(from->n_metrics);
	maps->processes = allocate_map(from->n_processes);
	maps->threads = allocate_map(from->n_threads);
	maps->wakers = allocate_map(from->wakers.n_strings);
	maps->cgroups = allocate_map(from->cgroups.n_strings);
	maps->values = allocate_map(from->values.n_strings);
	maps->code_modules = allocate_map(n_codes);
	maps->code_offsets = calloc(n_codes + 1, sizeof(*maps->code_offsets));
	bool has_memory = maps->modules && maps->metrics && maps->processes && maps->threads &&
			  maps->wakers && maps->cgroups && maps->values && maps->code_modules &&
			  maps->code_offsets;
	return has_memory ? 0 : -ENOMEM;
}

static int merge_tables(struct merge_state *state, const struct merge_maps *maps)
{
	int err = merge_modules(state, maps->from, maps->modules);

	if (!err)
		err = merge_metrics(state, maps);
	if (!err)
		err = merge_processes(state, maps);
	if (!err)
		err = merge_threads(state, maps);
	if (!err)
		err = merge_wakers(state, maps);
	if (!err)
		err = merge_cgroups(state, maps);
	if (!err)
		err = merge_values(state, maps);
	if (!err)
		err = merge_info(&state->into->info, &maps->from->info);
	quality_merge(&state->into->quality, &maps->from->quality);
	state->n_added++;
	return err;
}

/* Code is where its names are, if these are part of its identity. */
static void map_code(const struct merge_maps *maps, struct frame *frame)
{
	const struct stored_names *names = maps->from->names;
	const struct module *module = module_table_get(&maps->from->modules, frame->module);
	const struct stored_code *code = NULL;

	if (module && names && (maps->by_name || !module->key.build_id.size))
		code = stored_names_find(names, frame->module, frame->offset);
	if (!code) {
		frame->module = maps->modules[frame->module];
		return;
	}
	frame->module = maps->code_modules[code - names->codes];
	frame->offset = maps->code_offsets[code - names->codes];
}

static struct frame map_frame(const struct merge_maps *maps, const struct frame *frame)
{
	struct frame mapped = *frame;

	switch ((enum frame_kind)frame->kind) {
	case FRAME_PROCESS:
		mapped.offset = maps->processes[frame->offset];
		break;
	case FRAME_THREAD:
		mapped.offset = maps->threads[frame->offset];
		break;
	case FRAME_WAKER:
		mapped.offset = maps->wakers[frame->offset];
		break;
	case FRAME_VALUE:
		mapped.offset = maps->values[frame->offset];
		break;
	case FRAME_CGROUP:
		if (frame->offset)
			mapped.offset = maps->cgroups[frame->offset - 1] + 1ull;
		break;
	case FRAME_USER:
	case FRAME_KERNEL:
		map_code(maps, &mapped);
		break;
	default:
		break;
	}
	return mapped;
}

/* By their numbers. To free(); NULL: no memory. */
static struct frame *map_frames(const struct merge_maps *maps)
{
	const struct frame_ids *known = &maps->from->cct->frames;
	struct frame *frames = calloc(known->n_frames, sizeof(*frames));

	for (uint32_t i = 0; frames && i < known->n_frames; i++)
		frames[i] = map_frame(maps, &known->frames[i]);
	return frames;
}

static bool is_before(const struct profile *profile, uint32_t a, uint32_t b)
{
	const struct metric *x = &profile->metrics[a], *y = &profile->metrics[b];
	int order = strcmp(x->name, y->name);

	if (!order)
		order = strcmp(x->unit, y->unit);
	return order ? order < 0 : a < b;
}

/*
 * Waits of one metric have their longest known in each node. If the profiles know that of different
 * metrics, the one with the smaller name stays. 0 or -ENOMEM.
 */
static int merge_longest_metric(struct merge_state *state, const struct merge_maps *maps)
{
	const struct cct *from = maps->from->cct;
	struct cct *into = state->into->cct;

	if (!from->longest)
		return 0;
	uint32_t metric = maps->metrics[from->longest_metric];
	if (into->longest && !is_before(state->into, metric, into->longest_metric))
		return 0;
	return cct_keep_longest(into, metric);
}

static bool has_scaled_metrics(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (profile->metrics[i].is_scaled)
			return true;
	}
	return false;
}

/* The sum has squares if all profiles have them, of weights that are not scaled. 0 or -ENOMEM. */
static int merge_squares(struct merge_state *state, const struct merge_maps *maps)
{
	const struct cct *from = maps->from->cct;
	struct cct *into = state->into->cct;

	if (from->n_nodes == 1)
		return 0;
	if (!from->squares || has_scaled_metrics(maps->from)) {
		cct_drop_squares(into);
		return 0;
	}
	return into->squares || into->n_nodes > 1 ? 0 : cct_keep_squares(into);
}

/* 0 or -ENOMEM. */
static int add_node(struct cct *into, uint32_t to, const struct merge_maps *maps, uint32_t node)
{
	const struct cct *from = maps->from->cct;

	if (path_marks_add_all(&into->marks, to, path_marks_of(&from->marks, node)))
		return -ENOMEM;
	into->nodes[to].frame_marks |= from->nodes[node].frame_marks;
	for (uint32_t metric = 0; metric < from->n_metrics; metric++) {
		struct cct_cost *cost = cct_cost(into, to, maps->metrics[metric]);

		cost->samples += cct_cost(from, node, metric)->samples;
		cost->weight += cct_cost(from, node, metric)->weight;
		if (into->squares)
			into->squares[(size_t)to * into->n_metrics + maps->metrics[metric]] +=
				from->squares[(size_t)node * from->n_metrics + metric];
	}
	if (from->longest && maps->metrics[from->longest_metric] == into->longest_metric &&
	    from->longest[node] > into->longest[to])
		into->longest[to] = from->longest[node];
	cct_add_activations(into, to, from, node);
	return 0;
}

/* Fills @nodes, by number: what they are in the sum. @order: of the nodes; NULL: as they are. */
static int merge_tree(struct merge_state *state, const struct merge_maps *maps,
		      const struct frame *frames, const uint32_t *order, uint32_t *nodes)
{
	const struct cct *from = maps->from->cct;
	struct cct *into = state->into->cct;
	int err = cct_widen(into, state->into->n_metrics);

	if (!err)
		err = merge_longest_metric(state, maps);
	if (!err && from->activations)
		err = cct_keep_activations(into);
	if (!err)
		err = merge_squares(state, maps);
	struct frame_numbers numbers;
	if (!err)
		err = frame_numbers_init(&numbers, into, frames, from->frames.n_frames);
	if (err)
		return err;
	for (uint32_t i = 0; !err && i < from->n_nodes; i++) {
		uint32_t node = order ? order[i] : i;

		if (node != CCT_ROOT)
			nodes[node] = frame_numbers_child(&numbers, nodes[from->nodes[node].parent],
							  from->nodes[node].frame);
		err = nodes[node] == CCT_NONE ? -ENOMEM : add_node(into, nodes[node], maps, node);
	}
	frame_numbers_deinit(&numbers);
	return err;
}

struct profile_merge *profile_merge_create(bool by_name, uint32_t max_rows)
{
	struct profile_merge *merge = calloc(1, sizeof(*merge));

	if (!merge)
		return NULL;
	if (state_init(&merge->state)) {
		profile_merge_destroy(merge);
		return NULL;
	}
	merge->state.by_name = by_name;
	merge->state.max_rows = max_rows;
	return merge;
}

void profile_merge_destroy(struct profile_merge *merge)
{
	if (!merge)
		return;
	state_deinit(&merge->state);
	free(merge);
}

/* Adds the nodes and the rows, when all that they refer to was added. */
static int merge_samples(struct merge_state *state, const struct merge_maps *maps)
{
	_cleanup_free_ struct frame *frames = map_frames(maps);
	_cleanup_free_ uint32_t *nodes = allocate_map(maps->from->cct->n_nodes);
	int err = frames && nodes ? merge_tree(state, maps, frames, NULL, nodes) : -ENOMEM;

	return err ? err : merge_rows(state, maps, nodes);
}

int profile_merge_add(struct profile_merge *merge, const struct profile *profile)
{
	struct merge_maps maps;
	int err = maps_init(&maps, &merge->state, profile);

	if (!err)
		err = merge_tables(&merge->state, &maps);
	if (!err)
		err = merge_names(&merge->state, &maps, NULL);
	if (!err)
		err = merge_samples(&merge->state, &maps);
	maps_deinit(&maps);
	return err;
}

void profile_merge_join_processes(struct profile_merge *merge)
{
	merge->joins_processes = true;
}

void profile_merge_by_minute(struct profile_merge *merge)
{
	merge->by_minute = true;
}

void profile_merge_join_addresses(struct profile_merge *merge)
{
	merge->joins_addresses = true;
}

void profile_merge_fold_once(struct profile_merge *merge)
{
	merge->folds_once = true;
}

/* Puts another tree in the place of the sum's, and leaves none where it was. */
static void replace_tree(struct profile *profile, struct cct **cct)
{
	cct_destroy(profile->cct);
	profile->cct = steal_ptr(*cct);
	cct_drop_index(profile->cct);
}

static uint64_t count_joined(const struct profile *profile)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < profile->n_processes; i++)
		n += profile->processes[i].n_joined;
	return n;
}

/* Without rows, nobody knows how long processes ran. 0 or -ENOMEM. */
static int join(struct merge_state *sum)
{
	struct profile *profile = sum->into;
	struct joined_tree joined = { 0 };

	if (!profile->rows)
		return 0;
	_cleanup_free_ struct time_span *spans =
		calloc((size_t)profile->n_processes + 1, sizeof(*spans));
	int err = spans ? merge_find_spans(sum, spans) : -ENOMEM;
	if (!err)
		err = join_processes(profile, spans, &joined);
	if (!err)
		err = merge_move_rows_to_tasks(sum, joined.tree.nodes, joined.tasks);
	if (!err) {
		replace_tree(profile, &joined.tree.cct);
		profile->quality.counts[QUALITY_SHORT_PROCESSES] = count_joined(profile);
	}
	joined_tree_deinit(&joined);
	return err;
}

/* Puts the changed tree in the place of the sum's. 0 or -ENOMEM. */
static int change_tree(struct merge_state *sum, struct changed_tree *changed)
{
	int err = merge_move_rows(sum, changed->nodes);

	if (!err)
		replace_tree(sum->into, &changed->cct);
	return err;
}

static int join_rare(struct merge_state *sum)
{
	struct profile *profile = sum->into;
	struct changed_tree joined;
	int err = join_addresses(profile, &joined);

	if (!err)
		err = change_tree(sum, &joined);
	if (!err)
		profile->quality.counts[QUALITY_JOINED_ADDRESSES] += joined.n_samples;
	changed_tree_deinit(&joined);
	return err;
}

static int fold(struct merge_state *sum)
{
	struct profile *profile = sum->into;
	struct changed_tree folded;
	int err = fold_once(profile->cct, &folded);

	if (!err)
		err = change_tree(sum, &folded);
	if (!err)
		profile->quality.counts[QUALITY_FOLDED] = folded.n_samples;
	changed_tree_deinit(&folded);
	return err;
}

/*
 * The names of all frames of the sum's tree. Without a build ID, names tell the variants of a
 * module (cct/merge/merge_names.h), so they stay.
 */
static void mark_codes(const struct profile *profile, bool is_unused, bool *marks)
{
	const struct frame_ids *ids = &profile->cct->frames;
	const struct stored_names *names = profile->names;

	for (uint32_t i = 0; i < ids->n_frames; i++) {
		const struct frame *frame = &ids->frames[i];
		const struct module *module = module_table_get(&profile->modules, frame->module);
		const struct stored_code *code =
			module && module->key.build_id.size
				? stored_names_find(names, frame->module, frame->offset)
				: NULL;

		if (code)
			marks[code - names->codes] = is_unused;
	}
}

/* Leaves out what is rare. @is_unused_ret: by code, no frame has it any more; to free(); NULL: all
 * codes stay. 0 or -ENOMEM. */
static int leave_out(const struct profile_merge *merge, struct merge_state *sum,
		     bool **is_unused_ret)
{
	const struct profile *profile = sum->into;

	*is_unused_ret = NULL;
	if (!merge->joins_addresses && !merge->folds_once)
		return 0;
	*is_unused_ret = calloc(profile->names->n_codes + 1ul, sizeof(**is_unused_ret));
	if (!*is_unused_ret)
		return -ENOMEM;
	mark_codes(profile, true, *is_unused_ret);
	int err = merge->joins_addresses ? join_rare(sum) : 0;
	if (!err && merge->folds_once)
		err = fold(sum);
	mark_codes(profile, false, *is_unused_ret);
	return err;
}

/* Adds the sum to an empty one whose tables are sorted. */
static int add_sorted(struct merge_state *sorted, struct merge_state *sum,
		      const struct merge_maps *maps, struct merge_order *order)
{
	int err = merge_tables(sorted, maps);

	if (!err)
		err = merge_order_names(sum, order);
	if (!err)
		err = merge_names(sorted, maps, order);
	_cleanup_free_ struct frame *frames = err ? NULL : map_frames(maps);
	_cleanup_free_ uint32_t *nodes = err ? NULL : allocate_map(sum->into->cct->n_nodes);
	if (!frames || !nodes)
		return err ? err : -ENOMEM;
	err = merge_order_nodes(sum, frames, order);
	if (!err)
		err = merge_tree(sorted, maps, frames, order->nodes, nodes);
	return err ? err : merge_sort_rows(sorted, sum, maps, nodes);
}

static int finish(struct profile_merge *merge, bool packs_rows, struct profile **profile_ret)
{
	_cleanup_free_ bool *is_unused_code = NULL;
	struct merge_order order = { 0 };
	struct merge_state sorted;
	struct merge_maps maps;
	int err = state_init(&sorted);

	sorted.packs_rows = packs_rows;
	cct_drop_index(merge->state.into->cct);
	if (!err && merge->joins_processes)
		err = join(&merge->state);
	if (merge->by_minute)
		merge_slice_rows(&merge->state, ROW_SLICE_MINUTE);
	if (!err)
		err = leave_out(merge, &merge->state, &is_unused_code);
	merge->state.is_unused_code = is_unused_code;
	if (maps_init(&maps, &sorted, merge->state.into))
		err = -ENOMEM;
	if (!err)
		err = merge_sort_tables(&sorted, &merge->state);
	if (!err)
		err = add_sorted(&sorted, &merge->state, &maps, &order);
	if (!err) {
		cct_drop_index(sorted.into->cct);
		*profile_ret = steal_ptr(sorted.into);
	}
	merge->state.is_unused_code = NULL;
	merge_order_deinit(&order);
	maps_deinit(&maps);
	state_deinit(&sorted);
	return err;
}

int profile_merge_finish(struct profile_merge *merge, struct profile **profile_ret)
{
	return finish(merge, false, profile_ret);
}

int profile_merge_finish_packed(struct profile_merge *merge, struct profile **profile_ret)
{
	return finish(merge, true, profile_ret);
}
