/*
 * Call paths with their costs, as a profile of call paths has them: each is a function below the
 * path that it continues.
 */
#ifndef REPORT_VIEWS_PATH_RECORDS_H
#define REPORT_VIEWS_PATH_RECORDS_H

#include "cct/base/pair_map.h"
#include "report/views/view_rows.h"

struct fold;

#define PATH_RECORD_TOP 0 /* the empty path, which is always there */

struct path_record {
	uint32_t parent; /* smaller than the record's own index */
	uint32_t entity;
	/* The record itself; or the one above it that has the same function: the path is recursion,
	 * and goes on from there. */
	uint32_t canonical;
	bool is_locked; /* a node that adds its cost to the record is being walked */
	uint64_t longest;
};

struct path_records {
	const struct fold *fold;
	struct path_record *all;
	uint32_t n, n_allocated;
	/* [record * n_metrics + metric] */
	uint64_t *self, *total, *samples;
	const struct fold_entity *more; /* entities after those of the fold; borrowed */
	uint32_t n_more;
	struct pair_map by_path; /* (parent, entity) -> record */
};

/* 0 or -ENOMEM. */
int path_records_init(struct path_records *records, const struct fold *fold);
void path_records_deinit(struct path_records *records);
/* Finds or adds the path that continues @parent with @entity. 0 or -ENOMEM. */
int path_records_get(struct path_records *records, uint32_t parent, uint32_t entity,
		     uint32_t *record_ret);
/*
 * Adds the inclusive cost of @node unless the record is locked, and locks it. Returns whether it
 * was not locked: who locks a record unlocks it when the node is left.
 */
bool path_records_count(struct path_records *records, uint32_t record, uint32_t node);
void path_records_unlock(struct path_records *records, uint32_t record);
/* Adds the exclusive cost of @node. */
void path_records_add_self(struct path_records *records, uint32_t record, uint32_t node);
/* Adds the cost of @node, or of all below it, too. */
void path_records_add(struct path_records *records, uint32_t record, uint32_t node, bool inclusive);
/* Gives the paths of one function all of their cost as own. */
void path_records_own_totals(struct path_records *records);
/*
 * Makes a row for each record below its parent's row, unless that is below options.min_percent; the
 * view's root gets the own cost that no record has. 0 or -ENOMEM.
 */
int path_records_show(const struct path_records *records, struct view *view);

#endif
