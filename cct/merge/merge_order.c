#include "cct/merge/merge_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/compare.h"
#include "cct/merge/merge_modules.h"
#include "cct/merge/merge_names.h"
#include "cct/merge/merge_tables.h"

typedef int (*compare_indices)(const void *a, const void *b, void *context);

/* The indices below @n, sorted; to free(). NULL: no memory. */
static uint32_t *sort_indices(uint32_t n, compare_indices compare, const void *context)
{
	uint32_t *order = calloc((size_t)n + 1, sizeof(*order));

	for (uint32_t i = 0; order && i < n; i++)
		order[i] = i;
	if (order && compare)
		qsort_r(order, n, sizeof(*order), compare, (void *)context);
	return order;
}

static int compare_modules(const void *a, const void *b, void *context)
{
	const struct module_key *keys = context;

	return merge_compare_modules(&keys[*(const uint32_t *)a], &keys[*(const uint32_t *)b]);
}

/* The base of a module is that of its first variant, which has seen all profiles. */
static int sort_modules(struct merge_state *sorted, const struct merge_state *sum)
{
	_cleanup_free_ uint32_t *order = sort_indices(sum->n_keys, compare_modules, sum->keys);
	uint64_t base = 0;

	for (uint32_t i = 0; order && i < sum->n_keys; i++) {
		struct module_key key = sum->keys[order[i]];

		if (!i || !merge_are_variants(&sum->keys[order[i - 1]], &key))
			base = key.base;
		key.base = base;
		if (!merge_module(sorted, &key, (uint32_t)key.inode_generation))
			return -ENOMEM;
	}
	return order ? 0 : -ENOMEM;
}

static int compare_metrics(const void *a, const void *b, void *context)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct metric *metrics = context;
	int order = strcmp(metrics[x].name, metrics[y].name);

	if (!order)
		order = strcmp(metrics[x].unit, metrics[y].unit);
	return order ? order : compare_numbers(x, y);
}

static int sort_metrics(struct merge_state *sorted, const struct merge_state *sum)
{
	const struct profile *profile = sum->into;
	_cleanup_free_ uint32_t *n_before = merge_count_metrics(profile);
	_cleanup_free_ uint32_t *order =
		sort_indices(profile->n_metrics,
			     sum->is_metric_order_mixed ? compare_metrics : NULL, profile->metrics);

	if (!n_before || !order)
		return -ENOMEM;
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (merge_metric(sorted, &profile->metrics[order[i]], n_before[order[i]]) ==
		    UINT32_MAX)
			return -ENOMEM;
	}
	return 0;
}

static int compare_processes(const void *a, const void *b, void *context)
{
	const struct profile_process *processes = context;
	const struct profile_process *x = &processes[*(const uint32_t *)a];
	const struct profile_process *y = &processes[*(const uint32_t *)b];

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	const int order = strcmp(x->name, y->name);
	return order ? order : (int)!!x->n_joined - (int)!!y->n_joined;
}

/* Fills @numbers: by index in the sum. */
static int sort_processes(struct merge_state *sorted, const struct merge_state *sum,
			  uint32_t *numbers)
{
	const struct profile *profile = sum->into;
	_cleanup_free_ uint32_t *order =
		sort_indices(profile->n_processes, compare_processes, profile->processes);

	for (uint32_t i = 0; order && i < profile->n_processes; i++) {
		numbers[order[i]] = merge_process(sorted, &profile->processes[order[i]]);
		if (numbers[order[i]] == UINT32_MAX)
			return -ENOMEM;
	}
	return order ? 0 : -ENOMEM;
}

struct thread_sort {
	const struct profile_thread *threads;
	const uint32_t *processes; /* their numbers */
};

static int compare_threads(const void *a, const void *b, void *context)
{
	const struct thread_sort *sort = context;
	const struct profile_thread *x = &sort->threads[*(const uint32_t *)a];
	const struct profile_thread *y = &sort->threads[*(const uint32_t *)b];
	int order = compare_numbers(sort->processes[x->process], sort->processes[y->process]);

	if (order || x->tid == y->tid)
		return order ? order : strcmp(x->name, y->name);
	return x->tid < y->tid ? -1 : 1;
}

static int sort_threads(struct merge_state *sorted, const struct merge_state *sum)
{
	const struct profile *profile = sum->into;
	_cleanup_free_ uint32_t *processes = calloc(profile->n_processes + 1u, sizeof(*processes));
	int err = processes ? sort_processes(sorted, sum, processes) : -ENOMEM;

	if (err)
		return err;
	const struct thread_sort sort = { profile->threads, processes };
	_cleanup_free_ uint32_t *order = sort_indices(profile->n_threads, compare_threads, &sort);
	for (uint32_t i = 0; order && i < profile->n_threads; i++) {
		const struct profile_thread *thread = &profile->threads[order[i]];

		if (merge_thread(sorted, thread, processes[thread->process]) == UINT32_MAX)
			return -ENOMEM;
	}
	return order ? 0 : -ENOMEM;
}

static int compare_strings(const void *a, const void *b, void *context)
{
	char *const *strings = context;

	return strcmp(strings[*(const uint32_t *)a], strings[*(const uint32_t *)b]);
}

static int sort_texts(struct string_ids *sorted, const struct string_ids *texts)
{
	_cleanup_free_ uint32_t *order =
		sort_indices(texts->n_strings, compare_strings, texts->strings);
	int err = order ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < texts->n_strings; i++) {
		uint32_t id;
		bool is_new;

		err = string_ids_add(sorted, texts->strings[order[i]], &id, &is_new);
	}
	return err;
}

int merge_sort_tables(struct merge_state *sorted, const struct merge_state *sum)
{
	int err = sort_modules(sorted, sum);

	if (!err)
		err = sort_metrics(sorted, sum);
	if (!err)
		err = sort_threads(sorted, sum);
	if (!err)
		err = sort_texts(&sorted->into->wakers, &sum->into->wakers);
	if (!err)
		err = sort_texts(&sorted->into->cgroups, &sum->into->cgroups);
	if (!err)
		err = sort_texts(&sorted->into->values, &sum->into->values);
	return err ? err : sort_texts(&sorted->into->splits, &sum->into->splits);
}

struct name_sort {
	const struct stored_names *names;
	const uint32_t *ranks; /* of modules, by id; variants have the same */
};

static int compare_codes(const void *a, const void *b, void *context)
{
	const struct name_sort *sort = context;
	const struct stored_code *x = &sort->names->codes[*(const uint32_t *)a];
	const struct stored_code *y = &sort->names->codes[*(const uint32_t *)b];
	int order = compare_numbers(sort->ranks[x->module], sort->ranks[y->module]);

	return order ? order : merge_compare_codes(sort->names, x, y);
}

static int compare_lacks(const void *a, const void *b, void *context)
{
	const struct name_sort *sort = context;
	const struct stored_lack *x = &sort->names->lacks[*(const uint32_t *)a];
	const struct stored_lack *y = &sort->names->lacks[*(const uint32_t *)b];
	int order = compare_numbers(sort->ranks[x->module], sort->ranks[y->module]);

	return order ? order : compare_numbers(x->lack, y->lack);
}

/* The modules' ranks, by id; to free(). NULL: no memory. */
static uint32_t *rank_modules(const struct merge_state *sum)
{
	const struct module_key *keys = sum->keys;
	_cleanup_free_ uint32_t *order = sort_indices(sum->n_keys, compare_modules, keys);
	uint32_t *ranks = order ? calloc(sum->n_keys + 1u, sizeof(*ranks)) : NULL;
	uint32_t rank = 0;

	for (uint32_t i = 0; ranks && i < sum->n_keys; i++) {
		rank += i && !merge_are_variants(&keys[order[i - 1]], &keys[order[i]]);
		ranks[order[i] + 1] = rank;
	}
	return ranks;
}

/* Takes those that no frame has any more out of the order. */
static void keep_used_codes(const struct merge_state *sum, struct merge_order *order)
{
	const uint32_t n = sum->into->names->n_codes;

	order->n_codes = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!sum->is_unused_code || !sum->is_unused_code[order->codes[i]])
			order->codes[order->n_codes++] = order->codes[i];
	}
}

int merge_order_names(const struct merge_state *sum, struct merge_order *order)
{
	_cleanup_free_ uint32_t *ranks = rank_modules(sum);
	const struct name_sort sort = { sum->into->names, ranks };

	if (!ranks)
		return -ENOMEM;
	order->codes = sort_indices(sort.names->n_codes, compare_codes, &sort);
	order->lacks = sort_indices(sort.names->n_lacks, compare_lacks, &sort);
	if (!order->codes || !order->lacks)
		return -ENOMEM;
	keep_used_codes(sum, order);
	return 0;
}

struct child_order {
	const struct cct_node *nodes;
	const struct frame *frames; /* by number */
};

/* The last one first, so that a stack of children gives the first one first. */
static int compare_children(const void *a, const void *b, void *context)
{
	const struct child_order *order = context;
	const struct frame *x = &order->frames[order->nodes[*(const uint32_t *)a].frame];
	const struct frame *y = &order->frames[order->nodes[*(const uint32_t *)b].frame];

	if (x->kind != y->kind)
		return x->kind > y->kind ? -1 : 1;
	if (x->module != y->module)
		return compare_numbers(y->module, x->module);
	return x->offset != y->offset ? compare_numbers(y->offset, x->offset)
				      : compare_numbers(y->part, x->part);
}

int merge_order_nodes(const struct merge_state *sum, const struct frame *frames,
		      struct merge_order *order)
{
	const struct cct *cct = sum->into->cct;
	struct child_order by = { .nodes = cct->nodes, .frames = frames };
	_cleanup_free_ uint32_t *stack = calloc(cct->n_nodes, sizeof(*stack));
	uint32_t n_stack = 0;

	order->nodes = calloc(cct->n_nodes, sizeof(*order->nodes));
	if (!stack || !order->nodes)
		return -ENOMEM;
	stack[n_stack++] = CCT_ROOT;
	for (uint32_t n = 0; n_stack; n++) {
		const uint32_t node = stack[--n_stack], n_below = n_stack;

		order->nodes[n] = node;
		for (uint32_t child = cct->nodes[node].first_child; child != CCT_NONE;
		     child = cct->nodes[child].next_sibling)
			stack[n_stack++] = child;
		if (n_stack - n_below > 1)
			qsort_r(stack + n_below, n_stack - n_below, sizeof(*stack),
				compare_children, &by);
	}
	return 0;
}

void merge_order_deinit(struct merge_order *order)
{
	free(order->codes);
	free(order->lacks);
	free(order->nodes);
}
