#include "report/diff/diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/text/name_pattern.h"
#include "report/fold/view_traits.h"

void diff_deinit(struct diff *diff)
{
	diff_rows_deinit(&diff->rows);
	for (size_t i = 0; i < DIFF_MAX_METRICS; i++) {
		for (int j = 0; j < N_DIFF_MEASURES; j++)
			free(diff->changes[i].rows[j]);
	}
	diff_tree_deinit(&diff->tree);
	free(diff->order);
}

bool diff_has_shares(const struct diff *diff)
{
	return diff->options.norm == DIFF_BY_TOTAL || diff->options.norm == DIFF_BY_SAMPLES;
}

bool diff_is_tree(const struct diff *diff)
{
	return !view_traits(diff->options.view)->is_flat;
}

/* Whether a sample may be in several rows. In tables totals move together, which does no harm to
 * Benjamini and Hochberg's procedure. */
static bool do_rows_share_samples(const struct diff *diff, enum diff_measure measure)
{
	return diff_is_tree(diff) && (diff->options.view != VIEW_TREE || measure != DIFF_SELF);
}

double diff_relative(const struct diff_change *change)
{
	double before = change->result.values[DIFF_BEFORE];

	return before > 0 ? diff_change_of(change) / before : NAN;
}

const char *diff_row_status(const struct diff *diff, size_t row)
{
	bool has_cost[N_DIFF_SIDES] = { false };

	for (size_t i = 0; i < diff->rows.n_metrics; i++) {
		const double *values = diff->changes[i].rows[DIFF_TOTAL][row].result.values;

		has_cost[DIFF_BEFORE] |= values[DIFF_BEFORE] > 0;
		has_cost[DIFF_AFTER] |= values[DIFF_AFTER] > 0;
	}
	if (has_cost[DIFF_BEFORE] == has_cost[DIFF_AFTER])
		return "";
	return has_cost[DIFF_AFTER] ? "new" : "gone";
}

/* What a row cost in one run of each side, in its errors' terms: cost by itself, not as a share. */
static int test_costs(const struct diff_rows *rows, size_t metric, const struct diff_cost *costs,
		      size_t n_rows, struct diff_result *results)
{
	_cleanup_free_ struct diff_run *runs = calloc(rows->n_runs, sizeof(*runs));

	if (!runs)
		return -ENOMEM;
	memcpy(runs, rows->metrics[metric].runs, rows->n_runs * sizeof(*runs));
	for (size_t i = 0; i < rows->n_runs; i++)
		runs[i].amount = 1;
	return diff_compare(DIFF_RATES, runs, rows->n_runs, costs, n_rows, results);
}

/* A share that moved without its cost, or against it, moved because the total did. */
static void keep_movers(struct diff_result *share, const struct diff_result *cost)
{
	double shares = share->values[DIFF_AFTER] - share->values[DIFF_BEFORE];
	double costs = cost->values[DIFF_AFTER] - cost->values[DIFF_BEFORE];

	if (isnan(share->p))
		return;
	share->p = shares * costs > 0 ? fmax(share->p, cost->p) : 1;
}

static int require_costs(const struct diff *diff, size_t metric, const struct diff_cost *costs,
			 struct diff_result *results)
{
	size_t n = diff->rows.n_rows;
	_cleanup_free_ struct diff_result *of_costs = calloc(n + 1, sizeof(*of_costs));
	int err = of_costs ? test_costs(&diff->rows, metric, costs, n, of_costs) : -ENOMEM;

	for (size_t i = 0; !err && i < n; i++)
		keep_movers(&results[i], &of_costs[i]);
	return err;
}

static int adjust(const struct diff *diff, enum diff_measure measure, struct diff_change *changes,
		  size_t n)
{
	_cleanup_free_ double *q = calloc(n + 1, sizeof(*q));

	if (!q)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		q[i] = changes[i].result.p;
	int err = diff_adjust(q, n, do_rows_share_samples(diff, measure));
	for (size_t i = 0; !err && i < n; i++)
		changes[i].q = q[i];
	return err;
}

static int compare(struct diff *diff, size_t metric, enum diff_measure measure)
{
	const struct diff_rows *rows = &diff->rows;
	enum diff_kind kind = diff_has_shares(diff) ? DIFF_SHARES : DIFF_RATES;
	struct diff_change *changes = calloc(rows->n_rows + 1, sizeof(*changes));
	_cleanup_free_ struct diff_result *results = calloc(rows->n_rows + 1, sizeof(*results));
	const struct diff_cost *costs = rows->metrics[metric].rows[measure];
	const struct diff_run *runs = rows->metrics[metric].runs;

	diff->changes[metric].rows[measure] = changes;
	if (!changes || !results)
		return -ENOMEM;
	int err = diff_compare(kind, runs, rows->n_runs, costs, rows->n_rows, results);
	if (!err && kind == DIFF_SHARES)
		err = require_costs(diff, metric, costs, results);
	if (err)
		return err;
	for (size_t i = 0; i < rows->n_rows; i++)
		changes[i].result = results[i];
	return adjust(diff, measure, changes, rows->n_rows);
}

static int compare_totals(struct diff *diff, size_t metric)
{
	const struct diff_rows *rows = &diff->rows;
	const struct diff_run *runs = rows->metrics[metric].runs;
	struct diff_change *total = &diff->changes[metric].total;
	_cleanup_free_ struct diff_cost *costs = calloc(rows->n_runs, sizeof(*costs));

	if (!costs)
		return -ENOMEM;
	for (size_t i = 0; i < rows->n_runs; i++)
		costs[i] = runs[i].cost;
	int err = diff_has_shares(diff)
			  ? test_costs(rows, metric, costs, 1, &total->result)
			  : diff_compare(DIFF_RATES, runs, rows->n_runs, costs, 1, &total->result);
	total->q = total->result.p;
	return err;
}

static void count_significant(struct diff *diff, size_t metric)
{
	for (size_t i = 0; i < diff->rows.n_rows; i++)
		diff->changes[metric].n_significant +=
			diff_change_is_significant(diff_change_at(diff, metric, i));
}

static int compare_metric(struct diff *diff, size_t metric)
{
	struct diff_run *runs = diff->rows.metrics[metric].runs;
	int err = 0;

	for (size_t i = 0; i < diff->rows.n_runs; i++) {
		runs[i].side = diff->sources[i].side;
		runs[i].amount = diff->sources[i].amount;
	}
	for (int i = 0; !err && i < N_DIFF_MEASURES; i++)
		err = compare(diff, metric, (enum diff_measure)i);
	if (!err)
		count_significant(diff, metric);
	return err ? err : compare_totals(diff, metric);
}

/* How far a row moved by itself. The total of a row does not show what moved to others below it. */
static double moved_by(const struct diff *diff, size_t row)
{
	double moved = fabs(diff_change_of(diff_change_at(diff, 0, row)));

	for (int i = 0; diff_is_tree(diff) && i < N_DIFF_MEASURES; i++)
		moved = fmax(moved, fabs(diff_change_of(&diff->changes[0].rows[i][row])));
	return moved;
}

static int make_tree(struct diff *diff)
{
	const size_t n = diff->rows.n_rows;
	double *moved = calloc(n + 1, sizeof(*moved));
	_cleanup_free_ double *values = calloc(n + 1, sizeof(*values));

	if (!moved || !values) {
		free(moved);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		moved[i] = moved_by(diff, i);
		values[i] = diff_change_at(diff, 0, i)->result.values[DIFF_AFTER];
	}
	return diff_tree_init(&diff->tree, &diff->rows, moved, values);
}

/* Which rows are to be shown; to free(). NULL: no memory. */
static bool *choose_rows(const struct diff *diff)
{
	bool *is_chosen = calloc(diff->rows.n_rows + 1, sizeof(*is_chosen));

	for (size_t i = 0; is_chosen && i < diff->rows.n_rows; i++)
		is_chosen[i] = !diff->options.significant_only ||
			       diff_change_is_significant(diff_change_at(diff, 0, i));
	if (is_chosen)
		diff_tree_mark_above(&diff->rows, is_chosen);
	return is_chosen;
}

static int sort(struct diff *diff)
{
	_cleanup_free_ bool *is_chosen = choose_rows(diff);

	diff->order = calloc(diff->rows.n_rows + 1, sizeof(*diff->order));
	if (!is_chosen || !diff->order || make_tree(diff))
		return -ENOMEM;
	uint32_t row = diff_tree_next(&diff->tree, &diff->rows, DIFF_NO_ROW);
	for (; row != DIFF_NO_ROW; row = diff_tree_next(&diff->tree, &diff->rows, row)) {
		if (is_chosen[row])
			diff->order[diff->n_shown++] = row;
	}
	return 0;
}

int diff_init(struct diff *diff, const struct diff_options *options,
	      const struct diff_source *sources, struct diff_rows *rows)
{
	int err = 0;

	*diff = (struct diff){ .options = *options, .sources = sources, .rows = *rows };
	*rows = (struct diff_rows){ 0 };
	for (size_t i = 0; !err && i < diff->rows.n_metrics; i++)
		err = compare_metric(diff, i);
	return err ? err : sort(diff);
}

static bool is_rise(const struct diff_change *change, double percent)
{
	double before = change->result.values[DIFF_BEFORE];

	return diff_change_is_significant(change) &&
	       diff_change_of(change) > before * percent / 100;
}

/* Copies the rows that the pattern names, and adjusts them among themselves. */
static int find_rise_of(const struct diff *diff, double percent, const char *function,
			struct diff_rise *rise_ret)
{
	const struct diff_change *changes = diff_change_at(diff, 0, 0);
	size_t n_all = diff->rows.n_rows, n = 0;
	_cleanup_free_ struct diff_change *named = calloc(n_all + 1, sizeof(*named));
	_cleanup_free_ size_t *rows = calloc(n_all + 1, sizeof(*rows));

	if (!named || !rows)
		return -ENOMEM;
	for (size_t i = 0; i < n_all; i++) {
		if (!name_pattern_matches(function, diff->rows.rows[i].name))
			continue;
		rows[n] = i;
		named[n++] = changes[i];
	}
	rise_ret->n_rows = n;
	int err = adjust(diff, diff->options.measure, named, n);
	for (size_t i = 0; !err && i < n; i++) {
		if (!is_rise(&named[i], percent))
			continue;
		rise_ret->row = &diff->rows.rows[rows[i]];
		return 1;
	}
	return err;
}

int diff_find_rise(const struct diff *diff, double percent, const char *function,
		   struct diff_rise *rise_ret)
{
	*rise_ret = (struct diff_rise){ .n_rows = diff->rows.n_rows };
	if (function)
		return find_rise_of(diff, percent, function, rise_ret);
	for (size_t i = 0; i < diff->n_shown; i++) {
		size_t row = diff->order[i];

		if (!is_rise(diff_change_at(diff, 0, row), percent))
			continue;
		rise_ret->row = &diff->rows.rows[row];
		return 1;
	}
	return 0;
}
