#include "report/browse/icicle.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"

struct laying {
	struct icicle *icicle;
	struct growing_view *growing;
	double cells_per_cost;
};

static uint64_t cost_of(const struct laying *laying, const struct view_row *row)
{
	return row->total[laying->growing->view->options.sort_metric];
}

static int add_box(struct icicle *icicle, const struct icicle_box *box)
{
	if (array_reserve(icicle->boxes, icicle->n_boxes, icicle->n_allocated, 1))
		return -ENOMEM;
	icicle->boxes[icicle->n_boxes++] = *box;
	return 0;
}

static uint32_t cell_of(const struct laying *laying, double cost)
{
	double cell = cost * laying->cells_per_cost + 0.5;

	return cell < laying->icicle->width ? (uint32_t)cell : laying->icicle->width;
}

/*
 * Adds boxes for the children of a row that begins at @cost. A box ends where the next one begins,
 * so roundings do not add up. Narrow rows are collected until they fill a cell, or a wide one
 * comes.
 */
static int add_children(const struct laying *laying, const struct view_row *row, double cost,
			uint32_t depth)
{
	struct icicle_box narrow = { .depth = depth };
	int err = 0;

	for (struct view_row *child = row->children; child && !err; child = child->next) {
		const double end = cost + (double)cost_of(laying, child);
		const struct icicle_box box = {
			.row = child,
			.n_rows = 1,
			.depth = depth,
			.start = cell_of(laying, cost),
			.width = cell_of(laying, end) - cell_of(laying, cost),
			.cost = cost,
		};

		cost = end;
		if (box.width >= 2) {
			err = narrow.width ? add_box(laying->icicle, &narrow) : 0;
			narrow = (struct icicle_box){ .depth = depth };
			err = err ? err : add_box(laying->icicle, &box);
			continue;
		}
		if (!narrow.width) {
			narrow.start = box.start;
			narrow.cost = box.cost;
		}
		narrow.n_rows++;
		narrow.width += box.width;
		narrow.row = narrow.n_rows == 1 ? child : NULL;
	}
	return !err && narrow.width ? add_box(laying->icicle, &narrow) : err;
}

static int add_level(const struct laying *laying, uint32_t first, uint32_t end, uint32_t depth)
{
	for (uint32_t i = first; i < end; i++) {
		struct view_row *row = laying->icicle->boxes[i].row;
		const double cost = laying->icicle->boxes[i].cost;

		if (!row)
			continue;
		int err = growing_view_grow(laying->growing, row);
		if (!err)
			err = add_children(laying, row, cost, depth);
		if (err)
			return err;
	}
	return 0;
}

int icicle_lay_out(struct icicle *icicle, struct growing_view *growing, uint32_t width,
		   uint32_t n_levels)
{
	struct view_row *root = growing->view->root;
	struct laying laying = { .icicle = icicle, .growing = growing };

	icicle->n_boxes = 0;
	icicle->width = width;
	const uint64_t whole = cost_of(&laying, root);
	if (!whole || !n_levels)
		return 0;
	laying.cells_per_cost = width / (double)whole;
	int err = growing_view_grow(growing, root);
	if (!err)
		err = add_children(&laying, root, 0, 0);
	for (uint32_t depth = 1, first = 0; depth < n_levels && !err; depth++) {
		const uint32_t end = icicle->n_boxes;

		err = add_level(&laying, first, end, depth);
		first = end;
	}
	return err;
}

void icicle_deinit(struct icicle *icicle)
{
	free(icicle->boxes);
	*icicle = (struct icicle){ 0 };
}

const struct icicle_box *icicle_at(const struct icicle *icicle, uint32_t depth, uint32_t cell)
{
	for (uint32_t i = 0; i < icicle->n_boxes; i++) {
		const struct icicle_box *box = &icicle->boxes[i];

		if (box->depth == depth && cell >= box->start && cell - box->start < box->width)
			return box;
	}
	return NULL;
}
