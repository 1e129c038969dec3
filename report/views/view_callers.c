/*
 * The bottom-up tree: below the root each function with its self cost, below it its callers, each
 * with its share of that cost, and so on up to the outermost function.
 *
 * Rows are built from the root of the view downwards. Each has a list of entries (node with the
 * self cost, ancestor reached so far), which is split by the callers of the ancestors. An array
 * indexed by entity maps a caller to its part of the list, so no hashing is needed. Rows below
 * options.min_percent are not split further.
 */
#include "report/views/view_callers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"

#define NO_PART UINT32_MAX

struct entry {
	uint32_t origin; /* the node with the self cost */
	uint32_t reached;
};

/* A row and its entries [first, first + n_entries). */
struct part {
	struct view_row *row;
	uint32_t entity;
	uint32_t first, n_entries;
};

struct callers {
	struct view *view;
	const struct fold *fold;
	struct entry *entries, *scratch; /* as many as nodes */
	uint32_t *part_of;               /* entity -> part being built, while a list is split */
	struct part *parts;              /* a stack */
	size_t n_parts, n_parts_allocated;
};

static struct part *push_part(struct callers *callers)
{
	if (array_reserve(callers->parts, callers->n_parts, callers->n_parts_allocated, 1))
		return NULL;
	return &callers->parts[callers->n_parts++];
}

static uint32_t entity_of(const struct callers *callers, const struct entry *entry)
{
	return callers->fold->nodes[entry->reached].entity;
}

/* Finds or adds the entity's part in the current split. */
static struct part *find_part(struct callers *callers, struct view_row *row, uint32_t entity)
{
	struct part *part;

	if (callers->part_of[entity] != NO_PART)
		return &callers->parts[callers->part_of[entity]];
	part = push_part(callers);
	if (!part)
		return NULL;
	*part = (struct part){
		.row = view_add_row(callers->view, row, &callers->fold->entities[entity]),
		.entity = entity,
	};
	callers->part_of[entity] = (uint32_t)callers->n_parts - 1;
	if (!part->row)
		return NULL;
	part->row->entity = entity;
	return part;
}

static int add_entry(struct callers *callers, struct view_row *row, const struct entry *entry)
{
	const struct fold *fold = callers->fold;
	size_t at = (size_t)entry->origin * fold->n_metrics;
	struct part *part = find_part(callers, row, entity_of(callers, entry));

	if (!part)
		return -ENOMEM;
	part->n_entries++;
	view_add_cost(part->row->total, fold->self + at, fold->n_metrics);
	view_add_cost(part->row->samples, fold->self_samples + at, fold->n_metrics);
	view_raise_longest(part->row, fold_self_longest(fold, entry->origin));
	return 0;
}

/* Creates the children of @row from entries [first, first + n) and orders the entries by child. */
static int split(struct callers *callers, struct view_row *row, uint32_t first, uint32_t n)
{
	struct entry *entries = callers->entries + first;
	size_t first_part = callers->n_parts;
	uint32_t at = first;

	for (uint32_t i = 0; i < n; i++) {
		if (add_entry(callers, row, &entries[i]))
			return -ENOMEM;
	}
	for (size_t i = first_part; i < callers->n_parts; i++) {
		callers->parts[i].first = at;
		at += callers->parts[i].n_entries;
		callers->parts[i].n_entries = 0;
	}
	memcpy(callers->scratch, entries, n * sizeof(*entries));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t entity = entity_of(callers, &callers->scratch[i]);
		struct part *part = &callers->parts[callers->part_of[entity]];

		callers->entries[part->first + part->n_entries++] = callers->scratch[i];
	}
	for (size_t i = first_part; i < callers->n_parts; i++)
		callers->part_of[callers->parts[i].entity] = NO_PART;
	view_sort_children(callers->view, row);
	return 0;
}

/* Moves the part's entries to their callers, leaving out those at the outermost function. */
static uint32_t step_to_callers(const struct callers *callers, const struct part *part)
{
	struct entry *entries = callers->entries + part->first;
	const struct fold *fold = callers->fold;
	uint32_t n_left = 0;

	for (uint32_t i = 0; i < part->n_entries; i++) {
		uint32_t caller = fold->nodes[entries[i].reached].parent;

		if (!entity_is_code(&fold->entities[fold->nodes[caller].entity]))
			continue;
		entries[n_left++] = (struct entry){ entries[i].origin, caller };
	}
	return n_left;
}

static bool is_of_interest(const struct callers *callers, const struct view_row *row)
{
	const struct view_row *root = callers->view->root;
	double min_percent = callers->view->options.min_percent;

	if (min_percent <= 0)
		return true;
	for (uint32_t i = 0; i < callers->fold->n_metrics; i++) {
		if (row->total[i] &&
		    (double)row->total[i] * 100 >= min_percent * (double)root->total[i])
			return true;
	}
	return false;
}

/* Makes an entry for each node with a self cost. */
static uint32_t collect_entries(struct callers *callers)
{
	const struct fold *fold = callers->fold;
	uint32_t n_entries = 0;

	for (uint32_t i = 0; i < fold->n_nodes; i++) {
		uint64_t samples = 0;

		for (uint32_t metric = 0; metric < fold->n_metrics; metric++)
			samples |= fold->self_samples[(size_t)i * fold->n_metrics + metric];
		if (samples)
			callers->entries[n_entries++] = (struct entry){ i, i };
	}
	return n_entries;
}

static int fill(struct callers *callers)
{
	struct view_row *root = callers->view->root;
	size_t n_bytes = callers->fold->n_metrics * sizeof(uint64_t);
	int err = split(callers, root, 0, collect_entries(callers));

	for (struct view_row *row = root->children; row; row = row->next)
		memcpy(row->self, row->total, n_bytes);
	while (!err && callers->n_parts) {
		struct part part = callers->parts[--callers->n_parts];

		if (is_of_interest(callers, part.row))
			err = split(callers, part.row, part.first, step_to_callers(callers, &part));
	}
	return err;
}

int view_fill_callers(struct view *view, const struct fold *fold)
{
	_cleanup_free_ struct entry *entries = calloc(fold->n_nodes, sizeof(*entries));
	_cleanup_free_ struct entry *scratch = calloc(fold->n_nodes, sizeof(*scratch));
	_cleanup_free_ uint32_t *part_of = malloc(fold->n_entities * sizeof(*part_of));
	struct callers callers = {
		.view = view,
		.fold = fold,
		.entries = entries,
		.scratch = scratch,
		.part_of = part_of,
	};
	int err;

	if (!entries || !scratch || !part_of)
		return -ENOMEM;
	view->n_entities = fold->n_entities;
	memset(part_of, 0xff, fold->n_entities * sizeof(*part_of));
	err = fill(&callers);
	free(callers.parts);
	return err;
}
