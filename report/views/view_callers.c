/*
 * Arrays indexed by entity have the sums of the callers while a list is split, so no hashing is
 * needed, and the rows are made of the sums. A row's entries are a range of one
 * array, within that of the row above it, which does not need them any more. Rows below
 * options.min_percent are not split further.
 */
#include "report/views/view_callers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"

/* Of shorter ones, the order in memory does not matter. */
#define LONG_LIST 256

static uint32_t entity_of(const struct caller_rows *rows, const struct caller_entry *entry)
{
	return rows->fold->nodes[entry->reached].entity;
}

/* What entries of an entity add up to, and then their samples, each by metric. */
static uint64_t *costs_of(const struct caller_rows *rows, uint32_t entity)
{
	return &rows->costs[2 * (size_t)entity * rows->fold->n_metrics];
}

static void forget_sums(struct caller_rows *rows)
{
	for (uint32_t i = 0; i < rows->n_found; i++)
		rows->sums[rows->found[i]].n_sources = 0;
	rows->n_found = 0;
}

/* The sum of an entity, which has some from now on. */
static struct caller_sum *find_sum(struct caller_rows *rows, uint32_t entity)
{
	struct caller_sum *sum = &rows->sums[entity];

	if (!sum->n_sources) {
		sum->longest = 0;
		memset(costs_of(rows, entity), 0, 2 * rows->fold->n_metrics * sizeof(uint64_t));
		rows->found[rows->n_found++] = entity;
	}
	return sum;
}

static void add_entry(struct caller_rows *rows, const struct caller_entry *entry)
{
	const struct fold *fold = rows->fold;
	const uint32_t n_metrics = fold->n_metrics, entity = entity_of(rows, entry);
	const size_t at = (size_t)entry->origin * n_metrics;
	struct caller_sum *sum = find_sum(rows, entity);
	uint64_t *costs = costs_of(rows, entity);

	sum->n_sources++;
	for (uint32_t i = 0; i < n_metrics; i++) {
		costs[i] += fold->self[at + i];
		costs[n_metrics + i] += fold->self_samples[at + i];
	}
	if (fold->self_longest && fold->self_longest[entry->origin] > sum->longest)
		sum->longest = fold->self_longest[entry->origin];
}

/* Adds the row of an entity with a sum. NULL: out of memory. */
static struct view_row *add_row(struct caller_rows *rows, struct view_row *above, uint32_t entity)
{
	const struct caller_sum *sum = &rows->sums[entity];
	const uint32_t n_metrics = rows->fold->n_metrics;
	const uint64_t *costs = costs_of(rows, entity);
	struct view_row *row = view_add_row(rows->view, above, &rows->fold->entities[entity]);

	if (!row)
		return NULL;
	row->entity = entity;
	row->n_sources = sum->n_sources;
	row->longest = sum->longest;
	memcpy(row->total, costs, n_metrics * sizeof(*costs));
	memcpy(row->samples, costs + n_metrics, n_metrics * sizeof(*costs));
	return row;
}

/*
 * So that rows that follow each other are next to each other in memory. The row with the lowest
 * cost is added first, because each one is put before the others.
 */
static int order_found(struct caller_rows *rows)
{
	const struct view_options *options = &rows->view->options;
	_cleanup_free_ uint64_t *costs = malloc((rows->n_found + 1) * sizeof(*costs));

	if (!costs)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows->n_found; i++)
		costs[i] = costs_of(rows, rows->found[i])[options->sort_metric];
	return view_order_by_cost(rows->found, costs, rows->n_found);
}

static int add_rows(struct caller_rows *rows, struct view_row *above)
{
	const bool is_long = rows->n_found >= LONG_LIST;
	int err = is_long && rows->view->options.sort == SORT_TOTAL ? order_found(rows) : 0;

	for (uint32_t i = 0; i < rows->n_found && !err; i++)
		err = add_row(rows, above, rows->found[i]) ? 0 : -ENOMEM;
	return err;
}

/* Orders the row's entries by child. No entity has a sum any more. */
static void distribute(struct caller_rows *rows, const struct view_row *row)
{
	struct caller_entry *entries = rows->entries + row->source;
	uint32_t at = row->source;

	for (struct view_row *child = row->children; child; child = child->next) {
		child->source = at;
		rows->sums[child->entity].first = at;
		at += child->n_sources;
	}
	memcpy(rows->scratch, entries, row->n_sources * sizeof(*entries));
	for (uint32_t i = 0; i < row->n_sources; i++) {
		const struct caller_entry *entry = &rows->scratch[i];

		rows->entries[rows->sums[entity_of(rows, entry)].first++] = *entry;
	}
	forget_sums(rows);
}

/* The caller of the node that an entry has reached; false: it is the outermost function. */
static bool find_caller(const struct fold *fold, const struct caller_entry *entry,
			uint32_t *caller_ret)
{
	*caller_ret = fold->nodes[entry->reached].parent;
	return entity_is_code(&fold->entities[fold->nodes[*caller_ret].entity]);
}

/* Moves the row's entries to their callers, leaving out those at the outermost function. */
static void step_to_callers(const struct caller_rows *rows, struct view_row *row)
{
	struct caller_entry *entries = rows->entries + row->source;
	uint32_t n_left = 0, caller;

	for (uint32_t i = 0; i < row->n_sources; i++) {
		if (find_caller(rows->fold, &entries[i], &caller))
			entries[n_left++] = (struct caller_entry){ entries[i].origin, caller };
	}
	row->n_sources = n_left;
}

int caller_rows_split(struct caller_rows *rows, struct view_row *row)
{
	const size_t n_bytes = rows->fold->n_metrics * sizeof(uint64_t);
	const bool is_root = row == rows->view->root;

	if (!is_root)
		step_to_callers(rows, row);
	for (uint32_t i = 0; i < row->n_sources; i++)
		add_entry(rows, &rows->entries[row->source + i]);
	if (add_rows(rows, row)) {
		forget_sums(rows);
		return -ENOMEM;
	}
	distribute(rows, row);
	for (struct view_row *child = row->children; is_root && child; child = child->next)
		memcpy(child->self, child->total, n_bytes);
	view_sort_children(rows->view, row);
	return 0;
}

bool caller_rows_have_callers(const struct caller_rows *rows, const struct view_row *row,
			      const bool *is_wanted)
{
	uint32_t caller;

	for (uint32_t i = 0; i < row->n_sources; i++) {
		if (find_caller(rows->fold, &rows->entries[row->source + i], &caller) &&
		    (!is_wanted || is_wanted[caller]))
			return true;
	}
	return false;
}

/* Makes an entry for each node with a self cost. */
static void collect_entries(struct caller_rows *rows)
{
	const struct fold *fold = rows->fold;
	struct view_row *root = rows->view->root;

	for (uint32_t i = 0; i < fold->n_nodes; i++) {
		uint64_t samples = 0;

		for (uint32_t metric = 0; metric < fold->n_metrics; metric++)
			samples |= fold->self_samples[(size_t)i * fold->n_metrics + metric];
		if (samples)
			rows->entries[root->n_sources++] = (struct caller_entry){ i, i };
	}
}

int caller_rows_init(struct caller_rows *rows, struct view *view, const struct fold *fold)
{
	const size_t n_costs = 2 * (size_t)fold->n_entities * fold->n_metrics;

	*rows = (struct caller_rows){
		.view = view,
		.fold = fold,
		.entries = calloc(fold->n_nodes, sizeof(*rows->entries)),
		.scratch = calloc(fold->n_nodes, sizeof(*rows->scratch)),
		.sums = calloc(fold->n_entities, sizeof(*rows->sums)),
		.costs = calloc(n_costs + 1, sizeof(*rows->costs)),
		.found = calloc(fold->n_entities, sizeof(*rows->found)),
	};
	if (!rows->entries || !rows->scratch || !rows->sums || !rows->costs || !rows->found) {
		caller_rows_deinit(rows);
		return -ENOMEM;
	}
	collect_entries(rows);
	return 0;
}

void caller_rows_deinit(struct caller_rows *rows)
{
	free(rows->entries);
	free(rows->scratch);
	free(rows->sums);
	free(rows->costs);
	free(rows->found);
	*rows = (struct caller_rows){ 0 };
}

static bool is_of_interest(const struct view *view, const struct view_row *row)
{
	const double min_percent = view->options.min_percent;

	if (min_percent <= 0 || row == view->root)
		return true;
	for (uint32_t i = 0; i < view->n_columns; i++) {
		if (row->total[i] &&
		    (double)row->total[i] * 100 >= min_percent * (double)view->root->total[i])
			return true;
	}
	return false;
}

/* The row that comes after @row and all rows below it. NULL: none. */
static struct view_row *next_row(struct view_row *row)
{
	while (row && !row->next)
		row = row->parent;
	return row ? row->next : NULL;
}

int view_fill_callers(struct view *view, const struct fold *fold)
{
	struct caller_rows rows;
	int err = caller_rows_init(&rows, view, fold);

	if (err)
		return err;
	for (struct view_row *row = view->root; row && !err;
	     row = row->children ? row->children : next_row(row)) {
		if (is_of_interest(view, row))
			err = caller_rows_split(&rows, row);
	}
	caller_rows_deinit(&rows);
	return err;
}
