#include "report/diff/diff_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "report/findings/row_error.h"

void diff_rows_deinit(struct diff_rows *rows)
{
	for (size_t i = 0; i < rows->n_rows; i++) {
		free(rows->rows[i].name);
		free(rows->rows[i].module);
		free(rows->rows[i].file);
	}
	free(rows->rows);
	free(rows->runs);
	for (int i = 0; i < N_DIFF_MEASURES; i++)
		free(rows->costs[i]);
	string_ids_deinit(&rows->keys);
	*rows = (struct diff_rows){ 0 };
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* In a view of modules the names are paths; names of functions and processes stay as they are. */
static const char *row_name(const struct view *view, const struct view_row *row)
{
	return view->options.kind == VIEW_MODULES ? last_part(row->name) : row->name;
}

/* A hostile name with the separator shares a row with another at worst. */
static char *make_key(const struct view *view, const struct view_row *row)
{
	char *key;

	if (asprintf(&key, "%d\x1f%s\x1f%s\x1f%s\x1f%u", (int)row->kind, row_name(view, row),
		     last_part(row->module), row->file ? last_part(row->file) : "", row->line) < 0)
		return NULL;
	return key;
}

/* Room for one row more, with costs of 0. */
static int reserve(struct diff_rows *rows)
{
	size_t n = rows->n_allocated ? 2 * rows->n_allocated : 256;

	if (rows->n_rows < rows->n_allocated)
		return 0;
	struct diff_row *larger = reallocarray(rows->rows, n, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	rows->rows = larger;
	for (int i = 0; i < N_DIFF_MEASURES; i++) {
		struct diff_cost *costs =
			reallocarray(rows->costs[i], n, rows->n_runs * sizeof(*costs));

		if (!costs)
			return -ENOMEM;
		rows->costs[i] = costs;
		memset(costs + rows->n_rows * rows->n_runs, 0,
		       (n - rows->n_rows) * rows->n_runs * sizeof(*costs));
	}
	rows->n_allocated = n;
	return 0;
}

static int append(struct diff_rows *rows, const struct view *view, const struct view_row *row)
{
	int err = reserve(rows);

	if (err)
		return err;
	struct diff_row *new = &rows->rows[rows->n_rows];
	*new = (struct diff_row){
		.kind = row->kind,
		.line = row->line,
		.name = strdup(row_name(view, row)),
		.module = strdup(last_part(row->module)),
		.file = row->file ? strdup(row->file) : NULL,
	};
	rows->n_rows++;
	return new->name &&new->module && (new->file || !row->file) ? 0 : -ENOMEM;
}

static int find_or_add(struct diff_rows *rows, const struct view *view, const struct view_row *row,
		       size_t *at_ret)
{
	_cleanup_free_ char *key = make_key(view, row);
	bool is_new;
	uint32_t id;
	int err = key ? string_ids_add(&rows->keys, key, &id, &is_new) : -ENOMEM;

	if (!err && is_new)
		err = append(rows, view, row);
	if (!err)
		*at_ret = id;
	return err;
}

static int widen_costs(struct diff_rows *rows, enum diff_measure measure, size_t run, size_t n)
{
	const size_t n_before = rows->n_runs, n_runs = n_before + n - 1;
	struct diff_cost *costs = calloc(rows->n_allocated * n_runs + 1, sizeof(*costs));

	if (!costs)
		return -ENOMEM;
	for (size_t i = 0; i < rows->n_rows; i++) {
		for (size_t j = 0; j < n_before; j++)
			costs[i * n_runs + j + (j > run ? n - 1 : 0)] =
				rows->costs[measure][i * n_before + j];
	}
	free(rows->costs[measure]);
	rows->costs[measure] = costs;
	return 0;
}

int diff_rows_split_run(struct diff_rows *rows, size_t run, size_t n)
{
	struct diff_run *runs = calloc(rows->n_runs + n, sizeof(*runs));

	if (!runs)
		return -ENOMEM;
	for (size_t i = 0; rows->runs && i < rows->n_runs; i++)
		runs[i + (i > run ? n - 1 : 0)] = rows->runs[i];
	free(rows->runs);
	rows->runs = runs;
	for (int i = 0; i < N_DIFF_MEASURES; i++) {
		if (widen_costs(rows, (enum diff_measure)i, run, n))
			return -ENOMEM;
	}
	rows->n_runs += n - 1;
	return 0;
}

/* Of samples that count as 1 each, or as their weight. */
static struct diff_cost cost_of(const struct view *view, const struct view_row *row,
				uint32_t metric, enum share_kind kind, bool count_samples)
{
	const uint64_t *weights = kind == SHARE_SELF ? row->self : row->total;
	const uint64_t *samples = kind == SHARE_SELF ? row->self_samples : row->samples;
	struct diff_cost cost = { .weight = weights[metric], .samples = samples[metric] };
	struct share_sum sum;

	if (count_samples)
		cost.weight = cost.samples;
	else if (row_share_sum(view, row, metric, kind, &sum))
		cost.squares = sum.squares;
	return cost;
}

/* Rows of one name are one; a sample that is in two of them counts once at most. */
static void add_cost(struct diff_cost *cost, const struct diff_cost *more,
		     const struct diff_cost *most)
{
	cost->weight += more->weight;
	cost->samples += more->samples;
	cost->squares += more->squares;
	cost->weight = cost->weight < most->weight ? cost->weight : most->weight;
	cost->samples = cost->samples < most->samples ? cost->samples : most->samples;
	cost->squares = cost->squares < most->squares ? cost->squares : most->squares;
}

int diff_rows_add(struct diff_rows *rows, size_t run, const struct view *view, uint32_t metric,
		  bool count_samples)
{
	if (!rows->runs)
		rows->runs = calloc(rows->n_runs, sizeof(*rows->runs));
	if (!rows->runs)
		return -ENOMEM;
	const struct diff_cost all = cost_of(view, view->root, metric, SHARE_TOTAL, count_samples);
	rows->runs[run].cost = all;
	for (const struct view_row *row = view->root->children; row; row = row->next) {
		const struct diff_cost self = cost_of(view, row, metric, SHARE_SELF, count_samples);
		const struct diff_cost total =
			cost_of(view, row, metric, SHARE_TOTAL, count_samples);
		size_t at;
		int err = find_or_add(rows, view, row, &at);

		if (err)
			return err;
		at = at * rows->n_runs + run;
		add_cost(&rows->costs[DIFF_SELF][at], &self, &all);
		add_cost(&rows->costs[DIFF_TOTAL][at], &total, &all);
	}
	return 0;
}
