#include "report/diff/diff_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "cct/text/file_names.h"
#include "report/findings/row_error.h"

#define FILES_NAMED 3 /* of those that an epoch began with */

void diff_costs_deinit(struct diff_costs *costs)
{
	free(costs->runs);
	for (int i = 0; i < N_DIFF_MEASURES; i++)
		free(costs->rows[i]);
}

void diff_rows_deinit(struct diff_rows *rows)
{
	for (size_t i = 0; i < rows->n_rows; i++) {
		free(rows->rows[i].name);
		free(rows->rows[i].module);
		free(rows->rows[i].file);
	}
	free(rows->rows);
	for (size_t i = 0; i < rows->n_metrics; i++)
		diff_costs_deinit(&rows->metrics[i]);
	string_ids_deinit(&rows->keys);
	*rows = (struct diff_rows){ 0 };
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "make", "make/worker" */
static char *thread_name(const struct view_row *row)
{
	const char *process = row->process ? row->process->name : NULL;

	return process && strcmp(process, row->name) != 0 ? sentence("%s/%s", process, row->name)
							  : strdup(row->name);
}

/* What is loaded first has no end of names, of which the versions of a program have others. */
static char *epoch_name(const struct view_row *row)
{
	_cleanup_free_ char *files =
		file_names_describe(row->files ? row->files : "", row->n_files, FILES_NAMED);

	if (!files)
		return NULL;
	return row->id > 1 ? sentence("%s after %s", row->process->name, files)
			   : sentence("%s from its start", row->process->name);
}

/* In a view of modules the names are paths. Heap. NULL: no memory. */
static char *make_name(const struct view *view, const struct view_row *row)
{
	switch (view->options.kind) {
	case VIEW_MODULES:
		return strdup(last_part(row->name));
	case VIEW_THREADS:
		return thread_name(row);
	case VIEW_CPUS:
		return row->id >= 0 ? sentence("%s %" PRId32, row->name, row->id)
				    : strdup(row->name);
	case VIEW_EPOCHS:
		return epoch_name(row);
	default:
		return strdup(row->name);
	}
}

/* A hostile name with the separator shares a row with another at worst. */
static char *make_key(const struct view_row *row, const char *name, uint32_t parent)
{
	char *key;

	if (asprintf(&key, "%x\x1f%d\x1f%d\x1f%s\x1f%s\x1f%s\x1f%u", parent, (int)row->kind,
		     (int)row->arc, name, last_part(row->module),
		     row->file ? last_part(row->file) : "", row->line) < 0)
		return NULL;
	return key;
}

static int grow_costs(const struct diff_rows *rows, struct diff_costs *costs, size_t n)
{
	for (int i = 0; i < N_DIFF_MEASURES; i++) {
		struct diff_cost *larger =
			reallocarray(costs->rows[i], n, rows->n_runs * sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		costs->rows[i] = larger;
		memset(larger + rows->n_rows * rows->n_runs, 0,
		       (n - rows->n_rows) * rows->n_runs * sizeof(*larger));
	}
	return 0;
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
	for (size_t i = 0; i < rows->n_metrics; i++) {
		if (grow_costs(rows, &rows->metrics[i], n))
			return -ENOMEM;
	}
	rows->n_allocated = n;
	return 0;
}

static int append(struct diff_rows *rows, const struct view_row *row, const char *name,
		  uint32_t parent)
{
	int err = reserve(rows);

	if (err)
		return err;
	struct diff_row *new = &rows->rows[rows->n_rows];
	*new = (struct diff_row){
		.parent = parent,
		.kind = row->kind,
		.arc = row->arc,
		.line = row->line,
		.name = strdup(name),
		.module = strdup(last_part(row->module)),
		.file = row->file ? strdup(row->file) : NULL,
	};
	rows->n_rows++;
	return new->name &&new->module && (new->file || !row->file) ? 0 : -ENOMEM;
}

static int find_or_add(struct diff_rows *rows, const struct view *view, const struct view_row *row,
		       uint32_t parent, uint32_t *at_ret)
{
	_cleanup_free_ char *name = make_name(view, row);
	_cleanup_free_ char *key = name ? make_key(row, name, parent) : NULL;
	bool is_new;
	uint32_t id;
	int err = key ? string_ids_add(&rows->keys, key, &id, &is_new) : -ENOMEM;

	if (!err && is_new)
		err = append(rows, row, name, parent);
	if (!err)
		*at_ret = id;
	return err;
}

static int widen_rows(const struct diff_rows *rows, struct diff_cost **costs, size_t run, size_t n)
{
	const size_t n_before = rows->n_runs, n_runs = n_before + n - 1;
	struct diff_cost *wider = calloc(rows->n_allocated * n_runs + 1, sizeof(*wider));

	if (!wider)
		return -ENOMEM;
	for (size_t i = 0; i < rows->n_rows; i++) {
		for (size_t j = 0; j < n_before; j++)
			wider[i * n_runs + j + (j > run ? n - 1 : 0)] = (*costs)[i * n_before + j];
	}
	free(*costs);
	*costs = wider;
	return 0;
}

static int widen(const struct diff_rows *rows, struct diff_costs *costs, size_t run, size_t n)
{
	struct diff_run *runs = calloc(rows->n_runs + n, sizeof(*runs));

	if (!runs)
		return -ENOMEM;
	for (size_t i = 0; costs->runs && i < rows->n_runs; i++)
		runs[i + (i > run ? n - 1 : 0)] = costs->runs[i];
	free(costs->runs);
	costs->runs = runs;
	for (int i = 0; i < N_DIFF_MEASURES; i++) {
		if (widen_rows(rows, &costs->rows[i], run, n))
			return -ENOMEM;
	}
	return 0;
}

int diff_rows_split_run(struct diff_rows *rows, size_t run, size_t n)
{
	for (size_t i = 0; i < rows->n_metrics; i++) {
		if (widen(rows, &rows->metrics[i], run, n))
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
	struct diff_cost cost = { .weight = weights[metric] };
	struct share_sum sum = { .samples = 0 };

	row_share_sum(view, row, metric, kind, &sum);
	cost.samples = samples ? samples[metric] : sum.samples;
	if (count_samples)
		cost.weight = cost.samples;
	else
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

/* The costs of @row, which are at @at, of one run. */
static void add_costs(struct diff_costs *costs, size_t at, const struct diff_cost *all,
		      const struct view *view, const struct view_row *row, uint32_t metric,
		      bool count_samples)
{
	const struct diff_cost self = cost_of(view, row, metric, SHARE_SELF, count_samples);
	const struct diff_cost total = cost_of(view, row, metric, SHARE_TOTAL, count_samples);

	add_cost(&costs->rows[DIFF_SELF][at], &self, all);
	add_cost(&costs->rows[DIFF_TOTAL][at], &total, all);
}

static int set_run(struct diff_rows *rows, size_t run, const struct view *view,
		   const uint32_t *metrics, bool count_samples)
{
	for (size_t i = 0; i < rows->n_metrics; i++) {
		struct diff_costs *costs = &rows->metrics[i];

		if (!costs->runs)
			costs->runs = calloc(rows->n_runs, sizeof(*costs->runs));
		if (!costs->runs)
			return -ENOMEM;
		costs->runs[run].cost =
			cost_of(view, view->root, metrics[i], SHARE_TOTAL, count_samples);
	}
	return 0;
}

/* The costs of a row of the view, which is @at here. */
static void add_row(struct diff_rows *rows, size_t run, const struct view *view,
		    const struct view_row *row, const uint32_t *metrics, bool count_samples,
		    uint32_t at)
{
	for (size_t i = 0; i < rows->n_metrics; i++) {
		struct diff_costs *costs = &rows->metrics[i];

		add_costs(costs, at * rows->n_runs + run, &costs->runs[run].cost, view, row,
			  metrics[i], count_samples);
	}
}

/* Where the rows of a path of the view are here, from the one below the root on. */
struct path {
	uint32_t *rows;
	size_t n, n_allocated;
};

/* The row after the last one of the path, in an order in which parents are first. NULL: the end. */
static const struct view_row *next_row(const struct view *view, const struct view_row *row,
				       struct path *path)
{
	if (row->children)
		return row->children;
	for (; row != view->root; row = row->parent) {
		path->n--;
		if (row->next)
			return row->next;
	}
	return NULL;
}

static int add_rows(struct diff_rows *rows, size_t run, const struct view *view,
		    const uint32_t *metrics, bool count_samples, uint32_t *nodes, struct path *path)
{
	const struct view_row *row = view->root->children;

	for (; row; row = next_row(view, row, path)) {
		uint32_t parent = path->n ? path->rows[path->n - 1] : DIFF_NO_ROW, at;

		if (array_reserve(path->rows, path->n, path->n_allocated, 1) ||
		    find_or_add(rows, view, row, parent, &at))
			return -ENOMEM;
		path->rows[path->n++] = at;
		add_row(rows, run, view, row, metrics, count_samples, at);
		if (nodes)
			nodes[row->source] = at;
	}
	return 0;
}

int diff_rows_add(struct diff_rows *rows, size_t run, const struct view *view,
		  const uint32_t *metrics, bool count_samples, uint32_t *nodes)
{
	struct path path = { 0 };
	int err = set_run(rows, run, view, metrics, count_samples);

	if (!err)
		err = add_rows(rows, run, view, metrics, count_samples, nodes, &path);
	free(path.rows);
	return err;
}
