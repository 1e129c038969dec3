#include "report/findings/idle_threads.h"

#include <string.h>

#include "cct/model/frame.h"

#define BUSY_FRACTION 200 /* 0.5 % */

static bool is_marker(const struct view_row *row, enum marker marker)
{
	return row->kind == ROW_MARKER && strcmp(row->name, marker_text(marker)) == 0;
}

/* The next row below @top, depth first; NULL: there are no more. */
static const struct view_row *next_below(const struct view_row *top, const struct view_row *row)
{
	if (row->children)
		return row->children;
	while (row != top && !row->next)
		row = row->parent;
	return row == top ? NULL : row->next;
}

/* Whether some of its cost is waiting for work, and none is of functions outside the kernel. */
static bool waits_for_work(const struct view_row *top)
{
	bool waits = false;

	for (const struct view_row *row = top; row; row = next_below(top, row)) {
		if (row->kind == ROW_USER || row->kind == ROW_INLINE)
			return false;
		waits |= is_marker(row, MARKER_WAIT_WORK);
	}
	return waits;
}

static uint64_t idle_cost(const struct view_row *top, uint32_t metric)
{
	uint64_t cost = 0;

	for (const struct view_row *row = top; row; row = next_below(top, row)) {
		if (is_marker(row, MARKER_WAIT_WORK) || is_marker(row, MARKER_OFF_BEFORE))
			cost += row->total[metric];
	}
	return cost;
}

bool idle_thread(const struct view *view, const struct view_row *row)
{
	if (!waits_for_work(row))
		return false;
	for (uint32_t i = 0; i < view->profile->n_metrics; i++) {
		uint64_t idle = idle_cost(row, i);
		uint64_t busy = row->total[i] > idle ? row->total[i] - idle : 0;

		if (busy && busy >= view->root->total[i] / BUSY_FRACTION)
			return false;
	}
	return true;
}
