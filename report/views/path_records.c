#include "report/views/path_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "report/fold/fold.h"

static uint64_t *costs_of(const struct path_records *records, uint64_t *costs, uint32_t record)
{
	return costs + (size_t)record * records->fold->n_metrics;
}

/* Enlarges an array of costs to hold those of all allocated records. */
static int enlarge_costs(const struct path_records *records, uint64_t **costs)
{
	size_t n_metrics = records->fold->n_metrics;
	uint64_t *larger =
		reallocarray(*costs, (size_t)records->n_allocated * n_metrics + 1, sizeof(*larger));

	if (!larger)
		return -ENOMEM;
	*costs = larger;
	return 0;
}

static int reserve(struct path_records *records)
{
	uint32_t n_allocated = records->n_allocated;

	if (array_reserve(records->all, records->n, records->n_allocated, 1))
		return -ENOMEM;
	if (records->n_allocated == n_allocated)
		return 0;
	if (enlarge_costs(records, &records->self) || enlarge_costs(records, &records->total) ||
	    enlarge_costs(records, &records->samples)) {
		records->n_allocated = n_allocated;
		return -ENOMEM;
	}
	return 0;
}

/* The record on the path from @parent up that has the function, or @own. */
static uint32_t find_canonical(const struct path_records *records, uint32_t parent, uint32_t entity,
			       uint32_t own)
{
	for (uint32_t i = parent; i != PATH_RECORD_TOP; i = records->all[i].parent) {
		if (records->all[i].entity == entity)
			return i;
	}
	return own;
}

static int add_record(struct path_records *records, uint32_t parent, uint32_t entity)
{
	uint32_t own = records->n;
	size_t n_bytes = records->fold->n_metrics * sizeof(uint64_t);

	if (reserve(records))
		return -ENOMEM;
	records->all[own] = (struct path_record){
		.parent = parent,
		.entity = entity,
		.canonical = find_canonical(records, parent, entity, own),
	};
	memset(costs_of(records, records->self, own), 0, n_bytes);
	memset(costs_of(records, records->total, own), 0, n_bytes);
	memset(costs_of(records, records->samples, own), 0, n_bytes);
	records->n++;
	return 0;
}

int path_records_init(struct path_records *records, const struct fold *fold)
{
	*records = (struct path_records){ .fold = fold };
	int err = add_record(records, PATH_RECORD_TOP, 0);

	if (err)
		path_records_deinit(records);
	return err;
}

void path_records_deinit(struct path_records *records)
{
	free(records->all);
	free(records->self);
	free(records->total);
	free(records->samples);
	pair_map_deinit(&records->by_path);
	*records = (struct path_records){ .fold = NULL };
}

int path_records_get(struct path_records *records, uint32_t parent, uint32_t entity,
		     uint32_t *record_ret)
{
	uint32_t record = pair_map_find(&records->by_path, parent, entity);

	if (record == PAIR_MAP_NONE) {
		record = records->n;
		if (add_record(records, parent, entity) ||
		    pair_map_add(&records->by_path, parent, entity, record))
			return -ENOMEM;
	}
	*record_ret = record;
	return 0;
}

void path_records_add(struct path_records *records, uint32_t record, uint32_t node, bool inclusive)
{
	const struct fold *fold = records->fold;
	size_t at = (size_t)node * fold->n_metrics;
	uint64_t longest = inclusive ? fold_longest(fold, node) : fold_self_longest(fold, node);

	view_add_cost(costs_of(records, records->total, record),
		      (inclusive ? fold->total : fold->self) + at, fold->n_metrics);
	view_add_cost(costs_of(records, records->samples, record),
		      (inclusive ? fold->samples : fold->self_samples) + at, fold->n_metrics);
	if (longest > records->all[record].longest)
		records->all[record].longest = longest;
}

bool path_records_count(struct path_records *records, uint32_t record, uint32_t node)
{
	struct path_record *of = &records->all[record];

	if (of->is_locked)
		return false;
	of->is_locked = true;
	path_records_add(records, record, node, true);
	return true;
}

void path_records_own_totals(struct path_records *records)
{
	size_t n_bytes = records->fold->n_metrics * sizeof(uint64_t);

	for (uint32_t i = 1; i < records->n; i++) {
		if (records->all[i].parent == PATH_RECORD_TOP)
			memcpy(costs_of(records, records->self, i),
			       costs_of(records, records->total, i), n_bytes);
	}
}

void path_records_unlock(struct path_records *records, uint32_t record)
{
	records->all[record].is_locked = false;
}

void path_records_add_self(struct path_records *records, uint32_t record, uint32_t node)
{
	uint32_t n_metrics = records->fold->n_metrics;

	view_add_cost(costs_of(records, records->self, record),
		      records->fold->self + (size_t)node * n_metrics, n_metrics);
}

static bool gets_children(const struct view *view, const struct view_row *row)
{
	const uint64_t *whole = view->root->total;
	double min_percent = view->options.min_percent;

	if (min_percent <= 0 || row == view->root)
		return true;
	for (uint32_t i = 0; i < view->profile->n_metrics; i++) {
		if (row->total[i] && (double)row->total[i] * 100 >= min_percent * (double)whole[i])
			return true;
	}
	return false;
}

static const struct fold_entity *entity_of(const struct path_records *records, uint32_t entity)
{
	uint32_t n_entities = records->fold->n_entities;

	return entity < n_entities ? &records->fold->entities[entity]
				   : &records->more[entity - n_entities];
}

static struct view_row *add_row(const struct path_records *records, struct view *view,
				struct view_row *parent, uint32_t record)
{
	const struct path_record *of = &records->all[record];
	size_t n_bytes = records->fold->n_metrics * sizeof(uint64_t);
	struct view_row *row = view_add_row(view, parent, entity_of(records, of->entity));

	if (!row)
		return NULL;
	memcpy(row->self, costs_of(records, records->self, record), n_bytes);
	memcpy(row->total, costs_of(records, records->total, record), n_bytes);
	memcpy(row->samples, costs_of(records, records->samples, record), n_bytes);
	row->longest = of->longest;
	row->entity = of->entity;
	row->is_recursion = view->options.kind == VIEW_PATHS && of->canonical != record;
	return row;
}

static void give_rest_to_root(const struct path_records *records, struct view *view)
{
	uint32_t n_metrics = records->fold->n_metrics;

	memcpy(view->root->self, view->root->total, n_metrics * sizeof(uint64_t));
	for (uint32_t i = 1; i < records->n; i++) {
		const uint64_t *self = costs_of(records, records->self, i);

		for (uint32_t metric = 0; metric < n_metrics; metric++)
			view->root->self[metric] -= self[metric];
	}
}

int path_records_show(const struct path_records *records, struct view *view)
{
	_cleanup_free_ struct view_row **rows = calloc(records->n, sizeof(struct view_row *));

	if (!rows)
		return -ENOMEM;
	view->n_entities = records->fold->n_entities + records->n_more;
	give_rest_to_root(records, view);
	rows[PATH_RECORD_TOP] = view->root;
	for (uint32_t i = 1; i < records->n; i++) {
		struct view_row *parent = rows[records->all[i].parent];

		if (!parent || !gets_children(view, parent))
			continue;
		rows[i] = add_row(records, view, parent, i);
		if (!rows[i])
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < records->n; i++) {
		if (rows[i])
			view_sort_children(view, rows[i]);
	}
	return 0;
}
