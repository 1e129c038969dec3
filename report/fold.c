#include "report/fold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/cleanup.h"
#include "report/pair_map.h"

#define NONE UINT32_MAX

static const char *const kind_names[] = {
	[FRAME_ROOT] = "root", [FRAME_PROCESS] = "process", [FRAME_THREAD] = "thread",
	[FRAME_USER] = "user", [FRAME_KERNEL] = "kernel",   [FRAME_MARKER] = "marker",
};

/* State of the one pass over the tree that makes a fold. */
struct folding {
	const struct profile *profile;
	const struct view_options *options;
	struct symbolizer *symbolizer;
	struct fold *fold;
	uint32_t n_entities_allocated;
	uint32_t *by_function; /* function -> entity */
	uint32_t n_functions;
	uint32_t *by_process; /* index in the profile -> entity */
	uint32_t *by_thread;
	struct pair_map nodes; /* (parent, entity) -> node */
};

/* A process that occurs in the tree. */
struct seen_process {
	uint32_t index;
	int32_t pid;
	const char *name;
};

void fold_destroy(struct fold *fold)
{
	if (!fold)
		return;
	free(fold->entities);
	free(fold->nodes);
	free(fold->self);
	free(fold->total);
	free(fold->self_samples);
	free(fold->samples);
	free(fold);
}

static uint32_t add_entity(struct folding *folding, const struct fold_entity *entity)
{
	struct fold *fold = folding->fold;

	if (fold->n_entities == folding->n_entities_allocated) {
		uint32_t n = fold->n_entities ? fold->n_entities * 2 : 256;
		struct fold_entity *larger = reallocarray(fold->entities, n, sizeof(*larger));

		if (!larger)
			return NONE;
		fold->entities = larger;
		folding->n_entities_allocated = n;
	}
	fold->entities[fold->n_entities] = *entity;
	return fold->n_entities++;
}

static int grow_functions(struct folding *folding, uint32_t function)
{
	uint32_t n = folding->n_functions ? folding->n_functions : 1024;
	uint32_t *larger;

	while (n <= function)
		n *= 2;
	larger = reallocarray(folding->by_function, n, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	memset(larger + folding->n_functions, 0xff, (n - folding->n_functions) * sizeof(*larger));
	folding->by_function = larger;
	folding->n_functions = n;
	return 0;
}

/* The entity of a code frame or marker. */
static int function_entity(struct folding *folding, const struct frame *frame, uint32_t *entity_ret)
{
	struct frame_name name;
	int err = symbolizer_name(folding->symbolizer, frame, &name);

	if (!err && name.function >= folding->n_functions)
		err = grow_functions(folding, name.function);
	if (err)
		return err;
	if (folding->by_function[name.function] == NONE) {
		struct fold_entity entity = {
			.name = name.name,
			.module = name.module,
			.kind = kind_names[frame->kind],
			.id = -1,
			.module_id = frame->module,
			.frame_kind = (enum frame_kind)frame->kind,
		};

		folding->by_function[name.function] = add_entity(folding, &entity);
	}
	*entity_ret = folding->by_function[name.function];
	return *entity_ret == NONE ? -ENOMEM : 0;
}

static int compare_seen(const void *a, const void *b)
{
	const struct seen_process *x = a, *y = b;
	int by_name = strcmp(x->name, y->name);

	if (by_name)
		return by_name;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static bool same_group(const struct folding *folding, const struct seen_process *a,
		       const struct seen_process *b)
{
	if (strcmp(a->name, b->name) != 0)
		return false;
	return folding->options->grouping == GROUP_COMM || a->pid == b->pid;
}

/* The processes that occur in the tree, sorted by name and pid. NULL: no memory. */
static struct seen_process *find_processes(const struct folding *folding, size_t *n_seen_ret)
{
	const struct profile *profile = folding->profile;
	const struct cct *cct = profile->cct;
	struct seen_process *seen = calloc(profile->n_processes + 1, sizeof(*seen));
	size_t n_seen = 0;

	if (!seen)
		return NULL;
	for (uint32_t i = cct->nodes[CCT_ROOT].first_child; i != CCT_NONE;
	     i = cct->nodes[i].next_sibling) {
		const struct frame *frame = &cct->nodes[i].frame;
		const struct profile_process *process;

		if (frame->kind != FRAME_PROCESS || frame->offset >= profile->n_processes ||
		    n_seen > profile->n_processes)
			continue;
		process = &profile->processes[frame->offset];
		seen[n_seen++] = (struct seen_process){
			.index = (uint32_t)frame->offset,
			.pid = process->pid,
			.name = process->name ? process->name : "[unknown]",
		};
	}
	qsort(seen, n_seen, sizeof(*seen), compare_seen);
	*n_seen_ret = n_seen;
	return seen;
}

static uint32_t add_process_group(struct folding *folding, const struct seen_process *first)
{
	struct fold_entity entity = {
		.name = first->name,
		.module = "",
		.kind = kind_names[FRAME_PROCESS],
		.id = first->pid,
		.n_merged = 1,
		.frame_kind = FRAME_PROCESS,
	};

	return add_entity(folding, &entity);
}

/* Makes one entity of each group of processes: of one name, or of one name and pid. */
static int group_processes(struct folding *folding)
{
	size_t n_seen;
	_cleanup_free_ struct seen_process *seen = find_processes(folding, &n_seen);
	uint32_t group = NONE;

	if (!seen)
		return -ENOMEM;
	for (size_t i = 0; i < n_seen; i++) {
		if (!i || !same_group(folding, &seen[i - 1], &seen[i])) {
			group = add_process_group(folding, &seen[i]);
			if (group == NONE)
				return -ENOMEM;
		} else if (seen[i - 1].pid != seen[i].pid) {
			folding->fold->entities[group].id = -1;
			folding->fold->entities[group].n_merged++;
		}
		folding->by_process[seen[i].index] = group;
	}
	return 0;
}

static uint32_t thread_entity(struct folding *folding, const struct frame *frame)
{
	const struct profile_thread *thread;
	uint32_t *entity;

	if (frame->offset >= folding->profile->n_threads)
		return NONE;
	entity = &folding->by_thread[frame->offset];
	if (*entity != NONE)
		return *entity;
	thread = &folding->profile->threads[frame->offset];
	*entity = add_entity(folding, &(struct fold_entity){
					      .name = thread->name ? thread->name : "[unknown]",
					      .module = "",
					      .kind = kind_names[FRAME_THREAD],
					      .id = thread->tid,
					      .n_merged = 1,
					      .frame_kind = FRAME_THREAD,
				      });
	return *entity;
}

/* What the options leave out; its cost goes to the parent. */
static bool is_folded_away(const struct view_options *options, const struct frame *frame)
{
	bool kernel_mark = frame->kind == FRAME_MARKER && frame->offset == MARKER_KERNEL;

	if (options->kind == VIEW_PROCESSES && frame->kind >= FRAME_USER)
		return true;
	switch ((enum frame_kind)frame->kind) {
	case FRAME_THREAD:
		return options->grouping != GROUP_THREAD;
	case FRAME_USER:
		return options->kernel == KERNEL_ONLY;
	case FRAME_KERNEL:
		return options->kernel == KERNEL_NONE;
	case FRAME_MARKER:
		return options->kernel == KERNEL_ONLY ||
		       (kernel_mark && options->kernel == KERNEL_NONE);
	default:
		return false;
	}
}

static int find_entity(struct folding *folding, const struct frame *frame, uint32_t *entity_ret)
{
	switch ((enum frame_kind)frame->kind) {
	case FRAME_PROCESS:
		*entity_ret = frame->offset < folding->profile->n_processes
				      ? folding->by_process[frame->offset]
				      : NONE;
		break;
	case FRAME_THREAD:
		*entity_ret = thread_entity(folding, frame);
		break;
	default:
		return function_entity(folding, frame, entity_ret);
	}
	return *entity_ret == NONE ? -EINVAL : 0;
}

/* The node that stands for the tree's node with @frame below @parent. */
static int fold_node(struct folding *folding, uint32_t parent, const struct frame *frame,
		     uint32_t *node_ret)
{
	struct fold *fold = folding->fold;
	uint32_t entity;
	int err;

	if (is_folded_away(folding->options, frame)) {
		*node_ret = parent;
		return 0;
	}
	err = find_entity(folding, frame, &entity);
	if (err)
		return err;
	*node_ret = pair_map_find(&folding->nodes, parent, entity);
	if (*node_ret != PAIR_MAP_NONE)
		return 0;
	*node_ret = fold->n_nodes++;
	fold->nodes[*node_ret] = (struct fold_node){ .parent = parent, .entity = entity };
	return pair_map_add(&folding->nodes, parent, entity, *node_ret);
}

static void add_cost(struct fold *fold, uint32_t node, const struct cct *cct, uint32_t cct_node)
{
	size_t at = (size_t)node * fold->n_metrics;

	for (int mark = 0; mark < N_PATH_MARKS; mark++)
		fold->nodes[node].marked[mark] += cct->nodes[cct_node].marked[mark];
	for (uint32_t metric = 0; metric < fold->n_metrics; metric++) {
		const struct cct_cost *cost = cct_cost(cct, cct_node, metric);

		fold->self[at + metric] += cost->weight;
		fold->self_samples[at + metric] += cost->samples;
	}
}

static int fold_tree(struct folding *folding)
{
	const struct cct *cct = folding->profile->cct;
	struct fold *fold = folding->fold;
	_cleanup_free_ uint32_t *folded = calloc(cct->n_nodes, sizeof(*folded));

	if (!folded)
		return -ENOMEM;
	add_cost(fold, 0, cct, CCT_ROOT);
	for (uint32_t i = 1; i < cct->n_nodes; i++) {
		const struct cct_node *node = &cct->nodes[i];
		int err = fold_node(folding, folded[node->parent], &node->frame, &folded[i]);

		if (err)
			return err;
		add_cost(fold, folded[i], cct, i);
	}
	return 0;
}

static void sum_up(struct fold *fold)
{
	size_t n_metrics = fold->n_metrics, n_costs = fold->n_nodes * n_metrics;

	memcpy(fold->total, fold->self, n_costs * sizeof(*fold->total));
	memcpy(fold->samples, fold->self_samples, n_costs * sizeof(*fold->samples));
	for (uint32_t i = fold->n_nodes - 1; i > 0; i--) {
		size_t parent = fold->nodes[i].parent * n_metrics;

		for (size_t metric = 0; metric < n_metrics; metric++) {
			fold->total[parent + metric] += fold->total[i * n_metrics + metric];
			fold->samples[parent + metric] += fold->samples[i * n_metrics + metric];
		}
	}
}

static struct fold *allocate(const struct cct *cct)
{
	struct fold *fold = calloc(1, sizeof(*fold));
	size_t n_costs = (size_t)cct->n_nodes * cct->n_metrics;

	if (!fold)
		return NULL;
	fold->n_metrics = cct->n_metrics;
	fold->nodes = calloc(cct->n_nodes, sizeof(*fold->nodes));
	fold->self = calloc(n_costs + 1, sizeof(*fold->self));
	fold->total = calloc(n_costs + 1, sizeof(*fold->total));
	fold->self_samples = calloc(n_costs + 1, sizeof(*fold->self_samples));
	fold->samples = calloc(n_costs + 1, sizeof(*fold->samples));
	if (!fold->nodes || !fold->self || !fold->total || !fold->self_samples || !fold->samples) {
		fold_destroy(fold);
		return NULL;
	}
	fold->n_nodes = 1;
	return fold;
}

static uint32_t *allocate_indexes(uint32_t n)
{
	uint32_t *indexes = calloc((size_t)n + 1, sizeof(*indexes));

	if (indexes)
		memset(indexes, 0xff, ((size_t)n + 1) * sizeof(*indexes));
	return indexes;
}

static int fold_profile(struct folding *folding)
{
	static const struct fold_entity root = {
		.name = "all", .module = "", .kind = "root", .id = -1, .frame_kind = FRAME_ROOT
	};
	int err;

	folding->by_process = allocate_indexes(folding->profile->n_processes);
	folding->by_thread = allocate_indexes(folding->profile->n_threads);
	if (!folding->by_process || !folding->by_thread || add_entity(folding, &root) == NONE)
		return -ENOMEM;
	err = group_processes(folding);
	if (!err)
		err = fold_tree(folding);
	if (!err)
		sum_up(folding->fold);
	return err;
}

int fold_create(const struct profile *profile, struct symbolizer *symbolizer,
		const struct view_options *options, struct fold **fold_ret)
{
	struct folding folding = {
		.profile = profile,
		.options = options,
		.symbolizer = symbolizer,
		.fold = allocate(profile->cct),
	};
	int err = folding.fold ? fold_profile(&folding) : -ENOMEM;

	free(folding.by_function);
	free(folding.by_process);
	free(folding.by_thread);
	pair_map_deinit(&folding.nodes);
	if (err) {
		fold_destroy(folding.fold);
		return err;
	}
	*fold_ret = folding.fold;
	return 0;
}
